// The builders. Every one of them first looks for a constant result, then for an operand that changes nothing, and
// only then makes a node: most of the index arithmetic of a kernel never becomes one.
#include "compiler/expr/expr.h"

#include <array>
#include <atomic>
#include <cassert>
#include <cmath>

#include "compiler/expr/fold.h"

namespace tilewright::expr {
namespace {

// Small constants are shared by all kernels: they are the most frequent nodes by far.
constexpr std::int64_t kPoolFirst = -16;
constexpr std::int64_t kPoolSize = 16 + 257;
struct Pool {
  std::array<IntImm, kPoolSize> int32;
  std::array<IntImm, 2> boolean;
};
constexpr Pool make_pool() {
  Pool pool{};
  for (std::int64_t i = 0; i < kPoolSize; ++i) {
    pool.int32[i].kind = ExprKind::IntImm;
    pool.int32[i].dtype = kInt32;
    pool.int32[i].value = kPoolFirst + i;
  }
  for (std::int64_t i = 0; i < 2; ++i) {
    pool.boolean[i].kind = ExprKind::IntImm;
    pool.boolean[i].dtype = kBool;
    pool.boolean[i].value = i;
  }
  return pool;
}
constexpr Pool kPool = make_pool();

template <class T, class... Args>
const T* node(ExprKind kind, DataType dtype, Args... args) {
  return Arena::current().make<T>(ExprNode{kind, dtype}, args...);
}

bool is_comparison(ExprKind kind) { return kind >= ExprKind::EQ && kind <= ExprKind::GE; }

bool commutes(ExprKind kind) {
  return kind == ExprKind::Add || kind == ExprKind::Mul || kind == ExprKind::Min || kind == ExprKind::Max ||
         kind == ExprKind::BitAnd || kind == ExprKind::BitOr || kind == ExprKind::BitXor;
}

const FloatImm* float_constant(Expr e) { return e.as<FloatImm>(); }

// Values of floating constants fold for the types whose rounding is known here.
Expr fold_float(ExprKind kind, DataType dtype, double a, double b) {
  if (!dtype.is_float() && !dtype.is_bfloat()) return {};
  switch (kind) {
    case ExprKind::Add: return float_imm(dtype, a + b);
    case ExprKind::Sub: return float_imm(dtype, a - b);
    case ExprKind::Mul: return float_imm(dtype, a * b);
    case ExprKind::Div: return b != 0 ? float_imm(dtype, a / b) : Expr();
    case ExprKind::Min: return float_imm(dtype, std::fmin(a, b));
    case ExprKind::Max: return float_imm(dtype, std::fmax(a, b));
    case ExprKind::EQ: return bool_imm(a == b);
    case ExprKind::NE: return bool_imm(a != b);
    case ExprKind::LT: return bool_imm(a < b);
    case ExprKind::LE: return bool_imm(a <= b);
    case ExprKind::GT: return bool_imm(a > b);
    case ExprKind::GE: return bool_imm(a >= b);
    default: return {};
  }
}

// `x op constant` where the answer is one of the operands, or where two constants meet: (x + 2) + 3.
Expr absorb(ExprKind kind, Expr a, std::int64_t c) {
  DataType dtype = a.dtype();
  switch (kind) {
    case ExprKind::Add: {
      if (c == 0) return a;
      const Binary* inner = a.as<Binary>();
      if (!inner || (inner->kind != ExprKind::Add && inner->kind != ExprKind::Sub)) {
        // Subtracting reads better than adding a negative number, where there are negative numbers.
        if (c < 0 && dtype.is_int() && c != std::numeric_limits<std::int64_t>::min())
          return node<Binary>(ExprKind::Sub, dtype, a, int_imm(dtype, -c));
        return {};
      }
      const std::int64_t* inner_c = constant(inner->b);
      if (!inner_c) return {};
      auto sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(c) +
                                           (inner->kind == ExprKind::Add ? static_cast<std::uint64_t>(*inner_c)
                                                                         : 0 - static_cast<std::uint64_t>(*inner_c)));
      return add(inner->a, int_imm(dtype, sum));
    }
    case ExprKind::Sub: {
      if (c == 0) return a;
      const Binary* inner = a.as<Binary>();
      bool meets = inner && (inner->kind == ExprKind::Add || inner->kind == ExprKind::Sub) && constant(inner->b);
      if (!meets && (c > 0 || !dtype.is_int())) return {};
      return add(a, int_imm(dtype, static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(c))));
    }
    case ExprKind::Mul: {
      if (c == 1) return a;
      if (c == 0) return int_imm(dtype, 0);
      const Binary* inner = a.as<Binary>();
      const std::int64_t* inner_c = inner && inner->kind == ExprKind::Mul ? constant(inner->b) : nullptr;
      if (!inner_c) return {};
      auto product = static_cast<std::int64_t>(static_cast<std::uint64_t>(c) * static_cast<std::uint64_t>(*inner_c));
      return mul(inner->a, int_imm(dtype, product));
    }
    case ExprKind::FloorDiv:
    case ExprKind::TruncDiv: return c == 1 ? a : Expr();
    case ExprKind::FloorMod:
    case ExprKind::TruncMod: return c == 1 ? int_imm(dtype, 0) : Expr();
    case ExprKind::BitOr:
    case ExprKind::BitXor:
    case ExprKind::Shl:
    case ExprKind::Shr: return c == 0 ? a : Expr();
    case ExprKind::BitAnd: return c == 0 ? int_imm(dtype, 0) : Expr();
    default: return {};
  }
}

Expr same_operands(ExprKind kind, Expr a) {
  if (a.dtype().is_floating() || a.kind() == ExprKind::Call || a.kind() == ExprKind::Load) return {};
  switch (kind) {
    case ExprKind::Sub:
    case ExprKind::BitXor: return zero(a.dtype());
    case ExprKind::Min:
    case ExprKind::Max:
    case ExprKind::BitAnd:
    case ExprKind::BitOr: return a;
    default: return {};
  }
}

DataType result_type(ExprKind kind, DataType operand) {
  if (is_comparison(kind) || kind == ExprKind::And || kind == ExprKind::Or) return kBool.with_lanes(operand.lanes);
  return operand;
}

}  // namespace

Expr::Expr(int value) : node_(int_imm(kInt32, value).get()) {}
Expr::Expr(std::int64_t value) : node_(int_imm(fits(kInt32, value) ? kInt32 : kInt64, value).get()) {}

Expr int_imm(DataType dtype, std::int64_t value) {
  if (dtype.is_vector()) return broadcast(int_imm(dtype.element(), value), dtype.lanes);
  value = wrap_to(dtype, value);
  if (dtype == kInt32 && value >= kPoolFirst && value < kPoolFirst + kPoolSize) return &kPool.int32[value - kPoolFirst];
  if (dtype.is_bool()) return &kPool.boolean[value];
  return node<IntImm>(ExprKind::IntImm, dtype, value);
}

Expr float_imm(DataType dtype, double value) {
  if (dtype.is_vector()) return broadcast(float_imm(dtype.element(), value), dtype.lanes);
  return node<FloatImm>(ExprKind::FloatImm, dtype, round_to(dtype, value));
}

Expr string_imm(std::string_view text) {
  return node<StringImm>(ExprKind::StringImm, kHandle, Arena::current().copy(text));
}

Expr bool_imm(bool value) { return &kPool.boolean[value]; }

Expr zero(DataType dtype) { return dtype.is_floating() ? float_imm(dtype, 0) : int_imm(dtype, 0); }

Var* make_var(std::string_view name, DataType dtype, VarRole role) {
  // One counter for the process: identities stay apart even between the arenas of two stages of one kernel.
  static std::atomic<std::uint32_t> next{0};
  Arena& arena = Arena::current();
  Interval range;
  if (role == VarRole::Extent) range.lo = 0;
  return arena.make<Var>(ExprNode{ExprKind::Var, dtype}, next.fetch_add(1, std::memory_order_relaxed), role,
                         ScopeBinding::None, std::uint8_t{0}, kVoid, arena.copy(name), std::string_view(), range);
}

const Var* with_name(const Var* var, std::string_view name) {
  Var* copy = Arena::current().make<Var>(*var);
  copy->name = Arena::current().copy(name);
  return copy;
}

const Var* with_range(const Var* var, Interval range) {
  Var* copy = Arena::current().make<Var>(*var);
  copy->range = range;
  return copy;
}

Expr add(Expr a, Expr b) { return binary(ExprKind::Add, a, b); }
Expr sub(Expr a, Expr b) { return binary(ExprKind::Sub, a, b); }
Expr mul(Expr a, Expr b) { return binary(ExprKind::Mul, a, b); }
Expr div(Expr a, Expr b) { return binary(ExprKind::Div, a, b); }
Expr floordiv(Expr a, Expr b) { return binary(ExprKind::FloorDiv, a, b); }
Expr floormod(Expr a, Expr b) { return binary(ExprKind::FloorMod, a, b); }
Expr logical_and(Expr a, Expr b) { return binary(ExprKind::And, a, b); }

Expr binary(ExprKind kind, Expr a, Expr b) {
  assert(a && b && Binary::is(kind));
  assert(a.dtype() == b.dtype() && "operands of one type: promote.h brings them there");
  const DataType dtype = a.dtype();
  const std::int64_t* ca = constant(a);
  const std::int64_t* cb = constant(b);
  if (ca && cb) {
    if (std::optional<std::int64_t> value = fold_integer(kind, dtype, *ca, *cb))
      return int_imm(result_type(kind, dtype), *value);
  } else if (const FloatImm* fa = float_constant(a), *fb = float_constant(b); fa && fb) {
    if (Expr folded = fold_float(kind, dtype, fa->value, fb->value)) return folded;
  }
  if (kind == ExprKind::And || kind == ExprKind::Or) {
    // Short circuit: a known left side decides alone; a known right side only where the left may be dropped or kept.
    const bool deciding = kind == ExprKind::Or;
    if (ca) return (*ca != 0) == deciding ? a : b;
    if (cb && (*cb != 0) != deciding) return a;
  }
  if (ca && !cb && commutes(kind)) {
    std::swap(a, b);
    std::swap(ca, cb);
  }
  if (cb && !dtype.is_bool()) {
    if (Expr absorbed = absorb(kind, a, *cb)) return absorbed;
  }
  if (same_node(a, b)) {
    if (Expr collapsed = same_operands(kind, a)) return collapsed;
  }
  return node<Binary>(kind, result_type(kind, dtype), a, b);
}

Expr logical_not(Expr a) {
  if (const std::int64_t* c = constant(a)) return bool_imm(*c == 0);
  if (const Unary* inner = a.as<Unary>(); inner && inner->kind == ExprKind::Not) return inner->a;
  return node<Unary>(ExprKind::Not, kBool.with_lanes(a.dtype().lanes), a);
}

Expr bit_not(Expr a) {
  if (const std::int64_t* c = constant(a)) return int_imm(a.dtype(), a.dtype().is_bool() ? *c == 0 : ~*c);
  if (const Unary* inner = a.as<Unary>(); inner && inner->kind == ExprKind::BitNot) return inner->a;
  return node<Unary>(ExprKind::BitNot, a.dtype(), a);
}

Expr cast(DataType dtype, Expr value) {
  const DataType from = value.dtype();
  if (from == dtype) return value;
  if (const Broadcast* same = value.as<Broadcast>(); same && dtype.lanes == from.lanes)
    return broadcast(cast(dtype.element(), same->value), dtype.lanes);
  if (!dtype.is_vector() && !dtype.is_handle() && dtype.code != TypeCode::TensorMap) {
    if (const std::int64_t* c = constant(value)) {
      if (!dtype.is_floating()) return int_imm(dtype, *c);
      bool huge = from.is_uint() && *c < 0;
      return float_imm(dtype, huge ? static_cast<double>(static_cast<std::uint64_t>(*c)) : static_cast<double>(*c));
    }
    if (const FloatImm* f = float_constant(value)) {
      if (dtype.is_floating()) return float_imm(dtype, f->value);
      if (dtype.is_bool()) return bool_imm(f->value != 0);
      // Towards zero, as C converts; a value outside stays a run-time cast, whose result is the hardware's.
      double whole = std::trunc(f->value);
      if (std::fabs(whole) < 9.2e18 && fits(dtype, static_cast<std::int64_t>(whole)))
        return int_imm(dtype, static_cast<std::int64_t>(whole));
    }
  }
  return node<Cast>(ExprKind::Cast, dtype, value);
}

Expr select(Expr condition, Expr t, Expr f) {
  assert(t.dtype() == f.dtype());
  if (const std::int64_t* c = constant(condition)) return *c ? t : f;
  if (same_node(t, f)) return t;
  return node<Select>(ExprKind::Select, t.dtype(), condition, t, f);
}

Expr if_then_else(Expr condition, Expr t, Expr f) {
  assert(t.dtype() == f.dtype());
  if (const std::int64_t* c = constant(condition)) return *c ? t : f;
  if (same_node(t, f)) return t;
  return node<Select>(ExprKind::IfThenElse, t.dtype(), condition, t, f);
}

Expr ramp(Expr base, Expr stride, int lanes) {
  if (lanes == 1) return base;
  if (is_constant(stride, 0)) return broadcast(base, lanes);
  return node<Ramp>(ExprKind::Ramp, base.dtype().with_lanes(lanes), base, stride);
}

Expr broadcast(Expr value, int lanes) {
  if (lanes == 1) return value;
  return node<Broadcast>(ExprKind::Broadcast, value.dtype().with_lanes(lanes), value);
}

Expr call(DataType dtype, const Callee& callee, std::span<const Expr> args) {
  return node<Call>(ExprKind::Call, dtype, &callee, Arena::current().copy(args));
}

Expr index_binary(ExprKind kind, Expr a, Expr b) {
  DataType ta = a.dtype(), tb = b.dtype();
  if (ta != tb) {
    // A constant follows the other side if it fits there: `tid * 4` stays in the type of `tid`.
    const std::int64_t* ca = constant(a);
    const std::int64_t* cb = constant(b);
    DataType to;
    if (cb && fits(ta.element(), *cb)) {
      to = ta.element();
    } else if (ca && fits(tb.element(), *ca)) {
      to = tb.element();
    } else {
      bool first = ta.bits > tb.bits || (ta.bits == tb.bits && ta.is_uint());
      to = first ? ta.element() : tb.element();
    }
    int lanes = std::max(ta.lanes, tb.lanes);
    a = cast(to.with_lanes(ta.lanes), a);
    b = cast(to.with_lanes(tb.lanes), b);
    if (a.dtype().lanes != lanes) a = broadcast(a, lanes);
    if (b.dtype().lanes != lanes) b = broadcast(b, lanes);
  }
  return binary(kind, a, b);
}

}  // namespace tilewright::expr
