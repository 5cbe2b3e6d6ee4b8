#include "server/cli/interrupts.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdio>

namespace tilewright::cli {
namespace {

// A shell starts background jobs with SIGINT ignored, and nohup does so with others: that stays so.
bool ignored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

int interrupted() {
  std::fputs("tilewright: interrupted\n", stderr);
  return kInterrupted;
}

Interrupts::Interrupts() {
  sigemptyset(&set_);
  for (int signal : {SIGINT, SIGTERM}) {
    if (!ignored(signal)) sigaddset(&set_, signal);
  }
  sigset_t blocked = set_;
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
  watcher_.request_stop();
  ::pthread_kill(watcher_.native_handle(), SIGUSR2);
  watcher_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace tilewright::cli
