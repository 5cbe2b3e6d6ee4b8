#include "server/cli/interrupts.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>
#include <tuple>

#include "server/project/console.h"

namespace tilewright::cli {
namespace {

// A shell starts background jobs with SIGINT ignored, and nohup does so with others: that stays so.
bool ignored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

constexpr std::string_view kWords = "tilewright: interrupted\n";

// What a signal handler may do.
void end_at_once(int) {
  constexpr std::string_view kClear = "\r\x1b[K";  // a line of progress that may stand there
  if (::isatty(STDERR_FILENO) == 1) std::ignore = ::write(STDERR_FILENO, kClear.data(), kClear.size());
  std::ignore = ::write(STDERR_FILENO, kWords.data(), kWords.size());
  ::_exit(kInterrupted);
}

}  // namespace

int interrupted() {
  project::say(stderr, kWords);
  return kInterrupted;
}

Interrupts::Interrupts(Way way) {
  if (way == Way::WindDown) {
    watch();
    return;
  }
  struct sigaction action{};
  action.sa_handler = end_at_once;
  for (int signal : {SIGINT, SIGTERM}) {
    if (!ignored(signal)) ::sigaction(signal, &action, nullptr);
  }
}

void Interrupts::watch() {
  sigset_t blocked;
  sigemptyset(&blocked);
  for (int signal : {SIGINT, SIGTERM}) {
    if (!ignored(signal)) sigaddset(&blocked, signal);
  }
  sigaddset(&blocked, SIGUSR2);  // by which the watcher is told to go
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  watcher_ = std::jthread([this, waited = blocked](const std::stop_token& done) {
    for (;;) {
      int signal = 0;
      if (::sigwait(&waited, &signal) != 0) return;
      if (signal == SIGUSR2) {
        if (done.stop_requested()) return;
        continue;
      }
      if (source_.stop_requested()) ::_exit(kInterrupted);
      source_.request_stop();
    }
  });
}

Interrupts::~Interrupts() {
  if (!watcher_.joinable()) return;
  watcher_.request_stop();
  ::pthread_kill(watcher_.native_handle(), SIGUSR2);
  watcher_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace tilewright::cli
