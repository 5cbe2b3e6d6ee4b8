#include "compiler/toolchain/helper_process.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "compiler/process/fd.h"
#include "compiler/process/file.h"
#include "compiler/toolchain/helper_loop.h"
#include "compiler/toolchain/wire.h"

namespace tilewright::toolchain {
namespace {

using Clock = std::chrono::steady_clock;

// How often the helper's memory is looked at. A program can take about a gigabyte a second.
constexpr std::chrono::milliseconds kWatch{20};

std::string tail_of(int fd) {
  std::string text;
  process::read_all(fd, text, 1 << 20);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
  constexpr std::size_t kEnough = 400;
  return text.size() > kEnough ? "…" + text.substr(text.size() - kEnough) : text;
}

std::string megabytes(std::uint64_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

}  // namespace

std::expected<std::unique_ptr<HelperProcess>, std::string> HelperProcess::start(const HelperCommand& command) {
  auto failed = [](const std::string& what) {
    return std::unexpected("cannot start the helper process: " + what + ": " + std::strerror(errno));
  };
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return failed("socketpair");
  process::Fd ours(pair[0]), theirs(pair[1]), errors(::memfd_create("helper-errors", MFD_CLOEXEC));
  if (!errors) return failed("descriptors");
  static_assert(kHelperFd == STDERR_FILENO + 1);
  std::vector<std::string> words = command.arguments;
  words.insert(words.begin(), command.program.string());
  auto child = process::spawn({.words = std::move(words),
                               .program = command.program,
                               .environment = command.environment,
                               .errors = errors.get(),
                               .fourth = theirs.get(),
                               .group = process::SpawnOptions::Group::Own});
  if (!child) {
    errno = child.error();
    return failed(command.program.string());
  }
  return std::unique_ptr<HelperProcess>(
      new HelperProcess(std::move(*child), std::move(ours), std::move(errors), "the " + command.what));
}

std::uint64_t HelperProcess::resident_bytes() const {
  std::ifstream in("/proc/" + std::to_string(pid()) + "/statm");
  std::uint64_t size = 0, resident = 0;
  in >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

HelperProcess::Failure HelperProcess::finish(Failure::Kind kind, std::string message) {
  child_.end();
  return {kind, std::move(message)};
}

// It closed the socket by itself: find out why.
HelperProcess::Failure HelperProcess::explain_death(std::uint64_t memory_limit) {
  // Its descriptors close before it becomes waitable; after this long it is a live process that closed its socket.
  if (child_.wait_until(Clock::now() + std::chrono::seconds(2)))
    child_.kill_group();  // a disassembler that outlived it
  else
    child_.end();
  const process::Exit exit = child_.wait();
  std::string last = tail_of(errors_.get());
  std::string suffix = last.empty() ? "" : ": " + last;
  if (exit.signal == SIGXCPU) {
    return {Failure::Kind::Time, what_ + " used up its CPU time" + suffix};
  }
  // A refused allocation mostly shows as an abort or a null pointer: tell it by how close to the limit it was.
  bool out_of_memory = last.find("bad_alloc") != std::string::npos || last.find("ut of memory") != std::string::npos ||
                       exit.peak_resident_bytes > memory_limit / 10 * 8;
  if (out_of_memory) {
    return {Failure::Kind::Memory, what_ + " ran out of the " + megabytes(memory_limit) + " it may use" + suffix};
  }
  if (exit.signal != 0) {
    return {Failure::Kind::Gone, what_ + " process was ended by " + ::strsignal(exit.signal) + suffix};
  }
  return {Failure::Kind::Gone, what_ + " process ended with status " + std::to_string(exit.status) + suffix};
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

  process::Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
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
