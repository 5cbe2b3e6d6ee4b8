// Conversions that round by random bits of an operand: away from zero where these bits, added to those that are cut
// off, carry. Which bits of the operand belong to which number: a half has its own 13 or 16; of four numbers of 8 bits
// and less each pair shares 16, which the first one reads from the other end. No document says so; TIRx's own simulator
// has it from a B200.
#include <algorithm>
#include <cmath>

#include "compiler/ptx/compute_narrow.h"

namespace tilewright::ptx {
namespace {

constexpr Type kFloat{'f', 32, 1};

// `random`: of `count` bits.
Bits half_of(const Form& form, Type half, Bits bits, Bits random, int count) {
  const double value = real(kFloat, bits);
  if (std::isnan(value)) return nan_of(half);
  if (form.has("relu") && std::signbit(value)) return 0;
  const Bits sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  Bits cut = rounded(half, magnitude, FE_TOWARDZERO);
  const Bits infinity = half.letter == 'B' ? 0x7f80 : 0x7c00;
  if (std::isinf(magnitude)) return sign | (form.has("satfinite") ? infinity - 1 : infinity);
  if (form.has("satfinite") && cut + 1 == infinity) return sign | cut;
  const double base = real(half, cut);
  const double step = cut + 1 == infinity ? base - real(half, cut - 1) : real(half, cut + 1) - base;
  const double units = std::ldexp(1.0, count);
  if ((magnitude - base) * units >= step * (units - static_cast<double>(random))) ++cut;
  return sign | cut;
}

Results halves(const Form& form) {
  const Type half{form.id() == "cvt_rs_bf16x2_f32" ? 'B' : 'f', 16, 1};
  const int count = half.letter == 'B' ? 16 : 13;
  const Bits random = low(form.in(2), 32);
  if (((random >> count & ((1 << (16 - count)) - 1)) | random >> (16 + count)) != 0) return std::nullopt;  // reserved
  auto part = [&](std::size_t i) {
    return half_of(form, half, low(form.in(i), 32), low(random >> (i == 0 ? 16 : 0), 16), count);
  };
  return std::vector<Bits>{part(0) << 16 | part(1)};
}

Bits reversed16(Bits bits) {
  Bits out = 0;
  for (int i = 0; i < 16; ++i) out |= (bits >> i & 1) << (15 - i);
  return out;
}

Bits narrow_of(const Narrow& n, bool relu, Bits bits, Bits random) {
  if (is_nan(kFloat, bits)) return narrowed(n, std::nan(""));
  if (relu && bits >> 31 != 0) return 0;
  const Bits sign = bits >> 31 != 0 ? n.sign() : 0, most = narrowed(n, n.most);
  const int exponent = static_cast<int>(low(bits >> 23, 8)) - 127 + n.bias;
  const Bits fraction = low(bits, 23);
  if (low(bits >> 23, 8) == 0xff) return sign | most;
  if (low(bits >> 23, 8) == 0) return sign;
  if (exponent <= 0) {
    const int shift = 24 - n.fraction - exponent;
    if (shift >= 40) return sign;
    return sign | (((fraction | 0x800000) + (random << (shift - 16))) >> shift);
  }
  const int shift = 23 - n.fraction;
  const Bits code = (static_cast<Bits>(exponent) << n.fraction) + ((fraction + (random << (shift - 16))) >> shift);
  return sign | std::min(code, most);
}

Results four(const Form& form) {
  const Narrow& n = form.id() == "cvt_rs_f4x4_f32" ? kE2M1 : narrow_named(form.word("dtype"));
  const int apart = n.bits == 4 ? 4 : 8;
  const Bits random = low(form.in(4), 32);
  auto byte = [&](int i) { return low(random >> 8 * i, 8); };
  const Bits first = apart == 8 ? random >> 16 : byte(3) << 8 | byte(1);
  const Bits second = apart == 8 ? low(random, 16) : byte(2) << 8 | byte(0);
  const Bits own[] = {reversed16(first), first, reversed16(second), second};
  Bits out = 0;
  for (std::size_t i = 0; i < 4; ++i) out = out << apart | narrow_of(n, form.has("relu"), low(form.in(i), 32), own[i]);
  return std::vector<Bits>{out};
}

}  // namespace

Results compute_stochastic(const Form& form) {
  const std::string_view id = form.id();
  if (id == "cvt_rs_f16x2_f32" || id == "cvt_rs_bf16x2_f32") return halves(form);
  if (id == "cvt_rs_f8x4_f32" || id == "cvt_rs_f6x4_f32" || id == "cvt_rs_f4x4_f32") return four(form);
  return std::nullopt;
}

}  // namespace tilewright::ptx
