// Elements of tensors on the host: their numbers, random ones, and how two of them compare.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/expr/dtype.h"
#include "compiler/run/contents.h"

namespace tilewright::run {

// Bytes that `elements` elements take, packed; 4- and 6-bit elements share bytes.
std::int64_t packed_bytes(ir::DataType dtype, std::int64_t elements);

// The bits of element `index` of packed memory, low bits first. `index` must lie inside.
std::uint64_t element_bits(ir::DataType dtype, std::string_view bytes, std::int64_t index);
// The number that a bit pattern stands for; nothing for types without numbers (handles).
std::optional<double> decode_element(ir::DataType dtype, std::uint64_t bits);
// The nearest element, ties to even; beyond the range the largest finite one (infinity where the type has it). Nothing
// for types without numbers.
std::optional<std::uint64_t> encode_element(ir::DataType dtype, double value);

// Random contents for a tensor, the same for the same seed on every machine: floating-point numbers of at most 1 and
// never NaN, integers of all values, bool 0 or 1. What is no number (padding, handles) gets random bytes.
void fill_random(ir::DataType dtype, char* to, std::int64_t bytes, std::uint64_t seed);
Contents random_contents(ir::DataType dtype, std::int64_t bytes, std::uint64_t seed);

struct Tolerance {
  double relative = 0, absolute = 0;
};
// What a computation in this type may differ by: nothing for integers, a few units in the last place otherwise.
Tolerance default_tolerance(ir::DataType dtype);

// How far results are from what is expected, in units of the last place: of floating-point numbers how many others of
// the type lie between them, of integers their distance. Each bucket but the first counts twice as far as the one
// before: 0, 1, 2, 3..4, 5..8, ...; the last one everything beyond, and what is a number on one side only.
inline constexpr int kUlpBuckets = 18;
using UlpHistogram = std::array<std::int64_t, kUlpBuckets>;
// The distances in a bucket; `most` of the last one is less than 0: without bound.
struct UlpRange {
  std::int64_t least, most;
};
UlpRange ulp_range(int bucket);

struct Comparison {
  std::int64_t elements = 0;
  std::int64_t mismatches = 0;   // |got - expected| > absolute + relative * |expected|; NaN equals NaN
  std::int64_t first = -1;       // element number of the first mismatch
  double got = 0, expected = 0;  // there
  double max_absolute = 0, max_relative = 0;
  UlpHistogram ulps{};  // adds up to `elements`; NaN equals NaN
};
// The greatest magnitude among the finite elements; 0 for types without numbers.
double largest_magnitude(ir::DataType dtype, std::string_view bytes);
// Both have the same length, in packed elements.
Comparison compare(ir::DataType dtype, std::string_view got, std::string_view expected, Tolerance tolerance);

// The elements from the least to the greatest: tensors in which the order does not matter are compared so.
std::string in_order(ir::DataType element, std::string_view contents);

}  // namespace tilewright::run
