// The threads that requests and analyses run on.
//
// Scripts nest as deep as the limits allow, and who walks them recurses: these threads have stacks to match, which the
// threads of the standard library cannot have.
#pragma once
#include <pthread.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace tilewright::lsp {

class Pool {
 public:
  explicit Pool(unsigned threads);
  ~Pool();  // what has not begun is dropped; what runs is waited for
  // A keystroke's diagnostics go before requests, of which a client may send more than can be served, and both before
  // work that nobody waits for.
  enum class Urgency { Diagnostics, Interactive, Background };
  void run(std::function<void()> job, Urgency urgency = Urgency::Interactive);

 private:
  void work();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_[3];
  bool ending_ = false;
  std::vector<pthread_t> threads_;
};

}  // namespace tilewright::lsp
