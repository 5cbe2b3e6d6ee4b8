#include "compiler/script/python/support.h"

#include <algorithm>
#include <cmath>

#include "compiler/script/codes.h"
#include "compiler/script/python/numpy_scalars.h"
#include "compiler/script/python/set_order.h"
#include "compiler/script/tirx/tirx.h"
#include "compiler/script/worlds.h"

namespace tilewright::script::python {

std::optional<Value> unknown_argument(const Arguments& args) {
  std::optional<Value> opaque;
  auto look = [&](Value v) {
    if (v.is_poison()) return true;
    if (v.is_opaque() && !opaque) opaque = v;
    return false;
  };
  for (Value v : args.positional) {
    if (look(v)) return v;
  }
  for (const Keyword& k : args.keywords) {
    if (look(k.value)) return k.value;
  }
  return opaque;
}

bool reserve(Interpreter& in, text::Span span, std::uint64_t bytes) {
  if (!in.reserve(bytes, span)) return false;
  in.heap().count(bytes);
  return in.step(span);
}

bool work(Interpreter& in, text::Span span, std::size_t items) {
  for (std::size_t i = 0; i <= items / 64; ++i) {
    if (!in.step(span)) return false;
  }
  return true;
}

Value opaque_named(Interpreter& in, const std::string& why) {
  std::string_view kept = in.keep(why + '\0');
  return Value::opaque(kept.data());
}

Value opaque_function(Interpreter& in, const Arguments&, Value self) {
  if (Str* name = self.as<Str>()) return opaque_named(in, name->text);
  return Value::opaque("a call outside of the script");
}

// ---- arguments ------------------------------------------------------------------------------------------------

bool takes(Interpreter& in, const Arguments& args, std::string_view function, std::size_t least, std::size_t most) {
  if (!args.keywords.empty()) {
    in.fail(code::kArguments, args.keywords[0].span,
            std::string(function) + "() takes no keyword argument '" + std::string(args.keywords[0].name) + "'");
    return false;
  }
  std::size_t n = args.positional.size();
  if (n >= least && n <= most) return true;
  std::string expected = least == most      ? std::to_string(least)
                         : most == SIZE_MAX ? "at least " + std::to_string(least)
                                            : std::to_string(least) + " to " + std::to_string(most);
  in.fail(code::kArguments, args.call,
          std::string(function) + "() takes " + expected + (most == 1 ? " argument" : " arguments") + ", " +
              std::to_string(n) + " given");
  return false;
}

const Keyword* keyword(const Arguments& args, std::string_view name) {
  for (const Keyword& k : args.keywords) {
    if (k.name == name) return &k;
  }
  return nullptr;
}

Value wrong_type(Interpreter& in, text::Span span, std::string_view function, std::string_view expected, Value got) {
  return in.fail(code::kType, span,
                 std::string(function) + "() needs " + std::string(expected) + ", not " + std::string(type_name(got)));
}

Value call(Interpreter& in, Value function, std::initializer_list<Value> args, text::Span span) {
  return in.call(function, std::span<const Value>(args.begin(), args.size()), span);
}

std::optional<std::string> text_of(Interpreter& in, Value v) {
  std::string text = in.str(v);
  if (in.has_pending()) return std::nullopt;
  return text;
}

std::optional<std::string> repr_of(Interpreter& in, Value v) {
  std::string text = in.repr(v);
  if (in.has_pending()) return std::nullopt;
  return text;
}

Value raise_again(Interpreter& in, const Pending& pending, text::Span span) {
  if (!pending.exception.is_none()) return in.raise(pending.exception, span);
  const text::Diagnostic& d = pending.diagnostic;
  return in.fail(d.code, d.span, d.message, d.hint, pending.type);
}

bool is_exception(Interpreter& in, const Pending& pending, std::string_view type) {
  if (pending.fatal) return false;
  Class* wanted = class_named(in, type);
  if (Instance* instance = pending.exception.as<Instance>()) return is_subclass(instance->cls, wanted);
  if (Class* cls = pending.exception.as<Class>()) return is_subclass(cls, wanted);
  if (pending.type == type) return true;
  Class* cls = class_named(in, pending.type);
  return cls && is_subclass(cls, wanted);
}

std::optional<Value> find_attribute(Interpreter& in, Value object, std::string_view name, text::Span span) {
  Value v = in.attribute(object, name, span);
  if (!v.is_error()) return v;
  if (!in.has_pending()) return std::nullopt;
  Pending pending = in.take_pending();
  if (!is_exception(in, pending, "AttributeError")) raise_again(in, pending, span);
  return std::nullopt;
}

// ---- types ----------------------------------------------------------------------------------------------------

Class* make_class(Interpreter& in, std::string_view name, std::initializer_list<Class*> bases,
                  NativeFunction construct) {
  Class* cls = in.make<Class>();
  cls->name = name;
  cls->construct = construct;
  cls->scope = in.make<Scope>();
  cls->scope->kind = Scope::Kind::Class;
  // Each evaluation makes the built-in classes that it uses once more: what they take is asked for once.
  std::size_t most = 1;
  for (const Class* base : bases) most += base->mro.size();
  cls->mro.reserve(most);
  cls->mro.push_back(cls);
  cls->bases.reserve(bases.size());
  for (Class* base : bases) {
    cls->bases.push_back(base);
    for (Class* c : base->mro) {
      if (std::find(cls->mro.begin(), cls->mro.end(), c) == cls->mro.end()) cls->mro.push_back(c);
    }
    cls->is_exception |= base->is_exception;
  }
  return cls;
}

Class* class_named(Interpreter& in, std::string_view key) {
  Value* v = in.builtins().find(key);
  return v ? v->as<Class>() : nullptr;
}

Class* shared_class(Interpreter& in, std::string_view key, const std::function<Class*()>& make) {
  if (Class* cls = class_named(in, key)) return cls;
  Class* cls = make();
  in.builtins().set(key, Value::object(cls));
  return cls;
}

Class* type_of(Interpreter& in, Value v) {
  auto named = [&](std::string_view key) {
    return shared_class(in, key, [&] {
      std::size_t dot = key.rfind('.');
      return make_marker(in, dot == key.npos ? key : key.substr(dot + 1));
    });
  };
  if (Class* cls = tirx_type_of(in, v)) return cls;
  if (v.numpy != NumpyType::None) return numpy_class(in, v.numpy);
  switch (v.tag) {
    case Tag::None: return named("types.NoneType");
    case Tag::Ellipsis: return named("types.EllipsisType");
    case Tag::NotImplemented: return named("types.NotImplementedType");
    case Tag::Bool: return class_named(in, "bool");
    case Tag::Int: return class_named(in, "int");
    case Tag::Float: return class_named(in, "float");
    case Tag::Expr:
    case Tag::Error:
    case Tag::Poison:
    case Tag::Opaque: return class_named(in, "object");
    case Tag::Object: break;
  }
  switch (v.o->type) {
    case Type::Str: return class_named(in, "str");
    case Type::BigInt: return class_named(in, "int");
    case Type::List: {
      auto* view = dynamic_cast<ValuesView*>(v.o);
      return !view ? class_named(in, "list") : named(view->has_keys ? "types.dict_items" : "types.dict_values");
    }
    case Type::Tuple: return class_named(in, "tuple");
    case Type::Dict: return class_named(in, "dict");
    case Type::Set:
      if (dynamic_cast<KeysView*>(v.o)) return named("types.dict_keys");
      return class_named(in, v.as<Set>()->is_frozen ? "frozenset" : "set");
    case Type::Range: return class_named(in, "range");
    case Type::Slice: return class_named(in, "slice");
    case Type::Iterator: return named("types.GeneratorType");
    case Type::Function:
    case Type::Lambda: return named("types.FunctionType");
    case Type::BoundMethod: return named("types.MethodType");
    case Type::Native:
    case Type::Intrinsic: return named("types.BuiltinFunctionType");
    case Type::Class: return class_named(in, "type");
    case Type::Instance: return static_cast<Instance*>(v.o)->cls;
    case Type::Namespace: return named("types.ModuleType");
    case Type::Property: return class_named(in, "property");
    case Type::StaticMethod: return class_named(in, "staticmethod");
    case Type::ClassMethod: return class_named(in, "classmethod");
    case Type::Super: return class_named(in, "super");
    case Type::LayoutSpec: return named("tirx.LayoutSpec");
    case Type::LayoutBuilder: return named("tirx.LayoutBuilder");
    case Type::Axis: return named("tirx.Axis");
    case Type::AxisTerm: return named("tirx.AxisTerm");
    case Type::Frame: return named("tirx.Frame");
    case Type::Jit: return named("tirx.JitFunc");
    case Type::MetaVar: return named("tirx.meta_var");
    case Type::PendingStore: return named("tirx.BufferStore");
    case Type::TensorMapType:
    case Type::TypeAnnotation: return named("tirx.Type");
    case Type::Buffer:  // those of tirx_type_of
    case Type::Region:
    case Type::Layout:
    case Type::Iter:
    case Type::DataType:
    case Type::Kernel:
    case Type::Unknown:
    case Type::Scope: break;
  }
  return class_named(in, "object");
}

bool is_subclass(const Class* cls, const Class* base) {
  return cls && base && std::find(cls->mro.begin(), cls->mro.end(), base) != cls->mro.end();
}

bool is_callable(Value v) {
  if (!v.is_object()) return false;
  switch (v.o->type) {
    case Type::Function:
    case Type::Lambda:
    case Type::BoundMethod:
    case Type::Native:
    case Type::Intrinsic:
    case Type::Class:
    case Type::DataType:
    case Type::Kernel:
    case Type::Jit: return true;
    case Type::Instance: return static_cast<Instance*>(v.o)->cls->find("__call__") != nullptr;
    default: return false;
  }
}

namespace {

bool is_container(Value v) {
  return v.as<Str>() || v.as<List>() || v.as<Tuple>() || v.as<Dict>() || v.as<Set>() || v.as<Range>();
}

bool has_method(Value v, std::string_view name) {
  Instance* instance = v.as<Instance>();
  return instance && instance->cls->find(name);
}

// Does its class derive from one of these abstract classes?
bool derives_from(Value v, std::initializer_list<std::string_view> names) {
  Instance* instance = v.as<Instance>();
  return instance && std::ranges::any_of(instance->cls->mro, [&](const Class* c) {
           return is_marker(c) && std::ranges::find(names, c->name) != names.end();
         });
}

// The abstract classes of numbers, collections.abc and typing: what a value is, whatever it derives from.
std::optional<bool> is_abstract_instance(Interpreter& in, Value v, std::string_view name) {
  bool integer = in.as_big(v).has_value();
  if (name == "Integral" || name == "Rational") return integer;
  if (name == "Number" || name == "Real" || name == "Complex") return integer || v.is_float();
  if (name == "Callable") return is_callable(v);
  if (name == "Sequence" && derives_from(v, {"Sequence", "MutableSequence"})) return true;
  if (name == "Sequence") return v.as<Str>() || v.as<List>() || v.as<Tuple>() || v.as<Range>();
  if (name == "MutableSequence") return v.as<List>() || derives_from(v, {"MutableSequence"});
  if (name == "Mapping" && derives_from(v, {"Mapping"})) return true;
  if (name == "Mapping" || name == "MutableMapping") return v.as<Dict>() || derives_from(v, {"MutableMapping"});
  if (name == "AbstractSet" || name == "MutableSet") return v.as<Set>() != nullptr;
  if (name == "Sized" || name == "Collection" || name == "Container")
    return is_container(v) || has_method(v, "__len__");
  if (name == "Iterable") return is_container(v) || v.as<Iterator>() || has_method(v, "__iter__");
  if (name == "Iterator" || name == "Generator") return v.as<Iterator>() || has_method(v, "__next__");
  if (name == "Hashable") return !v.as<List>() && !v.as<Dict>() && !v.as<Set>();
  if (name == "Any") return true;
  return std::nullopt;
}

// Names that are classes of the reference and something else here: T.Buffer makes an annotation, Axis is a namespace.
bool is_named_instance(Value v, std::string_view name) {
  if (std::size_t dot = name.rfind('.'); dot != name.npos) name = name.substr(dot + 1);
  if (name == "Buffer") return v.as<BufferValue>() != nullptr;
  if (name == "Axis") return v.as<AxisValue>() != nullptr;
  if (name == "meta_var") return v.as<MetaVar>() != nullptr;
  return false;
}

bool is_protocol(const Class* cls) {
  return std::ranges::any_of(cls->bases, [](const Class* c) { return is_marker(c) && c->name == "Protocol"; });
}

// typing.runtime_checkable: an object with all members of the protocol is an instance of it.
bool has_members(Interpreter& in, Value v, const Class* protocol) {
  Instance* instance = v.as<Instance>();
  if (!instance) in.assume();  // what Python's own types have is not asked
  auto has = [&](std::string_view name) { return instance && (instance->find(name) || instance->cls->find(name)); };
  const auto& bindings = protocol->scope->bindings;
  return std::ranges::all_of(protocol->fields, has) && std::ranges::all_of(bindings, [&](const Scope::Binding& b) {
           return (b.name.starts_with('_') && !b.value.as<Function>()) || has(b.name);
         });
}

bool is_instance_within(Interpreter& in, Value v, Value classinfo, int depth) {
  if (depth > 32) return false;
  if (classinfo.is_opaque() || classinfo.is_poison()) in.assume();
  if (Tuple* t = classinfo.as<Tuple>()) {
    return std::any_of(t->items.begin(), t->items.end(),
                       [&](Value c) { return is_instance_within(in, v, c, depth + 1); });
  }
  if (classinfo.is_none()) return v.is_none();  // as a member of `int | None`
  if (Class* cls = classinfo.as<Class>()) {
    if (v.is_opaque() || v.is_poison()) {
      in.assume();
      return false;
    }
    if (is_marker(cls)) {
      if (auto answer = is_abstract_instance(in, v, cls->name)) return *answer;
    }
    if (is_subclass(type_of(in, v), cls)) return true;
    if (is_protocol(cls)) return has_members(in, v, cls);
    // Mixed-in types are no bases here (enums.cpp, named_tuples.cpp): a base with a constructor would shadow the class'
    // own.
    Instance* instance = v.as<Instance>();
    if (!instance) return false;
    if (cls == class_named(in, "int")) return instance->cls->is_int_enum;
    if (cls == class_named(in, "tuple")) return instance->cls->find("_fields") != nullptr;
    if (cls == class_named(in, "dict") && instance->find(kInnerDict)) return true;
    if (cls == class_named(in, "str") && instance->cls->is_enum && !instance->cls->is_int_enum) {
      return instance->cls->find(kTextEnum) != nullptr;
    }
    return false;
  }
  if (Native* n = classinfo.as<Native>()) return is_named_instance(v, n->name);
  if (Namespace* n = classinfo.as<Namespace>()) return is_named_instance(v, n->path);
  return false;
}

}  // namespace

bool is_instance(Interpreter& in, Value v, Value classinfo) { return is_instance_within(in, v, classinfo, 0); }

namespace {

// A class of a package whose classes are none of Python's own: its numbers and arrays, its tensors.
bool is_of_arrays(Value cls) {
  const std::string_view why = cls.reason();
  for (std::string_view package : {"numpy", "torch", "tvm", "jax", "cupy", "triton", "ml_dtypes"}) {
    if (why.find(package) != why.npos) return !why.starts_with('`');
  }
  return false;
}

Value unknown_class_within(Value classinfo, int depth) {
  if (classinfo.is_opaque()) return is_of_arrays(classinfo) ? Value::none() : classinfo;
  Tuple* t = classinfo.as<Tuple>();
  for (std::size_t i = 0; t && depth < 32 && i < t->items.size(); ++i) {
    if (Value unknown = unknown_class_within(t->items[i], depth + 1); !unknown.is_none()) return unknown;
  }
  return Value::none();
}

}  // namespace

Value instance_answer(Interpreter& in, Value v, Value classinfo) {
  if (v.is_opaque() || v.is_poison()) return v.is_opaque() ? v : Value::boolean(false);
  if (is_instance(in, v, classinfo)) return Value::boolean(true);
  Instance* instance = v.as<Instance>();
  if (instance && instance->cls->has_unknown_base) return Value::opaque("a class with an unknown base");
  Value unknown = unknown_class_within(classinfo, 0);
  return unknown.is_none() ? Value::boolean(false) : unknown;
}

void add_method(Interpreter& in, Class* cls, std::string_view name, NativeFunction function) {
  cls->scope->set(name, in.native(name, function, Value::ellipsis()));  // the ellipsis asks to be bound to the instance
}

namespace {
constexpr std::string_view kMarker = "<marker>";  // no identifier: scripts cannot see it
}

Class* make_marker(Interpreter& in, std::string_view name) {
  Class* cls = make_class(in, name, {class_named(in, "object")});
  cls->scope->set(kMarker, Value::none());
  return cls;
}

bool is_of_scripts(const Class* cls) {
  return !cls->is_enum && !cls->is_exception && std::ranges::all_of(cls->mro, [](const Class* c) {
    return c->name == "object" || (c->scope && c->scope->parent);
  });
}

bool is_marker(const Class* cls) { return cls->scope && cls->scope->find(kMarker); }

Value exception_value(Interpreter& in, const Pending& pending) {
  if (!pending.exception.is_none()) return pending.exception;
  Class* cls = class_named(in, pending.type);
  if (!cls || !cls->is_exception) return Value::opaque("an exception");
  Instance* e = make_exception(in, cls, {Value::opaque("the text of an exception")});
  if (pending.type == "StopIteration") e->set("value", Value::none());
  return Value::object(e);
}

namespace {

// Does Python's text of it have its address, or is it one that is not made here?
bool has_own_text(Instance* instance) {
  Class* cls = instance->cls;
  if (cls->is_enum || cls->is_exception) return true;
  if (cls->is_dataclass && !cls->find("__repr__")) {  // names the functions and classes that its class stands in
    return cls->scope && cls->scope->parent && cls->scope->parent->kind == Scope::Kind::Module;
  }
  if (cls->name == "SimpleNamespace") return true;
  for (std::string_view name : {"__repr__", "__str__", "__format__"}) {
    if (instance->cls->find(name)) return true;
  }
  return !std::ranges::any_of(cls->mro, [](const Class* c) { return c->scope && c->scope->parent; }) &&
         !instance->find(kInnerDict);
}

bool is_without_text(Interpreter& in, Value v, int depth) {
  constexpr int kDeep = 20;
  if (!v.is_object() || depth > kDeep || !in.step({})) return false;
  auto any = [&](const std::vector<Value>& items) {
    return std::ranges::any_of(items, [&](Value item) { return is_without_text(in, item, depth + 1); });
  };
  switch (v.o->type) {
    case Type::Function:
    case Type::Lambda:
    case Type::BoundMethod:
    case Type::Native:
    case Type::Iterator: return true;
    case Type::List: return any(v.as<List>()->items);
    case Type::Tuple: return any(v.as<Tuple>()->items);
    case Type::Dict:
      return std::ranges::any_of(v.as<Dict>()->items, [&](const auto& entry) {
        return is_without_text(in, entry.first, depth + 1) || is_without_text(in, entry.second, depth + 1);
      });
    case Type::Class: return v.as<Class>()->scope && v.as<Class>()->scope->parent;
    case Type::Instance: return !has_own_text(v.as<Instance>());
    default: return false;
  }
}

}  // namespace

Value unknown_in_text(Interpreter& in, Value v) {
  if (is_without_text(in, v, 0)) return Value::opaque("the text of an object, in which Python writes its address");
  Instance* instance = v.as<Instance>();
  Value* args = instance && instance->cls->is_exception ? instance->find("args") : nullptr;
  return in.unknown_within(args ? *args : v);
}

Instance* make_exception(Interpreter& in, Class* cls, std::vector<Value> args) {
  Instance* e = in.make<Instance>();
  e->cls = cls;
  if (cls->name == "StopIteration") e->set("value", args.empty() ? Value::none() : args[0]);
  if (cls->name == "SystemExit")
    e->set("code", args.empty() ? Value::none() : args.size() == 1 ? args[0] : in.tuple(args));
  e->set("args", in.tuple(std::move(args)));
  return e;
}

// ---- algorithms -------------------------------------------------------------------------------------------------

std::optional<bool> less(Interpreter& in, Value a, Value b, text::Span span) {
  if (a.is_int() && b.is_int()) return a.i < b.i;
  if (Str* x = a.as<Str>(), *y = b.as<Str>(); x && y) return x->text < y->text;
  Value v = in.compare(syntax::Operator::Lt, a, b, span);
  if (v.is_error()) return std::nullopt;
  return in.truth(v, span);
}

bool sort(Interpreter& in, std::vector<Value>& items, Value key, bool reverse, text::Span span) {
  struct Item {
    Value key, value;
  };
  std::vector<Item> from, to;
  from.reserve(items.size());
  if (!reserve(in, span, 2 * items.size() * sizeof(Item))) return false;
  std::vector<Value> keys;  // that are objects
  Interpreter::OwnRounds rounds(in, keys);
  for (Value v : items) {
    Value k = v;
    if (!key.is_none()) {
      k = call(in, key, {v}, span);
      if (k.is_error()) return false;
    }
    if (!in.step(span)) return false;
    from.push_back({k, v});
    if (!key.is_none() && k.is_object()) keys.push_back(k);
    rounds.end_round();
  }
  for (const Item& item : from) {  // then the order is not known
    Value unknown = items.size() > 1 ? in.unknown_within(item.key) : Value::none();
    if (unknown.is_none()) continue;
    std::ranges::fill(items, unknown);
    return true;
  }
  // A merge sort of our own: the order may come from a script's __lt__, and std::stable_sort may not be lied to.
  // Python's reverse keeps equal items in their order, so both directions take the left one on a tie.
  to.resize(from.size());
  std::size_t n = from.size();
  for (std::size_t width = 1; width < n; width *= 2) {
    for (std::size_t lo = 0; lo < n; lo += 2 * width) {
      std::size_t mid = std::min(lo + width, n), hi = std::min(lo + 2 * width, n);
      std::size_t a = lo, b = mid;
      for (std::size_t at = lo; at < hi; ++at) {
        bool take_right = a == mid;
        if (!take_right && b < hi) {
          if (!in.step(span)) return false;
          auto before = reverse ? less(in, from[a].key, from[b].key, span) : less(in, from[b].key, from[a].key, span);
          if (!before) return false;
          take_right = *before;
        }
        to[at] = take_right ? from[b++] : from[a++];
      }
    }
    std::swap(from, to);
  }
  for (std::size_t i = 0; i < n; ++i) items[i] = from[i].value;
  return true;
}

std::optional<std::int64_t> float_to_int(double value) {
  if (!(value >= -9223372036854775808.0 && value < 9223372036854775808.0)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

void dict_erase(Dict* dict, std::size_t at) {
  if (Set* set = dict->owner ? Value::object(dict->owner).as<Set>() : nullptr) note_removed(*set, at);
  Instance* instance = dict->owner ? Value::object(dict->owner).as<Instance>() : nullptr;
  if (Str* name = instance ? dict->items[at].first.as<Str>() : nullptr) {
    std::erase_if(instance->attributes, [&](const auto& a) { return a.first == name->text; });
  }
  spoil_views(dict, true);
  dict->items.erase(dict->items.begin() + static_cast<std::ptrdiff_t>(at));
  dict->index.remove(at);
}

std::size_t text_length(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::size_t text_offset(std::string_view text, std::size_t index) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) continue;
    if (index-- == 0) return i;
  }
  return text.size();
}

}  // namespace tilewright::script::python
