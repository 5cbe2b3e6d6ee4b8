// Conversions between scalar types and to packed halves.
#include <bit>
#include <cfenv>
#include <cmath>

#include "compiler/ptx/compute_parts.h"

namespace tilewright::ptx {
namespace {

struct Manner {
  Type to, from;
  std::string_view rounding;
  bool flushes = false, saturates = false, relu = false, finite = false;
};

// An integer as a double that is exact or rounded to odd.
double odd(__int128 value) {
  std::fesetround(FE_TOWARDZERO);
  volatile double near = static_cast<double>(value);
  std::fesetround(FE_TONEAREST);
  double out = near;
  if (static_cast<__int128>(out) == value) return out;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(out) | 1);
}

double to_integral(double value, std::string_view rounding) {
  if (rounding.starts_with("rz")) return std::trunc(value);
  if (rounding.starts_with("rm")) return std::floor(value);
  if (rounding.starts_with("rp")) return std::ceil(value);
  return std::nearbyint(value);
}

__int128 least_of(Type type) { return type.is_signed() ? -(__int128{1} << (type.bits - 1)) : 0; }
__int128 most_of(Type type) { return (__int128{1} << (type.bits - type.is_signed())) - 1; }

Bits integer_of(const Manner& m, double value) {
  if (std::isnan(value)) return m.to.bits == 64 || m.from.bits == 64 ? Bits{1} << (m.to.bits - 1) : 0;
  value = to_integral(value, m.rounding);
  double least = std::ldexp(m.to.is_signed() ? -1.0 : 0.0, m.to.bits - 1),
         beyond = std::ldexp(1.0, m.to.bits - m.to.is_signed());
  if (value < least) return low(static_cast<Bits>(least_of(m.to)), m.to.bits);
  if (value >= beyond) return static_cast<Bits>(most_of(m.to));
  return low(static_cast<Bits>(static_cast<__int128>(value)), m.to.bits);
}

Bits limited(const Manner& m, Bits bits) {
  if (m.flushes && m.to.bits == 32 && is_subnormal(m.to, bits)) bits &= Bits{1} << 31;
  if (is_nan(m.to, bits)) return m.saturates ? 0 : nan_of(m.to);
  double value = real(m.to, bits);
  if (m.saturates) {
    if (value <= 0) return 0;
    if (value > 1) return rounded(m.to, 1.0, FE_TONEAREST);
  }
  if (m.relu && std::signbit(value)) return 0;
  if (m.finite && std::isinf(value)) return bits - 1;  // the largest finite number
  return bits;
}

int fraction_bits(Type type) { return type.bits == 64 ? 52 : type.bits == 32 ? 23 : type.letter == 'B' ? 7 : 10; }

// A NaN keeps its sign and the high bits of its payload where doubles, or bf16 as a source, are involved.
Bits nan_from(const Manner& m, Bits bits) {
  if (m.saturates) return 0;
  bool keeps = m.from.bits == 64 || m.to.bits == 64 || (m.from.letter == 'B' && m.to.bits == 32);
  if (!keeps) return nan_of(m.to);
  if (m.flushes && m.from.bits == 32) bits = nan_of(m.from);
  int from = fraction_bits(m.from), to = fraction_bits(m.to);
  Bits payload = low(bits, from);
  payload = (to >= from ? payload << (to - from) : payload >> (from - to)) | Bits{1} << (to - 1);
  Bits sign_and_exponent = (bits >> (m.from.bits - 1) & 1) << (m.to.bits - 1 - to) | low(~Bits{0}, m.to.bits - 1 - to);
  return sign_and_exponent << to | payload;
}

Bits float_of(const Manner& m, Bits bits) {
  if (is_nan(m.from, bits)) return nan_from(m, bits);
  if (m.flushes && m.from.bits == 32 && is_subnormal(m.from, bits)) bits &= Bits{1} << 31;
  double value = real(m.from, bits);
  bool integral = m.rounding.ends_with('i');
  if (integral && std::isfinite(value)) value = std::copysign(to_integral(value, m.rounding), value);
  return limited(m, rounded(m.to, value, integral ? FE_TONEAREST : direction_of(m.rounding)));
}

Bits float_of_integer(const Manner& m, __int128 value) {
  int direction = direction_of(m.rounding);
  if (m.to.bits != 64) return limited(m, rounded(m.to, odd(value), direction));
  std::fesetround(direction);
  volatile double result = m.from.is_signed() ? static_cast<double>(static_cast<std::int64_t>(value))
                                              : static_cast<double>(static_cast<std::uint64_t>(value));
  std::fesetround(FE_TONEAREST);
  return limited(m, std::bit_cast<std::uint64_t>(static_cast<double>(result)));
}

Bits converted(const Manner& m, Bits bits) {
  bits = low(bits, m.from.bits);
  if (m.from.floating() && m.to.floating()) return float_of(m, bits);
  if (m.from.floating()) {
    if (m.flushes && m.from.bits == 32 && is_subnormal(m.from, bits)) bits = 0;
    return integer_of(m, real(m.from, bits));
  }
  __int128 value = extended(bits, m.from);
  if (m.to.floating()) return float_of_integer(m, value);
  if (m.saturates) value = value < least_of(m.to) ? least_of(m.to) : value > most_of(m.to) ? most_of(m.to) : value;
  return low(static_cast<Bits>(value), m.to.bits);
}

// tf32: a float of ten fraction bits, whose other bits are zero. rna rounds halves away from zero.
Bits short_float(const Manner& m, Bits bits) {
  constexpr Type kFloat{'f', 32, 1};
  constexpr Bits kCut = 0x1fff, kHalf = 0x1000;
  bits = low(bits, 32);
  if (is_nan(kFloat, bits)) return nan_of(kFloat);
  if (m.relu && bits >> 31) return 0;
  const bool odd = bits >> 13 & 1, infinite = (bits & 0x7fffffff) == 0x7f800000;
  if (!infinite && m.rounding != "rz") bits += m.rounding == "rna" || odd ? kHalf : kHalf - 1;
  const Bits result = low(bits & ~kCut, 32);
  return m.finite && (result & 0x7fffffff) == 0x7f800000 ? result - kCut - 1 : result;
}

// .pzo: +0 for -0.
Bits positive_zero(Type type, Bits bits) { return low(bits, type.bits - 1) == 0 ? 0 : bits; }

// Two integers with saturation beside what c holds, moved up.
Bits packed(const Form& form) {
  Type to = form.type("convert");
  auto part = [&](std::size_t i) {
    __int128 value = extended(form.in(i), {'s', 32, 1});
    value = value < least_of(to) ? least_of(to) : value > most_of(to) ? most_of(to) : value;
    return low(static_cast<Bits>(value), to.bits);
  };
  Bits pair = part(0) << to.bits | part(1);
  if (form.id() == "cvt_pack") return pair;
  return low(form.in(2) << (2 * to.bits), 32) | pair;
}

}  // namespace

Results compute_convert(const Form& form) {
  std::string_view id = form.id();
  if (id == "cvt_pack" || id == "cvt_pack_c") return std::vector<Bits>{packed(form)};
  Manner m{form.type("dtype"), form.type("atype"), form.word("rnd"),     form.has("ftz"),
           form.has("sat"),    form.has("relu"),   form.has("satfinite")};
  if (id == "cvt_tf32_f32") return std::vector<Bits>{short_float(m, form.in(0))};
  if (id == "cvt_pzo_tf32_f32") return std::vector<Bits>{positive_zero({'f', 32, 1}, short_float(m, form.in(0)))};
  if (id == "cvt_pzo_scalar_f32" || id == "cvt_pzo_fp16x2_f32") {
    m.from = {'f', 32, 1};
    m.to.lanes = 1;
    auto part = [&](std::size_t i) { return positive_zero(m.to, converted(m, form.in(i))); };
    return std::vector<Bits>{id == "cvt_pzo_scalar_f32" ? part(0) : part(0) << 16 | part(1)};
  }
  if (id == "cvt") return m.rounding == "rna" ? Results() : std::vector<Bits>{converted(m, form.in(0))};
  if (id == "cvt_f16x2_f32" || id == "cvt_bf16x2_f32") {
    m.to = {id == "cvt_f16x2_f32" ? 'f' : 'B', 16, 1};
    m.from = {'f', 32, 1};
    return std::vector<Bits>{converted(m, form.in(0)) << 16 | converted(m, form.in(1))};
  }
  return std::nullopt;
}

}  // namespace tilewright::ptx
