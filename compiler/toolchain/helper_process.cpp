#include "compiler/toolchain/helper_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "compiler/toolchain/helper_loop.h"
#include "compiler/toolchain/wire.h"

namespace tilewright::toolchain {
namespace {

using Clock = std::chrono::steady_clock;

// How often the helper's memory is looked at. A program can take about a gigabyte a second.
constexpr std::chrono::milliseconds kWatch{20};

// Above the descriptors that the child's standard streams and socket will have, so that no dup2 lands on another.
Fd raised(Fd fd) { return Fd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 16)); }

std::string tail_of(int fd) {
  std::string text;
  read_all(fd, text, 1 << 20);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
  constexpr std::size_t kEnough = 400;
  return text.size() > kEnough ? "…" + text.substr(text.size() - kEnough) : text;
}

// As exec takes them: a pointer to each, and a null at the end.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out(texts.size() + 1, nullptr);
  std::ranges::transform(texts, out.begin(), [](std::string& text) { return text.data(); });
  return out;
}

std::string megabytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

}  // namespace

std::expected<std::unique_ptr<HelperProcess>, std::string> HelperProcess::start(const HelperCommand& command) {
  auto failed = [](const std::string& what) {
    return std::unexpected("cannot start the helper process: " + what + ": " + std::strerror(errno));
  };
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return failed("socketpair");
  Fd ours(pair[0]), theirs = raised(Fd(pair[1])), errors = raised(Fd(::memfd_create("helper-errors", MFD_CLOEXEC)));
  if (!theirs || !errors) return failed("descriptors");

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, errors.get(), STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, theirs.get(), kHelperFd);
  ::posix_spawn_file_actions_addclosefrom_np(&actions, kHelperFd + 1);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<std::string> arguments = command.arguments, variables = command.environment;
  arguments.insert(arguments.begin(), command.program.string());
  pid_t pid = 0;
  int error = ::posix_spawn(&pid, command.program.c_str(), &actions, &attributes, pointers(arguments).data(),
                            pointers(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    errno = error;
    return failed(command.program.string());
  }
  return std::unique_ptr<HelperProcess>(
      new HelperProcess(pid, std::move(ours), std::move(errors), "the " + command.what));
}

HelperProcess::~HelperProcess() { reap(); }

void HelperProcess::reap() {
  if (reaped_) return;
  // The group while its leader is not yet reaped, so the number cannot have become another one's. A helper that just
  // started may not lead its group yet.
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);
  rusage used{};
  while (::wait4(pid_, &status_, 0, &used) < 0) {
    if (errno != EINTR) break;
  }
  peak_resident_ = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  reaped_ = true;
}

std::uint64_t HelperProcess::resident_bytes() const {
  std::ifstream in("/proc/" + std::to_string(pid_) + "/statm");
  std::uint64_t size = 0, resident = 0;
  in >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

HelperProcess::Failure HelperProcess::finish(Failure::Kind kind, std::string message) {
  reap();
  return {kind, std::move(message)};
}

// It closed the socket by itself: find out why.
HelperProcess::Failure HelperProcess::explain_death(std::uint64_t memory_limit) {
  // Its descriptors close before it becomes waitable; after this long it is a live process that closed its socket.
  Clock::time_point patience = Clock::now() + std::chrono::seconds(2);
  rusage used{};
  pid_t got = 0;
  while ((got = ::wait4(pid_, &status_, WNOHANG, &used)) == 0 && Clock::now() < patience) ::usleep(1000);
  if (got == pid_) {
    ::kill(-pid_, SIGKILL);  // a disassembler that outlived it
    peak_resident_ = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
    reaped_ = true;
  } else {
    reap();
  }
  std::string last = tail_of(errors_.get());
  std::string suffix = last.empty() ? "" : ": " + last;
  if (WIFSIGNALED(status_) && WTERMSIG(status_) == SIGXCPU) {
    return {Failure::Kind::Time, what_ + " used up its CPU time" + suffix};
  }
  // A refused allocation mostly shows as an abort or a null pointer: tell it by how close to the limit it was.
  bool out_of_memory = last.find("bad_alloc") != std::string::npos || last.find("ut of memory") != std::string::npos ||
                       peak_resident_ > memory_limit / 10 * 8;
  if (out_of_memory) {
    return {Failure::Kind::Memory, what_ + " ran out of the " + megabytes(memory_limit) + " it may use" + suffix};
  }
  if (WIFSIGNALED(status_)) {
    return {Failure::Kind::Gone, what_ + " process was ended by " + ::strsignal(WTERMSIG(status_)) + suffix};
  }
  return {Failure::Kind::Gone, what_ + " process ended with status " + std::to_string(WEXITSTATUS(status_)) + suffix};
}

std::expected<Record, HelperProcess::Failure> HelperProcess::call(const Record& request,
                                                                  std::chrono::milliseconds time_limit,
                                                                  std::uint64_t memory_limit,
                                                                  const std::stop_token& stop,
                                                                  std::span<const int> descriptors) {
  Clock::time_point deadline = Clock::now() + time_limit;
  auto out_of_time = [&] {
    auto seconds = std::chrono::duration<double>(time_limit).count();
    char text[32];
    std::snprintf(text, sizeof(text), "%g", seconds);
    return std::unexpected(finish(Failure::Kind::Time, what_ + " was ended after the " + text + " s it may take"));
  };
  auto stopped = [&] { return std::unexpected(finish(Failure::Kind::Stopped, "the request was cancelled")); };

  Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  std::stop_callback on_stop(stop, [&wake] {
    std::uint64_t one = 1;
    [[maybe_unused]] ssize_t put = ::write(wake.get(), &one, sizeof(one));
  });

  // Written without blocking: a helper that does not read (stopped, say) must not hold us here.
  RecordWriter writer(request, descriptors);
  bool written = false;
  RecordReader reader;
  for (;;) {
    if (stop.stop_requested()) return stopped();
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return out_of_time();
    if (std::uint64_t resident = resident_bytes(); resident > memory_limit) {
      return std::unexpected(finish(Failure::Kind::Memory, what_ + " was ended: it used " + megabytes(resident) + ", " +
                                                               megabytes(memory_limit) + " are allowed"));
    }
    if (!written) {
      RecordWriter::State state = writer.poll(socket_.get());
      if (state == RecordWriter::State::Closed) return std::unexpected(explain_death(memory_limit));
      written = state == RecordWriter::State::Complete;
    }
    pollfd watched[2] = {{socket_.get(), POLLIN, 0}, {wake.get(), POLLIN, 0}};
    if (!written) watched[0].events |= POLLOUT;
    ::poll(watched, 2, static_cast<int>(std::min(left, kWatch).count()));
    if (watched[0].revents & (POLLIN | POLLHUP | POLLERR)) {
      switch (reader.poll(socket_.get())) {
        case RecordReader::State::Incomplete: break;
        case RecordReader::State::Closed: return std::unexpected(explain_death(memory_limit));
        case RecordReader::State::Complete:
          if (auto answer = reader.take()) {
            ++served_;
            return std::move(*answer);
          }
          return std::unexpected(finish(Failure::Kind::Gone, what_ + " process answered nonsense"));
      }
    }
  }
}

}  // namespace tilewright::toolchain
