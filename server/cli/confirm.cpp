#include "server/cli/confirm.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <mutex>

#include "server/project/console.h"

namespace tilewright::cli {

bool confirm(const std::string& question, const std::stop_token& stop) {
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDERR_FILENO) != 1) return false;
  project::sayf(stderr, "%s [y/N] ", question.c_str());
  // Ctrl-C ends nothing by itself here, so the answer is not waited for in one go.
  pollfd terminal{STDIN_FILENO, POLLIN, 0};
  while (::poll(&terminal, 1, 100) <= 0) {
    if (stop.stop_requested()) return false;
  }
  std::array<char, 256> line;
  // The lock is held on purpose: any other question waits for this answer.
  // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection)
  const auto got = ::read(STDIN_FILENO, line.data(), line.size());
  if (got <= 0) project::say(stderr, "\n");
  return got > 0 && (line[0] == 'y' || line[0] == 'Y');
}

}  // namespace tilewright::cli
