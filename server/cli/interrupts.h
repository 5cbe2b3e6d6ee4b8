// Ctrl-C and a polite kill, in one of two ways.
//
// Winding down, SIGINT and SIGTERM end nothing by themselves: the token says that the user wants to stop, the work ends
// within a millisecond or so, and the command leaves nothing behind that is half done. A second signal ends the process
// at once. Make it before other threads: they inherit the mask.
//
// That takes a thread, and once there are two the standard library counts references by atomic operations: short
// commands would be a tenth slower for it. Those that work on one thread and leave nothing behind end at once, with the
// same words and status.
#pragma once
#include <csignal>
#include <stop_token>
#include <thread>

namespace tilewright::cli {

inline constexpr int kInterrupted = 128 + SIGINT;  // the exit status of a command that was stopped
int interrupted();                                 // says so on standard error, and is that status

class Interrupts {
 public:
  enum class Way { WindDown, EndAtOnce };
  explicit Interrupts(Way way = Way::WindDown);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  std::stop_token token() const { return source_.get_token(); }

 private:
  void watch();

  sigset_t before_{};
  std::stop_source source_;
  std::jthread watcher_;  // none where the process ends at once
};

}  // namespace tilewright::cli
