#include "compiler/run/turns.h"

#include <sys/random.h>

#include <algorithm>
#include <chrono>

#include "compiler/run/random.h"

namespace tilewright::run {
namespace {

// 0: the contents stay as they are.
std::int64_t places(const JobBuffer& b) {
  if (b.turn <= 0 || b.role == Role::Output || b.bytes % b.turn) return 0;
  return b.bytes / b.turn < 2 ? 0 : b.bytes / b.turn;
}

}  // namespace

Secret::Secret() {
  if (::getrandom(&seed_, sizeof seed_, 0) != static_cast<ssize_t>(sizeof seed_))
    seed_ = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

std::uint64_t Secret::below(std::uint64_t end) { return Random{seed_}[drawn_++] % end; }

std::int64_t Secret::drawn(std::int64_t end) {
  return static_cast<std::int64_t>(below(static_cast<std::uint64_t>(end)));
}

Turns Secret::turns(const Job& job) {
  Turns out;
  for (const JobBuffer& b : job.buffers) {
    const std::int64_t n = places(b);
    // Never by nothing: the contents of the first launch are known to the kernel.
    out.push_back({.by = n ? b.turn * (1 + drawn(n - 1)) : 0});
  }
  return out;
}

Turns Secret::mixed(const Job& job) {
  constexpr std::int64_t kFewest = 2, kMost = 17;  // elements that take the place of others
  Turns out = turns(job);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const JobBuffer& b = job.buffers[i];
    const std::int64_t n = places(b);
    if (n == 0) continue;
    if (drawn(2) == 0) {
      const std::int64_t least = std::max<std::int64_t>(1, n / 64);
      out[i].bytes = b.bytes;
      out[i].kept = b.turn * (least + drawn(n / 2 - least + 1));
      continue;
    }
    const std::int64_t replaced = drawn(2) == 0 ? n : n - drawn(n / 2 + 1);
    out[i].begin = b.turn * drawn(n - replaced + 1);
    out[i].bytes = b.turn * replaced;
    for (std::int64_t left = kFewest + drawn(kMost - kFewest + 1); left > 0; --left)
      out[i].of.push_back(b.turn * drawn(n));
  }
  return out;
}

std::vector<bool> Secret::choose(std::size_t some, std::size_t all) {
  std::vector<bool> out(all);
  std::size_t left = std::min(some, all);
  for (std::size_t i = 0; i < all && left; ++i) {
    out[i] = below(all - i) < left;
    left -= out[i];
  }
  return out;
}

int turning(const Job& job) { return static_cast<int>(std::ranges::count_if(job.buffers, places)); }

}  // namespace tilewright::run
