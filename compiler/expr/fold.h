// Arithmetic on constants, with the widths and signs of the kernel's types. Shared by the builders and the promoter.
#pragma once
#include <cstdint>
#include <optional>

#include "compiler/expr/expr.h"

namespace tilewright::expr {

// The value that a register of `dtype` holds after `value` was put into it: wrapped, sign-extended.
std::int64_t wrap_to(DataType dtype, std::int64_t value);
// Whether `value` survives that unchanged.
bool fits(DataType dtype, std::int64_t value);
// `value` as the floating type stores it, rounded to nearest even; types below 16 bits keep the value as written.
double round_to(DataType dtype, double value);

// Nothing where the operation has no value (division by zero, a shift out of range) or is not an integer one.
// Comparisons give 0 or 1.
std::optional<std::int64_t> fold_integer(ExprKind kind, DataType dtype, std::int64_t a, std::int64_t b);

// Floor division and remainder of signed numbers; the divisor is not zero.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  if (b == -1) return static_cast<std::int64_t>(-static_cast<std::uint64_t>(a));
  std::int64_t q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}
constexpr std::int64_t floor_mod(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  std::int64_t r = a % b;
  return (r != 0 && ((r < 0) != (b < 0))) ? r + b : r;
}

}  // namespace tilewright::expr
