#include "compiler/expr/promote.h"

#include <cmath>
#include <limits>

#include "compiler/expr/fold.h"

namespace tilewright::expr {
namespace {

using Failure = std::unexpected<std::string>;

bool is_comparison(ExprKind kind) { return kind >= ExprKind::EQ && kind <= ExprKind::GE; }
bool is_bitwise(ExprKind kind) {
  return kind == ExprKind::BitAnd || kind == ExprKind::BitOr || kind == ExprKind::BitXor;
}
bool is_shift(ExprKind kind) { return kind == ExprKind::Shl || kind == ExprKind::Shr; }
bool is_division(ExprKind kind) { return kind >= ExprKind::Div && kind <= ExprKind::TruncMod; }

std::string_view symbol(ExprKind kind) {
  switch (kind) {
    case ExprKind::Add: return "+";
    case ExprKind::Sub: return "-";
    case ExprKind::Mul: return "*";
    case ExprKind::Div: return "/";
    case ExprKind::FloorDiv: return "//";
    case ExprKind::FloorMod: return "%";
    case ExprKind::TruncDiv: return "truncdiv";
    case ExprKind::TruncMod: return "truncmod";
    case ExprKind::Min: return "min";
    case ExprKind::Max: return "max";
    case ExprKind::EQ: return "==";
    case ExprKind::NE: return "!=";
    case ExprKind::LT: return "<";
    case ExprKind::LE: return "<=";
    case ExprKind::GT: return ">";
    case ExprKind::GE: return ">=";
    case ExprKind::And: return "and";
    case ExprKind::Or: return "or";
    case ExprKind::BitAnd: return "&";
    case ExprKind::BitOr: return "|";
    case ExprKind::BitXor: return "^";
    case ExprKind::Shl: return "<<";
    case ExprKind::Shr: return ">>";
    default: return "?";
  }
}

Failure refuse(ExprKind kind, DataType a, DataType b) {
  return Failure("`" + std::string(symbol(kind)) + "` is not defined for " + dtype_name(a) + " and " + dtype_name(b));
}

// The type that a bare Python number takes in a comparison with `other`; its own where the rule gives none.
DataType literal_type(DataType own, DataType other) {
  bool plain_float = other.is_float();
  if (own.is_bool()) return other.is_bool() ? other : own;
  if (own.is_integral() && (other.is_integral() || other.is_bool() || plain_float)) return other;
  if (own.is_float() && plain_float) return other;
  return own;
}

std::expected<Expr, std::string> compare(ExprKind kind, Expr a, Expr b, bool literal_a, bool literal_b, bool script) {
  if (literal_a != literal_b) {
    Expr& literal = literal_a ? a : b;
    DataType other = (literal_a ? b : a).dtype();
    DataType to = literal_type(literal.dtype(), other.element());
    if (to != literal.dtype()) {
      std::expected<Expr, std::string> typed = convert(to, literal);
      if (!typed) return typed;
      literal = *typed;
    }
  }
  if (a.dtype().lanes == 1 && b.dtype().lanes > 1) a = broadcast(a, b.dtype().lanes);
  if (b.dtype().lanes == 1 && a.dtype().lanes > 1) b = broadcast(b, a.dtype().lanes);
  DataType ta = a.dtype(), tb = b.dtype();
  if (ta != tb) {
    if (script) {
      return Failure("mismatched types: `" + std::string(symbol(kind)) + "` compares " + dtype_name(ta) + " with " +
                     dtype_name(tb) + "; convert one of them");
    }
    std::expected<DataType, std::string> to = promoted_type(ta, tb);
    if (!to) return Failure(to.error());
    std::expected<Expr, std::string> typed_a = convert(*to, a), typed_b = convert(*to, b);
    if (!typed_a) return typed_a;
    if (!typed_b) return typed_b;
    a = *typed_a;
    b = *typed_b;
  }
  if (ta.code == TypeCode::TensorMap || ta.is_void()) return refuse(kind, ta, tb);
  return binary(kind, a, b);
}

std::expected<Expr, std::string> logical(ExprKind kind, Expr a, Expr b) {
  for (Expr side : {a, b}) {
    DataType t = side.dtype();
    if (t == kBool) continue;
    if (t.is_bool())
      return Failure("`" + std::string(symbol(kind)) + "` wants one bool, not " + dtype_name(t) + ": use `" +
                     (kind == ExprKind::And ? "&" : "|") + "` lane by lane");
    return Failure("`" + std::string(symbol(kind)) + "` wants bool, not " + dtype_name(t) + ": compare with `!= 0`");
  }
  return binary(kind, a, b);
}

}  // namespace

Expr literal(std::int64_t value) { return Expr(value); }

Expr literal(double value) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return float_imm(std::isfinite(value) && std::fabs(value) > kLargest ? kFloat64 : kFloat32, value);
}

std::expected<DataType, std::string> promoted_type(DataType a, DataType b) {
  if (a.lanes != b.lanes && a.lanes > 1 && b.lanes > 1)
    return Failure("operands have " + std::to_string(a.lanes) + " and " + std::to_string(b.lanes) + " lanes");
  int lanes = a.lanes > b.lanes ? a.lanes : b.lanes;
  a = a.element();
  b = b.element();
  auto result = [&](DataType t) { return t.with_lanes(lanes); };
  if (a == b) return result(a);
  auto arithmetic = [](DataType t) { return t.is_integral() || t.is_bool() || t.is_floating(); };
  if (!arithmetic(a) || !arithmetic(b)) return Failure("no common type of " + dtype_name(a) + " and " + dtype_name(b));
  if (a.is_float() && b.is_float()) return result(a.bits >= b.bits ? a : b);
  if (a.is_float()) return result(a);
  if (b.is_float()) return result(b);
  // Narrow floats win over anything that is not one, in this order of families.
  auto family = [](DataType t) {
    return t.is_bfloat() ? 4 : t.is_float8() ? 3 : t.is_float6() ? 2 : t.is_float4() ? 1 : 0;
  };
  if (int fa = family(a), fb = family(b); fa || fb) {
    if (fa == fb) return Failure("no common type of " + dtype_name(a) + " and " + dtype_name(b) + ": cast one of them");
    return result(fa > fb ? a : b);
  }
  if (a.is_bool()) return result(b);
  if (b.is_bool()) return result(a);
  if (a.bits != b.bits) return result(a.bits > b.bits ? a : b);
  return result(a.is_uint() ? a : b);
}

std::expected<Expr, std::string> convert(DataType to, Expr value) {
  DataType from = value.dtype();
  if (from == to) return value;
  if (from.lanes != to.lanes) {
    if (from.lanes != 1) return Failure("a value of " + std::to_string(from.lanes) + " lanes is no " + dtype_name(to));
    std::expected<Expr, std::string> element = convert(to.element(), value);
    if (!element) return element;
    return broadcast(*element, to.lanes);
  }
  auto arithmetic = [](DataType t) { return t.is_integral() || t.is_bool() || t.is_floating(); };
  if (!arithmetic(from) || !arithmetic(to)) {
    std::string_view hint = to.is_handle() || from.is_handle() ? "; use T.reinterpret" : "";
    return Failure(dtype_name(from) + " does not convert to " + dtype_name(to) + std::string(hint));
  }
  if (!to.is_vector() && to.is_integral()) {
    bool huge = from.is_uint() && from.bits == 64;
    if (const std::int64_t* c = constant(value)) {
      bool in_range = huge && *c < 0 ? to.is_uint() && to.bits == 64 : fits(to, *c);
      if (!in_range) {
        std::string digits = huge ? std::to_string(static_cast<std::uint64_t>(*c)) : std::to_string(*c);
        return Failure(digits + " is out of range for " + dtype_name(to));
      }
    }
    if (const FloatImm* f = value.as<FloatImm>()) {
      double whole = std::trunc(f->value);
      double lowest = to.is_uint() ? 0.0 : -std::ldexp(1.0, to.bits - 1);
      double beyond = std::ldexp(1.0, to.is_uint() ? to.bits : to.bits - 1);
      if (!(whole >= lowest && whole < beyond))
        return Failure(to_string(value) + " is out of range for " + dtype_name(to));
    }
  }
  return cast(to, value);
}

std::expected<Expr, std::string> apply_operator(ExprKind kind, Expr a, Expr b, bool literal_a, bool literal_b,
                                                bool script_mode) {
  if (is_comparison(kind)) return compare(kind, a, b, literal_a, literal_b, script_mode);
  if (kind == ExprKind::And || kind == ExprKind::Or) return logical(kind, a, b);

  DataType ta = a.dtype(), tb = b.dtype();
  auto integral = [](DataType t) { return t.is_integral() || t.is_bool(); };
  if (is_shift(kind)) {
    if (!ta.is_integral() || !tb.is_integral()) return refuse(kind, ta, tb);
  } else if (is_bitwise(kind)) {
    if (!integral(ta) || !integral(tb)) return refuse(kind, ta, tb);
  } else if (ta.is_handle() || tb.is_handle()) {
    return refuse(kind, ta, tb);
  }
  std::expected<DataType, std::string> to = promoted_type(ta, tb);
  if (!to) return Failure("`" + std::string(symbol(kind)) + "`: " + to.error());
  if (!integral(*to) && !to->is_floating()) return refuse(kind, ta, tb);

  if (is_shift(kind)) {
    const std::int64_t* amount = constant(b);
    if (amount && (*amount < 0 || *amount >= to->bits))
      return Failure("shift by " + std::to_string(*amount) + " is outside [0, " + std::to_string(to->bits) + ")");
  }
  if (is_division(kind)) {
    const FloatImm* f = b.as<FloatImm>();
    if (is_constant(b, 0) || (f && f->value == 0)) return Failure("division by zero");
    if (kind == ExprKind::Div && to->is_integral()) {
      if (to->is_int())
        return Failure("`/` of " + dtype_name(ta) + " and " + dtype_name(tb) +
                       ": integers divide by `//` (floor) or T.truncdiv (towards zero)");
      kind = ExprKind::TruncDiv;
    } else if (kind != ExprKind::Div && to->is_floating()) {
      return Failure("`" + std::string(symbol(kind)) + "` is for integers, not " + dtype_name(*to) +
                     (kind == ExprKind::FloorMod || kind == ExprKind::TruncMod ? "; use T.fmod" : ""));
    }
    if (to->is_bool()) return refuse(kind, ta, tb);
  }
  std::expected<Expr, std::string> typed_a = convert(*to, a);
  if (!typed_a) return typed_a;
  std::expected<Expr, std::string> typed_b = convert(*to, b);
  if (!typed_b) return typed_b;
  return binary(kind, *typed_a, *typed_b);
}

std::expected<Expr, std::string> negate(Expr a) {
  // The language defines -x as x * (-1), in the type that the product has.
  return apply_operator(ExprKind::Mul, a, Expr(-1), false, true);
}

std::expected<Expr, std::string> apply_not(Expr a) {
  if (a.dtype() == kBool) return logical_not(a);
  if (a.dtype().is_bool())
    return Failure("`not` wants one bool, not " + dtype_name(a.dtype()) + ": use `~` lane by lane");
  return Failure("`not` wants bool, not " + dtype_name(a.dtype()) + ": compare with `== 0`");
}

std::expected<Expr, std::string> apply_invert(Expr a) {
  if (!a.dtype().is_integral() && !a.dtype().is_bool())
    return Failure("`~` is not defined for " + dtype_name(a.dtype()));
  return bit_not(a);
}

}  // namespace tilewright::expr
