// The module `collections`. A deque is a list, an OrderedDict a dict; a defaultdict keeps its dict hidden inside.
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

Value counter(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "Counter", 0, 1)) return Value::error();
  Dict* dict = in.make<Dict>();
  if (!args.positional.empty()) {
    if (args.positional[0].as<Dict>()) return Value::opaque("a Counter made of a dict");
    auto items = in.iterate(args.positional[0], args.at(0));
    if (!items) return Value::error();
    for (Value v : *items) {
      if (!in.step(args.call)) return Value::error();
      Value* n = in.dict_find(dict, v);
      in.dict_set(dict, v, Value::integer(n ? n->i + 1 : 1));
    }
  }
  return Value::object(dict);
}

constexpr Entry kNames[] = {
    {"defaultdict", nullptr, defaultdict_class},
    {"deque", nullptr, deque_class},
    {"OrderedDict", nullptr, [](Interpreter& in) { return *in.builtins().find("dict"); }},
    {"Counter", known<counter>},
    {"namedtuple", known<namedtuple>},
};

}  // namespace

std::span<const Entry> collections_names() { return kNames; }

}  // namespace tilewright::script::python
