// Random contents, at the speed of memory.
#include "compiler/run/random.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "compiler/run/element.h"
#include "compiler/run/format.h"
#include "compiler/run/parallel.h"

namespace tilewright::run {
namespace {

using ir::DataType;

// In [-1, 1).
double fraction(std::uint64_t raw) { return static_cast<double>(raw >> 11) * 0x1p-52 - 1; }

// The nearest code of a small format, ties to even, for magnitudes of at most 1, which every such format holds: what
// encode_element computes, without its divisions into cases.
class Encoder {
 public:
  explicit Encoder(const Format& f)
      : drop_(52 - f.mantissa),
        rebias_(static_cast<std::uint64_t>(1023 - f.bias) << f.mantissa),
        sign_place_(f.exponent + f.mantissa),
        smallest_(std::ldexp(1.0, 1 - f.bias)),
        // A sum with this number has the distance of two subnormal codes as its last place.
        ruler_(std::ldexp(1.0, 53 - f.bias - f.mantissa)),
        no_minus_zero_(f.top == Format::Top::MinusZeroNan) {}

  std::uint64_t operator()(double value) const {
    double magnitude = std::fabs(value);
    auto bits = std::bit_cast<std::uint64_t>(magnitude);
    std::uint64_t half = (std::uint64_t{1} << (drop_ - 1)) - 1;
    std::uint64_t normal = ((bits + half + (bits >> drop_ & 1)) >> drop_) - rebias_;
    std::uint64_t subnormal = std::bit_cast<std::uint64_t>(magnitude + ruler_) - std::bit_cast<std::uint64_t>(ruler_);
    // Half of the numbers are negative: nothing here may branch on it.
    std::uint64_t code = magnitude < smallest_ ? subnormal : normal;
    std::uint64_t sign = std::bit_cast<std::uint64_t>(value) >> 63 << sign_place_;
    std::uint64_t keeps = static_cast<std::uint64_t>(!no_minus_zero_) | static_cast<std::uint64_t>(code != 0);
    return code | (sign & (0 - keeps));
  }

 private:
  int drop_;
  std::uint64_t rebias_;
  int sign_place_;
  double smallest_, ruler_;
  bool no_minus_zero_;
};

// Elements of T, each made of the number that `make` gets.
template <class T, class Make>
void fill_elements(char* to, std::int64_t count, const Make& make) {
  in_pieces(count, kPiece / static_cast<std::int64_t>(sizeof(T)), [&](std::int64_t from, std::int64_t end) {
    for (std::int64_t i = from; i < end; ++i) {
      T value = make(static_cast<std::uint64_t>(i));
      std::memcpy(to + i * static_cast<std::int64_t>(sizeof(T)), &value, sizeof(T));
    }
  });
}

// Raw numbers; `keep` makes of eight bytes what the type may hold.
template <class Keep>
void fill_words(char* to, std::int64_t bytes, const Random& random, const Keep& keep) {
  std::int64_t words = bytes / 8;
  fill_elements<std::uint64_t>(to, words, [&](std::uint64_t i) { return keep(random[i]); });
  std::uint64_t last = keep(random[static_cast<std::uint64_t>(words)]);
  std::memcpy(to + words * 8, &last, static_cast<std::size_t>(bytes - words * 8));
}

}  // namespace

void fill_random(DataType dtype, char* to, std::int64_t bytes, std::uint64_t seed) {
  if (bytes <= 0) return;
  Random random{seed};
  DataType element = dtype.element();
  int width = element.storage_bits();
  auto format = format_of(element);
  bool real = element.is_floating() && width >= 8 && element.code != ir::TypeCode::Float8E8M0FNU;
  if (element.is_bool()) {
    fill_words(to, bytes, random, [](std::uint64_t w) { return w & 0x0101010101010101ull; });
  } else if (element.code == ir::TypeCode::Float8E8M0FNU) {
    // Scale factors near one: a power of two between 1/8 and 16.
    fill_words(to, bytes, random, [](std::uint64_t w) { return (w & 0x0707070707070707ull) + 0x7C7C7C7C7C7C7C7Cull; });
  } else if (!real || (!format && width < 32)) {
    fill_words(to, bytes, random, [](std::uint64_t w) { return w; });
  } else {
    // Elements take the numbers behind those that raw bytes would: whatever is no whole element gets the latter.
    std::int64_t step = width / 8, count = bytes / step;
    auto first = static_cast<std::uint64_t>((bytes + 7) / 8);
    for (std::int64_t at = count * step; at < bytes; ++at)
      to[at] = static_cast<char>(random[static_cast<std::uint64_t>(at / 8)] >> (at % 8 * 8));
    auto number = [=](std::uint64_t i) { return fraction(random[first + i]); };
    if (width == 64) {
      fill_elements<double>(to, count, number);
    } else if (width == 32) {
      fill_elements<float>(to, count, [=](std::uint64_t i) { return static_cast<float>(number(i)); });
    } else if (width == 16) {
      fill_elements<std::uint16_t>(to, count, [=, encode = Encoder(*format)](std::uint64_t i) {
        return static_cast<std::uint16_t>(encode(number(i)));
      });
    } else {
      fill_elements<std::uint8_t>(to, count, [=, encode = Encoder(*format)](std::uint64_t i) {
        return static_cast<std::uint8_t>(encode(number(i)));
      });
    }
  }
}

Contents random_contents(DataType dtype, std::int64_t bytes, std::uint64_t seed) {
  Contents out = Contents::of_size(bytes);
  fill_random(dtype, out.data(), bytes, seed);
  return out;
}

}  // namespace tilewright::run
