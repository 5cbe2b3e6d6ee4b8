#include "server/remote/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>
#include <tuple>

namespace tilewright::remote {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = 1u << 20;
constexpr std::chrono::milliseconds kPoll{20};  // how late a stop is noticed

void close_end(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

struct Pipe {
  int read = -1, write = -1;
  bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  ~Pipe() {
    close_end(read);
    close_end(write);
  }
};

// What of our signals a new program must not inherit: what we block, and that we ignore SIGPIPE.
void plain_signals(posix_spawnattr_t& attributes) {
  sigset_t none, all;
  sigemptyset(&none);
  sigemptyset(&all);
  for (int s : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&all, s);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &all);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
}

// The process of a command, ended with what it started when it is not wanted any more.
class Running {
 public:
  explicit Running(Started started) : started_(started) {}
  ~Running() {
    close_end(started_.input);
    close_end(started_.output);
    close_end(started_.errors);
    if (started_.pid > 0) {
      ::kill(-started_.pid, SIGKILL);
      int status = 0;
      while (::waitpid(started_.pid, &status, 0) < 0 && errno == EINTR) {
      }
    }
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // One round: moves what can be moved. False: its streams are at their end.
  bool exchange(std::string_view& input, Ended& ended) {
    if (input.empty()) close_end(started_.input);
    std::array<pollfd, 3> ends{
        {{started_.input, POLLOUT, 0}, {started_.output, POLLIN, 0}, {started_.errors, POLLIN, 0}}};
    if (started_.output < 0 && started_.errors < 0) return false;
    if (::poll(ends.data(), ends.size(), static_cast<int>(kPoll.count())) <= 0) return true;
    if (ends[0].revents != 0) {
      const auto sent = ::write(started_.input, input.data(), std::min<std::size_t>(input.size(), 65536));
      if (sent > 0) input.remove_prefix(static_cast<std::size_t>(sent));
      if (sent < 0 && errno != EINTR && errno != EAGAIN) close_end(started_.input);
    }
    if (ends[1].revents != 0) take(started_.output, ended.output);
    if (ends[2].revents != 0) take(started_.errors, ended.errors);
    return true;
  }
  // Has it ended? Then its status is taken.
  bool ended(Ended& ended) {
    int status = 0;
    if (::waitpid(started_.pid, &status, WNOHANG) != started_.pid) return false;
    // Those of its session that still run would keep the streams; a command is over when its process is.
    ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    started_.pid = -1;
    return true;
  }

 private:
  static void take(int& fd, std::string& into) {
    std::array<char, 16384> bytes;
    const auto got = ::read(fd, bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
      close_end(fd);
      return;
    }
    const auto size = static_cast<std::size_t>(got);
    into.append(bytes.data(), std::min(size, kMostOutput - std::min(kMostOutput, into.size())));
  }

  Started started_;
};

}  // namespace

std::expected<Started, std::string> start_process(const std::vector<std::string>& words, bool errors) {
  Pipe in, out, err;
  if (!in.open() || !out.open() || (errors && !err.open()))
    return std::unexpected(std::string("no pipe: ") + std::strerror(errno));
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_adddup2(&files, in.read, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, out.write, STDOUT_FILENO);
  if (errors) {
    ::posix_spawn_file_actions_adddup2(&files, err.write, STDERR_FILENO);
  } else {
    ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  plain_signals(attributes);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  Started started;
  const int failed = ::posix_spawnp(&started.pid, arguments[0], &files, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) return std::unexpected("cannot start " + words[0] + ": " + std::strerror(failed));
  std::swap(started.input, in.write);
  std::swap(started.output, out.read);
  std::swap(started.errors, err.read);
  return started;
}

std::expected<Ended, std::string> run_command(const std::vector<std::string>& words, const CommandLimits& limits,
                                              const std::stop_token& stop) {
  auto started = start_process(words, true);
  if (!started) return std::unexpected(started.error());
  if (started->input >= 0) ::fcntl(started->input, F_SETFL, O_NONBLOCK);
  Running running(*started);
  std::string_view input = limits.input;
  Ended ended;
  const auto end = Clock::now() + limits.time;
  while (running.exchange(input, ended)) {
    if (stop.stop_requested()) return std::unexpected(words[0] + " was stopped");
    if (Clock::now() >= end) {
      return std::unexpected(words[0] + " gave no answer for " +
                             std::to_string(std::chrono::ceil<std::chrono::seconds>(limits.time).count()) + " s");
    }
  }
  while (!running.ended(ended)) {
    if (stop.stop_requested() || Clock::now() >= end) return std::unexpected(words[0] + " did not end");
    ::poll(nullptr, 0, 2);
  }
  return ended;
}

std::filesystem::path find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "/usr/bin:/bin";
  while (!rest.empty()) {
    const auto end = std::min(rest.find(':'), rest.size());
    const auto candidate = std::filesystem::path(rest.substr(0, end)) / name;
    if (end > 0 && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

std::filesystem::path this_program() {
  std::error_code ec;
  return std::filesystem::read_symlink("/proc/self/exe", ec);
}

std::string last_words(std::string_view text) {
  constexpr std::size_t kMost = 300;
  while (!text.empty()) {
    const auto last = text.find_last_not_of(" \t\r\n");
    if (last == std::string_view::npos) break;
    text = text.substr(0, last + 1);
    const auto line = text.rfind('\n');
    std::string words(text.substr(line == std::string_view::npos ? 0 : line + 1));
    std::erase_if(words, [](unsigned char c) { return c < ' ' || c == 0x7f; });
    if (!words.empty()) return words.substr(0, kMost);
    text = text.substr(0, line == std::string_view::npos ? 0 : line);
  }
  return {};
}

}  // namespace tilewright::remote
