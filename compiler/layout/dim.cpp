// The slow half of Dim: symbols, and constants at the ends of int64.
#include <limits>

#include "compiler/expr/analyzer.h"
#include "compiler/expr/fold.h"
#include "compiler/layout/layout.h"

namespace tilewright::layout {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

Dim symbolic(expr::ExprKind kind, Dim a, Dim b) {
  return Dim(expr::simplify(expr::index_binary(kind, a.expr(), b.expr())));
}

}  // namespace

Dim::Dim(expr::Expr e) {
  if (const std::int64_t* value = expr::constant(e)) {
    value_ = *value;
  } else {
    symbol_ = e;
  }
}

expr::Expr Dim::expr() const { return symbol_ ? symbol_ : expr::Expr(value_); }

std::string to_string(Dim d) { return d.is_constant() ? std::to_string(d.value()) : expr::to_string(d.expr()); }

namespace detail {

Dim add(Dim a, Dim b) {
  if (constants(a, b)) return a.value() < 0 ? kLowest : kHighest;
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return symbolic(expr::ExprKind::Add, a, b);
}

Dim subtract(Dim a, Dim b) {
  if (constants(a, b)) return a.value() < 0 ? kLowest : kHighest;
  if (b.is(0)) return a;
  return symbolic(expr::ExprKind::Sub, a, b);
}

Dim multiply(Dim a, Dim b) {
  if (constants(a, b)) return (a.value() < 0) != (b.value() < 0) ? kLowest : kHighest;
  if (a.is(0) || b.is(0)) return 0;
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  return symbolic(expr::ExprKind::Mul, a, b);
}

Dim divide(Dim a, Dim b) {
  if (b.is(0) || a.is(0)) return 0;
  if (b.is(1)) return a;
  if (constants(a, b)) return expr::floor_div(a.value(), b.value());
  return symbolic(expr::ExprKind::FloorDiv, a, b);
}

Dim remainder(Dim a, Dim b) {
  if (b.is(0) || b.is(1) || a.is(0)) return 0;
  if (constants(a, b)) return expr::floor_mod(a.value(), b.value());
  return symbolic(expr::ExprKind::FloorMod, a, b);
}

bool equal(Dim a, Dim b) { return expr::provably_equal(a.expr(), b.expr()); }

bool divisible(Dim a, Dim b) {
  if (b.is(0)) return false;
  if (a.is(0) || b.is(1)) return true;
  if (b.is_constant() && !a.is_constant()) return expr::provably_divisible(a.expr(), b.value());
  return remainder(a, b).is(0);
}

bool less_equal(Dim a, Dim b) { return expr::provably_less(a.expr(), b.expr() + expr::Expr(1)); }

}  // namespace detail
}  // namespace tilewright::layout
