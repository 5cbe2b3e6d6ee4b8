// What the evaluation of a script may take, and what it has taken: steps, bytes, levels of calls and values. It counts;
// what is said where a limit is met is Interpreter::step's and its neighbours' (limits.cpp).
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "compiler/text/context.h"

namespace tilewright::script {

class Budget {
 public:
  explicit Budget(const text::Limits& whole)
      : whole_(whole), step_limit_(whole.steps), memory_limit_(whole.memory_bytes) {}

  // What a file may take in all, as its user set it.
  const text::Limits& whole() const { return whole_; }

  // ---- steps ----
  std::uint64_t steps() const { return steps_; }
  void spend(std::uint64_t steps) { steps_ += steps; }
  // Back to what was taken once: what came since is no work of the script.
  void return_to(std::uint64_t steps) { steps_ = steps; }
  bool is_spent(std::uint64_t more = 0) const { return steps_ + more >= step_limit_; }
  bool is_exceeded() const { return steps_ > step_limit_; }
  // At most `steps` more, until the limit that this returns is set again.
  std::uint64_t narrow(std::uint64_t steps) {
    return std::exchange(step_limit_, std::min(step_limit_, steps_ + steps));
  }
  void set_step_limit(std::uint64_t limit) { step_limit_ = limit; }

  // ---- bytes; `used`: in all ----
  bool has_room(std::uint64_t used, std::uint64_t more = 0) const {
    return used <= memory_limit_ && more <= memory_limit_ - used;
  }

  // ---- levels ----
  std::uint32_t depth() const { return depth_; }
  bool is_too_deep() const { return depth_ > whole_.depth; }
  // False: that would be too deep, and nothing was entered.
  bool enter(std::uint32_t levels) {
    depth_ += levels;
    if (depth_ <= whole_.depth) return true;
    depth_ -= levels;
    return false;
  }
  // Goes deeper where is_too_deep() is asked later.
  void descend(std::uint32_t levels) { depth_ += levels; }
  void leave(std::uint32_t levels) { depth_ -= levels; }

  // ---- after a limit ----
  // The next part of the script gets half of what the part before it had. What is held is not given back.
  void extend(std::uint64_t used) {
    ++limits_met_;
    auto part = [&](std::uint64_t whole) { return limits_met_ < 64 ? whole >> limits_met_ : 0; };
    step_limit_ = std::max(step_limit_, steps_ + part(whole_.steps));
    if (used + part(whole_.memory_bytes) > memory_limit_) memory_limit_ = used + part(whole_.memory_bytes) / 4;
  }
  bool met_limits() const { return limits_met_ > 0; }

 private:
  const text::Limits whole_;
  std::uint64_t steps_ = 0;
  std::uint64_t step_limit_, memory_limit_;
  std::uint32_t depth_ = 0;
  int limits_met_ = 0;
};

}  // namespace tilewright::script
