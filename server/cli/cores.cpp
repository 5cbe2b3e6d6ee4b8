#include "server/cli/cores.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

namespace tilewright::cli {
namespace {

constexpr double kQuietSeconds = 1;

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Progress::Progress(std::string verb, std::string noun, std::size_t pieces)
    : verb_(std::move(verb)),
      noun_(std::move(noun)),
      pieces_(pieces),
      begun_(seconds()),
      terminal_(pieces > 1 && ::isatty(STDERR_FILENO) == 1) {}

void Progress::show(std::size_t done) {
  if (!terminal_ || seconds() - begun_ < kQuietSeconds) return;
  std::fflush(stdout);  // what was printed before stands above, where both are one terminal
  std::fprintf(stderr, "\r\x1b[K%s %zu of %zu %s", verb_.c_str(), done, pieces_, noun_.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tilewright::cli
