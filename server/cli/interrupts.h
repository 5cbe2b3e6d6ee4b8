// Ctrl-C and a polite kill, as a stop token.
//
// While one of these lives, SIGINT and SIGTERM end nothing by themselves: the token says that somebody wants to stop,
// the work ends within a millisecond or so, and the command leaves nothing behind that is half done. A second signal
// ends the process at once. Make it before other threads: they inherit the mask.
#pragma once
#include <csignal>
#include <stop_token>
#include <thread>

namespace tilewright::cli {

inline constexpr int kInterrupted = 128 + SIGINT;  // the exit status of a command that was stopped
int interrupted();                                 // says so on standard error, and is that status

class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  std::stop_token token() const { return source_.get_token(); }

 private:
  sigset_t set_{}, before_{};
  std::stop_source source_;
  std::jthread watcher_;
};

}  // namespace tilewright::cli
