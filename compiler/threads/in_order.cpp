#include "compiler/threads/in_order.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "compiler/threads/large_threads.h"

namespace tilewright::threads {
namespace {

constexpr std::chrono::milliseconds kPatience{100};

// What the threads and the caller share.
struct Shared {
  const std::function<void(std::size_t)>& work;
  const std::stop_token& stop;
  std::mutex mutex;  // guards all below
  std::condition_variable_any changed;
  std::size_t next = 0, done = 0;
  bool giving_up = false;  // the caller wants no more
  std::vector<char> ready;
  std::vector<std::exception_ptr> thrown;

  void run() {
    std::unique_lock lock(mutex);
    while (next < ready.size() && !giving_up && !stop.stop_requested()) {
      const std::size_t piece = next++;
      lock.unlock();
      std::exception_ptr failure;
      try {
        work(piece);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      thrown[piece] = failure;
      ready[piece] = 1;
      ++done;
      changed.notify_all();
    }
  }
};

bool one_after_the_other(std::size_t pieces, const std::stop_token& stop, const std::function<void(std::size_t)>& work,
                         const std::function<void(std::size_t)>& finish,
                         const std::function<void(std::size_t)>& waiting) {
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    if (stop.stop_requested()) return false;
    work(piece);
    if (stop.stop_requested()) return false;
    finish(piece);
    if (waiting) waiting(piece + 1);
  }
  return true;
}

}  // namespace

unsigned threads_of(unsigned jobs) {
  return jobs != kAllCores ? jobs : std::max(1u, std::thread::hardware_concurrency());
}

bool in_order(std::size_t pieces, unsigned jobs, const std::stop_token& stop,
              const std::function<void(std::size_t)>& work, const std::function<void(std::size_t)>& finish,
              const std::function<void(std::size_t)>& waiting) {
  jobs = static_cast<unsigned>(std::min<std::size_t>(threads_of(jobs), pieces));
  if (jobs <= 1) return one_after_the_other(pieces, stop, work, finish, waiting);

  Shared shared{.work = work, .stop = stop, .mutex = {}, .changed = {}, .ready = {}, .thrown = {}};
  shared.ready.resize(pieces);
  shared.thrown.resize(pieces);
  // No thread begins another piece once this scope is left.
  struct GivesUp {
    Shared& shared;
    ~GivesUp() {
      std::lock_guard lock(shared.mutex);
      shared.giving_up = true;
    }
  };
  LargeThreads threads(jobs, [&shared] { shared.run(); });
  const GivesUp gives_up{shared};
  if (threads.none()) return one_after_the_other(pieces, stop, work, finish, waiting);
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    for (;;) {
      std::unique_lock lock(shared.mutex);
      shared.changed.wait_for(lock, stop, kPatience, [&] { return shared.ready[piece] != 0; });
      if (stop.stop_requested()) return false;
      const std::size_t done = shared.done;
      const bool ready = shared.ready[piece] != 0;
      if (ready && shared.thrown[piece]) std::rethrow_exception(shared.thrown[piece]);
      lock.unlock();
      if (ready) finish(piece);
      if (waiting) waiting(done);
      if (ready) break;
    }
  }
  return true;
}

}  // namespace tilewright::threads
