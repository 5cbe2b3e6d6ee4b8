// Other programs: what they get of ours, and how they end.
#include <sys/mman.h>

#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <string>

#include "compiler/process/child.h"
#include "compiler/process/fd.h"
#include "compiler/process/file.h"
#include "compiler/process/program.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using namespace std::chrono_literals;
using process::SpawnOptions;

namespace {

struct Said {
  process::Exit exit;
  std::string output;
};

// What a shell's command says, and how it ends.
Said shell(const std::string& command, SpawnOptions options = {}) {
  process::Fd output(::memfd_create("output", MFD_CLOEXEC));
  options.words = {"sh", "-c", command};
  options.output = output.get();
  auto child = process::spawn(options);
  REQUIRE(child);
  Said said{child->wait(), {}};
  REQUIRE(process::read_all(output.get(), said.output, 1 << 20));
  return said;
}

bool runs(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return in >> number >> name >> state && state != "Z";
}

}  // namespace

TEST_CASE("a program ends with its status or by a signal", "[process]") {
  CHECK(shell("exit 7").exit.code() == 7);
  CHECK(shell("kill -9 $$").exit.signal == SIGKILL);
  CHECK(shell("kill -9 $$").exit.code() == 128 + SIGKILL);
  CHECK(shell("true").exit.peak_resident_bytes > 0);
  auto none = process::spawn({.words = {"tilewright-has-no-such-program"}});
  REQUIRE_FALSE(none);
  CHECK(none.error() == ENOENT);
  CHECK_FALSE(process::spawn({}));
}

TEST_CASE("a program gets the descriptors that are named, and no other of ours", "[process]") {
  const int careless = ::fcntl(STDERR_FILENO, F_DUPFD, 60);  // not marked to be closed in other programs
  REQUIRE(careless >= 60);
  const std::string look = "test -e /proc/self/fd/" + std::to_string(careless) + " && echo there; ";
  CHECK(shell(look + "test -e /proc/self/fd/3 && echo fourth; cat").output.empty());
  process::Fd file(::memfd_create("file", MFD_CLOEXEC));
  REQUIRE(process::write_all(file.get(), "words"));
  ::lseek(file.get(), 0, SEEK_SET);
  CHECK(shell(look + "cat <&3", {.words = {}, .fourth = file.get()}).output == "words");
  ::lseek(file.get(), 0, SEEK_SET);
  CHECK(shell("cat", {.words = {}, .input = file.get()}).output == "words");
  ::close(careless);
}

TEST_CASE("a descriptor that lies where the program gets another one arrives", "[process]") {
  process::Fd kept(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 60));
  process::Fd file(::memfd_create("file", MFD_CLOEXEC));
  REQUIRE(process::write_all(file.get(), "from zero"));
  ::lseek(file.get(), 0, SEEK_SET);
  REQUIRE(::dup2(file.get(), STDIN_FILENO) == STDIN_FILENO);
  const Said said = shell("cat <&3; cat", {.words = {}, .fourth = STDIN_FILENO});
  if (kept)
    ::dup2(kept.get(), STDIN_FILENO);
  else
    ::close(STDIN_FILENO);
  CHECK(said.output == "from zero");
}

TEST_CASE("a program ignores and blocks no signal, whatever we do", "[process]") {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  auto* const old = std::signal(SIGPIPE, SIG_IGN);
  const std::string said = shell("sed -n 's/^Sig\\(Blk\\|Ign\\)://p' /proc/self/status").output;
  std::signal(SIGPIPE, old);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  std::istringstream words(said);
  std::uint64_t blocks = 1, ignores = 1;
  words >> std::hex >> blocks >> ignores;
  CHECK(blocks == 0);
  constexpr std::uint64_t kOfTheLibrary = 3ull << 31;  // 32 and 33, which glibc keeps for itself
  CHECK((ignores & ~kOfTheLibrary) == 0);
}

TEST_CASE("a program has its folder, its environment and its place among groups", "[process]") {
  CHECK(shell("pwd", {.words = {}, .folder = "/"}).output == "/\n");
  CHECK(shell("echo $A$HOME", {.words = {}, .environment = std::vector<std::string>{"A=b"}}).output == "b\n");
  const std::string numbers = "read -r pid name state parent group session rest < /proc/$$/stat; ";
  auto leads = [&](SpawnOptions::Group group) {
    return shell(numbers + "test $$ = $group && echo group; test $$ = $session && echo session",
                 {.words = {}, .group = group})
        .output;
  };
  CHECK(leads(SpawnOptions::Group::Ours).empty());
  CHECK(leads(SpawnOptions::Group::Own) == "group\n");
  CHECK(leads(SpawnOptions::Group::Session) == "group\nsession\n");
}

TEST_CASE("a child that goes out of scope ends with what it started", "[process]") {
  auto output = process::Pipe::make();
  REQUIRE(output);
  pid_t inner = 0;
  {
    auto child = process::spawn({.words = {"sh", "-c", "sleep 1000 & echo $!; wait"},
                                 .output = output->write.get(),
                                 .group = SpawnOptions::Group::Own});
    REQUIRE(child);
    char text[32] = {};
    REQUIRE(::read(output->read.get(), text, sizeof text - 1) > 0);
    inner = std::atoi(text);
    CHECK(runs(inner));
    CHECK_FALSE(child->ended());
    CHECK_FALSE(child->wait_until(std::chrono::steady_clock::now() + 5ms));
    CHECK_FALSE(child->exit());
  }
  for (int i = 0; i < 1000 && runs(inner); ++i) ::usleep(1000);
  CHECK_FALSE(runs(inner));
}

TEST_CASE("the last words of a program are on one line", "[process]") {
  CHECK(process::last_words("first\n  second\x1b[0m\n\n") == "  second[0m");
  CHECK(process::last_words(" \n").empty());
}
