// Instances that are dicts: of classes of a script that derive from dict, and defaultdicts. What they hold is a dict in
// a hidden attribute; the methods here stand where dict's own stand among their bases.
#include "compiler/script/codes.h"
#include "compiler/script/python/methods.h"

namespace tilewright::script::python {

Value inner_dict_of(Value v) {
  Instance* instance = v.as<Instance>();
  Value* inner = instance ? instance->find(kInnerDict) : nullptr;
  return inner ? *inner : Value::none();
}

Dict* as_dict(Value v) {
  if (Dict* d = v.as<Dict>()) return d;
  return inner_dict_of(v).as<Dict>();
}

namespace {

// The dict of a call; None: an error is pending. Opaque: it is not known any more.
Value dict_of_call(Interpreter& in, const Arguments& args, std::string_view name) {
  const Value self = args.positional.empty() ? Value() : args.positional[0];
  if (self.as<Dict>() || self.is_opaque()) return self;
  const Value inner = inner_dict_of(self);
  if (inner.is_none()) in.fail(code::kArguments, args.call, std::string(name) + " needs a dict");
  return inner;
}

Value get_item(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "__getitem__", 2, 2)) return Value::error();
  const Value inner = dict_of_call(in, args, "__getitem__");
  Dict* dict = inner.as<Dict>();
  const Value key = args.positional[1];
  if (!dict) return inner.is_opaque() ? inner : Value::error();
  const bool known = in.unknown_within(key).is_none();
  if (Value* found = known ? in.dict_find(dict, key) : nullptr) return *found;
  if (in.has_pending()) return Value::error();
  Instance* self = args.positional[0].as<Instance>();
  if (known && self && self->cls->find("__missing__")) {
    return call(in, in.attribute(args.positional[0], "__missing__", args.call), {key}, args.call);
  }
  return in.subscript(inner, {&key, 1}, true, args.call);
}

Value set_item(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "__setitem__", 3, 3)) return Value::error();
  const Value inner = dict_of_call(in, args, "__setitem__");
  if (inner.is_none()) return Value::error();
  return in.set_subscript(inner, args.positional.subspan(1, 1), true, args.positional[2], args.call) ? Value::none()
                                                                                                     : Value::error();
}

// Fills the dict as dict(...) would.
Value initialise(Interpreter& in, const Arguments& args, Value) {
  const Value inner = dict_of_call(in, args, "__init__");
  Dict* dict = inner.as<Dict>();
  if (!dict) return inner.is_opaque() ? inner : Value::error();
  Arguments rest = args;
  rest.positional = args.positional.subspan(1);
  rest.spans = {};
  const Value made = class_named(in, "dict")->construct(in, rest, Value::object(class_named(in, "dict")));
  Dict* more = made.as<Dict>();
  if (!more) return made;
  return in.dict_add(dict, *more, args.call) ? Value::none() : Value::error();
}

constexpr std::string_view kForwarded[] = {"__contains__", "__len__", "__iter__",   "get",   "pop",
                                           "update",       "keys",    "values",     "items", "copy",
                                           "clear",        "popitem", "setdefault", "__eq__"};

// The method of the dict itself.
template <std::size_t I>
Value forward(Interpreter& in, const Arguments& args, Value) {
  const Value inner = dict_of_call(in, args, kForwarded[I]);
  if (inner.is_none()) return Value::error();
  if (inner.is_opaque()) return inner;
  Arguments rest = args;
  rest.positional = args.positional.subspan(1);
  rest.spans = {};
  const Entry* own = find_entry(dict_methods(), kForwarded[I]);
  const Value method = own ? in.native(own->name, own->function, inner) : in.attribute(inner, kForwarded[I], args.call);
  return method.is_error() ? method : in.call(method, rest);
}

template <std::size_t... I>
void add_forwarded(Interpreter& in, Class* cls, std::index_sequence<I...>) {
  (add_method(in, cls, kForwarded[I], forward<I>), ...);
}

}  // namespace

Class* dict_methods_class(Interpreter& in) {
  return shared_class(in, "builtins.dict methods", [&] {
    Class* cls = make_class(in, "dict", {class_named(in, "object")});
    add_method(in, cls, "__getitem__", get_item);
    add_method(in, cls, "__setitem__", set_item);
    add_method(in, cls, "__init__", initialise);
    add_forwarded(in, cls, std::make_index_sequence<std::size(kForwarded)>());
    return cls;
  });
}

}  // namespace tilewright::script::python
