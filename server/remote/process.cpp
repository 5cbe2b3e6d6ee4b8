#include "server/remote/process.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace tilewright::remote {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOutput = 1u << 20;
constexpr std::chrono::milliseconds kPoll{20};  // how late a stop is noticed

// The process of a command, ended with what it started when it is not wanted any more.
class Running {
 public:
  explicit Running(Started started) : started_(std::move(started)) {}

  // One round: moves what can be moved. False: its streams are at their end.
  bool exchange(std::string_view& input, Ended& ended) {
    if (input.empty()) started_.input.close();
    std::array<pollfd, 3> ends{
        {{started_.input.get(), POLLOUT, 0}, {started_.output.get(), POLLIN, 0}, {started_.errors.get(), POLLIN, 0}}};
    if (!started_.output && !started_.errors) return false;
    if (::poll(ends.data(), ends.size(), static_cast<int>(kPoll.count())) <= 0) return true;
    if (ends[0].revents != 0) {
      const auto sent = ::write(started_.input.get(), input.data(), std::min<std::size_t>(input.size(), 65536));
      if (sent > 0) input.remove_prefix(static_cast<std::size_t>(sent));
      if (sent < 0 && errno != EINTR && errno != EAGAIN) started_.input.close();
    }
    if (ends[1].revents != 0) take(started_.output, ended.output);
    if (ends[2].revents != 0) take(started_.errors, ended.errors);
    return true;
  }
  // True if it has ended by `time`; its status is taken then. Those of its session that still run would keep the
  // streams; a command is over when its process is.
  bool ended(Ended& ended, Clock::time_point time) {
    if (!started_.child.wait_until(time)) return false;
    ended.status = started_.child.wait().code();
    return true;
  }

 private:
  static void take(process::Fd& fd, std::string& into) {
    std::array<char, 16384> bytes;
    const auto got = ::read(fd.get(), bytes.data(), bytes.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
      fd.close();
      return;
    }
    const auto size = static_cast<std::size_t>(got);
    into.append(bytes.data(), std::min(size, kMostOutput - std::min(kMostOutput, into.size())));
  }

  Started started_;
};

}  // namespace

std::expected<Started, std::string> start_process(const std::vector<std::string>& words, bool errors) {
  auto in = process::Pipe::make(), out = process::Pipe::make();
  auto err = errors ? process::Pipe::make() : std::optional<process::Pipe>();
  if (!in || !out || (errors && !err)) return std::unexpected(std::string("no pipe: ") + std::strerror(errno));
  auto child = process::spawn({.words = words,
                               .input = in->read.get(),
                               .output = out->write.get(),
                               .errors = err ? err->write.get() : -1,
                               .group = process::SpawnOptions::Group::Session});
  if (!child) return std::unexpected("cannot start " + words[0] + ": " + std::strerror(child.error()));
  return Started{std::move(*child), std::move(in->write), std::move(out->read),
                 err ? std::move(err->read) : process::Fd()};
}

std::expected<Ended, std::string> run_command(const std::vector<std::string>& words, const CommandLimits& limits,
                                              const std::stop_token& stop) {
  auto started = start_process(words, true);
  if (!started) return std::unexpected(started.error());
  ::fcntl(started->input.get(), F_SETFL, O_NONBLOCK);
  Running running(std::move(*started));
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
  while (!running.ended(ended, std::min(end, Clock::now() + kPoll)))
    if (stop.stop_requested() || Clock::now() >= end) return std::unexpected(words[0] + " did not end");
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

}  // namespace tilewright::remote
