#include "compiler/script/python/types.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "compiler/script/codes.h"
#include "compiler/script/instance_names.h"
#include "compiler/script/python/builtins.h"
#include "compiler/script/python/set_order.h"

namespace tilewright::script::python {

namespace {

constexpr double kTwo127 = 170141183460469231731687303715884105728.0;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\n\r\f\v";
  std::size_t from = text.find_first_not_of(kBlank);
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(kBlank) - from + 1);
}

// A run-time expression that is a constant after all, such as T.int32(4).
std::optional<Value> constant_of(Value v) {
  if (!v.is_expr()) return std::nullopt;
  if (const auto* i = v.as_expr().as<ir::IntImm>()) {
    return i->dtype.is_bool() ? Value::boolean(i->value != 0) : Value::integer(i->value);
  }
  if (const auto* f = v.as_expr().as<ir::FloatImm>()) return Value::floating(f->value);
  return std::nullopt;
}

Value needs_known(Interpreter& in, const Arguments& args, std::string_view function, Value v) {
  if (v.is_expr()) {
    return in.fail(code::kType, args.at(0),
                   std::string(function) + "() needs a value that is known now; this is a run-time expression",
                   "T.cast(x, dtype) converts at run time");
  }
  return wrong_type(in, args.at(0), function, "a number or a string", v);
}

Value construct_int(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "int", 0, 2)) return Value::error();
  if (args.positional.empty()) return Value::integer(0);
  Value v = args.positional[0];
  if (auto c = constant_of(v)) v = *c;
  if (Str* text = v.as<Str>()) {
    std::int64_t base = 10;
    if (args.positional.size() == 2) {
      auto given = in.as_int(args.positional[1], args.at(1), "the base");
      if (!given) return Value::error();
      base = *given;
    }
    if (base != 0 && (base < 2 || base > 36)) {
      return in.fail(code::kValue, args.at(1), "the base of int() must be 0 or 2 to 36", {}, "ValueError");
    }
    if (auto parsed = parse_integer(text->text, static_cast<int>(base))) return in.big(*parsed);
    in.fail(code::kValue, args.at(0),
            "\"" + text->text.substr(0, 40) + "\" is not an integer in base " + std::to_string(base), {}, "ValueError");
    // Longer ones may be numbers that are too large for us, and there are digits beyond ASCII.
    constexpr std::size_t kCertain = 30;
    const bool ascii = std::ranges::none_of(text->text, [](unsigned char c) { return c >= 0x80; });
    return ascii && text->text.size() < kCertain ? in.certainly() : Value::error();
  }
  if (args.positional.size() == 2) return wrong_type(in, args.at(0), "int", "a string before a base", v);
  if (auto whole = in.as_big(v)) return in.big(*whole);
  if (v.is_float()) {
    if (!std::isfinite(v.f)) {
      return in.fail(code::kValue, args.at(0), "infinity and NaN have no integer value", {},
                     std::isnan(v.f) ? "ValueError" : "OverflowError");
    }
    if (std::abs(v.f) >= kTwo127) {
      return in.fail(code::kValue, args.at(0), "the number is too large for an integer of a script", {},
                     "OverflowError");
    }
    return in.big(static_cast<__int128>(v.f));
  }
  if (Instance* instance = v.as<Instance>()) {
    for (std::string_view method : {"__int__", "__index__", "__trunc__"}) {
      if (!instance->cls->find(method)) continue;
      Value bound = in.attribute(v, method, args.call);
      return bound.is_error() ? bound : call(in, bound, {}, args.call);
    }
  }
  return needs_known(in, args, "int", v);
}

std::optional<double> parse_float(std::string_view text) {
  std::string digits;
  for (char c : trimmed(text)) {
    if (c != '_') digits += c;
  }
  std::string_view rest = digits;
  bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest.empty() || rest[0] == '-' || rest[0] == '+') return std::nullopt;
  double value = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (end != rest.data() + rest.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too large or too small: from_chars does not say which; the exponent's sign does.
    std::size_t e = rest.find_first_of("eE");
    bool tiny = e != rest.npos && e + 1 < rest.size() && rest[e + 1] == '-';
    value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
  } else if (error != std::errc()) {
    return std::nullopt;
  }
  return negative ? -value : value;
}

Value construct_float(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "float", 0, 1)) return Value::error();
  if (args.positional.empty()) return Value::floating(0);
  Value v = args.positional[0];
  if (auto c = constant_of(v)) v = *c;
  if (Str* text = v.as<Str>()) {
    if (auto parsed = parse_float(text->text)) return Value::floating(*parsed);
    in.fail(code::kValue, args.at(0), "\"" + text->text.substr(0, 40) + "\" is not a number", {}, "ValueError");
    return in.certainly();
  }
  if (auto number = in.as_number(v)) return Value::floating(*number);
  if (Instance* instance = v.as<Instance>(); instance && instance->cls->find("__float__")) {
    Value bound = in.attribute(v, "__float__", args.call);
    return bound.is_error() ? bound : call(in, bound, {}, args.call);
  }
  return needs_known(in, args, "float", v);
}

Value construct_bool(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "bool", 0, 1)) return Value::error();
  if (args.positional.empty()) return Value::boolean(false);
  Value v = args.positional[0];
  if (auto c = constant_of(v)) v = *c;
  if (v.is_opaque()) return v;
  auto t = in.truth(v, args.at(0));
  return t ? Value::boolean(*t) : Value::error();
}

Value construct_str(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.empty()) return in.string("");
  if (const Value unknown = unknown_in_text(in, args.positional[0]); !unknown.is_none()) return unknown;
  auto text = text_of(in, args.positional[0]);
  if (!text || !in.step(args.call)) return Value::error();
  return in.string(*text);
}

// The items of an optional iterable argument; nothing with a pending error.
std::optional<std::vector<Value>> items_of(Interpreter& in, const Arguments& args, std::string_view function) {
  if (!takes(in, args, function, 0, 1)) return std::nullopt;
  if (args.positional.empty()) return std::vector<Value>();
  auto items = in.iterate(args.positional[0], args.at(0));
  if (items && !reserve(in, args.call, items->size() * sizeof(Value))) return std::nullopt;
  return items;
}

Value construct_list(Interpreter& in, const Arguments& args, Value) {
  auto items = items_of(in, args, "list");
  return items ? in.list(std::move(*items)) : Value::error();
}

Value construct_tuple(Interpreter& in, const Arguments& args, Value) {
  auto items = items_of(in, args, "tuple");
  return items ? in.tuple(std::move(*items)) : Value::error();
}

Value construct_set(Interpreter& in, const Arguments& args, Value) {
  auto items = items_of(in, args, "set");
  if (!items) return Value::error();
  const Value given = args.positional.empty() ? Value::none() : args.positional[0];
  Set* set = in.make<Set>();
  if (given.as<Set>() || given.as<Dict>()) {  // their number is known before
    return change(in, set, given, Combine::Union, args.call) ? Value::object(set) : Value::error();
  }
  for (Value v : *items) {
    if (!in.step(args.call)) return Value::error();
    in.dict_set(&set->entries, v, Value::none());
  }
  return Value::object(set);
}

Value construct_frozenset(Interpreter& in, const Arguments& args, Value self) {
  Value made = construct_set(in, args, self);
  if (Set* set = made.as<Set>()) set->is_frozen = true;
  return made;
}

// range(...) with a run-time bound is a serial loop of the kernel (surface.md 5).
Value runtime_range(Interpreter& in, const Arguments& args) {
  Value serial = in.attribute(tirx_namespace(in), "serial", args.function);
  if (serial.is_error()) return serial;
  Arguments loop = args;
  std::vector<Keyword> keywords(args.keywords.begin(), args.keywords.end());
  if (args.positional.size() == 3) {
    loop.positional = args.positional.first(2);
    if (args.spans.size() == 3) loop.spans = args.spans.first(2);
    keywords.push_back({"step", args.positional[2], args.at(2)});
    loop.keywords = keywords;
  }
  return in.call(serial, loop);
}

Value construct_range(Interpreter& in, const Arguments& args, Value) {
  std::size_t n = args.positional.size();
  if (n < 1 || n > 3) {
    return in.fail(code::kArguments, args.call, "range() takes 1 to 3 arguments, " + std::to_string(n) + " given");
  }
  bool runtime = !args.keywords.empty();
  for (Value v : args.positional) {
    runtime |= !in.as_big(v) && in.can_be_expr(v) && !v.is_float();
  }
  if (runtime) return runtime_range(in, args);
  Range* range = in.make<Range>();
  std::int64_t* parts[] = {&range->start, &range->stop, &range->step};
  for (std::size_t i = 0; i < n; ++i) {
    auto v = in.as_int(args.positional[i], args.at(i), "an argument of range()");
    if (!v) return Value::error();
    *parts[n == 1 ? 1 : i] = *v;
  }
  if (range->step == 0)
    return in.fail(code::kValue, args.at(2), "the step of range() must not be zero", {}, "ValueError");
  // Lengths are computed in 64 bits.
  constexpr std::int64_t kLargest = std::int64_t{1} << 62;
  if (range->start < -kLargest || range->start > kLargest || range->stop < -kLargest || range->stop > kLargest ||
      range->step == std::numeric_limits<std::int64_t>::min()) {
    return in.fail(code::kValue, args.call, "the bounds of this range() are too large", {}, "OverflowError");
  }
  return Value::object(range);
}

Value construct_slice(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "slice", 1, 3)) return Value::error();
  Slice* slice = in.make<Slice>();
  std::size_t n = args.positional.size();
  if (n == 1) slice->stop = args.positional[0];
  if (n >= 2) {
    slice->start = args.positional[0];
    slice->stop = args.positional[1];
  }
  if (n == 3) slice->step = args.positional[2];
  return Value::object(slice);
}

// type(x), and type(name, bases, namespace).
Value construct_type(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.size() == 1 && args.keywords.empty()) {
    const Value of = args.positional[0];
    // Its class may be a metaclass that this evaluator does not follow.
    if (const Class* cls = of.as<Class>(); cls && cls->has_unknown_base)
      return Value::opaque("a class with an unknown base");
    return of.is_opaque() || of.is_poison() ? of : Value::object(type_of(in, of));
  }
  if (!takes(in, args, "type", 3, 3)) return Value::error();
  auto name = in.as_string(args.positional[0], args.at(0), "the name of a class");
  if (!name) return Value::error();
  Tuple* bases = args.positional[1].as<Tuple>();
  Dict* members = args.positional[2].as<Dict>();
  if (!bases || !members)
    return wrong_type(in, args.call, "type", "a name, a tuple of classes and a dict", args.positional[1]);
  std::size_t ancestors = members->items.size() + 1;  // each class of a long chain keeps all of its own
  for (Value b : bases->items) ancestors += b.as<Class>() ? b.as<Class>()->mro.size() : 1;
  if (!work(in, args.call, ancestors) || !reserve(in, args.call, ancestors * 8 * sizeof(Class*))) return Value::error();
  Class* cls = make_class(in, *name, {class_named(in, "object")});
  cls->mro.assign(1, cls);
  cls->bases.clear();
  std::unordered_set<const Class*> known{cls};
  for (Value b : bases->items) {
    Class* base = b.as<Class>();
    if (!base) {
      cls->has_unknown_base = true;
      continue;
    }
    cls->bases.push_back(base);
    for (Class* c : base->mro) {
      if (known.insert(c).second) cls->mro.push_back(c);
    }
    cls->is_meta |= base->is_meta;
    cls->is_exception |= base->is_exception;
  }
  if (cls->bases.empty()) cls->mro.push_back(class_named(in, "object"));
  for (auto& [key, value] : members->items) {
    auto member = in.as_string(key, args.at(2), "the name of a member");
    if (!member) return Value::error();
    cls->scope->set(in.keep(*member), value);
  }
  return Value::object(cls);
}

Value construct_property(Interpreter& in, const Arguments& args, Value) {
  Property* property = in.make<Property>();
  if (!args.positional.empty()) property->getter = args.positional[0];
  if (args.positional.size() > 1) property->setter = args.positional[1];
  if (const Keyword* k = keyword(args, "fget")) property->getter = k->value;
  if (const Keyword* k = keyword(args, "fset")) property->setter = k->value;
  return Value::object(property);
}

Value construct_staticmethod(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "staticmethod", 1, 1)) return Value::error();
  StaticMethod* method = in.make<StaticMethod>();
  method->function = args.positional[0];
  return Value::object(method);
}

Value construct_classmethod(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "classmethod", 1, 1)) return Value::error();
  ClassMethod* method = in.make<ClassMethod>();
  method->function = args.positional[0];
  return Value::object(method);
}

// super(Class, self); the form without arguments is the interpreter's.
Value construct_super(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.size() != 2) {
    return in.fail(code::kUnsupported, args.call, "super() needs a class and an instance here",
                   "inside a method of a class, super() works without arguments", "RuntimeError");
  }
  Super* super = in.make<Super>();
  super->after = args.positional[0].as<Class>();
  super->self = args.positional[1];
  if (!super->after) return wrong_type(in, args.at(0), "super", "a class", args.positional[0]);
  return Value::object(super);
}

Value construct_opaque_type(Interpreter& in, const Arguments&, Value self) {
  Class* cls = self.as<Class>();
  return opaque_named(in, (cls ? cls->name : std::string("a type")) + "()");
}

// object's own methods, which a class of the script may call explicitly. The instance is the first argument.
Value object_init(Interpreter&, const Arguments&, Value) { return Value::none(); }

// object.__setattr__(self, name, value): how a frozen dataclass changes itself.
Value object_setattr(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "__setattr__", 3, 3)) return Value::error();
  Value object = args.positional[0], value = args.positional[2];
  if (args.positional[1].is_opaque())
    return lose_any_name(in, object, args.positional[1].reason(), value) ? Value::none() : Value::error();
  auto name = in.as_string(args.positional[1], args.at(1), "the name of an attribute");
  if (!name) return Value::error();
  if (Instance* instance = object.as<Instance>()) {
    if (!reserve(in, args.call, name->size() + sizeof(Value))) return Value::error();
    set_in_instance(in, instance, *name, value);
    return Value::none();
  }
  return in.set_attribute(object, *name, value, args.call) ? Value::none() : Value::error();
}

Value object_new(Interpreter& in, const Arguments& args, Value) {
  Class* cls = args.positional.empty() ? nullptr : args.positional[0].as<Class>();
  if (!cls) return in.fail(code::kArguments, args.call, "__new__() takes a class");
  Instance* instance = in.make<Instance>();
  instance->cls = cls;
  return Value::object(instance);
}

}  // namespace

std::optional<__int128> parse_integer(std::string_view text, int base) {
  text = trimmed(text);
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.size() > 2 && text[0] == '0') {
    char mark = static_cast<char>(text[1] | 0x20);
    int implied = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
    if (implied && (base == 0 || base == implied)) {
      base = implied;
      text.remove_prefix(2);
    }
  }
  if (base == 0) base = 10;
  if (text.empty() || text.front() == '_' || text.back() == '_') return std::nullopt;
  unsigned __int128 value = 0;
  constexpr unsigned __int128 kLimit = static_cast<unsigned __int128>(1) << 127;
  for (char c : text) {
    if (c == '_') continue;
    int digit = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'z' ? c - 'a' + 10
                : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                       : 99;
    if (digit >= base) return std::nullopt;
    if (value > (kLimit - 1 - static_cast<unsigned>(digit)) / static_cast<unsigned>(base)) return std::nullopt;
    value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
  }
  __int128 result = static_cast<__int128>(value);
  return negative ? -result : result;
}

Value construct_dict(Interpreter& in, const Arguments& args, Value) {
  Dict* dict = in.make<Dict>();
  if (args.positional.size() > 1) {
    return in.fail(code::kArguments, args.call, "dict() takes at most one positional argument");
  }
  if (!args.positional.empty()) {
    Value from = args.positional[0];
    if (inner_dict_of(from).is_opaque()) return inner_dict_of(from);
    if (Dict* other = as_dict(from)) {
      auto items = other->items;
      for (auto& [k, v] : items) {
        if (!in.step(args.call)) return Value::error();
        in.dict_set(dict, k, v);
      }
    } else {
      auto items = in.iterate(from, args.at(0));
      if (!items) return Value::error();
      for (Value item : *items) {
        if (!in.step(args.call)) return Value::error();
        auto pair = in.iterate(item, args.at(0));
        if (!pair) return Value::error();
        if (pair->size() != 2) {
          return in.fail(code::kValue, args.at(0), "dict() needs pairs; this item has " + std::to_string(pair->size()),
                         {}, "ValueError");
        }
        in.dict_set(dict, (*pair)[0], (*pair)[1]);
      }
    }
  }
  for (const Keyword& k : args.keywords) in.dict_set(dict, in.string(k.name), k.value);
  return Value::object(dict);
}

namespace {

// No constructor: a class of the script that names `object` as its base keeps its own __init__.
Value make_object(Interpreter& in, const Builtin& row) {
  Class* object = make_class(in, row.name, {});
  add_method(in, object, "__init__", object_init);
  add_method(in, object, "__init_subclass__", object_init);
  add_method(in, object, "__setattr__", object_setattr);
  object->scope->set("__new__", in.native("__new__", object_new));
  return Value::object(object);
}

Value make_type(Interpreter& in, const Builtin& row) {
  return Value::object(make_class(in, row.name, {class_named(in, row.other)}, row.function));
}

constexpr Builtin kTypes[] = {
    {"object", make_object},
    {"int", make_type, "object", known<construct_int>},
    {"bool", make_type, "int", known<construct_bool>},
    {"float", make_type, "object", known<construct_float>},
    {"str", make_type, "object", known<construct_str>},
    {"list", make_type, "object", known<construct_list>},
    {"tuple", make_type, "object", known<construct_tuple>},
    {"dict", make_type, "object", construct_dict},
    {"set", make_type, "object", known<construct_set>},
    {"frozenset", make_type, "object", known<construct_frozenset>},
    {"range", make_type, "object", known<construct_range>},
    {"slice", make_type, "object", construct_slice},
    {"type", make_type, "object", construct_type},
    {"property", make_type, "object", construct_property},
    {"staticmethod", make_type, "object", construct_staticmethod},
    {"classmethod", make_type, "object", construct_classmethod},
    {"super", make_type, "object", construct_super},
    {"bytes", make_type, "object", construct_opaque_type},
    {"bytearray", make_type, "object", construct_opaque_type},
    {"memoryview", make_type, "object", construct_opaque_type},
    {"complex", make_type, "object", construct_opaque_type},
};

}  // namespace

BuiltinTable builtin_types() { return table_of<kTypes>(); }

// ---- exceptions -------------------------------------------------------------------------------------------------

namespace {

Value construct_exception(Interpreter& in, const Arguments& args, Value self) {
  Class* cls = self.as<Class>();
  if (!cls) cls = class_named(in, "Exception");
  Instance* e = make_exception(in, cls, {args.positional.begin(), args.positional.end()});
  for (const Keyword& k : args.keywords) e->set(k.name, k.value);  // ImportError(name=...), ...
  return Value::object(e);
}

// super().__init__(message) in an exception class of the script.
Value exception_init(Interpreter& in, const Arguments& args, Value) {
  Instance* instance = args.positional.empty() ? nullptr : args.positional[0].as<Instance>();
  if (instance) instance->set("args", in.tuple({args.positional.begin() + 1, args.positional.end()}));
  return Value::none();
}

Value make_exception_class(Interpreter& in, const Builtin& row) {
  Class* cls = make_class(in, row.name, {class_named(in, row.other)}, construct_exception);
  cls->is_exception = true;
  return Value::object(cls);
}

Value make_base_exception(Interpreter& in, const Builtin& row) {
  Value made = make_exception_class(in, row);
  add_method(in, made.as<Class>(), "__init__", exception_init);
  return made;
}

Value another_name(Interpreter& in, const Builtin& row) { return *in.builtins().find(row.other); }

constexpr Builtin kExceptions[] = {
    {"BaseException", make_base_exception, "object"},
    {"Exception", make_exception_class, "BaseException"},
    {"KeyboardInterrupt", make_exception_class, "BaseException"},
    {"SystemExit", make_exception_class, "BaseException"},
    {"GeneratorExit", make_exception_class, "BaseException"},
    {"ArithmeticError", make_exception_class, "Exception"},
    {"OverflowError", make_exception_class, "ArithmeticError"},
    {"ZeroDivisionError", make_exception_class, "ArithmeticError"},
    {"FloatingPointError", make_exception_class, "ArithmeticError"},
    {"AssertionError", make_exception_class, "Exception"},
    {"AttributeError", make_exception_class, "Exception"},
    {"BufferError", make_exception_class, "Exception"},
    {"EOFError", make_exception_class, "Exception"},
    {"ImportError", make_exception_class, "Exception"},
    {"ModuleNotFoundError", make_exception_class, "ImportError"},
    {"LookupError", make_exception_class, "Exception"},
    {"IndexError", make_exception_class, "LookupError"},
    {"KeyError", make_exception_class, "LookupError"},
    {"MemoryError", make_exception_class, "Exception"},
    {"NameError", make_exception_class, "Exception"},
    {"UnboundLocalError", make_exception_class, "NameError"},
    {"OSError", make_exception_class, "Exception"},
    {"FileNotFoundError", make_exception_class, "OSError"},
    {"FileExistsError", make_exception_class, "OSError"},
    {"PermissionError", make_exception_class, "OSError"},
    {"TimeoutError", make_exception_class, "OSError"},
    {"ConnectionError", make_exception_class, "OSError"},
    {"RuntimeError", make_exception_class, "Exception"},
    {"NotImplementedError", make_exception_class, "RuntimeError"},
    {"RecursionError", make_exception_class, "RuntimeError"},
    {"StopIteration", make_exception_class, "Exception"},
    {"StopAsyncIteration", make_exception_class, "Exception"},
    {"SyntaxError", make_exception_class, "Exception"},
    {"IndentationError", make_exception_class, "SyntaxError"},
    {"SystemError", make_exception_class, "Exception"},
    {"TypeError", make_exception_class, "Exception"},
    {"ValueError", make_exception_class, "Exception"},
    {"UnicodeError", make_exception_class, "ValueError"},
    {"UnicodeDecodeError", make_exception_class, "UnicodeError"},
    {"UnicodeEncodeError", make_exception_class, "UnicodeError"},
    {"Warning", make_exception_class, "Exception"},
    {"DeprecationWarning", make_exception_class, "Warning"},
    {"PendingDeprecationWarning", make_exception_class, "Warning"},
    {"FutureWarning", make_exception_class, "Warning"},
    {"ImportWarning", make_exception_class, "Warning"},
    {"ResourceWarning", make_exception_class, "Warning"},
    {"RuntimeWarning", make_exception_class, "Warning"},
    {"SyntaxWarning", make_exception_class, "Warning"},
    {"UnicodeWarning", make_exception_class, "Warning"},
    {"UserWarning", make_exception_class, "Warning"},
    {"EnvironmentError", another_name, "OSError"},
    {"IOError", another_name, "OSError"},
};

}  // namespace

BuiltinTable builtin_exceptions() { return table_of<kExceptions>(); }

}  // namespace tilewright::script::python
