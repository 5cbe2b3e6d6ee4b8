// Conversions from and to pairs of floats of 4, 6 and 8 bits, which round to nearest and end at their largest finite
// number, and of scales, which are powers of two.
#include "compiler/ptx/compute_narrow.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ptx {

const Narrow& narrow_named(std::string_view type) {
  return type.starts_with("e4m3")    ? kE4M3
         : type.starts_with("e5m2")  ? kE5M2
         : type.starts_with("ue5m3") ? kUE5M3
         : type.starts_with("e2m1")  ? kE2M1
         : type.starts_with("e2m3")  ? kE2M3
                                     : kE3M2;
}

Bits narrowed(const Narrow& n, double value, int direction) {
  if (std::isnan(value)) {
    if (n.nan != 0) return n.nan;
    value = n.most;
  }
  const Bits sign = std::signbit(value) ? n.sign() : 0;
  value = std::min(std::fabs(value), n.most);
  if (value == 0) return sign;
  const int lowest = 1 - n.bias;
  const int unit = std::max(std::ilogb(value), lowest) - n.fraction;  // exponent of the last bit
  const double steps = std::ldexp(value, -unit);
  const bool up = direction == FE_UPWARD && sign == 0;
  const double whole = direction == FE_TONEAREST ? std::nearbyint(steps) : up ? std::ceil(steps) : std::floor(steps);
  value = std::min(std::ldexp(whole, unit), n.most);
  if (value == 0) return sign;
  const int exponent = std::ilogb(value);
  if (exponent < lowest) return sign | static_cast<Bits>(std::ldexp(value, n.fraction - lowest));
  const auto significand = static_cast<Bits>(std::ldexp(value, n.fraction - exponent));
  return sign | static_cast<Bits>(exponent + n.bias) << n.fraction | low(significand, n.fraction);
}

double widened(const Narrow& n, Bits bits) {
  const int exponent = static_cast<int>(low(bits >> n.fraction, n.bits - n.has_sign - n.fraction));
  const auto fraction = static_cast<double>(low(bits, n.fraction));
  const double sign = (bits & n.sign()) != 0 ? -1.0 : 1.0;
  const bool ieee = n.fraction == kE5M2.fraction && n.bits == 8 && exponent == 31;
  if (n.nan != 0 && (ieee ? fraction != 0 : low(bits, n.bits - n.has_sign) == n.nan)) return std::nan("");
  if (ieee) return sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - n.bias - n.fraction);
  return sign * std::ldexp(1 + std::ldexp(fraction, -n.fraction), exponent - n.bias);
}

namespace {

// The exponent alone, towards zero or up; of the sign nothing is left.
Bits scale_of(double value, bool up, bool finite) {
  if (std::isnan(value)) return 0xff;
  value = std::fabs(value);
  const double least = std::ldexp(1.0, -127);
  if (value <= least) return 0;
  if (std::isinf(value)) return finite ? 0xfe : 0xff;
  int exponent = std::ilogb(value);
  if (up && std::ldexp(1.0, exponent) != value) ++exponent;
  const auto out = static_cast<Bits>(std::max(exponent + 127, 0));
  return finite ? std::min<Bits>(out, 0xfe) : out;
}

// From floats, or from a pair of halves: the first one, or the upper half, is the upper one of the result.
Results compute_to_pair(const Form& form, int apart, auto&& convert) {
  if (form.inputs() == 2) {
    auto part = [&](std::size_t i) { return convert(real({'f', 32, 1}, low(form.in(i), 32))); };
    return std::vector<Bits>{part(0) << apart | part(1)};
  }
  Type half = form.word("atype").empty() ? Type{'B', 16, 2} : form.type("atype");
  half.lanes = 1;
  auto part = [&](int lane) { return convert(real(half, low(form.in(0) >> 16 * lane, 16))); };
  return std::vector<Bits>{part(1) << apart | part(0)};
}

double scale_value(Bits scale) { return scale == 0xff ? std::nan("") : std::ldexp(1.0, static_cast<int>(scale) - 127); }

double without_negative(const Form& form, double value) {
  return form.has("relu") && std::signbit(value) && !std::isnan(value) ? 0.0 : value;
}

// The two numbers that a pair is made of, the upper one first: two floats, or the halves of a register. With one scale
// for both they are divided by it, a subnormal one is zero then.
std::vector<double> numbers_of(const Form& form, bool from_floats) {
  const Type half = form.word("atype").empty() ? Type{'B', 16, 1} : form.type("atype");
  const Type type = from_floats ? Type{'f', 32, 1} : Type{half.letter, 16, 1};
  const bool scaled = form.has("scaled::n1::ue8m0");
  std::vector<double> out;
  for (std::size_t i = 0; i < 2; ++i) {
    const Bits bits = from_floats ? low(form.in(i), 32) : low(form.in(0) >> (i == 0 ? 16 : 0), 16);
    const double value = scaled && is_subnormal(type, bits) ? 0.0 : real(type, bits);
    out.push_back(scaled ? value / scale_value(low(form.in(from_floats ? 2 : 1), 8)) : value);
  }
  return out;
}

// A number without a sign, of which nothing but a NaN is left where it is too large and .satfinite is not there.
Bits unsigned_narrowed(const Form& form, double value, int direction) {
  value = std::fabs(value);
  const Narrow& n = kUE5M3;
  if (!form.has("satfinite")) {
    const double next = n.most + std::ldexp(1.0, std::ilogb(n.most) - n.fraction);
    const bool beyond = direction == FE_TONEAREST ? value > (n.most + next) / 2
                        : direction == FE_UPWARD  ? value > n.most
                                                  : std::isinf(value);
    if (beyond) return n.nan;
  }
  return narrowed(n, value, direction);
}

// The conversions to pairs of PTX 9.4: rounding in a direction, +0 for -0, one scale.
Results compute_newer_pair(const Form& form) {
  const std::string_view id = form.id();
  const bool is_unsigned = id.starts_with("cvt_ue5m3x2_");
  if (!is_unsigned && !id.starts_with("cvt_94_narrow")) return std::nullopt;
  const Narrow& n = is_unsigned ? kUE5M3 : narrow_named(form.word("dtype"));
  const int direction = direction_of(form.word("rnd")), apart = n.bits == 4 ? 4 : 8;
  const std::vector<double> values = numbers_of(form, id.find("_f32") != id.npos);
  auto part = [&](double value) -> Bits {
    if (is_unsigned) return unsigned_narrowed(form, value, direction);
    const Bits bits = narrowed(n, without_negative(form, value), direction);
    return form.has("pzo") && bits == n.sign() ? 0 : bits;
  };
  return std::vector<Bits>{part(values[0]) << apart | part(values[1])};
}

// Bytes of a sign and six fraction bits, in two's complement; each half has its own scale.
Results compute_fixed(const Form& form) {
  const std::string_view id = form.id();
  const Type half{'B', 16, 1};
  auto scale = [&](std::size_t at, int lane) {
    return form.inputs() > at ? scale_value(low(form.in(at) >> 8 * lane, 8)) : 1.0;
  };
  if (id == "cvt_bf16x2_s2f6x2") {
    auto part = [&](int lane) -> Bits {
      const auto byte = static_cast<double>(extended(form.in(0) >> 8 * lane, {'s', 8, 1}));
      const double value = without_negative(form, byte / 64 * scale(1, lane));
      const Bits bits = rounded(half, value, FE_TONEAREST);
      return form.has("satfinite") && std::isinf(real(half, bits)) ? bits - 1 : bits;
    };
    return std::vector<Bits>{part(1) << 16 | part(0)};
  }
  const bool from_floats = id == "cvt_s2f6x2_f32";
  const std::vector<double> values = numbers_of(form, from_floats);
  auto part = [&](int lane) -> Bits {
    const double value = without_negative(form, values[lane == 1 ? 0 : 1] / scale(from_floats ? 2 : 1, lane));
    if (std::isnan(value)) return 127;
    return low(static_cast<Bits>(static_cast<__int128>(std::clamp(std::nearbyint(value * 64), -128.0, 127.0))), 8);
  };
  return std::vector<Bits>{part(1) << 8 | part(0)};
}

}  // namespace

Results compute_narrow(const Form& form) {
  const std::string_view id = form.id();
  const bool relu = form.has("relu");
  if (Results out = compute_newer_pair(form)) return out;
  if (id.find("s2f6x2") != id.npos) return compute_fixed(form);
  if (id == "cvt_f8x2_f32" || id == "cvt_f8x2_fp16x2" || id.starts_with("cvt_f4x2_f") || id.starts_with("cvt_f6x2_f")) {
    const Narrow& n = id.starts_with("cvt_f4x2") ? kE2M1 : narrow_named(form.word("dtype"));
    return compute_to_pair(form, n.bits == 4 ? 4 : 8,
                           [&](double value) { return narrowed(n, relu && value < 0 ? 0.0 : value); });
  }
  if (id == "cvt_ue8m0x2_f32" || id == "cvt_ue8m0x2_bf16x2")
    return compute_to_pair(
        form, 8, [&](double value) { return scale_of(value, form.word("rnd") == "rp", form.has("satfinite")); });
  if (id == "cvt_bf16x2_ue8m0x2") {
    const Type half{'B', 16, 1};
    auto part = [&](int lane) -> Bits {
      const auto scale = static_cast<int>(low(form.in(0) >> 8 * lane, 8));
      return scale == 0xff ? nan_of(half) : rounded(half, std::ldexp(1.0, scale - 127), FE_TONEAREST);
    };
    return std::vector<Bits>{part(1) << 16 | part(0)};
  }
  const bool to_half = id.starts_with("cvt_f16x2_"), to_bfloat = id.starts_with("cvt_bf16x2_");
  const std::string_view from = id.substr(id.rfind('_') + 1);
  if ((!to_half && !to_bfloat) || (from != "f8x2" && from != "f6x2" && from != "f4x2" && from != "ue5m3x2"))
    return std::nullopt;
  const Narrow& n = from == "f4x2" ? kE2M1 : from == "ue5m3x2" ? kUE5M3 : narrow_named(form.word("atype"));
  const int apart = n.bits == 4 ? 4 : 8;
  const Type half{to_half ? 'f' : 'B', 16, 1};
  const bool scaled = !form.word("scaled").empty();
  auto part = [&](int lane) -> Bits {
    double value = widened(n, low(form.in(0) >> apart * lane, n.bits));
    if (scaled) value *= scale_value(low(form.in(1) >> 8 * lane, 8));
    if (std::isnan(value)) return nan_of(half);
    const Bits bits = rounded(half, relu && value < 0 ? 0.0 : value, FE_TONEAREST);
    return form.has("satfinite") && std::isinf(real(half, bits)) ? bits - 1 : bits;
  };
  return std::vector<Bits>{part(1) << 16 | part(0)};
}

}  // namespace tilewright::ptx
