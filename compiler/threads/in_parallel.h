// Small independent pieces of work, over all cores.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace tilewright::threads {

// How many cores there are, 1 at least. Asking the system takes longer than a small tensor's work.
inline std::size_t cores() {
  static const std::size_t count = std::max(1u, std::thread::hardware_concurrency());
  return count;
}

// Calls work(i) for each i below `count`, several at once. Small counts stay on this thread: starting another costs
// about as much as a megabyte of memory traffic.
template <class F>
void in_parallel(std::size_t count, F&& work) {
  const std::size_t threads = count > 1 ? std::min(count, cores()) : count;
  std::atomic<std::size_t> next = 0;
  auto serve = [&] {
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) work(i);
  };
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) others.emplace_back(serve);
  serve();
}

// The same for pieces of a range: work(from, to), each piece but the last `piece` long.
template <class F>
void in_pieces(std::int64_t size, std::int64_t piece, F&& work) {
  std::int64_t count = (size + piece - 1) / piece;
  in_parallel(static_cast<std::size_t>(count), [&](std::size_t i) {
    std::int64_t from = static_cast<std::int64_t>(i) * piece;
    work(from, std::min(size, from + piece));
  });
}

}  // namespace tilewright::threads
