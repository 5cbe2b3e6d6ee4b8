#include "server/render/status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "compiler/text/escape.h"
#include "server/project/console.h"
#include "server/render/terminal.h"

namespace tilewright::render {
namespace {

std::size_t terminal_columns() {
  winsize size{};
  constexpr std::size_t kUsual = 80;
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

}  // namespace

StatusLine::StatusLine(std::chrono::milliseconds pause, std::chrono::milliseconds quiet)
    : pause_(pause), begin_(Clock::now() + quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

void StatusLine::show(const std::string& text) {
  const auto now = Clock::now();
  if (!terminal_ || now < begin_ || now - said_ < pause_) return;
  said_ = now;
  const std::string line = text::visible(text);
  std::size_t columns = terminal_columns(), end = 0;
  while (end < line.size() && (columns > 1 || (line[end] & 0xC0) == 0x80)) columns -= (line[end++] & 0xC0) != 0x80;
  std::fflush(stdout);  // what was printed before stands above, where both are one terminal
  project::clear_line(stderr);
  project::say(stderr, line.substr(0, end));
  std::fflush(stderr);
  shown_ = true;
}

void StatusLine::clear() {
  if (!shown_) return;
  project::clear_line(stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace tilewright::render
