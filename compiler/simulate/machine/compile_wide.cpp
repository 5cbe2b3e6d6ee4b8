// Values of 128 bits: two registers each, the lower half first. They are moved, taken apart and put together; other
// arithmetic on them is told as not modelled.
#include "compiler/simulate/machine/compile.h"

namespace tilewright::simulate {

using namespace ir;

Registers Compiler::wide_values(Expr e) {
  switch (e.kind()) {
    case ExprKind::IntImm: {
      const std::int64_t value = e.as<IntImm>()->value;
      return {constant_register(static_cast<std::uint64_t>(value)), number(value < 0 ? -1 : 0)};
    }
    case ExprKind::Cast: return wide_cast(e.as<Cast>());
    case ExprKind::Load: return load(e.as<Load>());
    case ExprKind::IfThenElse: return lazily(e.as<Select>());
    case ExprKind::Select: {
      const auto* s = e.as<Select>();
      const Register holds = scalar(s->condition);
      const Registers yes = values(s->when_true), no = values(s->when_false);
      return {make(Op::Select, kUInt64, holds, yes[0], no[0]), make(Op::Select, kUInt64, holds, yes[1], no[1])};
    }
    case ExprKind::Var: {
      const auto found = vectors_.find(e.as<Var>());
      return found == vectors_.end() ? too_wide(e.dtype()) : found->second;
    }
    case ExprKind::BitNot:
      return each(values(e.as<Unary>()->a), [&](Register r) { return make(Op::BitNot, kUInt64, r); });
    case ExprKind::BitAnd:
    case ExprKind::BitOr:
    case ExprKind::BitXor: {
      const auto* node = e.as<Binary>();
      const Registers a = values(node->a), b = values(node->b);
      const Op op = e.kind() == ExprKind::BitAnd ? Op::BitAnd : e.kind() == ExprKind::BitOr ? Op::BitOr : Op::BitXor;
      return {make(op, kUInt64, a[0], b[0]), make(op, kUInt64, a[1], b[1])};
    }
    case ExprKind::Shl:
    case ExprKind::Shr: return wide_shift(e.as<Binary>());
    default: return too_wide(e.dtype());
  }
}

// To 128 bits, from them, or between the two types of that width.
Registers Compiler::wide_cast(const Cast* e) {
  const DataType from = e->value.dtype(), to = e->dtype;
  if (from.lanes > 1 || !from.is_integral() || !to.is_integral()) return too_wide(from.bits > 64 ? from : to);
  Registers in = values(e->value);
  if (to.bits <= 64) {
    if (to.is_bool()) return {make(Op::NotEqual, kBool, make(Op::BitOr, kUInt64, in[0], in[1]), constant_register(0))};
    return {convert(to, kUInt64, in[0])};
  }
  if (from.bits > 64) return in;
  return {in[0], from.is_int() ? make(Op::Shr, kInt64, in[0], number(63)) : constant_register(0)};
}

// By a constant.
Registers Compiler::wide_shift(const Binary* e) {
  const std::int64_t* by = constant(e->b);
  if (!by || *by < 0 || *by > 127 || e->a.dtype().is_int()) return too_wide(e->dtype);
  Registers in = values(e->a);
  if (*by == 0) return in;
  const bool left = e->kind == ExprKind::Shl;
  const Op along = left ? Op::Shl : Op::ShrU, back = left ? Op::ShrU : Op::Shl;
  const Register near = in[left ? 0 : 1], far = in[left ? 1 : 0];
  if (*by >= 64) {
    const Register zero = constant_register(0), to_far = make(along, kUInt64, near, number(*by - 64));
    return left ? Registers{zero, to_far} : Registers{to_far, zero};
  }
  const Register to_near = make(along, kUInt64, near, number(*by));
  const Register to_far =
      make(Op::BitOr, kUInt64, make(along, kUInt64, far, number(*by)), make(back, kUInt64, near, number(64 - *by)));
  return left ? Registers{to_near, to_far} : Registers{to_far, to_near};
}

Register Compiler::wide_equal(const Binary* e) {
  const Registers a = values(e->a), b = values(e->b);
  const Register same = make(Op::BitAnd, kBool, make(Op::Equal, kBool, a[0], b[0]), make(Op::Equal, kBool, a[1], b[1]));
  return e->kind == ExprKind::EQ ? same : make(Op::Not, kBool, same);
}

}  // namespace tilewright::simulate
