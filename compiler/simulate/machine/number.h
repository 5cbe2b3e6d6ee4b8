// Narrow floating formats: to and from float, rounding to nearest even.
#pragma once
#include <cstdint>

#include "compiler/expr/dtype.h"

namespace tilewright::simulate {

std::uint16_t half_from_float(float value);
float float_from_half(std::uint16_t bits);
std::uint16_t bfloat_from_float(float value);
inline float float_from_bfloat(std::uint16_t bits) {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
}

// Any format of 4, 6, 8 or 16 bits. CUDA's conversions to fp8 saturate to the largest finite value.
std::uint32_t encode(ir::DataType dtype, float value);
float decode(ir::DataType dtype, std::uint32_t bits);
// decode(encode(value)): what arithmetic in the format gives.
float rounded(ir::DataType dtype, float value);

}  // namespace tilewright::simulate
