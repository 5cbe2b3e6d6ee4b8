// The modules `functools`, `operator` and `itertools`. Iterators are computed at once where
// what they run over is there (lazy_iterators.h has the others).
#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/script/mode_guard.h"
#include "compiler/script/python/groups.h"
#include "compiler/script/python/identity.h"
#include "compiler/script/python/lazy_iterators.h"
#include "compiler/script/python/support.h"

namespace tilewright::script::python {
namespace {

using syntax::Operator;

// ---- functools ----------------------------------------------------------------------------------------------------

Value reduce(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "reduce", 2, 3)) return Value::error();
  auto items = in.iterate(args.positional[1], args.at(1));
  if (!items) return Value::error();
  bool has_start = args.positional.size() == 3;
  if (!has_start && items->empty()) {
    return in.fail(code::kType, args.at(1), "reduce() of nothing needs an initial value");
  }
  std::vector<Value> kept{has_start ? args.positional[2] : (*items)[0]};
  Value& result = kept[0];
  Interpreter::OwnRounds rounds(in, kept);
  for (std::size_t i = has_start ? 0 : 1; i < items->size(); ++i, rounds.end_round()) {
    if (!in.step(args.call)) return Value::error();
    result = call(in, args.positional[0], {result, (*items)[i]}, args.call);
    if (result.is_error()) return result;
  }
  return result;
}

// A partial object is a native whose self holds (function, positional arguments, keyword arguments).
Value call_partial(Interpreter& in, const Arguments& args, Value self) {
  const std::vector<Value>& parts = self.as<Tuple>()->items;
  std::vector<Value> positional = parts[1].as<Tuple>()->items;
  positional.insert(positional.end(), args.positional.begin(), args.positional.end());
  std::vector<Keyword> keywords(args.keywords.begin(), args.keywords.end());
  for (auto& [key, value] : parts[2].as<Dict>()->items) {
    std::string_view name = key.as<Str>()->text;
    if (!keyword(args, name)) keywords.push_back({name, value, args.call});
  }
  if (!in.charge(positional.size() + keywords.size(), args.call)) return Value::error();
  Arguments all = args;
  all.positional = positional;
  all.spans = {};
  all.keywords = keywords;
  return in.call(parts[0], all);
}

Value partial(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.empty()) return in.fail(code::kArguments, args.call, "partial() needs a function");
  if (args.positional[0].is_opaque()) return args.positional[0];
  Dict* keywords = in.make<Dict>();
  for (const Keyword& k : args.keywords) in.dict_set(keywords, in.string(k.name), k.value);
  std::vector<Value> rest(args.positional.begin() + 1, args.positional.end());
  Value function = args.positional[0];
  if (Native* inner = function.as<Native>(); inner && inner->function == call_partial) {  // they become one
    const std::vector<Value>& parts = inner->self.as<Tuple>()->items;
    const std::vector<Value>& first = parts[1].as<Tuple>()->items;
    if (!in.charge(first.size(), args.call)) return Value::error();
    rest.insert(rest.begin(), first.begin(), first.end());
    Dict* all = in.make<Dict>();
    if (!in.dict_add(all, *parts[2].as<Dict>(), args.call) || !in.dict_add(all, *keywords, args.call))
      return Value::error();
    keywords = all;
    function = parts[0];
  }
  return in.native("partial", call_partial, in.tuple({function, in.tuple(std::move(rest)), Value::object(keywords)}));
}

// Another function, which keeps what the given one returned (Interpreter::call_function).
Value cached(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "cache", 1, 1)) return Value::error();
  Function* f = args.positional[0].as<Function>();
  if (!f) return args.positional[0];
  Function* copy = in.make<Function>();
  *copy = *f;
  Dict* attributes = in.make<Dict>();
  copy->attributes = Value::object(attributes);
  const Value parts[] = {Value::object(f), Value::object(in.make<Dict>())};
  in.dict_set(attributes, in.string(kCached), in.tuple({parts[0], parts[1]}));
  return Value::object(copy);
}

// @lru_cache, with arguments or without.
Value cache(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.size() == 1 && args.keywords.empty() && is_callable(args.positional[0])) {
    return cached(in, args, Value());
  }
  return in.native("decorator", cached);
}

// The wrapper has the names of what it wraps.
Value wrapped(Interpreter& in, const Arguments& args, Value self) {
  Function* wrapper = args.positional.empty() ? nullptr : args.positional[0].as<Function>();
  if (!wrapper || self.is_none()) return given_back(in, args, self);
  if (wrapper->attributes.is_none()) wrapper->attributes = Value::object(in.make<Dict>());
  Dict* own = wrapper->attributes.as<Dict>();
  if (!own) return args.positional[0];
  for (std::string_view name : {"__name__", "__qualname__", "__module__", "__doc__"}) {
    const std::optional<Value> of = self.is_opaque() ? self : find_attribute(in, self, name, args.call);
    if (in.has_pending()) return Value::error();
    if (of) in.dict_set(own, in.string(name), *of);
  }
  in.dict_set(own, in.string("__wrapped__"), self);
  return args.positional[0];
}

Value wraps(Interpreter& in, const Arguments& args, Value) {
  const bool plain = args.positional.size() == 1 && args.keywords.empty();
  return in.native("decorator", wrapped, plain ? args.positional[0] : Value::opaque("functools.wraps"));
}

Value update_wrapper(Interpreter& in, const Arguments& args, Value) {
  const bool plain = args.positional.size() == 2 && args.keywords.empty();
  return wrapped(in, args, plain ? args.positional[1] : Value::opaque("functools.update_wrapper"));
}

Value cached_property(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "cached_property", 1, 1)) return Value::error();
  Property* property = in.make<Property>();
  property->getter = args.positional[0];
  property->cached = true;
  return Value::object(property);
}

struct Order {
  std::string_view method;
  bool negated, without_equal;  // what a < b is of it
};
constexpr Order kOrders[] = {
    {"__lt__", false, false}, {"__gt__", true, true}, {"__le__", false, true}, {"__ge__", true, false}};

// What functools.total_ordering adds: `Op` by the method that the class has, which is that of kOrders[Root], and ==.
template <std::size_t Root, Operator Op>
Value derived_order(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "a comparison", 2, 2)) return Value::error();
  const Value a = args.positional[0], b = args.positional[1];
  const Value given = call(in, in.attribute(a, kOrders[Root].method, args.call), {b}, args.call);
  if (given.is_error() || given.is_opaque() || given.tag == Tag::NotImplemented) return given;
  const Value same = in.compare(Operator::Eq, a, b, args.call);
  if (same.is_error() || same.is_opaque()) return same;
  const auto root = in.truth(given, args.call), equal = in.truth(same, args.call);
  if (!root || !equal) return Value::error();
  const bool less = *root != kOrders[Root].negated && !(kOrders[Root].without_equal && *equal);
  switch (Op) {
    case Operator::Lt: return Value::boolean(less);
    case Operator::Le: return Value::boolean(less || *equal);
    case Operator::Gt: return Value::boolean(!less && !*equal);
    default: return Value::boolean(!less);
  }
}

template <std::size_t Root>
void derive_orders(Interpreter& in, Class* cls) {
  auto add = [&](std::string_view name, NativeFunction function) {
    if (!cls->find(name)) add_method(in, cls, name, function);
  };
  add("__lt__", derived_order<Root, Operator::Lt>);
  add("__le__", derived_order<Root, Operator::Le>);
  add("__gt__", derived_order<Root, Operator::Gt>);
  add("__ge__", derived_order<Root, Operator::Ge>);
}

Value total_ordering(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "total_ordering", 1, 1)) return Value::error();
  Class* cls = args.positional[0].as<Class>();
  if (!cls) return args.positional[0];
  if (cls->find("__lt__")) {
    derive_orders<0>(in, cls);
  } else if (cls->find("__gt__")) {
    derive_orders<1>(in, cls);
  } else if (cls->find("__le__")) {
    derive_orders<2>(in, cls);
  } else if (cls->find("__ge__")) {
    derive_orders<3>(in, cls);
  }
  return args.positional[0];
}

// What stands behind the first colon of a function, or behind its arrow, as a list; empty: nothing does. Asked for when
// the function has just been made.
Value first_annotation(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "register", 1, 1)) return Value::error();
  Function* f = args.positional[0].as<Function>();
  if (!f || f->mode != FunctionMode::Host) return Value::opaque("the annotations of a function");
  const syntax::Node* found = nullptr;
  for (const syntax::Parameter& p : f->def->params) found = found ? found : p.annotation;
  if (!found) found = f->def->returns;
  if (!found) return in.list({});
  if (found->kind == syntax::NodeKind::StringLit) return Value::opaque("an annotation that is a text");
  ModeGuard guard(in);
  guard.enter(false, f->anchor, f->keep);
  const Value annotation = in.eval(found, f->closure);
  return annotation.is_error() ? annotation : in.list({annotation});
}

// True if `cls` has the subclasses that are written, and no others: not known of unions, of kinds of values
// (numbers.Number), of protocols, and of classes that others are registered for or that answer issubclass() themselves.
bool is_plain_class(Class* cls) {
  const auto is_protocol = [](const Class* c) { return is_marker(c) && c->name == "Protocol"; };
  return cls && !cls->has_unknown_base && !is_marker(cls) && !cls->find("__subclasshook__") &&
         !(cls->scope && cls->scope->find(kHasRegistered)) && std::ranges::none_of(cls->bases, is_protocol);
}

// The first of the classes, where all of them are plain ones.
Value plain_class(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.empty()) return in.fail(code::kArguments, args.call, "singledispatch needs a class");
  const bool all = std::ranges::all_of(args.positional, [](Value v) { return is_plain_class(v.as<Class>()); });
  return all ? args.positional[0] : Value::opaque("a class that others may be registered for");
}

constexpr Entry kFunctools[] = {
    {"_first_annotation", first_annotation},
    {"_plain_class", plain_class},
    {"reduce", known<reduce>},
    {"partial", partial},
    {"lru_cache", cache},
    {"cache", cached},
    {"wraps", wraps},
    {"update_wrapper", update_wrapper},
    {"total_ordering", total_ordering},
    {"cached_property", cached_property},
    {"cmp_to_key", cmp_to_key},
};

// ---- operator -----------------------------------------------------------------------------------------------------

template <Operator Op>
Value binary(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "an operator", 2, 2)) return Value::error();
  return in.binary(Op, args.positional[0], args.positional[1], args.call);
}

template <Operator Op>
Value comparison(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "an operator", 2, 2)) return Value::error();
  return in.compare(Op, args.positional[0], args.positional[1], args.call);
}

template <Operator Op>
Value unary(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "an operator", 1, 1)) return Value::error();
  return in.unary(Op, args.positional[0], args.call);
}

Value contains(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "contains", 2, 2)) return Value::error();
  return in.compare(Operator::In, args.positional[1], args.positional[0], args.call);
}

Value op_truth(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "truth", 1, 1)) return Value::error();
  if (args.positional[0].is_opaque()) return args.positional[0];
  auto t = in.truth(args.positional[0], args.at(0));
  return t ? Value::boolean(*t) : Value::error();
}

Value getitem(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "getitem", 2, 2)) return Value::error();
  return in.subscript(args.positional[0], args.positional.subspan(1), true, args.call);
}

Value setitem(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "setitem", 3, 3)) return Value::error();
  bool ok = in.set_subscript(args.positional[0], args.positional.subspan(1, 1), true, args.positional[2], args.call);
  return ok ? Value::none() : Value::error();
}

// itemgetter(a, b, ...)(x) and attrgetter("a.b", ...)(x): self holds what to get.
Value get_items(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "itemgetter", 1, 1)) return Value::error();
  std::vector<Value> got;
  for (Value key : self.as<Tuple>()->items) {
    Value v = in.subscript(args.positional[0], {&key, 1}, true, args.call);
    if (v.is_error()) return v;
    got.push_back(v);
  }
  return got.size() == 1 ? got[0] : in.tuple(std::move(got));
}

Value get_attributes(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "attrgetter", 1, 1)) return Value::error();
  std::vector<Value> got;
  for (Value path : self.as<Tuple>()->items) {
    auto dotted = in.as_string(path, args.call, "the name of an attribute");
    if (!dotted) return Value::error();
    std::string_view rest = in.keep(*dotted);
    Value v = args.positional[0];
    while (!rest.empty() && !v.is_error()) {
      std::size_t dot = std::min(rest.find('.'), rest.size());
      v = in.attribute(v, rest.substr(0, dot), args.call);
      rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    if (v.is_error()) return v;
    got.push_back(v);
  }
  return got.size() == 1 ? got[0] : in.tuple(std::move(got));
}

// methodcaller(name, ...)(x): self holds the name and what to call it with.
Value call_method(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "methodcaller", 1, 1)) return Value::error();
  const std::vector<Value> held = self.as<Tuple>()->items;
  auto name = in.as_string(held[0], args.call, "the name of a method");
  if (!name) return Value::error();
  Value method = in.attribute(args.positional[0], in.keep(*name), args.call);
  if (method.is_error()) return method;
  return in.call(method, std::span(held).subspan(1), args.call);
}

template <NativeFunction F>
Value getter(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "a getter", 1, SIZE_MAX)) return Value::error();
  return in.native("getter", F, in.tuple({args.positional.begin(), args.positional.end()}));
}

constexpr Entry kOperator[] = {
    {"add", binary<Operator::Add>},
    {"sub", binary<Operator::Sub>},
    {"mul", binary<Operator::Mul>},
    {"matmul", binary<Operator::MatMul>},
    {"truediv", binary<Operator::Div>},
    {"floordiv", binary<Operator::FloorDiv>},
    {"mod", binary<Operator::Mod>},
    {"pow", binary<Operator::Pow>},
    {"lshift", binary<Operator::LShift>},
    {"rshift", binary<Operator::RShift>},
    {"and_", binary<Operator::BitAnd>},
    {"or_", binary<Operator::BitOr>},
    {"xor", binary<Operator::BitXor>},
    {"concat", binary<Operator::Add>},
    {"iadd", binary<Operator::Add>},
    {"imul", binary<Operator::Mul>},
    {"eq", comparison<Operator::Eq>},
    {"ne", comparison<Operator::Ne>},
    {"lt", comparison<Operator::Lt>},
    {"le", comparison<Operator::Le>},
    {"gt", comparison<Operator::Gt>},
    {"ge", comparison<Operator::Ge>},
    {"is_", comparison<Operator::Is>},
    {"is_not", comparison<Operator::IsNot>},
    {"neg", unary<Operator::Neg>},
    {"pos", unary<Operator::Pos>},
    {"invert", unary<Operator::Invert>},
    {"inv", unary<Operator::Invert>},
    {"not_", unary<Operator::Not>},
    {"truth", known<op_truth>},
    {"contains", contains},
    {"getitem", getitem},
    {"setitem", setitem},
    {"itemgetter", getter<get_items>},
    {"attrgetter", getter<get_attributes>},
    {"methodcaller", getter<call_method>},
    {"index", nullptr, [](Interpreter& in) { return *in.builtins().find("int"); }},
};

// ---- itertools ----------------------------------------------------------------------------------------------------

// Rows of a result: counted as they come, so that 20! rows end with the memory limit.
class Rows {
 public:
  Rows(Interpreter& in, text::Span span) : in_(in), span_(span) {}

  bool add(Value v) {
    if (!reserve(in_, span_, sizeof(Value))) return false;
    items_.push_back(v);
    return true;
  }
  bool add_tuple(std::vector<Value> row) {
    if (!reserve(in_, span_, row.size() * sizeof(Value))) return false;
    return add(in_.tuple(std::move(row)));
  }
  Value finish() {
    Iterator* it = in_.make<Iterator>();
    it->items = std::move(items_);
    return Value::object(it);
  }

 private:
  Interpreter& in_;
  text::Span span_;
  std::vector<Value> items_;
};

using Lists = std::vector<std::vector<Value>>;

std::optional<Lists> iterate_all(Interpreter& in, const Arguments& args) {
  Lists all;
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    auto items = in.iterate(args.positional[i], args.at(i));
    if (!items) return std::nullopt;
    all.push_back(std::move(*items));
  }
  return all;
}

Value product(Interpreter& in, const Arguments& args, Value) {
  auto once = iterate_all(in, args);
  if (!once) return Value::error();
  std::int64_t repeat = 1;
  if (const Keyword* k = keyword(args, "repeat")) {
    auto given = in.as_int(k->value, k->span, "repeat");
    if (!given) return Value::error();
    repeat = *given;
  }
  if (repeat < 0 || repeat > 64) {
    return in.fail(code::kValue, args.call, "repeat of product() must be 0 to 64", {}, "ValueError");
  }
  std::vector<const std::vector<Value>*> pools;
  for (std::int64_t r = 0; r < repeat; ++r) {
    for (const auto& items : *once) pools.push_back(&items);
  }
  Rows rows(in, args.call);
  for (auto* pool : pools) {
    if (pool->empty()) return rows.finish();
  }
  std::vector<std::size_t> at(pools.size());
  while (true) {
    std::vector<Value> row;
    for (std::size_t i = 0; i < pools.size(); ++i) row.push_back((*pools[i])[at[i]]);
    if (!rows.add_tuple(std::move(row))) return Value::error();
    std::size_t i = pools.size();
    while (i > 0 && ++at[i - 1] == pools[i - 1]->size()) at[--i] = 0;
    if (i == 0) return rows.finish();
  }
}

Value chain(Interpreter& in, const Arguments& args, Value) {
  if (comes_by_items(args.positional)) return lazy_iterator(in, Over::Chain, Value(), args.positional, args.call);
  Rows rows(in, args.call);
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    auto items = in.iterate(args.positional[i], args.at(i));
    if (!items) return Value::error();
    for (Value v : *items) {
      if (!rows.add(v)) return Value::error();
    }
  }
  return rows.finish();
}

Value chain_from_iterable(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "from_iterable", 1, 1)) return Value::error();
  if (comes_by_items(args.positional)) return lazy_iterator(in, Over::ChainOfOne, Value(), args.positional, args.call);
  auto items = in.iterate(args.positional[0], args.at(0));
  if (!items) return Value::error();
  Arguments inner = args;
  inner.positional = *items;
  inner.spans = {};
  return known<chain>(in, inner, self);
}

// `chain` is a class, to have from_iterable as its attribute.
Value chain_class(Interpreter& in) {
  return Value::object(shared_class(in, "itertools.chain", [&] {
    Class* cls = make_class(in, "chain", {class_named(in, "object")}, known<chain>);
    cls->scope->set("from_iterable", in.native("from_iterable", known<chain_from_iterable>));
    return cls;
  }));
}

Value accumulate(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "accumulate", {"iterable", "func", "initial"}, 1);
  if (!a) return Value::error();
  auto items = in.iterate(a[0], a.span(0));
  if (!items) return Value::error();
  if (a.has(2)) items->insert(items->begin(), a[2]);
  Rows rows(in, args.call);
  Value total;
  for (std::size_t i = 0; i < items->size(); ++i) {
    Value item = (*items)[i];
    total = i == 0     ? item
            : a.has(1) ? call(in, a[1], {total, item}, args.call)
                       : in.binary(Operator::Add, total, item, args.call);
    if (total.is_error() || !rows.add(total)) return Value::error();
  }
  return rows.finish();
}

enum class Selection { Permutations, Combinations, WithReplacement };

template <Selection S>
Value select(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "a selection", {"iterable", "r"}, S == Selection::Permutations ? 1 : 2);
  if (!a) return Value::error();
  auto items = in.iterate(a[0], a.span(0));
  if (!items) return Value::error();
  std::size_t n = items->size(), r = n;
  if (a.has(1)) {
    auto given = in.as_int(a[1], a.span(1), "r");
    if (!given) return Value::error();
    if (*given < 0) return in.fail(code::kValue, a.span(1), "r must not be negative", {}, "ValueError");
    r = static_cast<std::size_t>(std::min<std::int64_t>(*given, 4096));
  }
  Rows rows(in, args.call);
  if (S != Selection::WithReplacement && r > n) return rows.finish();
  // Depth first over positions, without recursion: `at` is the choice made so far.
  std::vector<std::size_t> at;
  std::vector<bool> used(n);
  std::size_t next = 0;
  while (true) {
    if (!in.step(args.call)) return Value::error();
    while (S == Selection::Permutations && next < n && used[next]) {
      if ((++next & 63) == 0 && !in.step(args.call)) return Value::error();
    }
    if (at.size() == r || next >= n) {
      if (at.size() == r) {
        std::vector<Value> row;
        for (std::size_t i : at) row.push_back((*items)[i]);
        if (!rows.add_tuple(std::move(row))) return Value::error();
      }
      if (at.empty()) return rows.finish();
      next = at.back() + 1;
      used[at.back()] = false;
      at.pop_back();
      continue;
    }
    at.push_back(next);
    used[next] = true;
    next = S == Selection::Permutations ? 0 : S == Selection::Combinations ? next + 1 : next;
  }
}

Value repeat(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "repeat", {"object", "times"}, 1);
  if (!a) return Value::error();
  if (!a.has(1)) return lazy_iterator(in, Over::Repeat, a[0], {}, args.call);
  auto times = in.as_int(a[1], a.span(1), "times");
  if (!times) return Value::error();
  Rows rows(in, args.call);
  for (std::int64_t i = 0; i < *times; ++i) {
    if (!rows.add(a[0])) return Value::error();
  }
  return rows.finish();
}

Value lazy_slice(Interpreter& in, const Arguments& args) {
  const std::size_t n = args.positional.size() - 1;
  std::int64_t numbers[3] = {0, -1, 1};
  for (std::size_t i = 0; i < n; ++i) {
    if (args.positional[i + 1].is_none()) continue;
    auto given = in.as_int(args.positional[i + 1], args.at(i + 1), "a bound of islice()");
    if (!given) return Value::error();
    if (*given < 0 || (i == 2 && *given == 0)) {
      return in.fail(code::kValue, args.at(i + 1), "bounds of islice() are not negative", {}, "ValueError");
    }
    numbers[n == 1 ? 1 : i] = *given;
  }
  return lazy_iterator(in, Over::Slice, Value(), args.positional.first(1), args.call, numbers[0], numbers[2],
                       numbers[1]);
}

Value count(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "count", {"start", "step"}, 0);
  if (!a) return Value::error();
  std::int64_t numbers[2] = {0, 1};
  for (std::size_t i = 0; i < 2; ++i) {
    if (!a.has(i)) continue;
    auto given = in.as_int(a[i], a.span(i), "a number of count()");
    if (!given) return Value::error();
    numbers[i] = *given;
  }
  return lazy_iterator(in, Over::Count, Value(), {}, args.call, numbers[0], numbers[1]);
}

Value cycle(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "cycle", 1, 1)) return Value::error();
  return lazy_iterator(in, Over::Cycle, Value(), args.positional, args.call);
}

Value islice(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "islice", 2, 4)) return Value::error();
  if (comes_by_items(args.positional.first(1))) return lazy_slice(in, args);
  auto items = in.iterate(args.positional[0], args.at(0));
  if (!items) return Value::error();
  std::int64_t bounds[3] = {0, INT64_MAX, 1};
  std::size_t n = args.positional.size() - 1;
  for (std::size_t i = 0; i < n; ++i) {
    Value v = args.positional[i + 1];
    if (v.is_none()) continue;
    auto given = in.as_int(v, args.at(i + 1), "a bound of islice()");
    if (!given) return Value::error();
    bounds[n == 1 ? 1 : i] = *given;
  }
  if (bounds[0] < 0 || bounds[1] < 0 || bounds[2] < 1) {
    return in.fail(code::kValue, args.call, "the bounds of islice() must not be negative", {}, "ValueError");
  }
  Rows rows(in, args.call);
  std::int64_t stop = std::min(bounds[1], static_cast<std::int64_t>(items->size()));
  for (std::int64_t i = bounds[0]; i < stop; i += std::min(bounds[2], stop)) {
    if (!rows.add((*items)[static_cast<std::size_t>(i)])) return Value::error();
  }
  return rows.finish();
}

Value zip_longest(Interpreter& in, const Arguments& args, Value) {
  auto all = iterate_all(in, args);
  if (!all) return Value::error();
  const Keyword* fill = keyword(args, "fillvalue");
  std::size_t longest = 0;
  for (auto& items : *all) longest = std::max(longest, items.size());
  Rows rows(in, args.call);
  for (std::size_t i = 0; i < longest; ++i) {
    std::vector<Value> row;
    for (auto& items : *all) row.push_back(i < items.size() ? items[i] : fill ? fill->value : Value::none());
    if (!rows.add_tuple(std::move(row))) return Value::error();
  }
  return rows.finish();
}

Value starmap(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "starmap", 2, 2)) return Value::error();
  if (comes_by_items(args.positional.subspan(1))) {
    return lazy_iterator(in, Over::StarMap, args.positional[0], args.positional.subspan(1), args.call);
  }
  auto items = in.iterate(args.positional[1], args.at(1));
  if (!items) return Value::error();
  Rows rows(in, args.call);
  for (Value item : *items) {
    auto row = in.iterate(item, args.at(1));
    if (!row) return Value::error();
    Value v = in.call(args.positional[0], *row, args.call);
    if (v.is_error() || !rows.add(v)) return Value::error();
  }
  return rows.finish();
}

template <bool Take>
Value while_true(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, Take ? "takewhile" : "dropwhile", 2, 2)) return Value::error();
  if (comes_by_items(args.positional.subspan(1))) {
    const Over over = Take ? Over::TakeWhile : Over::DropWhile;
    return lazy_iterator(in, over, args.positional[0], args.positional.subspan(1), args.call);
  }
  auto items = in.iterate(args.positional[1], args.at(1));
  if (!items) return Value::error();
  Rows rows(in, args.call);
  bool holds = true;
  for (Value item : *items) {
    if (holds) {
      Value v = call(in, args.positional[0], {item}, args.call);
      auto t = v.is_error() ? std::nullopt : in.truth(v, args.call);
      if (!t) return Value::error();
      holds = *t;
      if (Take && !holds) break;
    }
    if (holds == Take && !rows.add(item)) return Value::error();
  }
  return rows.finish();
}

Value pairwise(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "pairwise", 1, 1)) return Value::error();
  auto items = in.iterate(args.positional[0], args.at(0));
  if (!items) return Value::error();
  Rows rows(in, args.call);
  for (std::size_t i = 1; i < items->size(); ++i) {
    if (!rows.add_tuple({(*items)[i - 1], (*items)[i]})) return Value::error();
  }
  return rows.finish();
}

// Of what is no iterator: each of the copies begins again. An iterator would be spent by reading it here.
Value tee(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "tee", 1, 2)) return Value::error();
  std::int64_t copies = 2;
  if (args.positional.size() == 2) {
    auto given = in.as_int(args.positional[1], args.at(1), "the number of iterators");
    if (!given) return Value::error();
    copies = *given;
  }
  const Value from = args.positional[0];
  if (!from.as<List>() && !from.as<Tuple>() && !from.as<Range>() && !from.as<Str>())
    return opaque_named(in, "itertools.tee");
  if (copies < 0 || copies > 64) return opaque_named(in, "itertools.tee");
  Value* iter = in.builtins().find("iter");
  std::vector<Value> out;
  for (std::int64_t i = 0; iter && i < copies; ++i) {
    out.push_back(call(in, *iter, {from}, args.call));
    if (out.back().is_error()) return Value::error();
  }
  return in.tuple(std::move(out));
}

constexpr Entry kItertools[] = {
    {"product", known<product>},
    {"chain", nullptr, chain_class},
    {"accumulate", known<accumulate>},
    {"permutations", known<select<Selection::Permutations>>},
    {"combinations", known<select<Selection::Combinations>>},
    {"combinations_with_replacement", known<select<Selection::WithReplacement>>},
    {"repeat", known<repeat>},
    {"islice", known<islice>},
    {"zip_longest", known<zip_longest>},
    {"starmap", known<starmap>},
    {"takewhile", known<while_true<true>>},
    {"dropwhile", known<while_true<false>>},
    {"pairwise", known<pairwise>},
    {"groupby", group_by},
    {"tee", known<tee>},
    {"count", known<count>},
    {"cycle", known<cycle>},
};

}  // namespace

std::span<const Entry> functools_names() { return kFunctools; }
std::span<const Entry> operator_names() { return kOperator; }
std::span<const Entry> itertools_names() { return kItertools; }

}  // namespace tilewright::script::python
