// The threads that requests and analyses run on.
//
// They walk scripts, so they have large stacks (compiler/threads/large_threads.h).
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "compiler/threads/large_threads.h"

namespace tilewright::ide {

class Pool {
 public:
  explicit Pool(unsigned count);
  ~Pool();  // what has not begun is dropped; what runs is waited for
  // A keystroke's diagnostics go before requests, of which a client may send more than can be served, and both before
  // work that nothing waits for.
  enum class Urgency { Diagnostics, Interactive, Background };
  void run(std::function<void()> job, Urgency urgency = Urgency::Interactive);

 private:
  void work();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_[3];
  bool ending_ = false;
  std::optional<threads::LargeThreads> threads_;
};

}  // namespace tilewright::ide
