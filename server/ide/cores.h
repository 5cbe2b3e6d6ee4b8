// Work on all cores, and its results in order.
//
// A command line and a build do many things that have nothing to do with each other: files to check, programs to
// compile. Each is one *piece*: a thread takes the next that nobody has, and the calling thread hands the results on in
// the order of the pieces, each as soon as those before it are there. So what is printed is the same as with one core,
// byte for byte.
//
// Pieces share nothing that changes. Scripts nest as deep as the limits allow and who walks them recurses, so the
// threads have stacks to match.
#pragma once
#include <pthread.h>

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright::ide {

// For `jobs`: every core that this process may use.
inline constexpr unsigned kAllCores = 0;
unsigned threads_of(unsigned jobs);  // the number that it stands for, 1 at least

// Calls `work(piece)` for 0 to `pieces` - 1 on `jobs` threads, and `finish(piece)` in order on the calling thread. With
// one job, or one piece, the calling thread does all of it. False: `stop` was requested; pieces that had begun are
// waited for (they see the same token), and no further `finish` is called. What a piece throws is thrown here, at its
// turn. `waiting(done)` is called about ten times a second with the number of pieces that are done.
bool in_order(std::size_t pieces, unsigned jobs, const std::stop_token& stop,
              const std::function<void(std::size_t)>& work, const std::function<void(std::size_t)>& finish,
              const std::function<void(std::size_t)>& waiting = {});

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

}  // namespace tilewright::ide
