#include "compiler/simulate/tensor/short_sums.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

namespace tilewright::simulate {
namespace {

constexpr int kBits = 13;                        // behind the leading one
constexpr std::uint32_t kExponent = 0x7f800000;  // of a float's bits, and how far up it stands
constexpr int kShift = 23, kBias = 127;

std::uint32_t exponent_of(float x) { return std::bit_cast<std::uint32_t>(x) & kExponent; }
// The sum of the exponents: the product of the fractions, which may be 2 and more, does not raise it.
std::uint32_t exponent_of_product(float a, float b) {
  constexpr std::uint32_t kOne = static_cast<std::uint32_t>(kBias) << kShift;
  const std::uint32_t sum = exponent_of(a) + exponent_of(b);
  return a == 0 || b == 0 || sum < kOne ? 0 : sum - kOne;
}
float power_of_two(int exponent) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + kBias) << kShift);
}

}  // namespace

float short_sum(const float* a, const float* b, int depth, float sign, float before) {
  std::uint32_t greatest = exponent_of(before);
  for (int k = 0; k < depth; ++k) greatest = std::max(greatest, exponent_of_product(a[k], b[k]));
  const int exponent = static_cast<int>(greatest >> kShift) - kBias;
  // Infinite and tiny numbers add up as they are.
  if (exponent > 100 || exponent < -100) {
    float sum = 0;
    for (int k = 0; k < depth; ++k) sum += a[k] * b[k];
    return before + sign * sum;
  }
  const float steps = power_of_two(kBits - exponent), step = power_of_two(exponent - kBits);
  std::int32_t products = 0;  // each below 2^15 steps
  for (int k = 0; k < depth; ++k) products += static_cast<std::int32_t>(a[k] * b[k] * steps);
  const std::int32_t sum = static_cast<std::int32_t>(before * steps) + (sign < 0 ? -products : products);
  const auto size = static_cast<std::uint32_t>(std::abs(sum));
  const int beyond = std::max(0, static_cast<int>(std::bit_width(size)) - 1 - kBits);
  const float kept = static_cast<float>(size >> beyond << beyond) * step;
  return sum < 0 ? -kept : kept;
}

}  // namespace tilewright::simulate
