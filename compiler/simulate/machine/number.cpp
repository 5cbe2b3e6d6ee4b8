#include "compiler/simulate/machine/number.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tilewright::simulate {

using ir::DataType;
using ir::TypeCode;

namespace {

// A small binary format: exponent and mantissa bits, bias, and which codes stand for infinity and NaN.
struct Format {
  int exponent, mantissa, bias;
  bool infinity;    // all-ones exponent, zero mantissa
  bool single_nan;  // only the all-ones code is NaN
  bool no_nan;      // every code is a number
};

Format format_of(DataType d) {
  switch (d.code) {
    case TypeCode::Float8E4M3FN: return {4, 3, 7, false, true, false};
    case TypeCode::Float8E4M3: return {4, 3, 7, true, false, false};
    case TypeCode::Float8E3M4: return {3, 4, 3, true, false, false};
    case TypeCode::Float8E5M2: return {5, 2, 15, true, false, false};
    case TypeCode::Float6E2M3FN: return {2, 3, 1, false, false, true};
    case TypeCode::Float6E3M2FN: return {3, 2, 3, false, false, true};
    case TypeCode::Float4E2M1FN: return {2, 1, 1, false, false, true};
    default: return {5, 10, 15, true, false, false};
  }
}

float largest(const Format& f) {
  int top = (1 << f.exponent) - 1 - f.bias;
  if (f.infinity) return std::ldexp(2.0f - std::ldexp(1.0f, -f.mantissa), top - 1);
  float fraction = 2.0f - std::ldexp(1.0f, f.single_nan ? 1 - f.mantissa : -f.mantissa);
  return std::ldexp(fraction, top);
}

std::uint32_t encode_small(const Format& f, float value) {
  std::uint32_t sign = std::signbit(value) ? 1u << (f.exponent + f.mantissa) : 0;
  std::uint32_t ones = (1u << (f.exponent + f.mantissa)) - 1;
  if (std::isnan(value)) return f.no_nan ? ones : sign | ones;
  float magnitude = std::min(std::fabs(value), largest(f));
  if (magnitude == 0) return sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - f.bias);
  // In units of the last place of that binade; ties to even is how nearbyint rounds.
  float units = std::nearbyint(std::ldexp(magnitude, f.mantissa - exponent));
  auto mantissa = static_cast<std::uint32_t>(units);
  std::uint32_t biased = static_cast<std::uint32_t>(exponent + f.bias - 1);
  // A hidden bit that is there, or carried into, adds itself to the exponent field.
  return sign | ((biased << f.mantissa) + mantissa);
}

float decode_small(const Format& f, std::uint32_t bits) {
  std::uint32_t mantissa = bits & ((1u << f.mantissa) - 1);
  int exponent = static_cast<int>(bits >> f.mantissa) & ((1 << f.exponent) - 1);
  bool negative = bits >> (f.exponent + f.mantissa) & 1;
  int top = (1 << f.exponent) - 1;
  float value;
  if (exponent == top && f.infinity) {
    value = mantissa ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
  } else if (exponent == top && f.single_nan && mantissa == (1u << f.mantissa) - 1) {
    value = std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(mantissa), 1 - f.bias - f.mantissa);
  } else {
    value = std::ldexp(static_cast<float>(mantissa | 1u << f.mantissa), exponent - f.bias - f.mantissa);
  }
  return negative ? -value : value;
}

}  // namespace

std::uint16_t half_from_float(float value) {
  std::uint32_t x = std::bit_cast<std::uint32_t>(value);
  std::uint32_t sign = x >> 16 & 0x8000;
  std::uint32_t magnitude = x & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<std::uint16_t>(sign | 0x7fff);
  if (magnitude >= 0x477ff000) return static_cast<std::uint16_t>(sign | 0x7c00);  // rounds past 65504
  if (magnitude < 0x38800000) {  // below the smallest normal: adding aligns and rounds
    float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000));
  }
  std::uint32_t rounded = magnitude + 0xc8000fff + (magnitude >> 13 & 1);
  return static_cast<std::uint16_t>(sign | rounded >> 13);
}

float float_from_half(std::uint16_t bits) {
  std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
  std::uint32_t magnitude = bits & 0x7fff;
  if (magnitude >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (magnitude & 0x3ff) << 13);
  if (magnitude >= 0x400) return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000));
  float value = static_cast<float>(magnitude) * 0x1p-24f;
  return sign ? -value : value;
}

std::uint16_t bfloat_from_float(float value) {
  std::uint32_t x = std::bit_cast<std::uint32_t>(value);
  if ((x & 0x7fffffff) > 0x7f800000) return 0x7fff;
  return static_cast<std::uint16_t>((x + 0x7fff + (x >> 16 & 1)) >> 16);
}

std::uint32_t encode(DataType d, float value) {
  if (d.is_float()) return half_from_float(value);
  if (d.is_bfloat()) return bfloat_from_float(value);
  if (d.code == TypeCode::Float8E8M0FNU) {
    if (std::isnan(value)) return 0xff;
    if (value <= 0) return 0;
    int exponent;
    float fraction = std::frexp(value, &exponent);  // in [0.5, 1)
    exponent += 126 + (fraction > 0.75f || (fraction == 0.75f && (exponent + 126) % 2 != 0));
    return static_cast<std::uint32_t>(exponent < 0 ? 0 : exponent > 254 ? 254 : exponent);
  }
  return encode_small(format_of(d), value);
}

float decode(DataType d, std::uint32_t bits) {
  if (d.is_float()) return float_from_half(static_cast<std::uint16_t>(bits));
  if (d.is_bfloat()) return float_from_bfloat(static_cast<std::uint16_t>(bits));
  if (d.code == TypeCode::Float8E8M0FNU)
    return bits == 0xff ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0f, static_cast<int>(bits) - 127);
  return decode_small(format_of(d), bits);
}

float rounded(DataType d, float value) { return decode(d, encode(d, value)); }

}  // namespace tilewright::simulate
