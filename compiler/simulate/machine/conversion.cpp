// Every number of the formats is exact in a long double, whose mantissa has 64 bits: one rounding, by the scale of the
// format that it goes to, makes the result. NaN has one form in each format.
#include "compiler/simulate/machine/conversion.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace tilewright::simulate {
namespace {

using Number = long double;
static_assert(std::numeric_limits<Number>::digits >= 64);

struct Format {
  int bits = 0, mantissa = 0, exponent = 0;  // an integer has no mantissa and no exponent
  bool is_float = false, is_signed = true, has_infinity = true;
  int low = 0;             // bits below the mantissa that are zero: tf32 in a word
  std::uint64_t nan = 0;   // all formats but integers
  std::uint64_t most = 0;  // the largest finite number
  int bias() const { return (1 << (exponent - 1)) - 1; }
};

Format floating(int bits, int exponent, std::uint64_t nan, std::uint64_t most, bool has_infinity = true) {
  return {bits, bits - 1 - exponent, exponent, true, true, has_infinity, 0, nan, most};
}

// Of one element; `name` without "x2".
std::optional<Format> format_of(std::string_view name) {
  if (name == "f16") return floating(16, 5, 0x7fff, 0x7bff);
  if (name == "bf16") return floating(16, 8, 0x7fff, 0x7f7f);
  if (name == "f32") return floating(32, 8, 0x7fffffff, 0x7f7fffff);
  if (name == "f64") return floating(64, 11, 0x7ff8000000000000, 0x7fefffffffffffff);
  if (name == "e4m3") return floating(8, 4, 0x7f, 0x7e, false);
  if (name == "e5m2") return floating(8, 5, 0x7f, 0x7b);
  if (name == "e2m1") return floating(4, 2, 0x7, 0x7, false);
  if (name == "e2m3") return floating(6, 2, 0x1f, 0x1f, false);
  if (name == "e3m2") return floating(6, 3, 0x1f, 0x1f, false);
  if (name == "tf32") {
    Format f = floating(32, 8, 0x7fffffff, 0x7f7fe000);
    f.mantissa = 10;
    f.low = 13;
    return f;
  }
  if (name == "ue8m0") {
    Format f = floating(8, 8, 0xff, 0xfe, false);
    f.mantissa = 0;
    f.is_signed = false;
    return f;
  }
  if (name.size() < 2 || (name[0] != 'u' && name[0] != 's')) return std::nullopt;
  Format f;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), f.bits);
  f.is_signed = name[0] == 's';
  return error == std::errc() && end == name.data() + name.size() ? std::optional(f) : std::nullopt;
}

struct Packed {
  std::optional<Format> format;
  int count = 1;
  int stride = 0;  // bits from one element to the next
};
Packed packed(std::string_view name) {
  Packed out;
  if (name.ends_with("x2") || name.ends_with("x4")) {
    out.count = name.back() - '0';
    name.remove_suffix(2);
  }
  out.format = format_of(name);
  if (out.format) out.stride = out.format->bits == 6 ? 8 : out.format->bits;  // six bits lie in bytes
  return out;
}

// The value of raw bits; NaN and infinities as they are.
Number value_of(const Format& f, std::uint64_t raw) {
  if (!f.is_float) {
    if (f.bits < 64) raw &= (std::uint64_t{1} << f.bits) - 1;
    if (!f.is_signed) return static_cast<Number>(raw);
    return static_cast<Number>(static_cast<std::int64_t>(raw << (64 - f.bits)) >> (64 - f.bits));
  }
  if (f.bits == 64) return std::bit_cast<double>(raw);
  const int stored = f.mantissa + f.low;
  const std::uint64_t mantissa = raw & ((std::uint64_t{1} << stored) - 1);
  const auto exponent = static_cast<int>(raw >> stored & ((std::uint64_t{1} << f.exponent) - 1));
  const bool negative = f.is_signed && (raw >> (f.bits - 1) & 1);
  const int top = (1 << f.exponent) - 1;
  Number value = 0;
  if (!f.is_signed) {  // a power of two
    if (raw == f.nan) return std::numeric_limits<Number>::quiet_NaN();
    value = std::ldexp(Number{1}, exponent - f.bias());
  } else if (f.has_infinity && exponent == top) {
    value = mantissa ? std::numeric_limits<Number>::quiet_NaN() : std::numeric_limits<Number>::infinity();
  } else if (f.bits == 8 && !f.has_infinity && (raw & 0x7f) == f.nan) {
    return std::numeric_limits<Number>::quiet_NaN();
  } else {
    const int scale = std::max(exponent, 1) - f.bias() - stored;
    value = std::ldexp(static_cast<Number>(mantissa) + (exponent ? std::ldexp(Number{1}, stored) : 0), scale);
  }
  return negative ? -value : value;
}

// To a whole number.
Number whole(Number x, std::string_view rounding) {
  if (rounding.starts_with("rz")) return std::trunc(x);
  if (rounding.starts_with("rm")) return std::floor(x);
  if (rounding.starts_with("rp")) return std::ceil(x);
  if (rounding == "rna") return std::round(x);
  return std::nearbyint(x);  // this thread rounds to nearest, ties to even
}

std::uint64_t integer_from(const Format& f, Number x, const Conversion& c, bool from_float, bool from_wide) {
  const int n = f.bits;
  if (std::isnan(x)) return !from_wide && n < 64 ? 0 : std::uint64_t{1} << (n - 1);
  if (from_float) x = whole(x, c.rounding);
  const Number least = f.is_signed ? -std::ldexp(Number{1}, n - 1) : 0;
  const Number most = std::ldexp(Number{1}, f.is_signed ? n - 1 : n) - 1;
  if (from_float || c.sat) x = std::fmin(std::fmax(x, least), most);
  const std::uint64_t raw =
      x < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) : static_cast<std::uint64_t>(x);
  return n == 64 ? raw : raw & ((std::uint64_t{1} << n) - 1);
}

std::uint64_t float_from(const Format& f, Number x, const Conversion& c) {
  if (std::isnan(x)) return c.sat ? 0 : f.nan;
  if (c.rounding.ends_with('i')) x = whole(x, c.rounding);
  if (c.sat) x = std::fmin(std::fmax(x, Number{0}), Number{1});
  if (c.relu && std::signbit(x)) x = 0;
  const std::uint64_t sign = f.is_signed && std::signbit(x) ? std::uint64_t{1} << (f.bits - 1) : 0;
  const bool infinite = std::isinf(x);
  const int stored = f.mantissa + f.low;
  const Number most = f.is_signed ? std::fabs(value_of(f, f.most)) : std::ldexp(Number{1}, 127);
  if (!f.is_signed) x = std::fabs(x);
  if (!infinite && x != 0) {
    const int least = f.is_signed ? 1 - f.bias() : -f.bias();
    const int scale = std::max(std::ilogb(x), least) - f.mantissa;
    x = std::ldexp(whole(std::ldexp(x, -scale), c.rounding), scale);
  }
  const Number size = std::fabs(x);
  if (infinite || size > most) {
    const bool toward = c.rounding == "rz" || (c.rounding == "rm" && !sign) || (c.rounding == "rp" && sign != 0);
    const bool stays = c.satfinite || !f.has_infinity || (toward && !infinite);
    return sign | (stays ? f.most : ((std::uint64_t{1} << f.exponent) - 1) << stored);
  }
  if (!f.is_signed) return size == 0 ? 0 : static_cast<std::uint64_t>(std::ilogb(size) + f.bias());
  if (f.bits == 64) return std::bit_cast<std::uint64_t>(static_cast<double>(x));
  if (size == 0) return sign;
  const int exponent = std::max(std::ilogb(size), 1 - f.bias());
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(size, stored - exponent));
  const std::uint64_t hidden = std::uint64_t{1} << stored;
  const std::uint64_t raw =
      mantissa < hidden ? mantissa : (static_cast<std::uint64_t>(exponent + f.bias()) << stored) + (mantissa - hidden);
  if (c.ftz && f.bits == 32 && mantissa < hidden) return sign;
  return sign | raw;
}

std::uint64_t element(const Conversion& c, const Format& to, const Format& from, std::uint64_t raw) {
  Number x = value_of(from, raw);
  const bool tiny = from.is_float && from.bits == 32 && x != 0 && std::fabs(x) < std::ldexp(Number{1}, -126);
  if (c.ftz && tiny) x = std::copysign(Number{0}, x);
  return to.is_float ? float_from(to, x, c) : integer_from(to, x, c, from.is_float, from.bits == 64);
}

}  // namespace

bool is_modelled(const Conversion& c) { return c.rounding != "rs" && packed(c.to).format && packed(c.from).format; }

std::uint64_t converted(const Conversion& c, std::span<const std::uint64_t> words) {
  const Packed to = packed(c.to), from = packed(c.from);
  if (!to.format || !from.format) return 0;
  std::uint64_t out = 0;
  for (int i = 0; i < to.count; ++i) {
    // Of several operands the first is the upper part.
    const std::size_t word = from.count == 1 ? words.size() - 1 - static_cast<std::size_t>(i) : 0;
    const std::uint64_t raw = from.count == 1 ? words[word] : words[0] >> (i * from.stride);
    out |= element(c, *to.format, *from.format, raw) << (i * to.stride);
  }
  return out;
}

}  // namespace tilewright::simulate
