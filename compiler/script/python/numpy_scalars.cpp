#include "compiler/script/python/numpy_scalars.h"

#include <cmath>

#include "compiler/script/operators.h"

namespace tilewright::script::python {
namespace {

using syntax::Operator;
using T = NumpyType;

Value unknown() { return Value::opaque("the module 'numpy'"); }

struct Kind {
  NumpyType type;
  std::string_view name;
  int bits;
  bool is_signed, is_float;
};
constexpr Kind kKinds[] = {
    {T::Bool, "bool", 1, false, false},      {T::Int8, "int8", 8, true, false},
    {T::Int16, "int16", 16, true, false},    {T::Int32, "int32", 32, true, false},
    {T::Int64, "int64", 64, true, false},    {T::UInt8, "uint8", 8, false, false},
    {T::UInt16, "uint16", 16, false, false}, {T::UInt32, "uint32", 32, false, false},
    {T::UInt64, "uint64", 64, false, false}, {T::Float16, "float16", 16, true, true},
    {T::Float32, "float32", 32, true, true}, {T::Float64, "float64", 64, true, true},
};
const Kind& kind_of(NumpyType type) { return kKinds[static_cast<std::size_t>(type) - 1]; }

// The type of that width and kind.
NumpyType typed(int bits, bool is_signed, bool is_float) {
  for (const Kind& k : kKinds) {
    if (k.bits == bits && k.is_signed == is_signed && k.is_float == is_float) return k.type;
  }
  return T::Float64;
}

double rounded(NumpyType type, double x) {
  if (type == T::Float16) return static_cast<double>(static_cast<_Float16>(x));
  return type == T::Float32 ? static_cast<double>(static_cast<float>(x)) : x;
}

Value marked(Value v, NumpyType type) {
  v.immediate = false;
  v.numpy = type;
  return v;
}

bool fits(NumpyType type, __int128 x) {
  const Kind& k = kind_of(type);
  const __int128 most = (static_cast<__int128>(1) << (k.is_signed ? k.bits - 1 : k.bits)) - 1;
  return x <= most && x >= (k.is_signed ? -most - 1 : 0);
}

// Not known beyond 63 bits: such numbers are no small integers here.
Value wrapped(NumpyType type, __int128 x) {
  const Kind& k = kind_of(type);
  const __int128 size = static_cast<__int128>(1) << k.bits;
  x &= size - 1;
  if (k.is_signed && x >= size / 2) x -= size;
  return x == static_cast<std::int64_t>(x) ? marked(Value::integer(static_cast<std::int64_t>(x)), type) : unknown();
}

__int128 whole(Value v) { return v.is_bool() ? v.b : v.i; }
double real(Value v) { return v.is_float() ? v.f : static_cast<double>(whole(v)); }

__int128 floor_divided(__int128 x, __int128 y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); }

std::optional<__int128> integer_result(Operator op, NumpyType type, __int128 x, __int128 y) {
  const int bits = kind_of(type).bits;
  switch (op) {
    case Operator::Add: return x + y;
    case Operator::Sub: return x - y;
    case Operator::Mul: return x * y;  // of 64 bits each
    case Operator::FloorDiv: return y == 0 ? std::nullopt : std::optional(floor_divided(x, y));
    case Operator::Mod: return y == 0 ? std::nullopt : std::optional(x - floor_divided(x, y) * y);
    case Operator::LShift:
      return y < 0 || y >= bits ? std::nullopt : std::optional(x * (static_cast<__int128>(1) << y));
    case Operator::RShift: return y < 0 || y >= bits ? std::nullopt : std::optional(x >> y);
    case Operator::BitAnd: return x & y;
    case Operator::BitOr: return x | y;
    case Operator::BitXor: return x ^ y;
    case Operator::Pow: {
      if (y < 0) return std::nullopt;
      __int128 r = 1;
      for (; y > 0; --y) {
        if (__builtin_mul_overflow(r, x, &r)) return std::nullopt;
        if (r == 0 || (r == 1 && x == 1)) break;
      }
      return r;
    }
    default: return std::nullopt;
  }
}

Value integers(Operator op, NumpyType type, Value a, Value b) {
  if (op == Operator::Div) {
    const double y = real(b);
    if (y == 0) return unknown();
    const int bits = kind_of(type).bits;
    const NumpyType out = bits <= 8 ? T::Float16 : bits == 16 ? T::Float32 : T::Float64;
    return marked(Value::floating(rounded(out, real(a) / y)), out);
  }
  auto result = integer_result(op, type, whole(a), whole(b));
  if (!result) return unknown();
  // Beside a number of Python, numpy 1 takes a wider type and does not wrap.
  const bool both = a.numpy != T::None && b.numpy != T::None;
  return both || fits(type, *result) ? wrapped(type, *result) : unknown();
}

std::optional<double> float_result(Operator op, double x, double y) {
  switch (op) {
    case Operator::Add: return x + y;
    case Operator::Sub: return x - y;
    case Operator::Mul: return x * y;
    case Operator::Div: return y == 0 ? std::nullopt : std::optional(x / y);
    case Operator::Pow: return std::pow(x, y);
    default: return std::nullopt;
  }
}

Value floats(Operator op, NumpyType type, double x, double y) {
  if (op == Operator::FloorDiv || op == Operator::Mod) {
    if (type != T::Float64 || y == 0) return unknown();
    return marked(Value::floating(op == Operator::Mod ? float_modulo(x, y) : float_quotient(x, y)), type);
  }
  auto result = float_result(op, x, y);
  return result ? marked(Value::floating(rounded(type, *result)), type) : unknown();
}

Value compared(Operator op, Value a, Value b) {
  const bool exact = !a.is_float() && !b.is_float();
  const __int128 x = exact ? whole(a) : 0, y = exact ? whole(b) : 0;
  const double p = real(a), q = real(b);
  bool answer = false;
  switch (op) {
    case Operator::Eq: answer = exact ? x == y : p == q; break;
    case Operator::Ne: answer = exact ? x != y : p != q; break;
    case Operator::Lt: answer = exact ? x < y : p < q; break;
    case Operator::Le: answer = exact ? x <= y : p <= q; break;
    case Operator::Gt: answer = exact ? x > y : p > q; break;
    default: answer = exact ? x >= y : p >= q; break;
  }
  return marked(Value::boolean(answer), T::Bool);
}

bool is_number(Value v) { return v.is_int() || v.is_float() || v.is_bool(); }

bool is_comparison(Operator op) {
  return op == Operator::Eq || op == Operator::Ne || op == Operator::Lt || op == Operator::Le || op == Operator::Gt ||
         op == Operator::Ge;
}

// How much a number of Python asks of its partner: 0 a bool, 1 an int, 2 a float.
int weak_rank(Value v) { return v.is_float() ? 2 : v.is_bool() ? 0 : 1; }
int rank(NumpyType t) { return kind_of(t).is_float ? 2 : t == T::Bool ? 0 : 1; }

Value item(Interpreter&, const Arguments&, Value self) { return python_number(self); }
Value itself(Interpreter&, const Arguments& args, Value self) {
  return args.positional.empty() && args.keywords.empty() ? self : unknown();
}

Value as_type(Interpreter& in, const Arguments& args, Value self) {
  if (auto u = unknown_argument(args)) return *u;
  if (args.positional.size() != 1) return unknown();
  auto dtype = numpy_dtype(in, args.positional[0]);
  auto type = dtype ? numpy_type(*dtype) : std::nullopt;
  return type ? numpy_scalar(*type, self) : unknown();
}

}  // namespace

std::optional<NumpyType> numpy_type(ir::DataType dtype) {
  const std::string name = ir::dtype_name(dtype);
  for (const Kind& k : kKinds) {
    if (k.name == name) return k.type;
  }
  return std::nullopt;
}
ir::DataType dtype_of_numpy(NumpyType type) { return *ir::parse_dtype(kind_of(type).name); }
bool is_floating(NumpyType type) { return kind_of(type).is_float; }

NumpyType default_numpy_type(Value v) {
  if (v.numpy != T::None) return v.numpy;
  return v.is_float() ? T::Float64 : v.is_bool() ? T::Bool : T::Int64;
}

NumpyType promoted(NumpyType a, NumpyType b) {
  if (a == b) return a;
  if (rank(a) > rank(b)) std::swap(a, b);
  const Kind &x = kind_of(a), &y = kind_of(b);
  if (a == T::Bool) return b;
  if (x.is_float) return x.bits > y.bits ? a : b;
  if (y.is_float) return typed(std::max(y.bits, std::min(64, 2 * x.bits)), true, true);
  if (x.is_signed == y.is_signed) return x.bits > y.bits ? a : b;
  const Kind &with = x.is_signed ? x : y, &without = x.is_signed ? y : x;
  if (with.bits > without.bits) return with.type;
  return without.bits == 64 ? T::Float64 : typed(2 * without.bits, true, false);
}

NumpyType promoted_operands(Value a, Value b) {
  const bool x = a.numpy != T::None, y = b.numpy != T::None;
  if (x == y) return promoted(default_numpy_type(a), default_numpy_type(b));
  const NumpyType strong = x ? a.numpy : b.numpy;
  const Value weak = x ? b : a;
  return weak_rank(weak) > rank(strong) ? default_numpy_type(weak) : strong;
}

Value numpy_scalar(NumpyType type, Value v) {
  if (!is_number(v)) return unknown();
  if (type == T::Bool) return marked(Value::boolean(real(v) != 0), type);
  if (is_floating(type)) return marked(Value::floating(rounded(type, real(v))), type);
  if (!v.is_float()) return v.numpy != T::None || fits(type, whole(v)) ? wrapped(type, whole(v)) : unknown();
  const auto truncated = float_to_int(std::trunc(v.f));
  return truncated && fits(type, *truncated) ? wrapped(type, *truncated) : unknown();
}

Value python_number(Value v) {
  v.numpy = T::None;
  return v;
}

Value numpy_binary(Operator op, Value a, Value b) {
  if (!is_number(a) || !is_number(b)) return Value::none();
  if (is_comparison(op)) return compared(op, a, b);
  const NumpyType type = promoted_operands(a, b);
  // A number of Python that the type does not hold: an error in numpy 2, a wider type in numpy 1.
  for (Value v : {a, b}) {
    if (v.numpy == T::None && v.is_int() && rank(type) == 1 && !fits(type, v.i)) return unknown();
  }
  if (is_floating(type)) return floats(op, type, rounded(type, real(a)), rounded(type, real(b)));
  if (type != T::Bool) return integers(op, type, a, b);
  const bool x = real(a) != 0, y = real(b) != 0;
  switch (op) {
    case Operator::BitAnd: return marked(Value::boolean(x && y), type);
    case Operator::BitOr: return marked(Value::boolean(x || y), type);
    case Operator::BitXor: return marked(Value::boolean(x != y), type);
    default: return unknown();
  }
}

Value numpy_unary(Operator op, Value a) {
  if (op == Operator::Not) return Value::boolean(real(a) == 0);
  if (op == Operator::Pos) return a.is_bool() ? unknown() : a;
  if (a.is_bool()) return op == Operator::Invert ? marked(Value::boolean(!a.b), a.numpy) : unknown();
  if (a.is_float()) return op == Operator::Neg ? marked(Value::floating(-a.f), a.numpy) : unknown();
  return wrapped(a.numpy, op == Operator::Neg ? -whole(a) : ~whole(a));
}

Value numpy_attribute(Interpreter& in, Value scalar, std::string_view name) {
  const ir::DataType dtype = dtype_of_numpy(scalar.numpy);
  const int bytes = (dtype.bits + 7) / 8;
  if (name == "dtype") return numpy_dtype_value(in, dtype);
  if (name == "itemsize" || name == "nbytes") return Value::integer(bytes);
  if (name == "shape") return in.tuple({});
  if (name == "ndim") return Value::integer(0);
  if (name == "size") return Value::integer(1);
  if (name == "T" || name == "real") return scalar;
  if (name == "astype") return in.native(in.keep(name), as_type, scalar);
  if (name == "item" || name == "tolist" || name == "__int__" || name == "__index__" || name == "__float__") {
    if ((name == "__int__" || name == "__index__") && !scalar.is_int()) return unknown();
    if (name == "__float__" && !scalar.is_float()) return unknown();
    return in.native(in.keep(name), item, scalar);
  }
  if (name == "max" || name == "min" || name == "copy" || name == "conjugate" || name == "squeeze") {
    return in.native(in.keep(name), itself, scalar);
  }
  if (name == "is_integer" && scalar.is_float()) {
    return in.native(
        in.keep(name),
        [](Interpreter&, const Arguments&, Value self) {
          return Value::boolean(std::isfinite(self.f) && std::trunc(self.f) == self.f);
        },
        scalar);
  }
  return unknown();
}

}  // namespace tilewright::script::python
