#include "compiler/run/fill.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "compiler/run/element.h"
#include "compiler/run/format.h"
#include "compiler/run/parallel.h"
#include "compiler/run/random.h"

namespace tilewright::run {
namespace {

using ir::DataType;

// Numbers that a floating-point type counts through without a gap: its mantissa's, or up to the largest it has.
std::int64_t countable(DataType element) {
  if (!element.is_floating()) return std::int64_t{1} << std::min<int>(element.is_bool() ? 1 : element.bits, 62);
  if (element.bits == 64) return std::int64_t{1} << 53;
  if (element.bits == 32 && element.is_float()) return std::int64_t{1} << 24;
  auto format = format_of(element);
  return format ? std::int64_t{1} << (format->mantissa + 1) : 1;
}

// Eight elements begin and end at a byte, whatever their width.
constexpr std::int64_t kBlock = 8;

// Writes the bits that `bits(i)` gives for element i, low bits first.
template <class Bits>
void write_elements(char* to, std::int64_t bytes, int width, const Bits& bits) {
  const std::int64_t count = (bytes * 8 + width - 1) / width;
  in_pieces(count, kPiece / kBlock * kBlock, [&](std::int64_t from, std::int64_t end) {
    for (std::int64_t block = from; block < end; block += kBlock) {
      std::array<char, kBlock * 8> packed{};
      for (std::int64_t i = 0; i < kBlock; ++i) {
        const std::uint64_t value = bits(block + i);
        const std::int64_t at = i * width;
        if (width % 8 == 0) {
          std::memcpy(packed.data() + at / 8, &value, static_cast<std::size_t>(width / 8));
          continue;
        }
        for (int b = 0; b < width; ++b)
          packed[static_cast<std::size_t>((at + b) / 8)] |= static_cast<char>((value >> b & 1) << (at + b) % 8);
      }
      const std::int64_t first = block * width / 8;
      std::memcpy(to + first, packed.data(), static_cast<std::size_t>(std::min<std::int64_t>(width, bytes - first)));
    }
  });
}

// The numbers that a random fill draws from.
struct Interval {
  double low, high;
};
Interval interval_of(const Fill& fill, DataType element) {
  if (!element.is_integral())
    return {fill.low.value_or(std::min(-1.0, fill.high.value_or(0) - 1)),
            fill.high.value_or(std::max(1.0, fill.low.value_or(0) + 1))};
  const int bits = element.is_bool() ? 1 : element.bits;
  const double top = std::ldexp(1.0, element.is_int() ? bits - 1 : bits);
  const double bottom = element.is_int() && (!fill.high || *fill.high <= 0) ? -top : 0;
  return {fill.low.value_or(bottom), fill.high.value_or(top)};
}

}  // namespace

std::optional<Contents> filled(const Fill& fill, DataType dtype, std::int64_t bytes, std::uint64_t seed) {
  const std::uint64_t own = fill.seed.value_or(seed);
  if (fill.kind == Fill::Kind::Poison) return std::nullopt;
  if (fill.kind == Fill::Kind::Random && !fill.low && !fill.high) return random_contents(dtype, bytes, own);
  const DataType element = dtype.element();
  const int width = element.storage_bits();
  if (width <= 0 || width > 64 || !encode_element(element, 1)) return std::nullopt;
  Contents out = Contents::of_size(bytes);
  auto encoded = [element](double value) { return *encode_element(element, value); };
  switch (fill.kind) {
    case Fill::Kind::Value: {
      const std::uint64_t bits = encoded(fill.start);
      if (bits) write_elements(out.data(), bytes, width, [bits](std::int64_t) { return bits; });
      break;
    }
    case Fill::Kind::Arange: {
      const std::int64_t period = countable(element);
      // Counted in whole numbers where they are: a double does not tell all integers of 64 bits apart.
      const bool whole =
          element.is_integral() && fill.start == std::floor(fill.start) && fill.step == std::floor(fill.step);
      const auto first = static_cast<std::int64_t>(whole ? fill.start : 0),
                 by = static_cast<std::int64_t>(whole ? fill.step : 0);
      const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
      write_elements(out.data(), bytes, width, [&](std::int64_t i) {
        if (whole && !element.is_bool()) return static_cast<std::uint64_t>(first + i * by) & mask;
        return encoded(fill.start + fill.step * static_cast<double>(i % period));
      });
      break;
    }
    case Fill::Kind::Random: {
      const Interval in = interval_of(fill, element);
      const Random random{own};
      const double last = std::nextafter(in.high, in.low);
      write_elements(out.data(), bytes, width, [&](std::int64_t i) {
        const double part = static_cast<double>(random[static_cast<std::uint64_t>(i)] >> 11) * 0x1p-53;
        double value = std::min(last, in.low + part * (in.high - in.low));
        if (element.is_integral()) value = std::floor(value);
        return encoded(value);
      });
      break;
    }
    case Fill::Kind::Poison: break;
  }
  return out;
}

}  // namespace tilewright::run
