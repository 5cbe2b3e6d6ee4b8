// T.serial(unroll=4): how many copies of its body a loop is asked to have. A count is a hint beyond UnrollHint::Off.
#pragma once
#include <algorithm>
#include <limits>
#include <optional>

#include "compiler/ir/stmt.h"

namespace tilewright::ir {

inline constexpr int kNoCount = static_cast<int>(UnrollHint::Off);
// More copies than a hint can hold are as many as it can hold: what a loop computes does not depend on it.
inline constexpr int kMostCopies = std::numeric_limits<std::int8_t>::max() - kNoCount;

constexpr UnrollHint unrolled_by(std::int64_t copies) {
  return static_cast<UnrollHint>(kNoCount + std::clamp<std::int64_t>(copies, 1, kMostCopies));
}
// None: the hint says all or nothing.
constexpr std::optional<int> copies_of(UnrollHint hint) {
  const int count = static_cast<int>(hint) - kNoCount;
  return count > 0 ? std::optional(count) : std::nullopt;
}

}  // namespace tilewright::ir
