// Attributes of Python values: tables of methods by type, and what functions, classes and instances tell of themselves.
#include "compiler/script/python/methods.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "compiler/script/codes.h"
#include "compiler/script/generators.h"
#include "compiler/script/python/numpy_scalars.h"
#include "compiler/script/python/unicode.h"
#include "compiler/script/slices.h"
#include "compiler/script/stop_iteration.h"

namespace tilewright::script {

namespace python {

const Entry* find_entry(std::span<const Entry> entries, std::string_view name) {
  auto it = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.name == name; });
  return it == entries.end() ? nullptr : &*it;
}

namespace {

// ---- numbers ------------------------------------------------------------------------------------------------------

Value int_bit_length(Interpreter& in, const Arguments&, Value self) {
  __int128 v = *in.as_big(self);
  unsigned __int128 u = v < 0 ? -static_cast<unsigned __int128>(v) : static_cast<unsigned __int128>(v);
  int n = 0;
  for (; u != 0; u >>= 1) ++n;
  return Value::integer(n);
}

Value int_bit_count(Interpreter& in, const Arguments&, Value self) {
  __int128 v = *in.as_big(self);
  unsigned __int128 u = v < 0 ? -static_cast<unsigned __int128>(v) : static_cast<unsigned __int128>(v);
  return Value::integer(std::popcount(static_cast<std::uint64_t>(u)) +
                        std::popcount(static_cast<std::uint64_t>(u >> 64)));
}

Value itself(Interpreter&, const Arguments&, Value self) { return self; }
Value yes(Interpreter&, const Arguments&, Value) { return Value::boolean(true); }
Value float_is_integer(Interpreter&, const Arguments&, Value self) {
  return Value::boolean(std::isfinite(self.f) && self.f == std::floor(self.f));
}

// (7).__add__(3), and by call_unbound int.__add__(7, 3).
template <syntax::Operator Op>
Value number_operator(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "an operator", 1, 1)) return Value::error();
  if (!in.as_number(args.positional[0]) && !args.positional[0].is_opaque()) return Value::not_implemented();
  return in.binary(Op, self, args.positional[0], args.call);
}

constexpr Entry kInt[] = {
    {"__add__", number_operator<syntax::Operator::Add>},
    {"__sub__", number_operator<syntax::Operator::Sub>},
    {"__mul__", number_operator<syntax::Operator::Mul>},
    {"__floordiv__", number_operator<syntax::Operator::FloorDiv>},
    {"__mod__", number_operator<syntax::Operator::Mod>},
    {"__lshift__", number_operator<syntax::Operator::LShift>},
    {"__rshift__", number_operator<syntax::Operator::RShift>},
    {"__and__", number_operator<syntax::Operator::BitAnd>},
    {"__or__", number_operator<syntax::Operator::BitOr>},
    {"__xor__", number_operator<syntax::Operator::BitXor>},
    {"bit_length", int_bit_length},
    {"bit_count", int_bit_count},
    {"conjugate", itself},
    {"is_integer", yes},
    {"to_bytes", opaque_function},
    {"__int__", itself},
    {"__index__", itself},
    {"as_integer_ratio", opaque_function},
};
constexpr Entry kFloat[] = {
    {"is_integer", float_is_integer},
    {"conjugate", itself},
    {"hex", opaque_function},
    {"as_integer_ratio", opaque_function},
};

// ---- names ------------------------------------------------------------------------------------------------------
// All attributes of Python's own objects that are followed here or not, as `dir` lists them; a deque is a list here,
// and an OrderedDict a dict.
struct NamesOfType {
  std::string_view type, names;
};
constexpr std::string_view kOfObjects =
    "__class__ __delattr__ __dir__ __doc__ __eq__ __format__ __ge__ __getattribute__ __getstate__ __gt__ "
    "__hash__ __init__ __init_subclass__ __le__ __lt__ __ne__ __new__ __reduce__ __reduce_ex__ __repr__ "
    "__setattr__ __sizeof__ __str__ __subclasshook__";
constexpr NamesOfType kMethodNames[] = {
    {"str",
     "__add__ __contains__ __getitem__ __getnewargs__ __iter__ __len__ __mod__ __mul__ __rmod__ __rmul__ "
     "capitalize casefold center count encode endswith expandtabs find format format_map index isalnum "
     "isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle "
     "isupper join ljust lower lstrip maketrans partition removeprefix removesuffix replace rfind rindex "
     "rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title translate upper "
     "zfill"},
    {"int",
     "__abs__ __add__ __and__ __bool__ __ceil__ __divmod__ __float__ __floor__ __floordiv__ "
     "__getnewargs__ __index__ __int__ __invert__ __lshift__ __mod__ __mul__ __neg__ __or__ __pos__ "
     "__pow__ __radd__ __rand__ __rdivmod__ __rfloordiv__ __rlshift__ __rmod__ __rmul__ __ror__ __round__ "
     "__rpow__ __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__ __sub__ __truediv__ __trunc__ "
     "__xor__ as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag numerator real "
     "to_bytes"},
    {"float",
     "__abs__ __add__ __bool__ __ceil__ __divmod__ __float__ __floor__ __floordiv__ __getformat__ "
     "__getnewargs__ __int__ __mod__ __mul__ __neg__ __pos__ __pow__ __radd__ __rdivmod__ __rfloordiv__ "
     "__rmod__ __rmul__ __round__ __rpow__ __rsub__ __rtruediv__ __sub__ __truediv__ __trunc__ "
     "as_integer_ratio conjugate fromhex hex imag is_integer real"},
    {"list",
     "__add__ __class_getitem__ __contains__ __delitem__ __getitem__ __iadd__ __imul__ __iter__ __len__ "
     "__mul__ __reversed__ __rmul__ __setitem__ append clear copy count extend index insert pop remove "
     "reverse sort appendleft extendleft maxlen popleft rotate"},
    {"tuple",
     "__add__ __class_getitem__ __contains__ __getitem__ __getnewargs__ __iter__ __len__ __mul__ __rmul__ "
     "count index"},
    {"dict",
     "__class_getitem__ __contains__ __delitem__ __getitem__ __ior__ __iter__ __len__ __or__ __reversed__ "
     "__ror__ __setitem__ clear copy fromkeys get items keys pop popitem setdefault update values move_to_end"},
    {"set",
     "__and__ __class_getitem__ __contains__ __iand__ __ior__ __isub__ __iter__ __ixor__ __len__ __or__ "
     "__rand__ __ror__ __rsub__ __rxor__ __sub__ __xor__ add clear copy difference difference_update "
     "discard intersection intersection_update isdisjoint issubset issuperset pop remove "
     "symmetric_difference symmetric_difference_update union update"},
    {"frozenset",
     "__and__ __class_getitem__ __contains__ __iter__ __len__ __or__ __rand__ __ror__ __rsub__ __rxor__ "
     "__sub__ __xor__ copy difference intersection isdisjoint issubset issuperset symmetric_difference "
     "union"},
    {"NoneType", "__bool__"},
    {"range", "__bool__ __contains__ __getitem__ __iter__ __len__ __reversed__ count index start step stop"},
    {"dict_keys",
     "__and__ __contains__ __iter__ __len__ __or__ __rand__ __reversed__ __ror__ __rsub__ __rxor__ "
     "__sub__ __xor__ isdisjoint mapping"},
    {"dict_values", "__iter__ __len__ __reversed__ mapping"},
    {"dict_items",
     "__and__ __contains__ __iter__ __len__ __or__ __rand__ __reversed__ __ror__ __rsub__ __rxor__ "
     "__sub__ __xor__ isdisjoint mapping"},
};

bool lists(std::string_view names, std::string_view name) {
  for (std::size_t at = names.find(name); at != names.npos; at = names.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at == 0 || names[at - 1] == ' ') && (end == names.size() || names[end] == ' ')) return true;
  }
  return false;
}

// ---- what every container answers -------------------------------------------------------------------------------

Value builtin(Interpreter& in, std::string_view name) { return *in.builtins().find(name); }

Value generic_len(Interpreter& in, const Arguments& args, Value self) {
  return call(in, builtin(in, "len"), {self}, args.call);
}
Value generic_iter(Interpreter& in, const Arguments& args, Value self) {
  return call(in, builtin(in, "iter"), {self}, args.call);
}
Value generic_next(Interpreter& in, const Arguments& args, Value self) {
  return call(in, builtin(in, "next"), {self}, args.call);
}
Value generic_getitem(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "__getitem__", 1, 1)) return Value::error();
  return in.subscript(self, args.positional, true, args.call);
}
Value generic_setitem(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "__setitem__", 2, 2)) return Value::error();
  bool ok = in.set_subscript(self, args.positional.first(1), true, args.positional[1], args.call);
  return ok ? Value::none() : Value::error();
}
Value generic_contains(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "__contains__", 1, 1)) return Value::error();
  return in.compare(syntax::Operator::In, args.positional[0], self, args.call);
}
Value generic_str(Interpreter& in, const Arguments& args, Value self) {
  return call(in, builtin(in, "str"), {self}, args.call);
}
Value generic_repr(Interpreter& in, const Arguments& args, Value self) {
  return call(in, builtin(in, "repr"), {self}, args.call);
}
Value generic_eq(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "__eq__", 1, 1)) return Value::error();
  return in.compare(syntax::Operator::Eq, self, args.positional[0], args.call);
}
Value generic_call(Interpreter& in, const Arguments& args, Value self) { return in.call(self, args); }

Value after(Interpreter& in, Value generator, Next next, Value item, text::Span span) {
  if (next == Next::End) return stop_iteration(in, generator, "the generator has no more items", span);
  return next == Next::Failed ? Value::error() : item;
}
Value generator_send(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "send", 1, 1)) return Value::error();
  Value item;
  const Next next = send_to(in, self.as<Iterator>(), args.positional[0], &item, args.call);
  return after(in, self, next, item, args.call);
}
Value generator_throw(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "throw", 1, 3)) return Value::error();
  Value item, exception = args.positional[args.positional.size() == 1 ? 0 : 1];
  if (Class* cls = exception.as<Class>()) exception = in.call(Value::object(cls), std::span<const Value>(), args.call);
  if (exception.is_error()) return exception;
  const Next next = throw_into(in, self.as<Iterator>(), exception, &item, args.call);
  return after(in, self, next, item, args.call);
}
Value generator_close(Interpreter& in, const Arguments& args, Value self) {
  return close_generator(in, self.as<Iterator>(), args.call) ? Value::none() : Value::error();
}

constexpr Entry kContainer[] = {
    {"__len__", generic_len},         {"__iter__", generic_iter},         {"__getitem__", generic_getitem},
    {"__setitem__", generic_setitem}, {"__contains__", generic_contains},
};
constexpr Entry kAnything[] = {{"__str__", generic_str}, {"__repr__", generic_repr}, {"__eq__", generic_eq}};

// ---- range and slice ----------------------------------------------------------------------------------------------

Value range_index(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "index", 1, 1)) return Value::error();
  Range* r = self.as<Range>();
  if (auto v = in.as_big(args.positional[0])) {
    __int128 from_start = *v - r->start;
    if (from_start % r->step == 0) {
      __int128 at = from_start / r->step;
      if (at >= 0 && at < r->length()) return in.big(at);
    }
  }
  return in.fail(code::kValue, args.call, "the value is not in the range", {}, "ValueError");
}

Value range_count(Interpreter& in, const Arguments& args, Value self) {
  Value at = range_index(in, args, self);
  if (!at.is_error()) return Value::integer(1);
  Pending pending = in.take_pending();
  return pending.type == "ValueError" ? Value::integer(0) : raise_again(in, pending, args.call);
}

Value slice_indices(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "indices", 1, 1)) return Value::error();
  auto length = in.as_int(args.positional[0], args.at(0), "the length");
  if (!length) return Value::error();
  auto r = slice_range(in, *self.as<Slice>(), static_cast<std::size_t>(std::max<std::int64_t>(*length, 0)), args.call);
  if (!r) return Value::error();
  return in.tuple({Value::integer(r->start), Value::integer(r->stop), Value::integer(r->step)});
}

constexpr Entry kRange[] = {{"index", range_index}, {"count", range_count}};
constexpr Entry kSlice[] = {{"indices", slice_indices}};

// ---- property, functions, exceptions ------------------------------------------------------------------------------

// @x.setter and @x.getter: a copy with one function replaced.
Value property_with(Interpreter& in, const Arguments& args, Value self, Value Property::* part) {
  if (!takes(in, args, "setter", 1, 1)) return Value::error();
  Property* copy = in.make<Property>();
  copy->getter = self.as<Property>()->getter;
  copy->setter = self.as<Property>()->setter;
  copy->cached = self.as<Property>()->cached;
  copy->*part = args.positional[0];
  return Value::object(copy);
}
Value property_setter(Interpreter& in, const Arguments& args, Value self) {
  return property_with(in, args, self, &Property::setter);
}
Value property_getter(Interpreter& in, const Arguments& args, Value self) {
  return property_with(in, args, self, &Property::getter);
}

constexpr Entry kProperty[] = {{"setter", property_setter}, {"getter", property_getter}, {"deleter", itself}};

Value nothing(Interpreter&, const Arguments&, Value) { return Value::none(); }

// f.cache_clear() of functools.cache: what was kept is forgotten. lru_cache is the identity of other callables, so its
// extras are found on any function.
Value cache_clear(Interpreter& in, const Arguments&, Value self) {
  Function* f = self.as<Function>();
  Dict* attributes = f ? f->attributes.as<Dict>() : nullptr;
  Value* cached = attributes ? in.dict_find(attributes, in.string(kCached)) : nullptr;
  Tuple* parts = cached ? cached->as<Tuple>() : nullptr;
  Dict* kept = parts && parts->items.size() == 2 ? parts->items[1].as<Dict>() : nullptr;
  if (!kept) return Value::none();
  Dict* empty = in.make<Dict>();
  in.dict_set(attributes, in.string(kCached), in.tuple({parts->items[0], Value::object(empty)}));
  return Value::none();
}

constexpr Entry kFunction[] = {
    {"cache_clear", cache_clear}, {"cache_info", opaque_function}, {"__call__", generic_call}};
constexpr Entry kException[] = {{"with_traceback", itself}, {"add_note", nothing}};

// ---- lookup -------------------------------------------------------------------------------------------------------

// str.join, dict.fromkeys, ...: the first argument is the object.
Value call_unbound(Interpreter& in, const Arguments& args, Value self) {
  Native* method = self.as<Native>();
  if (args.positional.empty()) {
    return in.fail(code::kArguments, args.call, std::string(method->name) + "() needs an object to work on");
  }
  Value object = args.positional[0];
  if (object.is_opaque() || object.is_poison()) return object;
  Arguments rest = args;
  rest.positional = args.positional.subspan(1);
  rest.spans = args.spans.empty() ? args.spans : args.spans.subspan(1);
  Value bound = in.attribute(object, method->name, args.function);
  return bound.is_error() ? bound : in.call(bound, rest);
}

std::span<const Entry> methods_of_class(std::string_view name) {
  if (name == "str") return str_methods();
  if (name == "list") return list_methods();
  if (name == "tuple") return tuple_methods();
  if (name == "dict") return dict_methods();
  if (name == "set" || name == "frozenset") return set_methods();
  if (name == "int" || name == "bool") return kInt;
  if (name == "float") return kFloat;
  return {};
}

Value class_mro(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "mro", 0, 0)) return Value::error();
  const Value all = in.attribute(self, "__mro__", args.call);
  return all.as<Tuple>() ? in.list(std::vector(all.as<Tuple>()->items)) : all;
}

bool class_attribute(Interpreter& in, Class* cls, std::string_view name, Value* result) {
  if (name == "__name__" || name == "__qualname__") {
    const bool inner = cls->scope && cls->scope->parent && cls->scope->parent->kind != Scope::Kind::Module;
    *result =
        inner && name == "__qualname__" ? Value::opaque("the qualified name of an inner class") : in.string(cls->name);
  } else if (name == "__module__") {
    *result = in.string("__main__");
  } else if (name == "__doc__") {
    *result = Value::opaque("the text that a class begins with");
  } else if (name == "__bases__" || name == "__mro__") {
    in.charge(cls->mro.size() + cls->bases.size(), {});
    std::vector<Value> items;
    for (Class* c : name == "__mro__" ? cls->mro : cls->bases) items.push_back(Value::object(c));
    Class* object = class_named(in, "object");
    const bool has_base = !items.empty() && (name == "__bases__" || items.back().o == object);
    if (!has_base && cls != object) items.push_back(Value::object(object));
    *result = in.tuple(std::move(items));
  } else if (name == "__members__" && cls->is_enum) {
    Dict* members = in.make<Dict>();
    for (auto& b : cls->scope->bindings) {
      Instance* member = b.value.as<Instance>();
      if (member && member->cls == cls) in.dict_set(members, in.string(b.name), b.value);
    }
    *result = Value::object(members);
  } else if (name == "__dict__") {
    Dict* members = in.make<Dict>();
    if (cls->scope) {
      for (auto& b : cls->scope->bindings) in.dict_set(members, in.string(b.name), b.value);
    }
    *result = Value::object(members);
  } else if (name == "__annotations__") {
    Dict* annotations = in.make<Dict>();
    for (const std::string& field : cls->fields)
      in.dict_set(annotations, in.string(field), Value::opaque("an annotation"));
    *result = Value::object(annotations);
  } else if (name == "mro") {
    *result = in.native("mro", class_mro, Value::object(cls));
  } else if (name == "__subclasses__" || name == "__new__" || name == "register") {
    if (name == "register" && cls->scope) cls->scope->set(kHasRegistered, Value::none());
    *result = in.native("mro", opaque_function);
  } else if (Scope::Binding* method =
                 cls->name == "dict" && cls->construct ? dict_methods_class(in)->scope->find(name) : nullptr) {
    *result = method->value;
  } else if (cls->name == "dict" && name == "fromkeys") {
    *result = in.native("fromkeys", known<dict_fromkeys>);
  } else if (cls->name == "str" && name == "maketrans") {
    *result = in.native("maketrans", known<str_maketrans>);
  } else if ((cls->name == "int" && name == "from_bytes") || (cls->name == "float" && name == "fromhex")) {
    *result = in.native("from_bytes", opaque_function);
  } else if (const Entry* entry = find_entry(methods_of_class(cls->name), name); entry && cls->construct) {
    *result = in.native(entry->name, call_unbound, in.native(entry->name, entry->function));
  } else {
    return false;
  }
  return true;
}

bool function_attribute(Interpreter& in, Value object, Function* f, std::string_view name, Value* result) {
  if (Dict* own = f->attributes.as<Dict>()) {
    if (own->items.size() > 64) in.charge(own->items.size(), {});
    for (auto& [key, value] : own->items) {
      Str* text = key.as<Str>();
      if (text && text->text == name) {
        *result = value;
        return true;
      }
    }
  }
  if (name == "__name__") {
    *result = in.string(f->def->name.text);
  } else if (name == "__qualname__") {
    *result = in.string((f->owner ? f->owner->name + "." : "") + std::string(f->def->name.text));
  } else if (name == "__module__") {
    *result = in.string("__main__");
  } else if (name == "__doc__") {
    const syntax::ExprStmt* first = f->def->body.empty() ? nullptr : syntax::as<syntax::ExprStmt>(f->def->body[0]);
    const syntax::StringLit* text = first ? syntax::as<syntax::StringLit>(first->value) : nullptr;
    *result = text ? in.string(text->value) : Value::none();
  } else if (name == "__wrapped__") {
    *result = object;
  } else if (name == "__dict__") {
    *result = f->attributes.is_none() ? Value::object(in.make<Dict>()) : f->attributes;
  } else if (name == "__defaults__") {
    *result = in.tuple(f->defaults);
  } else if (name == "__code__" || name == "__annotations__" || name == "__globals__" || name == "__closure__") {
    *result = Value::opaque("a function's own code");
  } else if (f->attributes.is_opaque()) {
    *result = f->attributes;  // it may have the attribute
  } else {
    return false;
  }
  return true;
}

bool instance_attribute(Interpreter& in, Value object, Instance* instance, std::string_view name, Value* result) {
  Class* cls = instance->cls;
  std::span<const Entry> entries;
  Value self = object;
  if (cls->is_exception) {
    entries = kException;
    if (name == "__suppress_context__") {
      *result = Value::opaque("__suppress_context__ of an exception");
      return true;
    }
    if (name == "__cause__" || name == "__context__" || name == "__traceback__") {
      *result = Value::none();
      return true;
    }
  } else if (Value* inner = instance->find(kInnerDict)) {  // defaultdict
    entries = dict_methods();
    self = *inner;
  } else if (Value* value = cls->is_enum ? instance->find("value") : nullptr) {
    if (name == "_name_" || name == "_value_") {
      *result = *instance->find(name.substr(1, name.size() - 2));
      return true;
    }
    // Members of IntEnum and StrEnum have the methods of their values.
    if (cls->is_int_enum) entries = kInt;
    if (cls->find(kTextEnum)) entries = str_methods();
    self = *value;
  }
  if (name == "__module__" || name == "__doc__") {
    *result = name == "__doc__" ? Value::opaque("the text that a class begins with") : in.string("__main__");
    return true;
  }
  const Entry* entry = find_entry(entries, name);
  if (!entry) return false;
  *result = in.native(entry->name, entry->function, self);
  return true;
}

// Each method of a text reads it at least once.
void charge_methods(Interpreter& in, Value object) {
  Str* text = object.as<Str>();
  if (text && text->text.size() > 1024) in.charge_text(text->text.size(), {});
}

// A frozenset has none that change it, and the keys of a dict only one.
std::span<const Entry> methods_of_set(Value set, std::string_view name) {
  constexpr std::string_view kChanging[] = {"add", "clear", "discard", "pop", "remove", "update"};
  if (keys_view(set)) return name == "isdisjoint" ? set_methods() : std::span<const Entry>();
  const bool changes = name.ends_with("_update") || std::ranges::find(kChanging, name) != std::end(kChanging);
  return changes && set.as<Set>()->is_frozen ? std::span<const Entry>() : set_methods();
}

// What values() and items() give has none.
std::span<const Entry> methods_of_list(Value list) {
  return values_view(list) ? std::span<const Entry>() : list_methods();
}

// The name, and func, args and keywords of functools.partial(...).
bool native_attribute(Interpreter& in, const Native* native, std::string_view name, Value* result) {
  if (name == "__name__" || name == "__qualname__") {
    *result = in.string(native->name);
    return true;
  }
  const Tuple* parts = native->name == "partial" ? native->self.as<Tuple>() : nullptr;
  const std::size_t part = name == "func" ? 0 : name == "args" ? 1 : name == "keywords" ? 2 : 3;
  if (!parts || parts->items.size() <= part) return false;
  *result = parts->items[part];
  return true;
}

bool object_attribute(Interpreter& in, Value object, std::string_view name, Value* result,
                      std::span<const Entry>* entries) {
  switch (object.o->type) {
    case Type::Str: *entries = str_methods(); return false;
    case Type::BigInt: *entries = kInt; return false;
    case Type::List: *entries = methods_of_list(object); return false;
    case Type::Tuple: *entries = tuple_methods(); return false;
    case Type::Dict: *entries = dict_methods(); return false;
    case Type::Set: *entries = methods_of_set(object, name); return false;
    case Type::Range: {
      *entries = kRange;
      Range* r = object.as<Range>();
      if (name == "start" || name == "stop" || name == "step") {
        *result = Value::integer(name == "start" ? r->start : name == "stop" ? r->stop : r->step);
        return true;
      }
      return false;
    }
    case Type::Slice: {
      *entries = kSlice;
      Slice* s = object.as<Slice>();
      if (name == "start" || name == "stop" || name == "step") {
        *result = name == "start" ? s->start : name == "stop" ? s->stop : s->step;
        return true;
      }
      return false;
    }
    case Type::Function:
      *entries = kFunction;
      return function_attribute(in, object, object.as<Function>(), name, result);
    case Type::Lambda:
      *entries = kFunction;
      if (name != "__name__" && name != "__qualname__") return false;
      *result = in.string("<lambda>");
      return true;
    case Type::Native: *entries = kFunction; return native_attribute(in, object.as<Native>(), name, result);
    case Type::BoundMethod: {
      *entries = kFunction;
      BoundMethod* m = object.as<BoundMethod>();
      if (name == "__self__" || name == "__func__") {
        *result = name == "__self__" ? m->self : m->function;
        return true;
      }
      Function* f = m->function.as<Function>();
      return f && function_attribute(in, object, f, name, result);
    }
    case Type::Property: {
      *entries = kProperty;
      Property* p = object.as<Property>();
      if (name != "fget" && name != "fset") return false;
      *result = name == "fget" ? p->getter : p->setter;
      return true;
    }
    case Type::StaticMethod:
    case Type::ClassMethod:
      if (name != "__func__") return false;
      *result = object.as<StaticMethod>() ? object.as<StaticMethod>()->function : object.as<ClassMethod>()->function;
      return true;
    case Type::Class: return class_attribute(in, object.as<Class>(), name, result);
    case Type::Instance: return instance_attribute(in, object, object.as<Instance>(), name, result);
    case Type::DataType: {
      // Bits of one lane in memory, and lanes: what the prelude sizes its pools by.
      ir::DataType dtype = object.as<DataTypeValue>()->dtype;
      if (name == "__name__") *result = in.string(ir::dtype_name(dtype));
      if (name == "bits") *result = Value::integer(dtype.storage_bits());
      if (name == "lanes") *result = Value::integer(dtype.lanes);
      if (name == "itemsize") *result = Value::integer((dtype.storage_bits() * dtype.lanes + 7) / 8);
      return name == "__name__" || name == "bits" || name == "lanes" || name == "itemsize";
    }
    case Type::Namespace:
      if (name == "__name__") *result = in.string(object.as<Namespace>()->path);
      if (name == "__doc__") *result = Value::none();
      return name == "__name__" || name == "__doc__";
    default: return false;
  }
}

}  // namespace

std::optional<bool> has_python_name(Interpreter& in, Value v, std::string_view name) {
  const std::string_view type = v.is_bool() || v.as<BigInt>() ? std::string_view("int") : type_of(in, v)->name;
  auto known = std::ranges::find(kMethodNames, type, &NamesOfType::type);
  const bool plain = v.numpy == NumpyType::None && !v.immediate && !v.as<Instance>() && !v.as<Class>();
  if (!plain || known == std::end(kMethodNames)) return std::nullopt;
  return lists(kOfObjects, name) || lists(known->names, name);
}

}  // namespace python

bool python_attribute(Interpreter& in, Value object, std::string_view name, Value* result) {
  using namespace python;
  using python::Entry;  // not an entry of a script
  std::span<const Entry> entries;
  if (object.is_object()) {
    if (object_attribute(in, object, name, result, &entries)) return true;
  } else if (object.is_int() || object.is_bool()) {
    entries = kInt;
  } else if (object.is_float()) {
    entries = kFloat;
  }
  if (object.numpy != NumpyType::None && name != "__class__") {
    *result = numpy_attribute(in, object, name);
    return true;
  }
  bool number = object.is_int() || object.is_bool() || object.is_float() || object.as<BigInt>();
  if (number && (name == "real" || name == "imag" || name == "numerator" || name == "denominator")) {
    if (object.is_float() && name.ends_with("ator")) return false;
    *result = name == "real" || name == "numerator" ? object : Value::integer(name == "denominator" ? 1 : 0);
    return true;
  }
  if (name == "__class__") {
    *result = Value::object(type_of(in, object));
    return true;
  }
  // The reference's dtypes are strings that know their width.
  if (Str* text = object.as<Str>(); text && (name == "bits" || name == "lanes" || name == "itemsize")) {
    auto dtype = ir::parse_dtype(text->text);
    if (!dtype) return false;
    DataTypeValue* d = in.make<DataTypeValue>();
    d->dtype = *dtype;
    return python_attribute(in, Value::object(d), name, result);
  }
  if (object.immediate && (name == "value" || name == "dtype")) {
    *result = name == "value" ? Value::integer(object.i) : in.string("int32");
    return true;
  }
  charge_methods(in, object);
  const Entry* entry = find_entry(entries, name);
  bool container = object.as<Str>() || object.as<List>() || object.as<Tuple>() || object.as<Dict>() ||
                   object.as<Set>() || object.as<Range>();
  if (!entry && container) entry = find_entry(kContainer, name);
  if (!entry && object.as<Iterator>()) {
    static constexpr Entry kIterator[] = {{"__next__", generic_next},
                                          {"__iter__", generic_iter},
                                          {"send", generator_send},
                                          {"throw", generator_throw},
                                          {"close", generator_close}};
    entry = find_entry(kIterator, name);
  }
  if (!entry && (number || container)) entry = find_entry(kAnything, name);
  if (!entry) return false;
  // A method that is not followed says which one it was.
  Value self = entry->function == opaque_function ? in.string(std::string(entry->name) + "()") : object;
  *result = in.native(entry->name, entry->function, self);
  return true;
}

}  // namespace tilewright::script
