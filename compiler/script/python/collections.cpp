// The module `collections`. A deque is a list, an OrderedDict a dict; a defaultdict keeps its dict hidden inside.
#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/script/python/support.h"

namespace tilewright::script::python {
namespace {

// ---- defaultdict --------------------------------------------------------------------------------------------------

Value construct_defaultdict(Interpreter& in, const Arguments& args, Value) {
  Arguments rest = args;
  Value factory;
  if (!args.positional.empty()) {
    factory = args.positional[0];
    rest.positional = args.positional.subspan(1);
    rest.spans = args.spans.empty() ? args.spans : args.spans.subspan(1);
  }
  Value inner = class_named(in, "dict")->construct(in, rest, Value::none());
  if (!inner.as<Dict>()) return inner;
  Instance* instance = in.make<Instance>();
  instance->cls = class_named(in, "collections.defaultdict");
  instance->set("default_factory", factory);
  instance->set(kInnerDict, inner);
  return Value::object(instance);
}

Value defaultdict_missing(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "__missing__", 2, 2)) return Value::error();
  const Value key = args.positional[1], inner = inner_dict_of(args.positional[0]);
  Instance* self = args.positional[0].as<Instance>();
  Value* factory = self ? self->find("default_factory") : nullptr;
  Dict* dict = inner.as<Dict>();
  if (!dict) return inner;
  if (!factory || factory->is_none()) return in.subscript(inner, {&key, 1}, true, args.call);
  const Value made = call(in, *factory, {}, args.call);
  if (!made.is_error()) in.dict_set(dict, key, made);
  return in.has_pending() ? Value::error() : made;
}

Value defaultdict_class(Interpreter& in) {
  return Value::object(shared_class(in, "collections.defaultdict", [&] {
    Class* cls = make_class(in, "defaultdict", {dict_methods_class(in)}, construct_defaultdict);
    add_method(in, cls, "__missing__", defaultdict_missing);
    return cls;
  }));
}

// ---- deque --------------------------------------------------------------------------------------------------------

Value construct_deque(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "deque", {"iterable", "maxlen"}, 0);
  if (!a) return Value::error();
  if (a.has(1)) return Value::opaque("a deque with a maximal length");
  std::vector<Value> items;
  if (a.has(0)) {
    auto given = in.iterate(a[0], a.span(0));
    if (!given) return Value::error();
    items = std::move(*given);
  }
  if (!reserve(in, args.call, items.size() * sizeof(Value))) return Value::error();
  return in.list(std::move(items));
}

Value deque_class(Interpreter& in) {
  return Value::object(shared_class(in, "collections.deque", [&] {
    return make_class(in, "deque", {class_named(in, "object")}, known<construct_deque>);
  }));
}

// ---- Counter ------------------------------------------------------------------------------------------------------

// Adds what another mapping, or the items of an iterable, count, `sign` times.
bool count_more(Interpreter& in, Dict* counts, const Arguments& args, std::int64_t sign) {
  const Value given = args.positional[1];
  std::vector<std::pair<Value, Value>> more;
  if (Dict* other = as_dict(given)) {
    more = other->items;
  } else {
    auto items = in.iterate(given, args.at(1));
    if (!items) return false;
    for (Value v : *items) more.emplace_back(v, Value::integer(1));
  }
  for (const auto& [key, count] : more) {
    if (!in.step(args.call)) return false;
    Value* known = in.dict_find(counts, key);
    const Value before = known ? *known : Value::integer(0);
    const Value now = in.binary(sign > 0 ? syntax::Operator::Add : syntax::Operator::Sub, before, count, args.call);
    if (now.is_error()) return false;
    in.dict_set(counts, key, now);
  }
  return !in.has_pending();
}

template <int Sign>
Value change_counts(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, Sign > 0 ? "update" : "subtract", 1, 2)) return Value::error();
  const Value inner = inner_dict_of(args.positional[0]);
  if (!inner.as<Dict>()) return inner.is_opaque() ? inner : Value::error();
  if (args.positional.size() == 1) return Value::none();
  return count_more(in, inner.as<Dict>(), args, Sign) ? Value::none() : Value::error();
}

Value construct_counter(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.size() > 1) return in.fail(code::kArguments, args.call, "Counter() takes at most 1 argument");
  Instance* instance = in.make<Instance>();
  instance->cls = class_named(in, "collections.Counter");
  Dict* counts = in.make<Dict>();
  instance->set(kInnerDict, Value::object(counts));
  for (const Keyword& k : args.keywords) in.dict_set(counts, in.string(k.name), k.value);
  if (args.positional.empty()) return Value::object(instance);
  if (!args.keywords.empty()) return Value::opaque("a Counter of values and of keywords");
  const Value both[] = {Value::object(instance), args.positional[0]};
  Arguments more = args;
  more.positional = both;
  more.spans = {};
  return count_more(in, counts, more, 1) ? Value::object(instance) : Value::error();
}

Value total(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "total", 1, 1)) return Value::error();
  const Value inner = inner_dict_of(args.positional[0]);
  if (!inner.as<Dict>()) return inner.is_opaque() ? inner : Value::error();
  Value sum = Value::integer(0);
  for (const auto& [key, count] : std::vector(inner.as<Dict>()->items)) {
    sum = in.binary(syntax::Operator::Add, sum, count, args.call);
    if (sum.is_error() || !in.step(args.call)) return Value::error();
  }
  return sum;
}

// a + b and a - b of two: what is more than 0 of it, the keys of the first in front.
template <int Sign>
Value both_counts(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, Sign > 0 ? "__add__" : "__sub__", 2, 2)) return Value::error();
  Class* counter = class_named(in, "collections.Counter");
  for (Value v : args.positional) {
    Instance* instance = v.as<Instance>();
    Dict* counts = instance && instance->cls == counter ? inner_dict_of(v).as<Dict>() : nullptr;
    if (!counts || !std::ranges::all_of(counts->items, [](const auto& item) { return item.second.is_int(); }))
      return Value::opaque("a sum of Counters");
  }
  const Dict &a = *inner_dict_of(args.positional[0]).as<Dict>(), &b = *inner_dict_of(args.positional[1]).as<Dict>();
  if (!in.charge(4 * (a.items.size() + b.items.size()), args.call)) return Value::error();
  Dict* all = in.make<Dict>();
  for (const auto& [key, count] : a.items) in.dict_set(all, key, count);
  for (const auto& [key, count] : b.items) {
    Value* known = in.dict_find(all, key);
    const Value first = known ? *known : Value::integer(0);
    in.dict_set(all, key, in.binary(Sign > 0 ? syntax::Operator::Add : syntax::Operator::Sub, first, count, args.call));
  }
  if (in.has_pending()) return Value::error();
  Instance* instance = in.make<Instance>();
  instance->cls = counter;
  Dict* counts = in.make<Dict>();
  instance->set(kInnerDict, Value::object(counts));
  for (const auto& [key, count] : all->items)
    if (count.is_int() && count.i > 0) in.dict_set(counts, key, count);
  return Value::object(instance);
}

Value no_count(Interpreter&, const Arguments&, Value) { return Value::integer(0); }

// The items with the highest counts first, those of the same count as they came.
Value most_common(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "most_common", 1, 2)) return Value::error();
  const Value inner = inner_dict_of(args.positional[0]);
  if (!inner.as<Dict>()) return inner.is_opaque() ? inner : Value::error();
  auto items = inner.as<Dict>()->items;
  if (!std::ranges::all_of(items, [](const auto& item) { return item.second.is_int(); })) {
    return Value::opaque("a Counter of other values than integers");
  }
  std::ranges::stable_sort(items, [](const auto& a, const auto& b) { return a.second.i > b.second.i; });
  if (args.positional.size() == 2 && !args.positional[1].is_none()) {
    auto most = in.as_int(args.positional[1], args.at(1), "the number of items");
    if (!most) return Value::error();
    items.resize(std::min(items.size(), static_cast<std::size_t>(std::max<std::int64_t>(*most, 0))));
  }
  std::vector<Value> out;
  for (const auto& [key, count] : items) out.push_back(in.tuple({key, count}));
  return in.list(std::move(out));
}

Value counter_class(Interpreter& in) {
  return Value::object(shared_class(in, "collections.Counter", [&] {
    Class* cls = make_class(in, "Counter", {dict_methods_class(in)}, known<construct_counter>);
    add_method(in, cls, "__missing__", no_count);
    add_method(in, cls, "most_common", known<most_common>);
    add_method(in, cls, "update", change_counts<1>);
    add_method(in, cls, "subtract", change_counts<-1>);
    add_method(in, cls, "total", known<total>);
    add_method(in, cls, "__add__", known<both_counts<1>>);
    add_method(in, cls, "__sub__", known<both_counts<-1>>);
    for (std::string_view name : {"elements", "__and__", "__or__"}) {
      add_method(in, cls, name, opaque_function);
    }
    return cls;
  }));
}

constexpr Entry kCollectionsNames[] = {
    {"defaultdict", nullptr, defaultdict_class},
    {"deque", nullptr, deque_class},
    {"OrderedDict", nullptr, [](Interpreter& in) { return *in.builtins().find("dict"); }},
    {"Counter", nullptr, counter_class},
    {"namedtuple", known<namedtuple>},
};

}  // namespace

std::span<const Entry> collections_names() { return kCollectionsNames; }

}  // namespace tilewright::script::python
