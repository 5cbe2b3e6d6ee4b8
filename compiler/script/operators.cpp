#include "compiler/script/operators.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "compiler/script/interpreter.h"
#include "compiler/script/python/enums.h"
#include "compiler/script/python/numpy_scalars.h"
#include "compiler/script/python/set_order.h"
#include "compiler/script/python/support.h"
#include "compiler/script/rendering.h"
#include "compiler/script/traced/truth.h"

namespace tilewright::script {

using syntax::Operator;

ir::ExprKind expr_kind(Operator op) {
  using K = ir::ExprKind;
  switch (op) {
    case Operator::Add: return K::Add;
    case Operator::Sub: return K::Sub;
    case Operator::Mul: return K::Mul;
    case Operator::Div: return K::Div;
    case Operator::FloorDiv: return K::FloorDiv;
    case Operator::Mod: return K::FloorMod;
    case Operator::LShift: return K::Shl;
    case Operator::RShift: return K::Shr;
    case Operator::BitAnd: return K::BitAnd;
    case Operator::BitOr: return K::BitOr;
    case Operator::BitXor: return K::BitXor;
    case Operator::Eq: return K::EQ;
    case Operator::Ne: return K::NE;
    case Operator::Lt: return K::LT;
    case Operator::Le: return K::LE;
    case Operator::Gt: return K::GT;
    default: return K::GE;
  }
}

const char* dunder(Operator op) {
  switch (op) {
    case Operator::Add: return "__add__";
    case Operator::Sub: return "__sub__";
    case Operator::Mul: return "__mul__";
    case Operator::MatMul: return "__matmul__";
    case Operator::Div: return "__truediv__";
    case Operator::FloorDiv: return "__floordiv__";
    case Operator::Mod: return "__mod__";
    case Operator::Pow: return "__pow__";
    case Operator::LShift: return "__lshift__";
    case Operator::RShift: return "__rshift__";
    case Operator::BitAnd: return "__and__";
    case Operator::BitOr: return "__or__";
    case Operator::BitXor: return "__xor__";
    case Operator::Eq: return "__eq__";
    case Operator::Ne: return "__ne__";
    case Operator::Lt: return "__lt__";
    case Operator::Le: return "__le__";
    case Operator::Gt: return "__gt__";
    case Operator::Ge: return "__ge__";
    case Operator::In: return "__contains__";
    default: return "";
  }
}

// Is all known that an operator asks of the value? Of a member of an enum that is its class.
static bool is_known(Value v) {
  const Instance* member = v.as<Instance>();
  return is_plain(v) || (member && member->cls->is_enum);
}

Value undefined_between(Interpreter& in, Operator op, Value a, Value b, text::Span span) {
  in.fail(code::kType, span,
          "operator " + std::string(syntax::operator_text(op)) + " is not defined between " +
              std::string(type_name(a)) + " and " + std::string(type_name(b)));
  return is_known(a) && is_known(b) ? in.certainly() : Value::error();
}

namespace {

const char* reflected(Operator op) {
  switch (op) {
    case Operator::Add: return "__radd__";
    case Operator::Sub: return "__rsub__";
    case Operator::Mul: return "__rmul__";
    case Operator::FloorDiv: return "__rfloordiv__";
    case Operator::Div: return "__rtruediv__";
    case Operator::Mod: return "__rmod__";
    case Operator::MatMul: return "__rmatmul__";
    case Operator::Pow: return "__rpow__";
    case Operator::LShift: return "__rlshift__";
    case Operator::RShift: return "__rrshift__";
    case Operator::BitAnd: return "__rand__";
    case Operator::BitOr: return "__ror__";
    case Operator::BitXor: return "__rxor__";
    default: return nullptr;
  }
}

bool is_layout_part(Value v) {
  return v.as<LayoutSpec>() || v.as<AxisTerm>() || v.as<AxisValue>() || v.as<LayoutValue>();
}

__int128 floor_div(__int128 a, __int128 b) {
  __int128 q = a / b;
  return (a % b != 0 && ((a < 0) != (b < 0))) ? q - 1 : q;
}

// What came out of an IntImm is one.
Value integer_result(Interpreter& in, __int128 result, bool immediate) {
  Value v = in.big(result);
  v.immediate = v.is_int() && immediate;
  return v;
}

}  // namespace

namespace {

Value too_large(Interpreter& in, text::Span span, std::string_view code = code::kValue) {
  return in.fail(code, span, "the integer grows too large", {}, "OverflowError");
}
Value division_by_zero(Interpreter& in, text::Span span) {
  return in.fail(code::kValue, span, "division by zero", {}, "ZeroDivisionError");
}

// Beyond this exponent or shift Python itself would take seconds and megabytes: a limit, not a value that we lack.
std::string_view code_of_growth(__int128 y) {
  constexpr __int128 kLargestExponent = 1 << 24;
  return y > kLargestExponent ? code::kLimit : code::kValue;
}

Value float_power(Interpreter& in, double x, double y, text::Span span) {
  if (x == 0 && y < 0) {
    return in.fail(code::kValue, span, "0 cannot be raised to a negative power", {}, "ZeroDivisionError");
  }
  if (x < 0 && std::isfinite(x) && std::isfinite(y) && y != std::trunc(y)) {
    return in.fail(code::kValue, span, "a negative number raised to a fraction is a complex number");
  }
  const double r = std::pow(x, y);
  if (std::isinf(r) && std::isfinite(x) && std::isfinite(y)) return too_large(in, span);
  return Value::floating(r);
}

Value integer_power(Interpreter& in, __int128 x, __int128 y, bool immediate, text::Span span) {
  if (y < 0) return float_power(in, static_cast<double>(x), static_cast<double>(y), span);
  if (x == 0 || x == 1) return integer_result(in, y == 0 ? 1 : x, immediate);
  if (x == -1) return integer_result(in, y % 2 ? -1 : 1, immediate);
  if (y > 127) return too_large(in, span, code_of_growth(y));
  __int128 r = 1;
  for (__int128 k = 0; k < y; ++k) {
    if (__builtin_mul_overflow(r, x, &r)) return too_large(in, span);
  }
  return integer_result(in, r, immediate);
}

// None: the operator is not one of integers.
Value binary_integers(Interpreter& in, Operator op, Value a, Value b, __int128 x, __int128 y, text::Span span) {
  const bool immediate = a.immediate || b.immediate, bools = a.is_bool() && b.is_bool();
  auto whole = [&](__int128 result) { return integer_result(in, result, immediate); };
  switch (op) {
    case Operator::Add: return whole(x + y);
    case Operator::Sub: return whole(x - y);
    case Operator::Mul: {
      __int128 r;
      return __builtin_mul_overflow(x, y, &r) ? too_large(in, span) : whole(r);
    }
    case Operator::FloorDiv:
    case Operator::Mod:
      if (y == 0) return division_by_zero(in, span);
      return whole(op == Operator::FloorDiv ? floor_div(x, y) : x - floor_div(x, y) * y);
    case Operator::Div:
      if (y == 0) return division_by_zero(in, span);
      return Value::floating(static_cast<double>(static_cast<long double>(x) / static_cast<long double>(y)));
    case Operator::LShift:
      if (y < 0) return in.fail(code::kValue, span, "negative shift count", {}, "ValueError");
      if (y > 120 || (x != 0 && y > 100)) return too_large(in, span, x != 0 ? code_of_growth(y) : code::kValue);
      return whole(x << y);
    case Operator::RShift:
      if (y < 0) return in.fail(code::kValue, span, "negative shift count", {}, "ValueError");
      return whole(y > 126 ? (x < 0 ? -1 : 0) : x >> y);
    case Operator::BitAnd: return bools ? Value::boolean(a.b && b.b) : whole(x & y);
    case Operator::BitOr: return bools ? Value::boolean(a.b || b.b) : whole(x | y);
    case Operator::BitXor: return bools ? Value::boolean(a.b != b.b) : whole(x ^ y);
    case Operator::Pow: return integer_power(in, x, y, immediate, span);
    default: return Value::none();
  }
}

// None: the operator is not one of floating-point numbers.
Value binary_floats(Interpreter& in, Operator op, double x, double y, text::Span span) {
  switch (op) {
    case Operator::Add: return Value::floating(x + y);
    case Operator::Sub: return Value::floating(x - y);
    case Operator::Mul: return Value::floating(x * y);
    case Operator::Pow: return float_power(in, x, y, span);
    case Operator::Div:
    case Operator::FloorDiv:
    case Operator::Mod:
      if (y == 0) return division_by_zero(in, span);
      if (op == Operator::Div) return Value::floating(x / y);
      return Value::floating(op == Operator::FloorDiv ? float_quotient(x, y) : float_modulo(x, y));
    default: return Value::none();
  }
}

bool is_of_buffer(Value v) { return v.as<BufferValue>() || v.as<RegionValue>(); }

// Does the operation take place when the kernel runs?
bool is_run_time(Interpreter& in, Value a, Value b) {
  if (!a.is_expr() && !b.is_expr() && !is_of_buffer(a) && !is_of_buffer(b)) return false;
  return (in.can_be_expr(a) || is_of_buffer(a)) && (in.can_be_expr(b) || is_of_buffer(b));
}

Value binary_run_time(Interpreter& in, Operator op, Value a, Value b, text::Span span) {
  if (op == Operator::Pow) {
    return in.fail(code::kType, span, "** is not defined on run-time values", "use T.pow");
  }
  if (op == Operator::MatMul) return in.fail(code::kType, span, "@ is not defined on run-time values");
  ir::Expr ea = in.as_expr(a, span, "the left operand");
  ir::Expr eb = ea ? in.as_expr(b, span, "the right operand") : ir::Expr();
  if (!eb) return Value::error();
  auto made = ir::apply_operator(expr_kind(op), ea, eb, !a.is_expr(), !b.is_expr(), in.in_script_mode());
  return made ? Value::expr(*made) : in.fail(code::kType, span, made.error());
}

// How often a sequence of `bytes` is repeated; nothing: there is no room for it.
std::optional<std::int64_t> repetitions(Interpreter& in, std::size_t bytes, __int128 times, text::Span span) {
  if (times <= 0) return 0;
  const std::int64_t n = static_cast<std::int64_t>(std::min<__int128>(times, INT64_MAX));
  std::uint64_t all = 0;
  if (__builtin_mul_overflow(static_cast<std::uint64_t>(bytes) * 2, static_cast<std::uint64_t>(n), &all))
    all = UINT64_MAX;
  return in.reserve(all, span) ? std::optional(n) : std::nullopt;
}

// None: it is no sequence.
Value repeated(Interpreter& in, Value sequence, __int128 times, text::Span span) {
  if (Str* s = sequence.as<Str>()) {
    auto n = repetitions(in, s->text.size(), times, span);
    if (!n) return Value::error();
    std::string out;
    for (std::int64_t k = 0; k < *n; ++k) out += s->text;
    return in.string(out);
  }
  List* l = sequence.as<List>();
  Tuple* t = sequence.as<Tuple>();
  if (!l && !t) return Value::none();
  const std::vector<Value>& items = l ? l->items : t->items;
  auto n = repetitions(in, items.size() * sizeof(Value), times, span);
  if (!n) return Value::error();
  std::vector<Value> out;
  out.reserve(items.size() * static_cast<std::size_t>(*n));
  for (std::int64_t k = 0; k < *n; ++k) out.insert(out.end(), items.begin(), items.end());
  return l ? in.list(std::move(out)) : in.tuple(std::move(out));
}

// Nothing: there is no room for it.
std::optional<std::vector<Value>> joined(Interpreter& in, const std::vector<Value>& x, const std::vector<Value>& y,
                                         text::Span span) {
  if (!in.reserve(sizeof(Value) * (x.size() + y.size()), span)) return std::nullopt;
  std::vector<Value> out;
  out.reserve(x.size() + y.size());
  out.insert(out.end(), x.begin(), x.end());
  out.insert(out.end(), y.begin(), y.end());
  return out;
}

// a + b of strings, lists and tuples. None: they are neither.
Value concatenated(Interpreter& in, Value a, Value b, text::Span span) {
  if (Str* x = a.as<Str>(), *y = b.as<Str>(); x && y) {
    if (!in.reserve(2 * (x->text.size() + y->text.size()), span)) return Value::error();
    return in.string(x->text + y->text);
  }
  if (List* x = a.as<List>(), *y = b.as<List>(); x && y) {
    auto items = joined(in, x->items, y->items, span);
    return items ? in.list(std::move(*items)) : Value::error();
  }
  if (Tuple* x = a.as<Tuple>(), *y = b.as<Tuple>(); x && y) {
    auto items = joined(in, x->items, y->items, span);
    return items ? in.tuple(std::move(*items)) : Value::error();
  }
  return Value::none();
}

// a | b of dicts, and of types in annotations. None: they are neither.
Value united(Interpreter& in, Value a, Value b, text::Span span) {
  if (Dict* x = python::as_dict(a), *y = python::as_dict(b); x && y) {
    Dict* d = in.make<Dict>();
    return in.dict_add(d, *x, span) && in.dict_add(d, *y, span) ? Value::object(d) : Value::error();
  }
  auto part = [](Value v) { return v.as<Class>() || v.is_none(); };
  if ((part(a) && part(b)) || (a.as<Tuple>() && part(b))) {  // a union of classes, as isinstance() takes it
    std::vector<Value> parts = a.as<Tuple>() ? a.as<Tuple>()->items : std::vector<Value>{a};
    if (!in.reserve(sizeof(Value) * (parts.size() + 1), span)) return Value::error();
    parts.push_back(b);
    return in.tuple(std::move(parts));
  }
  const bool of_types = a.as<Class>() || b.as<Class>() || a.as<TypeAnnotation>() || a.as<DataTypeValue>();
  return of_types ? a : Value::none();  // `X | None` in annotations
}

Value binary_sets(Interpreter& in, Operator op, Set* x, Set* y, text::Span span) {
  const std::size_t most = x->entries.items.size() + y->entries.items.size();
  if (!in.charge(most, span) || !in.reserve(most * kEntryBytes, span)) return Value::error();
  Set* out = python::combined(in, x, Value::object(y), *python::combination_of(op), span);
  if (out) out->is_frozen = x->is_frozen;
  return out ? Value::object(out) : Value::error();
}

// None: neither is a container for which the operator is defined.
Value binary_containers(Interpreter& in, Operator op, Value a, Value b, text::Span span) {
  Value v;
  if (Str* format = op == Operator::Mod ? a.as<Str>() : nullptr) {
    Tuple* values = b.as<Tuple>();
    for (Value part : values ? values->items : std::vector<Value>{b}) {
      if (const Value unknown = python::unknown_in_text(in, part); !unknown.is_none()) return unknown;
    }
    auto text = percent_format(in, format->text, b, span);
    return text ? in.string(*text) : Value::error();
  }
  if (op == Operator::Mul) {
    auto x = in.as_big(a), y = in.as_big(b);
    if (y ? a.is_object() : x && b.is_object()) v = repeated(in, y ? a : b, y ? *y : *x, span);
  } else if (op == Operator::Add) {
    v = concatenated(in, a, b, span);
  } else if (op == Operator::BitOr) {
    v = united(in, a, b, span);
  }
  if (!v.is_none()) return v;
  Set *x = a.as<Set>(), *y = b.as<Set>();
  return x && y && python::combination_of(op) ? binary_sets(in, op, x, y, span) : Value::none();
}

// __add__, __radd__ and so on. None: the classes have none.
Value binary_instances(Interpreter& in, Operator op, Value a, Value b, text::Span span, bool* done) {
  *done = true;
  auto ask = [&](Value object, const char* name, Value other) {
    Value method = in.attribute(object, name, span);
    return method.is_error() ? method : in.call(method, std::span<const Value>(&other, 1), span);
  };
  if (Instance* instance = a.as<Instance>()) {
    if (instance->cls->find(dunder(op))) {
      const Value v = ask(a, dunder(op), b);
      if (v.tag != Tag::NotImplemented) return v;
    }
    if (instance->cls->has_unknown_base) return Value::opaque("a class with an unknown base");
  }
  Instance* right = b.as<Instance>();
  if (right && reflected(op) && right->cls->find(reflected(op))) {
    const Value v = ask(b, reflected(op), a);
    if (v.tag != Tag::NotImplemented) return v;
  }
  *done = false;
  return Value::none();
}

}  // namespace

double float_modulo(double x, double y) {
  const double r = std::fmod(x, y);
  if (r == 0) return std::copysign(0.0, y);
  return (y < 0) != (r < 0) ? r + y : r;
}

double float_quotient(double x, double y) {
  const double r = std::fmod(x, y);
  double q = (x - r) / y;
  if (r != 0 && (y < 0) != (r < 0)) q -= 1;
  if (q == 0) return std::copysign(0.0, x / y);
  const double below = std::floor(q);
  return q - below > 0.5 ? below + 1 : below;
}

Value Interpreter::binary(Operator op, Value a, Value b, text::Span span) {
  if (a.is_poison()) return a;
  if (b.is_poison()) return b;
  if (MetaVar* m = a.as<MetaVar>()) a = m->value;
  if (MetaVar* m = b.as<MetaVar>()) b = m->value;
  if (Value v = python::combined_flags(*this, op, a, b, span); !v.is_none()) return v;
  if (a.numpy != NumpyType::None || b.numpy != NumpyType::None) {
    if (Value v = python::numpy_binary(op, a, b); !v.is_none()) return v;
  }
  // The common cases first: two Python integers, or anything with a run-time side.
  if (auto x = as_big(a), y = as_big(b); x && y) {
    if (Value v = binary_integers(*this, op, a, b, *x, *y, span); !v.is_none()) return v;
  }
  if (is_layout_part(a) || is_layout_part(b)) return layout_binary(*this, op, a, b, span);
  if (a.is_opaque()) return a;
  if (b.is_opaque()) return b;
  if (is_run_time(*this, a, b)) return binary_run_time(*this, op, a, b, span);
  if (auto x = as_number(a), y = as_number(b); x && y) {
    if (Value v = binary_floats(*this, op, *x, *y, span); !v.is_none()) return v;
  }
  auto plain = [&](Value v) {  // members of enums of strings are strings
    auto text = v.as<Instance>() ? python::text_value(v) : std::nullopt;
    return text ? string(std::string(*text)) : v;
  };
  if (Value v = binary_containers(*this, op, plain(a), plain(b), span); !v.is_none()) return v;
  bool done = false;
  Value v = binary_instances(*this, op, a, b, span, &done);
  return done ? v : undefined_between(*this, op, a, b, span);
}

Value Interpreter::unary(Operator op, Value a, text::Span span) {
  if (a.is_poison() || a.is_opaque()) return a;
  if (MetaVar* m = a.as<MetaVar>()) a = m->value;
  if (a.numpy != NumpyType::None) return python::numpy_unary(op, a);
  if (op == Operator::Invert) {
    if (Value v = python::inverted_flag(*this, a, span); !v.is_none()) return v;
  }
  if (auto x = as_big(a)) {
    auto whole = [&](__int128 result) { return integer_result(*this, result, a.immediate); };
    switch (op) {
      case Operator::Neg: return whole(-*x);
      case Operator::Pos: return whole(*x);
      case Operator::Invert: return whole(~*x);
      default: break;
    }
  }
  if (a.is_float() && op == Operator::Neg) return Value::floating(-a.f);
  if (a.is_float() && op == Operator::Pos) return a;
  bool runtime = a.is_expr() || (a.as<BufferValue>() && ir::is_one_element(*a.as<BufferValue>()->buffer));
  if (runtime) {
    ir::Expr e = as_expr(a, span);
    if (!e) return Value::error();
    if (op == Operator::Pos && refuses_truth(*this))
      return fail(code::kType, span, "Python has no unary + of a run-time value", "write the value alone", "TypeError");
    std::expected<ir::Expr, std::string> made = e;
    if (op == Operator::Neg) made = ir::negate(e);
    if (op == Operator::Not) made = ir::apply_not(e);
    if (op == Operator::Invert) made = ir::apply_invert(e);
    if (!made) return fail(code::kType, span, made.error());
    return Value::expr(*made);
  }
  if (op == Operator::Not) {
    auto t = truth(a, span);
    if (!t) return Value::error();
    return Value::boolean(!*t);
  }
  if (Instance* instance = a.as<Instance>()) {
    const char* name = op == Operator::Neg ? "__neg__" : op == Operator::Pos ? "__pos__" : "__invert__";
    if (instance->cls->find(name)) return call(attribute(a, name, span), std::span<const Value>(), span);
    if (python::as_dict(a)) return Value::opaque("an operator on a class of dicts");
  }
  fail(code::kType, span,
       "operator " + std::string(syntax::operator_text(op)) + " is not defined on " + std::string(type_name(a)));
  return is_known(a) ? certainly() : Value::error();
}

}  // namespace tilewright::script
