#include "server/remote/holder.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <expected>
#include <future>
#include <initializer_list>
#include <tuple>

#include "compiler/process/fd.h"
#include "server/remote/process.h"
#include "server/remote/record.h"
#include "server/remote/slurm.h"

namespace tilewright::remote {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPolite{10'000};  // for salloc to give back what it has
constexpr milliseconds kLook{200};       // between looks whether the allocation is in use

void say(const std::string& line) {
  const std::string text = line + "\n";
  std::ignore = ::write(STDOUT_FILENO, text.data(), text.size());  // the reader may have gone
}

// What these of our streams carry goes nowhere from now on, where the system has such a place.
void lead_nowhere(std::initializer_list<int> streams) {
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nowhere < 0) return;
  for (int stream : streams) ::dup2(nowhere, stream);
}

// salloc, while it holds the allocation.
class Salloc {
 public:
  explicit Salloc(char** words) { start(words); }

  // Waits for its next words, or for the end of our client, which `client` tells apart. False: the time is over.
  bool wait(milliseconds limit, int client, bool& client_gone) {
    std::array<pollfd, 2> ends{{{errors_.get(), POLLIN, 0}, {client, POLLIN, 0}}};
    if (::poll(ends.data(), ends.size(), static_cast<int>(limit.count())) <= 0) return false;
    if (ends[0].revents != 0) read();
    if (ends[1].revents != 0) {
      char byte = 0;
      client_gone = ::read(client, &byte, 1) <= 0;
    }
    return true;
  }
  bool ended() const { return !errors_; }
  bool granted() const { return granted_; }
  const std::string& job() const { return job_; }

  // Gives back: by the end of its command where it has the nodes, else by a signal. Sees to it that it is over.
  void give_back() {
    if (pid_ <= 0) return;  // it never began
    if (granted_) {
      end_command();
    } else {
      ::kill(pid_, SIGTERM);
    }
    for (int signal : {SIGTERM, SIGKILL}) {
      bool gone = false;
      for (const auto end = Clock::now() + kPolite; !ended() && Clock::now() < end;) wait(milliseconds(100), -1, gone);
      if (ended()) break;
      ::kill(pid_, signal);
    }
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    make_sure();
  }

 private:
  void start(char** words) {
    auto in = process::Pipe::make(), err = process::Pipe::make();
    if (!in || !err) {
      say("error no pipe for salloc");
      return;
    }
    // By fork: it is to end with us, which only the process itself can ask for. We have one thread here.
    const int parent = ::getpid();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (::getppid() != parent) ::_exit(1);
      std::signal(SIGPIPE, SIG_DFL);
      std::signal(SIGHUP, SIG_DFL);
      ::dup2(in->read.get(), STDIN_FILENO);
      ::dup2(err->write.get(), STDERR_FILENO);
      lead_nowhere({STDOUT_FILENO});
      ::execvp(words[0], words);
      ::dprintf(STDERR_FILENO, "salloc: error: cannot start it: %s\n", std::strerror(errno));
      ::_exit(127);
    }
    if (pid_ < 0) {
      say("error salloc cannot be started: no process");
      return;
    }
    input_ = std::move(in->write);
    errors_ = std::move(err->read);
  }
  // The state of our job and when it was submitted, "RUNNING|2026-11-22T23:45:01", as the cluster says it.
  static std::expected<Ended, std::string> ask(const std::string& job, milliseconds patience) {
    return run_command({"squeue", "--noheader", "--jobs=" + job, "--format=%T|%V"}, {.time = patience}, {});
  }
  static std::string after_bar(std::string_view line) {
    line = line.substr(0, line.find('\n'));
    const auto bar = line.find('|');
    return std::string(bar == std::string_view::npos ? "" : line.substr(bar + 1));
  }
  // Killed, or with a controller that was away, salloc gave nothing back.
  void make_sure() {
    if (job_.empty()) return;
    const std::string submitted = submitted_.valid() ? submitted_.get() : "";
    // A controller that has just come back may not know the job yet.
    constexpr int kTimes = 3;
    int unknown = 0;
    for (auto pause = milliseconds(200); pause < std::chrono::minutes(5); pause *= 2) {
      auto answer = ask(job_, milliseconds(20'000));
      const bool gone = answer && (answer->errors.find("Invalid job id") != std::string::npos ||
                                   (answer->status == 0 && answer->output.empty()));
      if (gone && ++unknown == kTimes) return;
      if (answer && answer->status == 0 && !gone) {
        const std::string& state = answer->output;
        if (!state.starts_with("RUNNING") && !state.starts_with("PENDING") && !state.starts_with("CONFIGURING") &&
            !state.starts_with("SUSPENDED"))
          return;
        // A controller that lost its last seconds gives the same number again: that job is another user's.
        if (!submitted.empty() && after_bar(state) != submitted) return;
        std::ignore = run_command({"scancel", job_}, {.time = milliseconds(20'000)}, {});
      }
      ::poll(nullptr, 0, static_cast<int>(pause.count()));
    }
  }
  void end_command() { input_.close(); }
  void read() {
    std::array<char, 4096> bytes;
    const auto got = ::read(errors_.get(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) {
      errors_.close();
      return;
    }
    rest_.append(bytes.data(), static_cast<std::size_t>(got));
    if (rest_.size() > 65536) rest_.clear();  // these are not lines
    for (std::size_t end; (end = rest_.find('\n')) != std::string::npos; rest_.erase(0, end + 1))
      take(read_salloc(std::string_view(rest_).substr(0, end)));
  }
  void take(const SallocWord& word) {
    using Kind = SallocWord::Kind;
    if (word.kind == Kind::Pending || word.kind == Kind::Granted) job_ = word.text;
    if (word.kind == Kind::Pending) say("pending " + job_);
    if (word.kind == Kind::Error) say("error " + word.text);
    if (word.kind == Kind::Revoked) end_command();  // salloc waits for it
    if (word.kind != Kind::Granted) return;
    granted_ = true;
    say("granted " + job_);
    // Beside: the next client must find what is kept as soon as our client is gone.
    submitted_ = std::async(std::launch::async, [job = job_] {
      const auto answer = ask(job, milliseconds(5000));
      return answer && answer->status == 0 ? after_bar(answer->output) : std::string();
    });
  }

  int pid_ = -1;
  process::Fd input_, errors_;
  bool granted_ = false;
  std::string job_, rest_;
  std::future<std::string> submitted_;
};

// Until the allocation was not in use for `keep`, or it has ended by itself.
void keep_for_others(Salloc& salloc, const Record& record, std::chrono::seconds keep) {
  auto since = Clock::now();
  while (!salloc.ended()) {
    bool gone = false;
    salloc.wait(kLook, -1, gone);
    if (record.in_use()) {
      since = Clock::now();
    } else if (Clock::now() - since >= keep && record.lock()) {
      break;
    }
  }
  record.remove();
}

}  // namespace

std::vector<std::string> holder_command(const std::string& record, int keep, const std::string& key,
                                        const std::vector<std::string>& salloc) {
  std::vector<std::string> words = {"/proc/self/exe", "slurm-holder", record, std::to_string(keep), key};
  words.insert(words.end(), salloc.begin(), salloc.end());
  return words;
}

int slurm_holder_main(int argc, char** argv) {
  if (argc < 6) return 2;
  // No child of our starter, which need not wait for our end.
  if (const int pid = ::fork(); pid != 0) ::_exit(pid < 0 ? 1 : 0);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGHUP, SIG_IGN);
  const std::string record = argv[2], key = argv[4];
  const std::chrono::seconds keep(std::atoi(argv[3]));
  Salloc salloc(argv + 5);
  bool client_gone = false;
  while (!salloc.ended() && !client_gone) salloc.wait(milliseconds(60'000), STDIN_FILENO, client_gone);
  if (salloc.ended()) {
    salloc.give_back();
    return 1;
  }
  if (salloc.granted() && keep.count() > 0 && !record.empty()) {
    if (const auto kept = Record::create(record, salloc.job(), key)) {
      // The streams are given up: what waits for the client's end need not wait for ours.
      lead_nowhere({STDIN_FILENO, STDOUT_FILENO});
      keep_for_others(salloc, *kept, keep);
    }
  }
  salloc.give_back();
  return 0;
}

}  // namespace tilewright::remote
