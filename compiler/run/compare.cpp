// How two tensors differ, at the speed of memory where they do not.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "compiler/run/element.h"
#include "compiler/run/parallel.h"

namespace tilewright::run {
namespace {

using ir::DataType;

// Of two bit patterns that differ, `width` bits wide. Codes of one sign count up with the numbers that they stand for.
int ulp_bucket(DataType element, std::uint64_t a, std::uint64_t b, double x, double y) {
  double distance = 0;
  if (element.is_floating() && std::isnan(x) != std::isnan(y)) return kUlpBuckets - 1;
  const int width = element.storage_bits();
  const bool is_signed = element.is_floating() && element.code != ir::TypeCode::Float8E8M0FNU;
  if (is_signed) {
    const std::uint64_t sign = std::uint64_t{1} << (width - 1), magnitude = sign - 1;
    const double m = static_cast<double>(a & magnitude), n = static_cast<double>(b & magnitude);
    // Close codes of 64 bits are told apart by whole numbers.
    if ((a & sign) == (b & sign)) {
      distance = static_cast<double>(std::max(a & magnitude, b & magnitude) - std::min(a & magnitude, b & magnitude));
    } else {
      distance = m + n;
    }
  } else {
    distance = element.is_floating() ? static_cast<double>(std::max(a, b) - std::min(a, b)) : std::fabs(x - y);
  }
  if (!(distance >= 1)) return distance == 0 ? 0 : 1;
  for (int bucket = 1; bucket < kUlpBuckets - 1; ++bucket)
    if (distance <= static_cast<double>(ulp_range(bucket).most)) return bucket;
  return kUlpBuckets - 1;
}

// The elements [from, to) of two tensors, one by one where their bytes differ. `at(tensor, i)` gives the bits of an
// element, `number(bits)` what they stand for.
template <class At, class Value>
class Pass {
 public:
  Pass(std::string_view got, std::string_view expected, Tolerance tolerance, DataType element, bool exact, At at,
       Value number)
      : got_(got),
        expected_(expected),
        tolerance_(tolerance),
        element_(element),
        width_(element.storage_bits()),
        exact_(exact),
        at_(at),
        number_(number) {}

  Comparison run(std::int64_t from, std::int64_t to) const {
    Comparison out;
    // Whole blocks begin and end at bytes whatever the width: 8 elements always do.
    constexpr std::int64_t kBlock = 2048;
    for (std::int64_t begin = from; begin < to; begin += kBlock) {
      std::int64_t end = std::min(to, begin + kBlock), first = begin * width_ / 8, last = (end * width_ + 7) / 8;
      if (std::memcmp(got_.data() + first, expected_.data() + first, static_cast<std::size_t>(last - first)) != 0)
        elements(begin, end, out);
    }
    return out;
  }

 private:
  void elements(std::int64_t from, std::int64_t to, Comparison& out) const {
    for (std::int64_t i = from; i < to; ++i) {
      auto a = at_(got_, i), b = at_(expected_, i);
      if (a == b) continue;
      double x = number_(a), y = number_(b);
      if (std::isnan(x) && std::isnan(y)) continue;
      ++out.ulps[static_cast<std::size_t>(
          ulp_bucket(element_, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b), x, y))];
      double difference = std::fabs(x - y);
      bool close = !exact_ && (x == y || difference <= tolerance_.absolute + tolerance_.relative * std::fabs(y));
      if (std::isfinite(difference)) {
        out.max_absolute = std::max(out.max_absolute, difference);
        if (y != 0) out.max_relative = std::max(out.max_relative, difference / std::fabs(y));
      }
      if (close) continue;
      if (out.mismatches++ == 0) {
        out.first = i;
        out.got = x;
        out.expected = y;
      }
    }
  }

  std::string_view got_, expected_;
  Tolerance tolerance_;
  DataType element_;
  int width_;
  bool exact_;
  At at_;
  Value number_;
};

// An element of whole bytes, as its bits.
template <class T>
struct Load {
  T operator()(std::string_view bytes, std::int64_t i) const {
    T value;
    std::memcpy(&value, bytes.data() + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    return value;
  }
};

}  // namespace

UlpRange ulp_range(int bucket) {
  if (bucket < 2) return {bucket, bucket};
  const std::int64_t least = (std::int64_t{1} << (bucket - 2)) + 1;
  return {least, bucket == kUlpBuckets - 1 ? -1 : std::int64_t{1} << (bucket - 1)};
}

double largest_magnitude(DataType dtype, std::string_view bytes) {
  const DataType element = dtype.element();
  const int width = element.storage_bits();
  if (width <= 0 || width > 64 || !decode_element(element, 0)) return 0;
  const std::int64_t count = static_cast<std::int64_t>(bytes.size()) * 8 / width, piece = kPiece;
  std::vector<double> parts(static_cast<std::size_t>((count + piece - 1) / piece));
  std::vector<double> table;
  if (width <= 16)
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << width; ++bits)
      table.push_back(*decode_element(element, bits));
  in_pieces(count, piece, [&](std::int64_t from, std::int64_t to) {
    double largest = 0;
    for (std::int64_t i = from; i < to; ++i) {
      const std::uint64_t bits = element_bits(element, bytes, i);
      const double value = std::fabs(table.empty() ? *decode_element(element, bits) : table[bits]);
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
    parts[static_cast<std::size_t>(from / piece)] = largest;
  });
  return parts.empty() ? 0 : *std::ranges::max_element(parts);
}

Comparison compare(DataType dtype, std::string_view got, std::string_view expected, Tolerance tolerance) {
  DataType element = dtype.element();
  int width = element.storage_bits();
  bool numbers = width > 0 && width <= 64 && decode_element(element, 0).has_value();
  if (!numbers) {
    element = ir::kUInt8;
    width = 8;
  }
  std::int64_t count = static_cast<std::int64_t>(std::min(got.size(), expected.size())) * 8 / width;
  bool exact = element.is_integral() && element.bits == 64;  // a double does not tell all of them apart

  std::int64_t piece = kPiece * 8 / width / 8 * 8;
  std::vector<Comparison> parts(static_cast<std::size_t>((count + piece - 1) / piece));
  auto walk = [&](auto at, auto number) {
    Pass pass(got, expected, tolerance, element, exact, at, number);
    in_pieces(count, piece, [&](std::int64_t from, std::int64_t to) {
      parts[static_cast<std::size_t>(from / piece)] = pass.run(from, to);
    });
  };
  auto decoded = [element](std::uint64_t bits) { return *decode_element(element, bits); };
  // Small codes are looked up once there are enough of them to pay for the table.
  std::vector<double> table;
  if (width <= 16 && count >= std::int64_t{4} << width)
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << width; ++bits) table.push_back(decoded(bits));
  auto looked_up = [&table](std::uint64_t bits) { return table[bits]; };
  bool real = element.is_float();
  if (width == 32 && real) {
    walk(Load<std::uint32_t>{}, [](std::uint32_t bits) { return static_cast<double>(std::bit_cast<float>(bits)); });
  } else if (width == 64 && real) {
    walk(Load<std::uint64_t>{}, [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
  } else if (width == 32 && element.is_int()) {
    walk(Load<std::int32_t>{}, [](std::int32_t value) { return static_cast<double>(value); });
  } else if (width == 64 && element.is_int()) {
    walk(Load<std::int64_t>{}, [](std::int64_t value) { return static_cast<double>(value); });
  } else if (width == 32 || width == 64) {
    walk([element](std::string_view bytes, std::int64_t i) { return element_bits(element, bytes, i); }, decoded);
  } else if (width == 16 && !table.empty()) {
    walk(Load<std::uint16_t>{}, looked_up);
  } else if (width == 8 && !table.empty()) {
    walk(Load<std::uint8_t>{}, looked_up);
  } else if (!table.empty()) {
    walk([element](std::string_view bytes, std::int64_t i) { return element_bits(element, bytes, i); }, looked_up);
  } else {
    walk([element](std::string_view bytes, std::int64_t i) { return element_bits(element, bytes, i); }, decoded);
  }

  Comparison out;
  out.elements = count;
  for (const Comparison& part : parts) {
    if (part.mismatches && out.mismatches == 0) {
      out.first = part.first;
      out.got = part.got;
      out.expected = part.expected;
    }
    out.mismatches += part.mismatches;
    out.max_absolute = std::max(out.max_absolute, part.max_absolute);
    out.max_relative = std::max(out.max_relative, part.max_relative);
    for (std::size_t i = 0; i < part.ulps.size(); ++i) out.ulps[i] += part.ulps[i];
  }
  std::int64_t different = 0;
  for (std::size_t i = 1; i < out.ulps.size(); ++i) different += out.ulps[i];
  out.ulps[0] = count - different;
  return out;
}

}  // namespace tilewright::run
