// Boxes and the ranges of scope ids in them (scope.md 6.2, 6.3).
#pragma once
#include <cstdint>
#include <limits>
#include <optional>

#include "compiler/scope/active.h"
#include "compiler/scope/closure.h"

namespace tilewright::scope {

inline std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }
inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

// Values in [lo, hi). The extremes mean "no bound"; they are clamped before any arithmetic (N7).
struct HalfOpen {
  static constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  static constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::int64_t lo = kMin, hi = kMax;
};

// The least interval that holds the id's value in every active thread; nothing for an id that the set does not
// describe.
std::optional<HalfOpen> active_hull(const ActiveSet& set, const ir::Var* id, const Closure& closure);

enum class Applied {
  Yes,       // the set is now exactly the threads that were in it and satisfy the test
  No,        // not a box, or not described by the set: unchanged
  Disjoint,  // no thread satisfies it: unchanged
};
Applied apply_interval(ActiveSet& set, const ir::Var* id, HalfOpen interval, const Closure& closure);
// id mod n == r, for ids of CTAs.
Applied apply_modulo(ActiveSet& set, const ir::Var* id, std::int64_t n, std::int64_t r, const Closure& closure);

}  // namespace tilewright::scope
