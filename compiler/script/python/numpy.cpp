// What scripts compute with numpy on their way to a kernel: scalars, limits of types, shapes as arrays of one
// dimension; and the dtypes of numpy, torch and ml_dtypes. All else of these packages is not known: tensors, devices,
// versions.
//
// Numbers that come out are scalars of numpy (numpy_scalars.h). Numbers beyond 63 bits are not known.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "compiler/script/codes.h"
#include "compiler/script/python/numpy_arrays.h"

namespace tilewright::script::python {
namespace {

using syntax::Operator;

constexpr std::string_view kItems = "<items>", kDtype = "<dtype>";  // no identifiers: scripts do not see them
constexpr const char* kTorch = "the module 'torch'";

Value unknown() { return unknown_of_numpy(); }

// ---- arrays -------------------------------------------------------------------------------------------------------

Class* array_class(Interpreter& in);

List* items_of(Value v) {
  Instance* instance = v.as<Instance>();
  Value* items = instance ? instance->find(kItems) : nullptr;
  return items ? items->as<List>() : nullptr;
}

bool is_number(Value v) { return v.is_int() || v.is_float() || v.is_bool(); }

// In the type that both have together; numbers of Python count for less.
Value in_operands_type(Value v, Value other) { return numpy_scalar(promoted_operands(v, other), v); }

}  // namespace

Value unknown_of_numpy() { return Value::opaque("the module 'numpy'"); }

Value array_of(Interpreter& in, std::vector<Value> items) {
  if (items.size() > kMostItems || !std::ranges::all_of(items, is_number)) return unknown();
  NumpyType type = items.empty() ? NumpyType::Float64 : default_numpy_type(items[0]);
  for (Value v : items) type = promoted(type, default_numpy_type(v));
  for (Value& v : items) v = numpy_scalar(type, v);
  if (!std::ranges::all_of(items, is_number)) return unknown();
  Instance* a = in.make<Instance>();
  a->cls = array_class(in);
  a->set(kItems, in.list(std::move(items)));
  return Value::object(a);
}

std::optional<Numbers> numbers(Interpreter& in, Value v, text::Span span) {
  if (auto i = in.as_big(v); i && !v.is_bool() && v.numpy == NumpyType::None) v = in.big(*i);
  if (is_number(v)) return Numbers{{v}, true};
  List* own = items_of(v);
  const bool sequence = own || v.as<List>() || v.as<Tuple>() || v.as<Range>();
  if (!sequence) return std::nullopt;
  if (Range* r = v.as<Range>(); r && r->length() > static_cast<std::int64_t>(kMostItems)) return std::nullopt;
  auto items = in.iterate(own ? Value::object(own) : v, span);
  if (!items || items->size() > kMostItems) return std::nullopt;
  for (Value& item : *items) {
    if (auto i = in.as_big(item); i && !item.is_bool() && item.numpy == NumpyType::None) item = in.big(*i);
    item.immediate = false;
    if (!is_number(item)) return std::nullopt;
  }
  return Numbers{std::move(*items), false};
}

Value result_of(Interpreter& in, Numbers n) {
  if (!n.scalar) return array_of(in, std::move(n.items));
  return is_number(n.items[0]) ? numpy_scalar(default_numpy_type(n.items[0]), n.items[0]) : unknown();
}

Value elementwise(Interpreter& in, Value a, Value b, text::Span span, const std::function<Value(Value, Value)>& f) {
  auto x = numbers(in, a, span), y = numbers(in, b, span);
  if (!x || !y) return in.has_pending() ? Value::error() : unknown();
  const std::size_t n = std::max(x->items.size(), y->items.size());
  auto fits = [&](const Numbers& v) { return v.items.size() == n || v.items.size() == 1; };
  if (x->items.empty() || y->items.empty() || !fits(*x) || !fits(*y)) return unknown();
  Numbers out{{}, x->scalar && y->scalar};
  for (std::size_t i = 0; i < n; ++i) {
    Value v = f(x->items[x->items.size() == 1 ? 0 : i], y->items[y->items.size() == 1 ? 0 : i]);
    if (v.is_error()) return v;
    out.items.push_back(v);
  }
  return result_of(in, std::move(out));
}

std::optional<Numbers> one_argument(Interpreter& in, const Arguments& args) {
  if (args.positional.size() != 1 || !args.keywords.empty()) return std::nullopt;
  return numbers(in, args.positional[0], args.call);
}

namespace {

template <Operator Op, bool Reflected>
Value array_operator(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  if (args.positional.size() != 2) return unknown();
  Value a = args.positional[Reflected ? 1 : 0], b = args.positional[Reflected ? 0 : 1];
  return elementwise(in, a, b, args.call, [&](Value x, Value y) {
    if (x.numpy == NumpyType::None && y.numpy == NumpyType::None) x = numpy_scalar(default_numpy_type(x), x);
    return numpy_binary(Op, x, y);
  });
}

// ---- reductions ---------------------------------------------------------------------------------------------------

enum class Reduction : std::uint8_t { Prod, Sum, Max, Min, Mean, Any, All };

Value extreme_of(Interpreter& in, bool greatest, NumpyType type, const std::vector<Value>& items, text::Span span) {
  Value out = items[0];
  for (Value v : items) {
    if (std::isnan(*in.as_number(v))) return unknown();
    auto smaller = less(in, greatest ? out : v, greatest ? v : out, span);
    if (!smaller) return Value::error();
    if (*smaller) out = v;
  }
  return numpy_scalar(type, out);
}

// numpy adds eight and more numbers in pairs: only whole numbers give the same in any order.
bool is_order_free(const std::vector<Value>& items) {
  if (items.size() < 8) return true;
  return std::ranges::all_of(items,
                             [](Value v) { return !v.is_float() || (std::abs(v.f) < 1e9 && std::trunc(v.f) == v.f); });
}

Value reduced(Interpreter& in, Reduction how, const std::vector<Value>& items, text::Span span) {
  if (how == Reduction::Any || how == Reduction::All) {
    const bool any = how == Reduction::Any;
    auto is = [&](Value v) { return *in.as_number(v) != 0; };
    const bool answer = any ? std::ranges::any_of(items, is) : std::ranges::all_of(items, is);
    return numpy_scalar(NumpyType::Bool, Value::boolean(answer));
  }
  if (items.empty()) {
    const bool known = how == Reduction::Prod || how == Reduction::Sum;
    return known ? numpy_scalar(NumpyType::Float64, Value::integer(how == Reduction::Prod)) : unknown();
  }
  NumpyType type = default_numpy_type(items[0]);
  for (Value v : items) type = promoted(type, default_numpy_type(v));
  if (how == Reduction::Max || how == Reduction::Min) return extreme_of(in, how == Reduction::Max, type, items, span);
  if (!is_order_free(items)) return unknown();
  if (how == Reduction::Mean) {
    const NumpyType out = is_floating(type) ? type : NumpyType::Float64;
    double sum = 0;
    for (Value v : items) sum += *in.as_number(v);
    return out == NumpyType::Float64 ? numpy_scalar(out, Value::floating(sum / static_cast<double>(items.size())))
                                     : unknown();
  }
  // Narrow integers are added in 64 bits.
  if (!is_floating(type)) {
    const bool is_signed = promoted(type, NumpyType::Int8) == type || type == NumpyType::Bool;
    type = is_signed ? NumpyType::Int64 : NumpyType::UInt64;
  }
  Value out = numpy_scalar(type, items[0]);
  for (std::size_t i = 1; i < items.size() && is_number(out); ++i) {
    out = numpy_binary(how == Reduction::Prod ? Operator::Mul : Operator::Add, out, numpy_scalar(type, items[i]));
  }
  return is_number(out) ? out : unknown();
}

template <Reduction How>
Value reduction(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  // axis=, dtype= and the like: other results, of other types.
  if (args.positional.size() != 1 || !args.keywords.empty()) return unknown();
  auto n = numbers(in, args.positional[0], args.call);
  if (!n) return in.has_pending() ? Value::error() : unknown();
  return reduced(in, How, n->items, args.call);
}

template <Operator Op>
Value cumulated(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  auto n = one_argument(in, args);
  if (!n) return in.has_pending() ? Value::error() : unknown();
  if (!is_order_free(n->items)) return unknown();
  for (std::size_t i = 0; i < n->items.size(); ++i) {
    Value& v = n->items[i];
    v = numpy_scalar(v.is_float() ? default_numpy_type(v) : NumpyType::Int64, v);
    if (i > 0) v = numpy_binary(Op, n->items[i - 1], v);
  }
  return array_of(in, std::move(n->items));
}

// ---- functions of numbers -----------------------------------------------------------------------------------------

using Real = double (*)(double);

template <Real F>
Value real(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  auto n = one_argument(in, args);
  if (!n) return in.has_pending() ? Value::error() : unknown();
  for (Value& v : n->items) {
    const NumpyType type = default_numpy_type(v);
    if (!is_floating(type) && type != NumpyType::Int64 && type != NumpyType::Int32) return unknown();
    v = numpy_scalar(is_floating(type) ? type : NumpyType::Float64, Value::floating(F(*in.as_number(v))));
  }
  return result_of(in, std::move(*n));
}

template <bool (*F)(double)>
Value tested(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  auto n = args.positional.size() == 1 ? numbers(in, args.positional[0], args.call) : std::nullopt;
  if (!n) return in.has_pending() ? Value::error() : unknown();
  for (Value& v : n->items) v = Value::boolean(F(*in.as_number(v)));
  return result_of(in, std::move(*n));
}
bool is_nan(double x) { return std::isnan(x); }
bool is_inf(double x) { return std::isinf(x); }
bool is_finite(double x) { return std::isfinite(x); }

// abs and sign keep integers.
template <bool Sign>
Value magnitude(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  auto n = one_argument(in, args);
  if (!n) return in.has_pending() ? Value::error() : unknown();
  for (Value& v : n->items) {
    const NumpyType type = default_numpy_type(v);
    if (v.is_float()) {
      v = Value::floating(!Sign ? std::abs(v.f) : std::isnan(v.f) ? v.f : (v.f > 0) - (v.f < 0));
    } else if (v.is_int()) {
      if (v.i == INT64_MIN) return unknown();
      v = Value::integer(Sign ? (v.i > 0) - (v.i < 0) : v.i < 0 ? -v.i : v.i);
    }
    v = numpy_scalar(type, v);
  }
  return result_of(in, std::move(*n));
}

template <Operator Op>
Value two_of(Interpreter& in, const Arguments& args, Value self) {
  if (!args.keywords.empty()) return unknown();
  return array_operator<Op, false>(in, args, self);
}

template <bool Max>
Value extreme(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  if (args.positional.size() != 2 || !args.keywords.empty()) return unknown();
  return elementwise(in, args.positional[0], args.positional[1], args.call, [&](Value x, Value y) {
    return reduced(in, Max ? Reduction::Max : Reduction::Min, {in_operands_type(x, y), in_operands_type(y, x)},
                   args.call);
  });
}

Value clip(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  Bound a(in, args, "numpy.clip", {"a", "a_min", "a_max"}, 3, true);
  if (!a) return Value::error();
  Value low[] = {a[0], a[1]};
  Arguments two = args;
  two.keywords = {};
  two.spans = {};
  two.positional = low;
  Value raised = a[1].is_none() ? a[0] : extreme<true>(in, two, Value());
  if (raised.is_error() || a[2].is_none()) return raised;
  Value high[] = {raised, a[2]};
  two.positional = high;
  return extreme<false>(in, two, Value());
}

Value make_array(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  Bound a(in, args, "numpy.array", {"object", "dtype"}, 1, true);
  if (!a) return Value::error();
  auto dtype = a.has(1) ? numpy_dtype(in, a[1]) : std::nullopt;
  auto type = dtype ? numpy_type(*dtype) : std::nullopt;
  if (args.keywords.size() > (a.given(1) ? 1u : 0u) || (a.has(1) && !type)) return unknown();
  auto n = numbers(in, a[0], args.call);
  if (!n) return in.has_pending() ? Value::error() : unknown();
  if (type) {
    for (Value& v : n->items) v = numpy_scalar(*type, v);
  }
  return n->scalar ? unknown() : array_of(in, std::move(n->items));
}

Value arange(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  if (args.positional.empty() || args.positional.size() > 3 || !args.keywords.empty()) return unknown();
  std::int64_t bounds[3] = {0, 0, 1};
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    Value v = args.positional[i];
    if (!v.is_int()) return unknown();
    bounds[args.positional.size() == 1 ? 1 : i] = v.i;
  }
  const __int128 distance = static_cast<__int128>(bounds[1]) - bounds[0];
  if (bounds[2] == 0 || distance / bounds[2] > static_cast<__int128>(kMostItems)) return unknown();
  std::vector<Value> items;
  for (std::int64_t v = bounds[0]; bounds[2] > 0 ? v < bounds[1] : v > bounds[1]; v += bounds[2]) {
    items.push_back(Value::integer(v));
  }
  return array_of(in, std::move(items));
}

// ---- methods and attributes of arrays -----------------------------------------------------------------------------

Value array_getitem(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  List* items = args.positional.size() == 2 ? items_of(args.positional[0]) : nullptr;
  if (!items || !(args.positional[1].is_int() || args.positional[1].as<Slice>())) return unknown();
  Value v = in.subscript(Value::object(items), args.positional.subspan(1), true, args.call);
  return v.as<List>() ? array_of(in, v.as<List>()->items) : v;
}
Value array_setitem(Interpreter& in, const Arguments& args, Value) {
  List* items = args.positional.size() == 3 ? items_of(args.positional[0]) : nullptr;
  if (!items) return unknown();
  Value index = args.positional[1], v = args.positional[2];
  // An array keeps the type of its elements: what does not fit is converted in ways of numpy's.
  const bool fits = index.is_int() && !items->items.empty() && items->items[0].tag == v.tag;
  if (fits) v = numpy_scalar(items->items[0].numpy, v);
  if (!fits || v.is_opaque()) {
    args.positional[0].as<Instance>()->set(kItems, unknown());
    return Value::none();
  }
  return in.set_subscript(Value::object(items), args.positional.subspan(1, 1), true, v, args.call) ? Value::none()
                                                                                                   : Value::error();
}
Value array_len(Interpreter&, const Arguments& args, Value) {
  List* items = items_of(args.positional[0]);
  return items ? Value::integer(static_cast<std::int64_t>(items->items.size())) : unknown();
}
Value array_iter(Interpreter& in, const Arguments& args, Value) {
  List* items = items_of(args.positional[0]);
  return items ? in.list(items->items) : unknown();
}
Value array_list(Interpreter& in, const Arguments& args, Value) {
  List* items = items_of(args.positional[0]);
  if (!items) return unknown();
  std::vector<Value> out = items->items;
  for (Value& v : out) v = python_number(v);
  return in.list(std::move(out));
}
Value array_as_type(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  List* items = items_of(args.positional[0]);
  auto dtype = items && args.positional.size() == 2 ? numpy_dtype(in, args.positional[1]) : std::nullopt;
  auto type = dtype ? numpy_type(*dtype) : std::nullopt;
  if (!type) return unknown();
  std::vector<Value> out = items->items;
  for (Value& v : out) v = numpy_scalar(*type, v);
  return array_of(in, std::move(out));
}
Value array_truth(Interpreter& in, const Arguments& args, Value) {
  List* items = items_of(args.positional[0]);
  if (!items || items->items.size() != 1) return unknown();
  return Value::boolean(*in.as_number(items->items[0]) != 0);
}

Value array_attribute(Interpreter& in, const Arguments& args, Value) {
  Str* name = args.positional.size() == 2 ? args.positional[1].as<Str>() : nullptr;
  List* items = items_of(args.positional[0]);
  if (!name || !items) return unknown();
  const Value size = Value::integer(static_cast<std::int64_t>(items->items.size()));
  if (name->text == "shape") return in.tuple({size});
  if (name->text == "size") return size;
  if (name->text == "ndim") return Value::integer(1);
  if (name->text == "T") return args.positional[0];
  const NumpyType type = items->items.empty() ? NumpyType::None : items->items[0].numpy;
  if (type == NumpyType::None) return unknown();
  const ir::DataType dtype = dtype_of_numpy(type);
  if (name->text == "dtype") return numpy_dtype_value(in, dtype);
  if (name->text == "itemsize") return Value::integer((dtype.bits + 7) / 8);
  return unknown();
}

template <Operator Op>
void add_operator(Interpreter& in, Class* cls, std::string_view name, std::string_view reflected) {
  add_method(in, cls, name, array_operator<Op, false>);
  if (!reflected.empty()) add_method(in, cls, reflected, array_operator<Op, true>);
}

Class* array_class(Interpreter& in) {
  return shared_class(in, "numpy.ndarray", [&] {
    Class* cls = make_class(in, "ndarray", {class_named(in, "object")}, opaque_function);
    add_operator<Operator::Add>(in, cls, "__add__", "__radd__");
    add_operator<Operator::Sub>(in, cls, "__sub__", "__rsub__");
    add_operator<Operator::Mul>(in, cls, "__mul__", "__rmul__");
    add_operator<Operator::FloorDiv>(in, cls, "__floordiv__", "__rfloordiv__");
    add_operator<Operator::Div>(in, cls, "__truediv__", "__rtruediv__");
    add_operator<Operator::Mod>(in, cls, "__mod__", "__rmod__");
    add_operator<Operator::Pow>(in, cls, "__pow__", "__rpow__");
    add_operator<Operator::LShift>(in, cls, "__lshift__", "__rlshift__");
    add_operator<Operator::RShift>(in, cls, "__rshift__", "__rrshift__");
    add_operator<Operator::BitAnd>(in, cls, "__and__", "__rand__");
    add_operator<Operator::BitOr>(in, cls, "__or__", "__ror__");
    add_operator<Operator::BitXor>(in, cls, "__xor__", "__rxor__");
    add_operator<Operator::Eq>(in, cls, "__eq__", "");
    add_operator<Operator::Ne>(in, cls, "__ne__", "");
    add_operator<Operator::Lt>(in, cls, "__lt__", "");
    add_operator<Operator::Le>(in, cls, "__le__", "");
    add_operator<Operator::Gt>(in, cls, "__gt__", "");
    add_operator<Operator::Ge>(in, cls, "__ge__", "");
    add_method(in, cls, "__getitem__", array_getitem);
    add_method(in, cls, "__setitem__", array_setitem);
    add_method(in, cls, "__len__", array_len);
    add_method(in, cls, "__iter__", array_iter);
    add_method(in, cls, "__bool__", array_truth);
    add_method(in, cls, "__getattr__", array_attribute);
    add_method(in, cls, "tolist", array_list);
    add_method(in, cls, "astype", array_as_type);
    add_method(in, cls, "prod", reduction<Reduction::Prod>);
    add_method(in, cls, "sum", reduction<Reduction::Sum>);
    add_method(in, cls, "max", reduction<Reduction::Max>);
    add_method(in, cls, "min", reduction<Reduction::Min>);
    add_method(in, cls, "mean", reduction<Reduction::Mean>);
    add_method(in, cls, "any", reduction<Reduction::Any>);
    add_method(in, cls, "all", reduction<Reduction::All>);
    cls->has_unknown_base = true;  // its other methods
    return cls;
  });
}

// ---- dtypes -------------------------------------------------------------------------------------------------------

struct Alias {
  std::string_view name, meant;
};
constexpr Alias kAliases[] = {
    {"bool_", "bool"},       {"half", "float16"},  {"single", "float32"}, {"double", "float64"}, {"float_", "float64"},
    {"int_", "int64"},       {"intc", "int32"},    {"intp", "int64"},     {"byte", "int8"},      {"ubyte", "uint8"},
    {"short", "int16"},      {"ushort", "uint16"}, {"longlong", "int64"}, {"uintc", "uint32"},   {"uintp", "uint64"},
    {"ulonglong", "uint64"}, {"float", "float32"}, {"long", "int64"},     {"int", "int32"},
};

// The dtype that a package names so; nothing: it names none. Those of torch call int32 `int`; numpy has no such names.
std::optional<ir::DataType> named_dtype(std::string_view name, bool torch) {
  const bool of_torch = name == "float" || name == "int" || name == "long";
  for (const Alias& a : kAliases) {
    if (a.name == name && (torch || !of_torch)) return ir::parse_dtype(a.meant);
  }
  if (name.find('x') != name.npos || name == "handle" || name == "void") return std::nullopt;
  const bool typed = name.starts_with("int") || name.starts_with("uint") || name.starts_with("float") ||
                     name.starts_with("bfloat") || name == "bool";
  const bool sized = typed && (name == "bool" || name.find_first_of("0123456789") != name.npos);
  return sized ? ir::parse_dtype(name) : std::nullopt;
}

// What is known of the numbers of a type: finfo and iinfo. `Numpy`: those of finfo are numbers of the type.
template <bool Numpy>
Value limits(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  if (args.positional.size() != 1) return unknown();
  Value of = args.positional[0];
  auto dtype = dtype_of(of);
  if (!dtype && of.as<Str>()) dtype = ir::parse_dtype(of.as<Str>()->text);
  if (!dtype || dtype->lanes != 1) return unknown();
  Instance* out = in.make<Instance>();
  out->cls = shared_class(in, "numpy.finfo", [&] {
    Class* cls = make_class(in, "finfo", {class_named(in, "object")});
    cls->has_unknown_base = true;
    return cls;
  });
  out->set("bits", Value::integer(dtype->bits));
  out->set("dtype", in.string(ir::dtype_name(*dtype)));
  const std::string name = ir::dtype_name(*dtype);
  if (name.starts_with("int") || name.starts_with("uint")) {
    const bool is_signed = name.starts_with("int");
    const __int128 one = 1;
    out->set("min", in.big(is_signed ? -(one << (dtype->bits - 1)) : 0));
    out->set("max", in.big((one << (is_signed ? dtype->bits - 1 : dtype->bits)) - 1));
    return Value::object(out);
  }
  struct Row {
    std::string_view name;
    double max, eps, tiny;
  };
  static const Row kNumpyRows[] = {
      {"float16", 65504.0, std::ldexp(1, -10), std::ldexp(1, -14)},
      {"bfloat16", std::ldexp(255.0, 120), std::ldexp(1, -7), std::ldexp(1, -126)},
      {"float32", std::numeric_limits<float>::max(), std::ldexp(1, -23), std::ldexp(1, -126)},
      {"float64", std::numeric_limits<double>::max(), std::ldexp(1, -52), std::ldexp(1, -1022)},
      {"float8_e4m3fn", 448.0, 0.125, std::ldexp(1, -6)},
      {"float8_e5m2", 57344.0, 0.25, std::ldexp(1, -14)},
  };
  for (const Row& row : kNumpyRows) {
    if (row.name != name) continue;
    const auto type = Numpy ? numpy_type(*dtype) : std::nullopt;
    auto number = [&](double x) { return type ? numpy_scalar(*type, Value::floating(x)) : Value::floating(x); };
    out->set("max", number(row.max));
    out->set("min", number(-row.max));
    out->set("eps", number(row.eps));
    out->set("tiny", number(row.tiny));
    out->set("smallest_normal", number(row.tiny));
    return Value::object(out);
  }
  return unknown();
}

// np.int32(3): the number, where the type holds it.
Value scalar(Interpreter&, const Arguments& args, Value self) {
  if (auto u = unknown_argument(args)) return *u;
  Class* cls = self.as<Class>();
  auto dtype = cls ? dtype_of(self) : std::nullopt;
  auto type = dtype ? numpy_type(*dtype) : std::nullopt;
  if (!type || args.positional.size() != 1 || !args.keywords.empty()) return unknown();
  return numpy_scalar(*type, args.positional[0]);
}

// The abstract classes above a type, the nearest first.
std::vector<std::string_view> kinds_above(std::string_view name) {
  if (name == "bool") return {"generic"};
  if (name.find("float") != name.npos) return {"floating", "inexact", "number", "generic"};
  return {name.starts_with("u") ? "unsignedinteger" : "signedinteger", "integer", "number", "generic"};
}

// np.float16 and the like: called, it converts; named, it is a dtype.
Value dtype_class(Interpreter& in, ir::DataType dtype) {
  const std::string name = ir::dtype_name(dtype);
  const std::string key = "numpy." + name;
  if (Class* cls = class_named(in, key)) return Value::object(cls);
  const std::string_view kept_key = in.keep(key), kept_name = in.keep(name);
  Class* cls = make_class(in, kept_name, {class_named(in, "object")}, scalar);
  auto derive = [&](Class* base) {
    cls->bases.insert(cls->bases.end() - 1, base);
    cls->mro.insert(cls->mro.end() - 1, base);
  };
  if (numpy_type(dtype)) {
    for (std::string_view kind : kinds_above(name)) derive(typing_marker(in, "numpy." + std::string(kind)).as<Class>());
  }
  if (name == "float64") derive(class_named(in, "float"));
  DataTypeValue* d = in.make<DataTypeValue>();
  d->dtype = dtype;
  cls->scope->set(kDtype, Value::object(d));
  in.builtins().set(kept_key, Value::object(cls));
  return Value::object(cls);
}

Value same_dtype(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.size() != 2) return Value::not_implemented();
  auto of = [&](Value v) {
    auto d = dtype_of(v);
    return !d && v.as<Str>() ? ir::parse_dtype(v.as<Str>()->text) : d;
  };
  (void)in;
  auto a = of(args.positional[0]), b = of(args.positional[1]);
  return Value::boolean(a && b && *a == *b);
}
Value dtype_text(Interpreter& in, const Arguments& args, Value) {
  Instance* i = args.positional.empty() ? nullptr : args.positional[0].as<Instance>();
  Value* text = i ? i->find("<text>") : nullptr;
  return text ? *text : in.string("dtype");
}

// np.dtype("float16") or torch.float16, of the class `key`.
Value dtype_value(Interpreter& in, ir::DataType dtype, std::string_view key) {
  const std::string name = ir::dtype_name(dtype);
  const std::string hidden = std::string(key) + "." + name;
  if (Value* known = in.builtins().find(hidden)) return *known;
  Instance* d = in.make<Instance>();
  d->cls = dtype_value_class(in, key);
  DataTypeValue* value = in.make<DataTypeValue>();
  value->dtype = dtype;
  d->set(kDtype, Value::object(value));
  const bool torch = key == "torch.dtype";
  d->set("<text>", in.string((torch ? "torch." : "") + name));
  d->set("itemsize", Value::integer((dtype.bits * dtype.lanes + 7) / 8));
  if (torch) {
    d->set("is_floating_point", Value::boolean(name.find("float") != name.npos));
  } else {
    d->set("name", in.string(name));
    d->set("kind", in.string(name.starts_with("int")    ? "i"
                             : name.starts_with("uint") ? "u"
                             : name == "bool"           ? "b"
                                                        : "f"));
    d->set("type", dtype_class(in, dtype));
  }
  in.builtins().set(in.keep(hidden), Value::object(d));
  return Value::object(d);
}

Value make_dtype(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  if (args.positional.size() != 1) return unknown();
  auto dtype = numpy_dtype(in, args.positional[0]);
  return dtype ? dtype_value(in, *dtype, "numpy.dtype") : unknown();
}

template <double const& V>
Value constant(Interpreter&) {
  return Value::floating(V);
}
constexpr double kPi = std::numbers::pi, kE = std::numbers::e;
constexpr double kGamma = std::numbers::egamma;
constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

double ceil_of(double x) { return std::ceil(x); }
double floor_of(double x) { return std::floor(x); }
double trunc_of(double x) { return std::trunc(x); }
double rint_of(double x) { return std::nearbyint(x); }
double sqrt_of(double x) { return std::sqrt(x); }
double cbrt_of(double x) { return std::cbrt(x); }
double exp_of(double x) { return std::exp(x); }
double exp2_of(double x) { return std::exp2(x); }
double log_of(double x) { return std::log(x); }
double log2_of(double x) { return std::log2(x); }
double log10_of(double x) { return std::log10(x); }

constexpr Entry kNumpyNames[] = {
    {"prod", reduction<Reduction::Prod>},
    {"sum", reduction<Reduction::Sum>},
    {"max", reduction<Reduction::Max>},
    {"amax", reduction<Reduction::Max>},
    {"min", reduction<Reduction::Min>},
    {"amin", reduction<Reduction::Min>},
    {"mean", reduction<Reduction::Mean>},
    {"any", reduction<Reduction::Any>},
    {"all", reduction<Reduction::All>},
    {"cumsum", cumulated<Operator::Add>},
    {"cumprod", cumulated<Operator::Mul>},
    {"ceil", real<ceil_of>},
    {"floor", real<floor_of>},
    {"trunc", real<trunc_of>},
    {"rint", real<rint_of>},
    {"sqrt", real<sqrt_of>},
    {"cbrt", real<cbrt_of>},
    {"exp", real<exp_of>},
    {"exp2", real<exp2_of>},
    {"log", real<log_of>},
    {"log2", real<log2_of>},
    {"log10", real<log10_of>},
    {"isnan", tested<is_nan>},
    {"isinf", tested<is_inf>},
    {"isfinite", tested<is_finite>},
    {"abs", magnitude<false>},
    {"absolute", magnitude<false>},
    {"sign", magnitude<true>},
    {"maximum", extreme<true>},
    {"minimum", extreme<false>},
    {"clip", clip},
    {"add", two_of<Operator::Add>},
    {"subtract", two_of<Operator::Sub>},
    {"multiply", two_of<Operator::Mul>},
    {"divide", two_of<Operator::Div>},
    {"floor_divide", two_of<Operator::FloorDiv>},
    {"mod", two_of<Operator::Mod>},
    {"remainder", two_of<Operator::Mod>},
    {"power", two_of<Operator::Pow>},
    {"array", make_array},
    {"asarray", make_array},
    {"arange", arange},
    {"finfo", limits<true>},
    {"iinfo", limits<true>},
    {"dtype", nullptr, [](Interpreter& in) { return Value::object(dtype_value_class(in, "numpy.dtype")); }},
    {"ndarray", nullptr, [](Interpreter& in) { return Value::object(array_class(in)); }},
    {"generic", nullptr, [](Interpreter& in) { return typing_marker(in, "numpy.generic"); }},
    {"number", nullptr, [](Interpreter& in) { return typing_marker(in, "numpy.number"); }},
    {"integer", nullptr, [](Interpreter& in) { return typing_marker(in, "numpy.integer"); }},
    {"signedinteger", nullptr, [](Interpreter& in) { return typing_marker(in, "numpy.signedinteger"); }},
    {"unsignedinteger", nullptr, [](Interpreter& in) { return typing_marker(in, "numpy.unsignedinteger"); }},
    {"inexact", nullptr, [](Interpreter& in) { return typing_marker(in, "numpy.inexact"); }},
    {"floating", nullptr, [](Interpreter& in) { return typing_marker(in, "numpy.floating"); }},
    {"inf", nullptr, constant<kInf>},
    {"nan", nullptr, constant<kNan>},
    {"pi", nullptr, constant<kPi>},
    {"e", nullptr, constant<kE>},
    {"euler_gamma", nullptr, constant<kGamma>},
    {"newaxis", nullptr, [](Interpreter&) { return Value::none(); }},
};

// torch.empty((), dtype=...), of which scripts ask the size of an element.
Value element_size(Interpreter&, const Arguments& args, Value) {
  Instance* tensor = args.positional.empty() ? nullptr : args.positional[0].as<Instance>();
  Value* size = tensor ? tensor->find("<element size>") : nullptr;
  return size ? *size : Value::opaque(kTorch);
}
Value torch_empty(Interpreter& in, const Arguments& args, Value) {
  Tuple* shape = args.positional.size() == 1 ? args.positional[0].as<Tuple>() : nullptr;
  const bool single = args.keywords.size() == 1 && args.keywords[0].name == "dtype";
  const auto dtype = single ? dtype_of(args.keywords[0].value) : std::nullopt;
  if (!shape || !shape->items.empty() || !dtype) return Value::opaque(kTorch);
  Instance* tensor = in.make<Instance>();
  tensor->cls = shared_class(in, "torch.Tensor of one element", [&] {
    Class* cls = make_class(in, "Tensor", {class_named(in, "object")});
    add_method(in, cls, "element_size", element_size);
    cls->has_unknown_base = true;
    return cls;
  });
  tensor->set("dtype", args.keywords[0].value);
  tensor->set("<element size>", Value::integer((dtype->bits * dtype->lanes + 7) / 8));
  return Value::object(tensor);
}

constexpr Entry kTorchNames[] = {
    {"empty", torch_empty},
    {"finfo", limits<false>},
    {"iinfo", limits<false>},
    {"dtype", nullptr, [](Interpreter& in) { return Value::object(dtype_value_class(in, "torch.dtype")); }},
    {"inf", nullptr, constant<kInf>},
    {"nan", nullptr, constant<kNan>},
    {"pi", nullptr, constant<kPi>},
};

}  // namespace

// The class of np.dtype(...), which makes one, or of torch's dtypes, which does not.
Class* dtype_value_class(Interpreter& in, std::string_view key) {
  return shared_class(in, key, [&] {
    const bool numpy = key == "numpy.dtype";
    Class* cls = make_class(in, "dtype", {class_named(in, "object")}, numpy ? make_dtype : opaque_function);
    if (numpy) add_method(in, cls, "__eq__", same_dtype);
    add_method(in, cls, "__str__", dtype_text);
    add_method(in, cls, "__repr__", dtype_text);
    cls->has_unknown_base = true;
    return cls;
  });
}

std::optional<ir::DataType> dtype_of(Value v) {
  Value* found = nullptr;
  if (Instance* i = v.as<Instance>()) found = i->find(kDtype);
  if (Class* c = v.as<Class>(); c && c->construct && c->scope) {
    if (auto* b = c->scope->find(kDtype)) found = &b->value;
  }
  DataTypeValue* d = found ? found->as<DataTypeValue>() : v.as<DataTypeValue>();
  return d && !d->subscripted ? std::optional(d->dtype) : std::nullopt;
}

std::span<const Entry> numpy_names() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> names(std::begin(kNumpyNames), std::end(kNumpyNames));
    names.insert(names.end(), numpy_function_names().begin(), numpy_function_names().end());
    return names;
  }();
  return all;
}
Class* numpy_class(Interpreter& in, NumpyType type) { return dtype_class(in, dtype_of_numpy(type)).as<Class>(); }
Value numpy_dtype_value(Interpreter& in, ir::DataType dtype) { return dtype_value(in, dtype, "numpy.dtype"); }
std::optional<ir::DataType> numpy_dtype(Interpreter& in, Value v) {
  if (auto dtype = dtype_of(v)) return dtype;
  if (Str* s = v.as<Str>()) return named_dtype(s->text, false);
  const Class* cls = v.as<Class>();
  if (!cls) return std::nullopt;
  if (cls == class_named(in, "int")) return ir::parse_dtype("int64");
  if (cls == class_named(in, "float")) return ir::parse_dtype("float64");
  return cls == class_named(in, "bool") ? ir::parse_dtype("bool") : std::nullopt;
}

std::span<const Entry> torch_names() { return kTorchNames; }

Value numpy_name(Interpreter& in, std::string_view name) {
  auto dtype = named_dtype(name, false);
  return dtype ? dtype_class(in, *dtype) : unknown();
}
Value torch_name(Interpreter& in, std::string_view name) {
  auto dtype = named_dtype(name, true);
  return dtype ? dtype_value(in, *dtype, "torch.dtype") : Value::opaque(kTorch);
}
Value ml_dtypes_name(Interpreter& in, std::string_view name) {
  auto dtype = named_dtype(name, false);
  return dtype ? dtype_class(in, *dtype) : Value::opaque("the module 'ml_dtypes'");
}

}  // namespace tilewright::script::python
