// Functions of numpy that scripts call on shapes and sizes, beside arithmetic and reductions (numpy.cpp).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "compiler/script/python/numpy_arrays.h"

namespace tilewright::script::python {
namespace {

using syntax::Operator;

Value unknown() { return unknown_of_numpy(); }

bool is_number(Value v) { return v.is_int() || v.is_float() || v.is_bool(); }

// What is computed element by element from two numbers, both as scalars of numpy's.
template <Value (*F)(Value, Value)>
Value pairwise(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  if (args.positional.size() != 2 || !args.keywords.empty()) return unknown();
  return elementwise(in, args.positional[0], args.positional[1], args.call, [](Value x, Value y) {
    const NumpyType type = promoted_operands(x, y);
    x = numpy_scalar(type, x);
    y = numpy_scalar(type, y);
    return is_number(x) && is_number(y) ? F(x, y) : unknown();
  });
}

template <Operator Op>
Value by_operator(Value x, Value y) {
  return numpy_binary(Op, x, y);
}
Value greatest_divisor(Value x, Value y) {
  if (!x.is_int() || x.i == INT64_MIN || y.i == INT64_MIN) return unknown();
  return numpy_scalar(x.numpy, Value::integer(std::gcd(x.i, y.i)));
}
Value least_multiple(Value x, Value y) {
  if (!x.is_int() || x.i == INT64_MIN || y.i == INT64_MIN) return unknown();
  if (x.i == 0 || y.i == 0) return numpy_scalar(x.numpy, Value::integer(0));
  const __int128 all = static_cast<__int128>(std::abs(x.i / std::gcd(x.i, y.i))) * std::abs(y.i);
  if (all > INT64_MAX) return unknown();
  return numpy_scalar(x.numpy, python_number(Value::integer(static_cast<std::int64_t>(all))));
}
template <bool And>
Value logical(Value x, Value y) {
  const bool p = x.is_float() ? x.f != 0 : x.is_bool() ? x.b : x.i != 0;
  const bool q = y.is_float() ? y.f != 0 : y.is_bool() ? y.b : y.i != 0;
  return numpy_scalar(NumpyType::Bool, Value::boolean(And ? p && q : p || q));
}

Value logical_not(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  auto n = one_argument(in, args);
  if (!n) return in.has_pending() ? Value::error() : unknown();
  for (Value& v : n->items) v = numpy_scalar(NumpyType::Bool, Value::boolean(*in.as_number(v) == 0));
  return result_of(in, std::move(*n));
}

Value square(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  auto n = one_argument(in, args);
  if (!n) return in.has_pending() ? Value::error() : unknown();
  for (Value& v : n->items) {
    v = numpy_scalar(default_numpy_type(v), v);
    v = numpy_binary(Operator::Mul, v, v);
  }
  return result_of(in, std::move(*n));
}

// np.round(x), without decimals.
Value round_all(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  auto n = one_argument(in, args);
  if (!n) return in.has_pending() ? Value::error() : unknown();
  for (Value& v : n->items) {
    const NumpyType type = default_numpy_type(v);
    if (type == NumpyType::Bool) return unknown();
    if (v.is_float()) v = numpy_scalar(type, Value::floating(std::nearbyint(v.f)));
  }
  return result_of(in, std::move(*n));
}

// The array that a function of one array gets; nothing: there is none, or something is pending.
std::optional<std::vector<Value>> array_argument(Interpreter& in, const Arguments& args) {
  auto n = one_argument(in, args);
  if (!n || n->scalar) return std::nullopt;
  const bool has_nan = std::ranges::any_of(n->items, [&](Value v) { return std::isnan(*in.as_number(v)); });
  return has_nan ? std::nullopt : std::optional(std::move(n->items));
}
Value not_followed(Interpreter& in) { return in.has_pending() ? Value::error() : unknown(); }

template <bool Greatest>
Value place_of_extreme(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  auto items = array_argument(in, args);
  if (!items || items->empty()) return not_followed(in);
  std::size_t at = 0;
  for (std::size_t i = 1; i < items->size(); ++i) {
    const double x = *in.as_number((*items)[i]), best = *in.as_number((*items)[at]);
    if (Greatest ? x > best : x < best) at = i;
  }
  return numpy_scalar(NumpyType::Int64, Value::integer(static_cast<std::int64_t>(at)));
}

// The items in order; `unique`: each once.
template <bool Unique>
Value sorted_items(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  auto items = array_argument(in, args);
  if (!items) return not_followed(in);
  auto number = [&](Value v) { return *in.as_number(v); };
  std::ranges::stable_sort(*items, {}, number);
  if (Unique) items->erase(std::ranges::unique(*items, {}, number).begin(), items->end());
  return array_of(in, std::move(*items));
}

Value differences(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  auto items = array_argument(in, args);
  if (!items || items->empty()) return not_followed(in);
  std::vector<Value> out;
  for (std::size_t i = 1; i < items->size(); ++i) {
    const Value before = numpy_scalar(default_numpy_type((*items)[i - 1]), (*items)[i - 1]);
    out.push_back(numpy_binary(Operator::Sub, (*items)[i], before));
  }
  return out.empty() ? unknown() : array_of(in, std::move(out));
}

Value count_nonzero(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  auto items = array_argument(in, args);
  if (!items) return not_followed(in);
  return Value::integer(std::ranges::count_if(*items, [&](Value v) { return *in.as_number(v) != 0; }));
}

// The inner product of two arrays of whole numbers.
Value inner_product(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  if (args.positional.size() != 2 || !args.keywords.empty()) return unknown();
  auto x = numbers(in, args.positional[0], args.call), y = numbers(in, args.positional[1], args.call);
  if (!x || !y || x->scalar || y->scalar || x->items.size() != y->items.size() || x->items.empty()) {
    return not_followed(in);
  }
  Value sum = numpy_scalar(NumpyType::Int64, Value::integer(0));
  for (std::size_t i = 0; i < x->items.size(); ++i) {
    const Value p = numpy_scalar(default_numpy_type(x->items[i]), x->items[i]);
    const Value product = p.is_int() && y->items[i].is_int() ? numpy_binary(Operator::Mul, p, y->items[i]) : unknown();
    if (!is_number(product)) return unknown();
    sum = numpy_binary(Operator::Add, sum, product);
  }
  return sum;
}

// ---- arrays of one value, and shapes --------------------------------------------------------------------------------

// np.zeros(4, dtype=int) and the like. `shape`, then the value where the function takes one, then the dtype.
Value filled(Interpreter& in, const Arguments& args, std::string_view function, Value value, bool takes_value) {
  if (auto u = unknown_argument(args)) return *u;
  Bound a = takes_value ? Bound(in, args, function, {"shape", "fill_value", "dtype"}, 2, true)
                        : Bound(in, args, function, {"shape", "dtype"}, 1, true);
  if (!a) return Value::error();
  if (takes_value) value = a[1];
  const std::size_t at = takes_value ? 2 : 1;
  auto shape = numbers(in, a[0], args.call);
  if (!shape || shape->items.size() != 1 || !shape->items[0].is_int()) return not_followed(in);
  const std::int64_t count = shape->items[0].i;
  if (count < 0 || count > static_cast<std::int64_t>(kMostItems) || !is_number(value)) return unknown();
  NumpyType type = default_numpy_type(value);
  if (a.has(at)) {
    auto dtype = numpy_dtype(in, a[at]);
    auto given = dtype ? numpy_type(*dtype) : std::nullopt;
    if (!given) return unknown();
    type = *given;
  }
  return array_of(in, std::vector<Value>(static_cast<std::size_t>(count), numpy_scalar(type, value)));
}
Value zeros(Interpreter& in, const Arguments& args, Value) {
  return filled(in, args, "numpy.zeros", Value::floating(0), false);
}
Value ones(Interpreter& in, const Arguments& args, Value) {
  return filled(in, args, "numpy.ones", Value::floating(1), false);
}
Value full(Interpreter& in, const Arguments& args, Value) { return filled(in, args, "numpy.full", Value(), true); }

// The extents of nested sequences; nothing: they are ragged, or hold something else.
std::optional<std::vector<Value>> extents(Interpreter& in, Value v, int depth) {
  if (auto n = numbers(in, v, {})) {
    if (n->scalar) return std::vector<Value>();
    return std::vector<Value>{Value::integer(static_cast<std::int64_t>(n->items.size()))};
  }
  const List* list = v.as<List>();
  const Tuple* tuple = v.as<Tuple>();
  if ((!list && !tuple) || depth > 8) return std::nullopt;
  const std::vector<Value>& items = list ? list->items : tuple->items;
  if (items.empty() || items.size() > kMostItems) return std::nullopt;
  std::optional<std::vector<Value>> inner;
  for (Value item : items) {
    auto of_item = extents(in, item, depth + 1);
    const auto same = [](Value x, Value y) { return x.i == y.i; };
    if (!of_item || (inner && !std::ranges::equal(*inner, *of_item, same))) return std::nullopt;
    inner = std::move(of_item);
  }
  inner->insert(inner->begin(), Value::integer(static_cast<std::int64_t>(items.size())));
  return inner;
}

enum class Of : std::uint8_t { Shape, Size, Dimensions };

template <Of What>
Value shape_of(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  if (args.positional.size() != 1 || !args.keywords.empty()) return unknown();
  auto shape = extents(in, args.positional[0], 0);
  if (!shape) return not_followed(in);
  if (What == Of::Shape) return in.tuple(std::move(*shape));
  if (What == Of::Dimensions) return Value::integer(static_cast<std::int64_t>(shape->size()));
  std::int64_t size = 1;
  for (Value v : *shape) {
    if (__builtin_mul_overflow(size, v.i, &size)) return unknown();
  }
  return Value::integer(size);
}

// np.ndindex(2, 3): the indices of a shape, the last one fastest.
Value indices(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  if (!args.keywords.empty()) return unknown();
  std::vector<Value> shape(args.positional.begin(), args.positional.end());
  if (shape.size() == 1 && shape[0].as<Tuple>()) shape = shape[0].as<Tuple>()->items;
  std::size_t count = 1;
  for (Value v : shape) {
    if (!v.is_int() || v.i < 0) return unknown();
    count = v.i > static_cast<std::int64_t>(kMostItems) ? kMostItems + 1 : count * static_cast<std::size_t>(v.i);
    if (count > kMostItems) return unknown();
  }
  if (!in.charge(16 * count * (shape.size() + 1), args.call)) return Value::error();
  Iterator* out = in.make<Iterator>();
  for (std::size_t at = 0; at < count; ++at) {
    std::vector<Value> index(shape.size());
    std::size_t rest = at;
    for (std::size_t d = shape.size(); d-- > 0; rest /= static_cast<std::size_t>(shape[d].i)) {
      index[d] = Value::integer(static_cast<std::int64_t>(rest % static_cast<std::size_t>(shape[d].i)));
    }
    out->items.push_back(in.tuple(std::move(index)));
  }
  return Value::object(out);
}

// np.issubdtype(dtype, np.floating)
Value is_sub_dtype(Interpreter& in, const Arguments& args, Value) {
  if (auto u = unknown_argument(args)) return *u;
  if (args.positional.size() != 2 || !args.keywords.empty()) return unknown();
  auto dtype = numpy_dtype(in, args.positional[0]);
  auto type = dtype ? numpy_type(*dtype) : std::nullopt;
  Class* of = args.positional[1].as<Class>();
  if (auto exact = numpy_dtype(in, args.positional[1])) {
    auto wanted = numpy_type(*exact);
    of = wanted ? numpy_class(in, *wanted) : nullptr;
  }
  return type && of ? Value::boolean(is_subclass(numpy_class(in, *type), of)) : unknown();
}

constexpr Entry kFunctions[] = {
    {"gcd", pairwise<greatest_divisor>},
    {"lcm", pairwise<least_multiple>},
    {"bitwise_and", pairwise<by_operator<Operator::BitAnd>>},
    {"bitwise_or", pairwise<by_operator<Operator::BitOr>>},
    {"bitwise_xor", pairwise<by_operator<Operator::BitXor>>},
    {"left_shift", pairwise<by_operator<Operator::LShift>>},
    {"right_shift", pairwise<by_operator<Operator::RShift>>},
    {"equal", pairwise<by_operator<Operator::Eq>>},
    {"not_equal", pairwise<by_operator<Operator::Ne>>},
    {"less", pairwise<by_operator<Operator::Lt>>},
    {"less_equal", pairwise<by_operator<Operator::Le>>},
    {"greater", pairwise<by_operator<Operator::Gt>>},
    {"greater_equal", pairwise<by_operator<Operator::Ge>>},
    {"logical_and", pairwise<logical<true>>},
    {"logical_or", pairwise<logical<false>>},
    {"logical_not", logical_not},
    {"square", square},
    {"round", round_all},
    {"around", round_all},
    {"argmax", place_of_extreme<true>},
    {"argmin", place_of_extreme<false>},
    {"sort", sorted_items<false>},
    {"unique", sorted_items<true>},
    {"diff", differences},
    {"count_nonzero", count_nonzero},
    {"dot", inner_product},
    {"zeros", zeros},
    {"ones", ones},
    {"full", full},
    {"shape", shape_of<Of::Shape>},
    {"size", shape_of<Of::Size>},
    {"ndim", shape_of<Of::Dimensions>},
    {"ndindex", indices},
    {"issubdtype", is_sub_dtype},
};

}  // namespace

std::span<const Entry> numpy_function_names() { return kFunctions; }

}  // namespace tilewright::script::python
