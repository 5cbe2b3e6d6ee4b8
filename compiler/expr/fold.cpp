#include "compiler/expr/fold.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::expr {

std::int64_t wrap_to(DataType dtype, std::int64_t value) {
  if (dtype.is_bool()) return value != 0;
  if (dtype.bits >= 64 || dtype.bits == 0) return value;
  int unused = 64 - dtype.bits;
  auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << unused);
  return dtype.is_uint() ? static_cast<std::int64_t>(static_cast<std::uint64_t>(shifted) >> unused) : shifted >> unused;
}

bool fits(DataType dtype, std::int64_t value) {
  if (dtype.is_bool()) return value == 0 || value == 1;
  if (dtype.is_uint() && dtype.bits >= 64) return value >= 0;
  return wrap_to(dtype, value) == value;
}

double round_to(DataType dtype, double value) {
  int mantissa = 0, lowest = 0;
  double largest = 0;
  if (dtype.is_float() && dtype.bits == 32) return static_cast<double>(static_cast<float>(value));
  if (dtype.is_float() && dtype.bits == 16) {
    mantissa = 10;
    lowest = -14;
    largest = 65504.0;
  } else if (dtype.is_bfloat()) {
    mantissa = 7;
    lowest = -126;
    largest = 3.3895313892515355e38;
  } else {
    return value;
  }
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = std::max(std::ilogb(value), lowest);
  double rounded = std::ldexp(std::nearbyint(std::ldexp(value, mantissa - exponent)), exponent - mantissa);
  if (std::fabs(rounded) > largest) return std::copysign(std::numeric_limits<double>::infinity(), value);
  return rounded;
}

std::optional<std::int64_t> fold_integer(ExprKind kind, DataType dtype, std::int64_t a, std::int64_t b) {
  if (dtype.bits > 64) return std::nullopt;  // constants have 64 bits
  const auto ua = static_cast<std::uint64_t>(a);
  const auto ub = static_cast<std::uint64_t>(b);
  const bool is_unsigned = !dtype.is_int();
  auto wrapped = [&](std::uint64_t v) { return wrap_to(dtype, static_cast<std::int64_t>(v)); };
  const bool less = is_unsigned ? ua < ub : a < b;
  switch (kind) {
    case ExprKind::Add: return wrapped(ua + ub);
    case ExprKind::Sub: return wrapped(ua - ub);
    case ExprKind::Mul: return wrapped(ua * ub);
    case ExprKind::FloorDiv:
    case ExprKind::TruncDiv:
      if (b == 0) return std::nullopt;
      if (is_unsigned) return wrapped(ua / ub);
      if (kind == ExprKind::FloorDiv) return wrap_to(dtype, floor_div(a, b));
      return b == -1 ? wrapped(0 - ua) : wrap_to(dtype, a / b);
    case ExprKind::FloorMod:
    case ExprKind::TruncMod:
      if (b == 0) return std::nullopt;
      if (is_unsigned) return wrapped(ua % ub);
      if (kind == ExprKind::FloorMod) return wrap_to(dtype, floor_mod(a, b));
      return b == -1 ? 0 : a % b;
    case ExprKind::Min: return less ? a : b;
    case ExprKind::Max: return less ? b : a;
    case ExprKind::EQ: return a == b;
    case ExprKind::NE: return a != b;
    case ExprKind::LT: return less;
    case ExprKind::LE: return less || a == b;
    case ExprKind::GT: return !less && a != b;
    case ExprKind::GE: return !less;
    case ExprKind::And: return a != 0 && b != 0;
    case ExprKind::Or: return a != 0 || b != 0;
    case ExprKind::BitAnd: return a & b;
    case ExprKind::BitOr: return a | b;
    case ExprKind::BitXor: return a ^ b;
    case ExprKind::Shl:
      if (b < 0 || b >= dtype.bits) return std::nullopt;
      return wrapped(ua << b);
    case ExprKind::Shr:
      if (b < 0 || b >= dtype.bits) return std::nullopt;
      return is_unsigned ? wrapped(ua >> b) : a >> b;
    default: return std::nullopt;
  }
}

}  // namespace tilewright::expr
