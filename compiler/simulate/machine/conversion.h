// cvt: numbers of one format as those of another, to the bit.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace tilewright::simulate {

// How one instruction converts.
struct Conversion {
  std::string_view to{}, from{};  // "f16x2", "s32", "e4m3x2"
  std::string_view rounding{};    // "rn", "rzi"; empty: the numbers fit
  bool ftz = false, sat = false, relu = false, satfinite = false;
};

// False: stochastic rounding, scaled forms, and formats that are not known.
bool is_modelled(const Conversion& c);
// `words`: the operands as raw bits, the first for the upper part of what is packed. Returns raw bits.
std::uint64_t converted(const Conversion& c, std::span<const std::uint64_t> words);

}  // namespace tilewright::simulate
