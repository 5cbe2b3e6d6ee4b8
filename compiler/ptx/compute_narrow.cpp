// Conversions from and to pairs of 8-bit floats, which round to nearest and end at their largest finite number.
#include <algorithm>
#include <cfenv>
#include <cmath>

#include "compiler/ptx/compute_parts.h"

namespace tilewright::ptx {
namespace {

struct Narrow {
  int fraction, bias;
  double most;  // the largest finite number
};
constexpr Narrow kE4M3{3, 7, 448.0}, kE5M2{2, 15, 57344.0};
constexpr Bits kNaN = 0x7f;

Bits narrowed(const Narrow& n, double value) {
  if (std::isnan(value)) return kNaN;
  const Bits sign = std::signbit(value) ? 0x80 : 0;
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
  const int exponent = static_cast<int>(low(bits >> n.fraction, 7 - n.fraction));
  const auto fraction = static_cast<double>(low(bits, n.fraction));
  const double sign = bits & 0x80 ? -1.0 : 1.0;
  const bool ieee = &n == &kE5M2 && exponent == 31;
  if ((&n == &kE4M3 && low(bits, 7) == kNaN) || (ieee && fraction != 0)) return std::nan("");
  if (ieee) return sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - n.bias - n.fraction);
  return sign * std::ldexp(1 + std::ldexp(fraction, -n.fraction), exponent - n.bias);
}

}  // namespace

Results compute_narrow(const Form& form) {
  const std::string_view id = form.id();
  const bool relu = form.has("relu");
  auto narrow = [&](std::string_view slot) -> const Narrow& {
    return form.word(slot).starts_with("e4m3") ? kE4M3 : kE5M2;
  };
  auto to_narrow = [&](double value) { return narrowed(narrow("dtype"), relu && value < 0 ? 0.0 : value); };
  if (id == "cvt_f8x2_f32") {
    auto part = [&](std::size_t i) { return to_narrow(real({'f', 32, 1}, low(form.in(i), 32))); };
    return std::vector<Bits>{part(0) << 8 | part(1)};
  }
  if (id == "cvt_f8x2_fp16x2") {
    Type half = form.type("atype");
    half.lanes = 1;
    auto part = [&](int lane) { return to_narrow(real(half, low(form.in(0) >> 16 * lane, 16))); };
    return std::vector<Bits>{part(1) << 8 | part(0)};
  }
  const bool to_half = id == "cvt_f16x2_f8x2";
  if (!to_half && (id != "cvt_bf16x2_f8x2" || !form.word("scaled").empty())) return std::nullopt;
  const Type half{to_half ? 'f' : 'B', 16, 1};
  auto part = [&](int lane) -> Bits {
    const double value = widened(narrow("atype"), low(form.in(0) >> 8 * lane, 8));
    if (std::isnan(value)) return nan_of(half);
    return rounded(half, relu && value < 0 ? 0.0 : value, FE_TONEAREST);
  };
  return std::vector<Bits>{part(1) << 16 | part(0)};
}

}  // namespace tilewright::ptx
