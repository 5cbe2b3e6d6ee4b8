// How many elements one access may move (dispatch.md 7.5, X17).
#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "compiler/ir/buffer.h"

namespace tilewright::dispatch {

inline constexpr std::array<int, 5> kCopyWidths = {128, 64, 32, 16, 8};  // bits, widest first

// Element counts for the widths that hold whole elements, descending; 1 comes last where `with_one`.
struct Widths {
  std::array<std::int64_t, 8> counts{};
  std::size_t size = 0;
  const std::int64_t* begin() const { return counts.data(); }
  const std::int64_t* end() const { return counts.data() + size; }
};
Widths width_candidates(int bits, std::span<const int> widths, bool with_one = true);

// Whether the storage behind a buffer starts on a multiple of `elements` elements, as far as its declaration tells.
bool base_allows(const ir::Buffer& buffer, std::int64_t elements);
// A copy instruction for that many bits exists.
inline bool is_copy_width(std::int64_t bits) {
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128;
}

}  // namespace tilewright::dispatch
