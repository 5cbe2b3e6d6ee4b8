// Floats of 4, 6 and 8 bits: their formats, and their values as doubles.
#pragma once
#include <cfenv>

#include "compiler/ptx/compute_parts.h"

namespace tilewright::ptx {

struct Narrow {
  int fraction, bias;
  double most;  // the largest finite number
  int bits = 8;
  Bits nan = 0;  // 0: none, it becomes the largest number
  bool has_sign = true;

  Bits sign() const { return has_sign ? Bits{1} << (bits - 1) : 0; }
};
inline constexpr Narrow kE4M3{3, 7, 448.0, 8, 0x7f}, kE5M2{2, 15, 57344.0, 8, 0x7f},
    kUE5M3{3, 15, 114688.0, 8, 0xff, false};
inline constexpr Narrow kE2M1{1, 1, 6.0, 4}, kE2M3{3, 1, 7.5, 6}, kE3M2{2, 3, 28.0, 6};

// "e4m3x2": kE4M3.
const Narrow& narrow_named(std::string_view type);
// Rounded in a direction, numbers that are too large to the largest one. Without a sign: the magnitude.
Bits narrowed(const Narrow& n, double value, int direction = FE_TONEAREST);
double widened(const Narrow& n, Bits bits);

// cvt.rs: rounding by random bits.
Results compute_stochastic(const Form& form);

}  // namespace tilewright::ptx
