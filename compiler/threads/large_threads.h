// Threads that walk scripts: these nest as deep as the limits allow, and walking them recurses, so the threads have
// stacks to match.
#pragma once
#include <pthread.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace tilewright::threads {

// Threads with large stacks that all call `body`, and are joined at the end of the scope: the owner sees to it that the
// bodies return, which throw nothing.
class LargeThreads {
 public:
  LargeThreads(unsigned count, std::function<void()> body);
  ~LargeThreads();
  LargeThreads(const LargeThreads&) = delete;
  LargeThreads& operator=(const LargeThreads&) = delete;
  // As many as the system gave.
  std::size_t size() const { return threads_.size(); }
  bool none() const { return threads_.empty(); }

 private:
  std::function<void()> body_;
  std::vector<pthread_t> threads_;
};

}  // namespace tilewright::threads
