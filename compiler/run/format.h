// Small floating-point formats, for those who read and make their codes.
#pragma once
#include <cstdint>
#include <optional>

#include "compiler/expr/dtype.h"

namespace tilewright::run {

// A binary floating-point format of at most 16 bits: sign, exponent, mantissa.
struct Format {
  int exponent = 0, mantissa = 0, bias = 0;
  bool is_signed = true;
  // What the largest codes mean: infinities and NaNs as IEEE says; one NaN with all bits set; NaN at minus zero; or
  // nothing but numbers.
  enum class Top : std::uint8_t { Ieee, AllOnesNan, MinusZeroNan, Numbers } top = Top::Ieee;
};

// Nothing for types that are none: integers, float32 and float64, scale factors without mantissa.
std::optional<Format> format_of(ir::DataType dtype);

}  // namespace tilewright::run
