// Conversions from and to pairs of floats of 4, 6 and 8 bits, which round to nearest and end at their largest finite
// number, and of scales, which are powers of two.
#include <algorithm>
#include <cfenv>
#include <cmath>

#include "compiler/ptx/compute_parts.h"

namespace tilewright::ptx {
namespace {

struct Narrow {
  int fraction, bias;
  double most;  // the largest finite number
  int bits = 8;
};
constexpr Narrow kE4M3{3, 7, 448.0}, kE5M2{2, 15, 57344.0};
// These have no NaN: it becomes their largest number.
constexpr Narrow kE2M1{1, 1, 6.0, 4}, kE2M3{3, 1, 7.5, 6}, kE3M2{2, 3, 28.0, 6};
constexpr Bits kNaN = 0x7f;

const Narrow& narrow_named(std::string_view type) {
  return type.starts_with("e4m3")   ? kE4M3
         : type.starts_with("e5m2") ? kE5M2
         : type.starts_with("e2m1") ? kE2M1
         : type.starts_with("e2m3") ? kE2M3
                                    : kE3M2;
}

Bits narrowed(const Narrow& n, double value) {
  if (std::isnan(value)) {
    if (n.bits == 8) return kNaN;
    value = n.most;
  }
  const Bits sign = std::signbit(value) ? Bits{1} << (n.bits - 1) : 0;
  value = std::min(std::fabs(value), n.most);
  if (value == 0) return sign;
  const int lowest = 1 - n.bias;
  const int unit = std::max(std::ilogb(value), lowest) - n.fraction;  // exponent of the last bit
  value = std::min(std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit), n.most);
  if (value == 0) return sign;
  const int exponent = std::ilogb(value);
  if (exponent < lowest) return sign | static_cast<Bits>(std::ldexp(value, n.fraction - lowest));
  const auto significand = static_cast<Bits>(std::ldexp(value, n.fraction - exponent));
  return sign | static_cast<Bits>(exponent + n.bias) << n.fraction | low(significand, n.fraction);
}

double widened(const Narrow& n, Bits bits) {
  const int exponent = static_cast<int>(low(bits >> n.fraction, n.bits - 1 - n.fraction));
  const auto fraction = static_cast<double>(low(bits, n.fraction));
  const double sign = bits >> (n.bits - 1) & 1 ? -1.0 : 1.0;
  const bool ieee = &n == &kE5M2 && exponent == 31;
  if ((&n == &kE4M3 && low(bits, 7) == kNaN) || (ieee && fraction != 0)) return std::nan("");
  if (ieee) return sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - n.bias - n.fraction);
  return sign * std::ldexp(1 + std::ldexp(fraction, -n.fraction), exponent - n.bias);
}

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

}  // namespace

Results compute_narrow(const Form& form) {
  const std::string_view id = form.id();
  const bool relu = form.has("relu");
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
  const bool to_half = id.starts_with("cvt_f16x2_f"), to_bfloat = id.starts_with("cvt_bf16x2_f");
  const std::string_view from = id.substr(id.rfind('_') + 1);
  if ((!to_half && !to_bfloat) || (from != "f8x2" && from != "f6x2" && from != "f4x2") || !form.word("scaled").empty())
    return std::nullopt;
  const Narrow& n = from == "f4x2" ? kE2M1 : narrow_named(form.word("atype"));
  const int apart = n.bits == 4 ? 4 : 8;
  const Type half{to_half ? 'f' : 'B', 16, 1};
  auto part = [&](int lane) -> Bits {
    const double value = widened(n, low(form.in(0) >> apart * lane, n.bits));
    if (std::isnan(value)) return nan_of(half);
    return rounded(half, relu && value < 0 ? 0.0 : value, FE_TONEAREST);
  };
  return std::vector<Bits>{part(1) << 16 | part(0)};
}

}  // namespace tilewright::ptx
