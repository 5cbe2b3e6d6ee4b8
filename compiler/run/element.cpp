#include "compiler/run/element.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/run/format.h"

namespace tilewright::run {
namespace {

using ir::DataType;
using ir::TypeCode;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double decode(const Format& f, std::uint64_t bits) {
  std::uint64_t m = bits & ((1u << f.mantissa) - 1), top = (1u << f.exponent) - 1;
  std::uint64_t e = bits >> f.mantissa & top;
  bool negative = bits >> (f.mantissa + f.exponent) & 1;
  if (f.top == Format::Top::Ieee && e == top)
    return m ? kNan : negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  if (f.top == Format::Top::AllOnesNan && e == top && m == (1u << f.mantissa) - 1) return kNan;
  if (f.top == Format::Top::MinusZeroNan && negative && e == 0 && m == 0) return kNan;
  double value = e == 0 ? std::ldexp(static_cast<double>(m), 1 - f.bias - f.mantissa)
                        : std::ldexp(static_cast<double>(m + (std::uint64_t{1} << f.mantissa)),
                                     static_cast<int>(e) - f.bias - f.mantissa);
  return negative ? -value : value;
}

std::uint64_t encode(const Format& f, double value) {
  std::uint64_t ones = (std::uint64_t{1} << (f.exponent + f.mantissa)) - 1;
  std::uint64_t sign = std::signbit(value) ? ones + 1 : 0;
  std::uint64_t infinity = ones & ~((std::uint64_t{1} << f.mantissa) - 1);
  std::uint64_t largest = ones;  // of the finite codes
  if (f.top == Format::Top::Ieee) largest = infinity - 1;
  if (f.top == Format::Top::AllOnesNan) largest = ones - 1;
  if (std::isnan(value)) {
    switch (f.top) {
      case Format::Top::Ieee: return infinity | std::uint64_t{1} << (f.mantissa - 1);
      case Format::Top::AllOnesNan: return ones;
      case Format::Top::MinusZeroNan: return ones + 1;
      case Format::Top::Numbers: return largest;
    }
  }
  double magnitude = std::fabs(value);
  if (magnitude == 0) return f.top == Format::Top::MinusZeroNan ? 0 : sign;
  int exponent = 0;
  if (std::isfinite(magnitude)) {
    std::frexp(magnitude, &exponent);
    exponent = std::max(exponent - 1, 1 - f.bias);
    // Codes of one sign count up with the numbers they stand for, so a mantissa that overflows is the next exponent.
    double scaled = std::nearbyint(std::ldexp(magnitude, f.mantissa - exponent));
    if (exponent <= 1 - f.bias + (1 << f.exponent)) {
      auto units = static_cast<std::uint64_t>(scaled);
      std::uint64_t code = units + (static_cast<std::uint64_t>(exponent - (1 - f.bias)) << f.mantissa);
      if (code <= largest) return code == 0 && f.top == Format::Top::MinusZeroNan ? 0 : sign | code;
    }
  }
  return sign | (f.top == Format::Top::Ieee ? infinity : largest);
}

}  // namespace

std::optional<Format> format_of(DataType d) {
  using Top = Format::Top;
  switch (d.code) {
    case TypeCode::Float: return d.bits == 16 ? std::optional(Format{5, 10, 15}) : std::nullopt;
    case TypeCode::BFloat: return Format{8, 7, 127};
    case TypeCode::Float8E3M4: return Format{3, 4, 3};
    case TypeCode::Float8E4M3: return Format{4, 3, 7};
    case TypeCode::Float8E4M3B11FNUZ: return Format{4, 3, 11, true, Top::MinusZeroNan};
    case TypeCode::Float8E4M3FN: return Format{4, 3, 7, true, Top::AllOnesNan};
    case TypeCode::Float8E4M3FNUZ: return Format{4, 3, 8, true, Top::MinusZeroNan};
    case TypeCode::Float8E5M2: return Format{5, 2, 15};
    case TypeCode::Float8E5M2FNUZ: return Format{5, 2, 16, true, Top::MinusZeroNan};
    case TypeCode::Float6E2M3FN: return Format{2, 3, 1, true, Top::Numbers};
    case TypeCode::Float6E3M2FN: return Format{3, 2, 3, true, Top::Numbers};
    case TypeCode::Float4E2M1FN: return Format{2, 1, 1, true, Top::Numbers};
    default: return std::nullopt;
  }
}

std::int64_t packed_bytes(DataType dtype, std::int64_t elements) {
  return (elements * dtype.storage_bits() * dtype.lanes + 7) / 8;
}

std::uint64_t element_bits(DataType dtype, std::string_view bytes, std::int64_t index) {
  auto width = static_cast<std::uint64_t>(dtype.storage_bits());
  std::uint64_t bit = static_cast<std::uint64_t>(index) * width, out = 0;
  std::size_t first = bit / 8, last = (bit + width + 7) / 8;
  std::memcpy(&out, bytes.data() + first, std::min<std::size_t>(last - first, 8));
  out >>= bit % 8;
  return width >= 64 ? out : out & ((std::uint64_t{1} << width) - 1);
}

std::optional<double> decode_element(DataType dtype, std::uint64_t bits) {
  if (dtype.is_bool()) return bits != 0;
  if (dtype.is_int()) {
    int unused = 64 - dtype.bits;
    return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
  }
  if (dtype.is_uint()) return static_cast<double>(bits);
  if (dtype.is_float() && dtype.bits == 64) return std::bit_cast<double>(bits);
  if (dtype.is_float() && dtype.bits == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (dtype.code == TypeCode::Float8E8M0FNU) return bits == 255 ? kNan : std::ldexp(1.0, static_cast<int>(bits) - 127);
  if (auto f = format_of(dtype)) return decode(*f, bits);
  return std::nullopt;
}

std::optional<std::uint64_t> encode_element(DataType dtype, double value) {
  if (dtype.is_bool()) return value != 0;
  if (dtype.is_integral()) {
    if (!(value > -9.2e18 && value < 1.8e19)) return 0;
    auto bits =
        value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) : static_cast<std::uint64_t>(value);
    return dtype.bits >= 64 ? bits : bits & ((std::uint64_t{1} << dtype.bits) - 1);
  }
  if (dtype.is_float() && dtype.bits == 64) return std::bit_cast<std::uint64_t>(value);
  if (dtype.is_float() && dtype.bits == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (dtype.code == TypeCode::Float8E8M0FNU) {
    if (std::isnan(value)) return 255;
    if (!(value > 0)) return 0;
    return static_cast<std::uint64_t>(std::clamp(std::lround(std::log2(value)) + 127, 0L, 254L));
  }
  if (auto f = format_of(dtype)) return encode(*f, value);
  return std::nullopt;
}

Tolerance default_tolerance(DataType dtype) {
  if (!dtype.is_floating()) return {};
  if (dtype.is_bfloat()) return {1.6e-2, 1e-5};
  if (dtype.is_float8() || dtype.is_float6() || dtype.is_float4()) {
    auto f = format_of(dtype.element());
    return f ? Tolerance{std::ldexp(1.0, -f->mantissa), 0} : Tolerance{};
  }
  if (dtype.bits == 16) return {1e-3, 1e-5};
  if (dtype.bits == 32) return {1.3e-6, 1e-5};
  return {1e-7, 1e-7};
}

std::string in_order(ir::DataType dtype, std::string_view contents) {
  const int bits = dtype.storage_bits();
  std::string out(contents);
  if (bits % 8 != 0) return out;
  const auto width = static_cast<std::size_t>(bits / 8);
  struct Element {
    double number;
    std::uint64_t code;
  };
  std::vector<Element> all(contents.size() / width);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].code = element_bits(dtype, contents, static_cast<std::int64_t>(i));
    const double number = decode_element(dtype, all[i].code).value_or(0);
    all[i].number = std::isnan(number) ? std::numeric_limits<double>::infinity() : number;
  }
  std::ranges::sort(all, [](const Element& a, const Element& b) {
    return a.number != b.number ? a.number < b.number : a.code < b.code;
  });
  for (std::size_t i = 0; i < all.size(); ++i) std::memcpy(out.data() + i * width, &all[i].code, width);
  return out;
}

}  // namespace tilewright::run
