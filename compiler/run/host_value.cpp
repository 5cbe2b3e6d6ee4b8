#include "compiler/run/host_value.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/expr/fold.h"
#include "compiler/run/element.h"

namespace tilewright::run {
namespace {

using namespace ir;
using Value = std::expected<Number, std::string>;

std::int64_t wrapped(std::int64_t v, DataType type) {
  if (type.is_bool()) return v != 0;
  if (!type.is_integral() || type.bits >= 64) return v;
  std::uint64_t low = static_cast<std::uint64_t>(v) << (64 - type.bits);
  return type.is_int() ? static_cast<std::int64_t>(low) >> (64 - type.bits)
                       : static_cast<std::int64_t>(low >> (64 - type.bits));
}

Value integer_binary(ExprKind kind, std::int64_t a, std::int64_t b, bool is_unsigned) {
  if (auto value = fold_integer(kind, is_unsigned ? kUInt64 : kInt64, a, b)) return Number::of(*value);
  switch (kind) {
    case ExprKind::FloorDiv:
    case ExprKind::FloorMod:
    case ExprKind::TruncDiv:
    case ExprKind::TruncMod: return std::unexpected("a division by zero");
    case ExprKind::Shl:
    case ExprKind::Shr: return std::unexpected("a shift by " + std::to_string(b));
    default: return std::unexpected("an operation without a value on the host");
  }
}

Value real_binary(ExprKind kind, double a, double b) {
  auto truth = [](bool t) { return Number::of(std::int64_t{t}); };
  switch (kind) {
    case ExprKind::Add: return Number::of(a + b);
    case ExprKind::Sub: return Number::of(a - b);
    case ExprKind::Mul: return Number::of(a * b);
    case ExprKind::Div: return Number::of(a / b);
    case ExprKind::Min: return Number::of(std::fmin(a, b));
    case ExprKind::Max: return Number::of(std::fmax(a, b));
    case ExprKind::EQ: return truth(a == b);
    case ExprKind::NE: return truth(a != b);
    case ExprKind::LT: return truth(a < b);
    case ExprKind::LE: return truth(a <= b);
    case ExprKind::GT: return truth(a > b);
    case ExprKind::GE: return truth(a >= b);
    default: return std::unexpected("an operation without a value on the host");
  }
}

Value convert(Number n, DataType to) {
  if (to.is_integral() || to.is_bool()) {
    if (!n.real) return Number::of(wrapped(n.integer, to));
    if (!(n.floating > -9.2e18 && n.floating < 9.2e18)) return std::unexpected("a number too large for an integer");
    return Number::of(wrapped(static_cast<std::int64_t>(n.floating), to));
  }
  if (!to.is_floating()) return std::unexpected("a value of type " + dtype_name(to));
  return Number::of(to.bits == 32 ? static_cast<double>(static_cast<float>(n.as_double())) : n.as_double());
}

}  // namespace

std::expected<Number, std::string> evaluate(Expr e, const Symbols& symbols) {
  if (!e) return std::unexpected("an absent value");
  if (const auto* imm = e.as<IntImm>()) return Number::of(imm->value);
  if (const auto* imm = e.as<FloatImm>()) return Number::of(imm->value);
  if (const auto* var = e.as<Var>()) return symbols(var);
  if (const auto* c = e.as<Cast>()) {
    Value v = evaluate(c->value, symbols);
    return v ? convert(*v, e.dtype()) : v;
  }
  if (const auto* u = e.as<Unary>()) {
    Value v = evaluate(u->a, symbols);
    if (!v) return v;
    if (e.kind() == ExprKind::Not) return Number::of(std::int64_t{v->as_double() == 0});
    return Number::of(wrapped(~v->integer, e.dtype()));
  }
  if (const auto* s = e.as<Select>()) {
    Value condition = evaluate(s->condition, symbols);
    if (!condition) return condition;
    return evaluate(condition->as_double() != 0 ? s->when_true : s->when_false, symbols);
  }
  if (const auto* call = e.as<Call>(); call && call->callee == &builtin::likely)
    return evaluate(call->args[0], symbols);
  const auto* b = e.as<Binary>();
  if (!b) return std::unexpected("`" + to_string(e) + "` has no value on the host");
  Value x = evaluate(b->a, symbols);
  if (!x) return x;
  if (e.kind() == ExprKind::And && x->as_double() == 0) return Number::of(std::int64_t{0});
  if (e.kind() == ExprKind::Or && x->as_double() != 0) return Number::of(std::int64_t{1});
  Value y = evaluate(b->b, symbols);
  if (!y) return y;
  if (x->real || y->real) {
    Value v = real_binary(e.kind(), x->as_double(), y->as_double());
    return v && v->real ? convert(*v, e.dtype()) : v;
  }
  Value v = integer_binary(e.kind(), x->integer, y->integer, b->a.dtype().is_uint());
  if (v) {
    v->integer = wrapped(v->integer, e.dtype());
    v->floating = static_cast<double>(v->integer);
  }
  return v;
}

std::expected<std::int64_t, std::string> evaluate_integer(Expr e, const Symbols& symbols) {
  Value v = evaluate(e, symbols);
  if (!v) return std::unexpected(v.error());
  if (v->real) return std::unexpected("`" + to_string(e) + "` is no integer");
  return v->integer;
}

std::expected<std::string, std::string> scalar_bytes(DataType dtype, Number value) {
  if (dtype.lanes != 1 || dtype.storage_bits() % 8 != 0 || dtype.storage_bits() > 64)
    return std::unexpected("a scalar of type " + dtype_name(dtype) + " cannot be given");
  auto bytes = static_cast<std::size_t>(dtype.storage_bits() / 8);
  std::uint64_t bits = 0;
  if (dtype.is_integral() || dtype.is_bool()) {
    if (value.real) return std::unexpected("a " + dtype_name(dtype) + " is an integer");
    if (wrapped(value.integer, dtype) != value.integer)
      return std::unexpected(std::to_string(value.integer) + " does not fit a " + dtype_name(dtype));
    bits = static_cast<std::uint64_t>(value.integer);
  } else {
    auto encoded = encode_element(dtype, value.as_double());
    if (!encoded) return std::unexpected("a scalar of type " + dtype_name(dtype) + " cannot be given");
    bits = *encoded;
  }
  std::string out(bytes, '\0');
  std::memcpy(out.data(), &bits, bytes);  // little-endian, as the device
  return out;
}

}  // namespace tilewright::run
