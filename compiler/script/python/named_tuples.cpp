// Classes of tuples whose items have names: NamedTuple and namedtuple.
#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/script/python/python.h"
#include "compiler/script/python/support.h"

namespace tilewright::script::python {
namespace {

// The fields of a named tuple's class, or null.
Tuple* tuple_fields(Class* cls) {
  Value* found = cls->find("_fields");
  return found ? found->as<Tuple>() : nullptr;
}

// The values of the instance that a method was called on; nothing with a pending error.
std::optional<std::vector<Value>> record_values(Interpreter& in, const Arguments& args) {
  Instance* self = args.positional.empty() ? nullptr : args.positional[0].as<Instance>();
  Tuple* names = self ? tuple_fields(self->cls) : nullptr;
  if (!names) {
    in.fail(code::kArguments, args.call, "an instance of a named tuple is needed");
    return std::nullopt;
  }
  std::vector<Value> values;
  for (Value name : names->items) {
    Value* v = self->find(name.as<Str>()->text);
    values.push_back(v ? *v : Value::none());
  }
  return values;
}

Value record_init(Interpreter& in, const Arguments& args, Value) {
  Instance* self = args.positional.empty() ? nullptr : args.positional[0].as<Instance>();
  Tuple* names = self ? tuple_fields(self->cls) : nullptr;
  if (!names) return in.fail(code::kArguments, args.call, "__init__() needs an instance of a named tuple");
  Dict* defaults = self->cls->find("_field_defaults") ? self->cls->find("_field_defaults")->as<Dict>() : nullptr;
  if (args.positional.size() - 1 > names->items.size()) {
    return in.fail(code::kArguments, args.call,
                   self->cls->name + "() takes " + std::to_string(names->items.size()) + " values, " +
                       std::to_string(args.positional.size() - 1) + " are given");
  }
  std::size_t used = 0;
  for (std::size_t i = 0; i < names->items.size(); ++i) {
    std::string_view name = names->items[i].as<Str>()->text;
    const Keyword* k = keyword(args, name);
    used += k ? 1 : 0;
    if (i + 1 < args.positional.size()) {
      if (k)
        return in.fail(code::kArguments, k->span, self->cls->name + "() is given '" + std::string(name) + "' twice");
      self->set(name, args.positional[i + 1]);
    } else if (k) {
      self->set(name, k->value);
    } else if (Value* d = defaults ? in.dict_find(defaults, names->items[i]) : nullptr) {
      self->set(name, *d);
    } else {
      return in.fail(code::kArguments, args.call, self->cls->name + "() needs the value '" + std::string(name) + "'");
    }
  }
  for (const Keyword& k : args.keywords) {
    if (used == args.keywords.size()) break;
    if (self->find(k.name)) continue;
    return in.fail(code::kArguments, k.span, self->cls->name + "() has no field '" + std::string(k.name) + "'");
  }
  return Value::none();
}

Value record_tuple(Interpreter& in, const Arguments& args, Value) {
  auto values = record_values(in, args);
  return values ? in.tuple(std::move(*values)) : Value::error();
}

Value record_getitem(Interpreter& in, const Arguments& args, Value self) {
  Value tuple = record_tuple(in, args, self);
  if (tuple.is_error() || args.positional.size() != 2) return tuple;
  return in.subscript(tuple, args.positional.subspan(1), true, args.call);
}

Value record_len(Interpreter& in, const Arguments& args, Value) {
  auto values = record_values(in, args);
  return values ? Value::integer(static_cast<std::int64_t>(values->size())) : Value::error();
}

template <syntax::Operator Op>
Value record_compare(Interpreter& in, const Arguments& args, Value self) {
  Value tuple = record_tuple(in, args, self);
  if (tuple.is_error() || args.positional.size() != 2) return tuple;
  Value other = args.positional[1];
  if (Instance* instance = other.as<Instance>(); instance && tuple_fields(instance->cls)) {
    Arguments of_other = args;
    of_other.positional = args.positional.subspan(1);
    other = record_tuple(in, of_other, self);
  }
  return in.compare(Op, tuple, other, args.call);
}

Value record_add(Interpreter& in, const Arguments& args, Value self) {
  Value tuple = record_tuple(in, args, self);
  if (tuple.is_error() || args.positional.size() != 2) return tuple;
  return in.binary(syntax::Operator::Add, tuple, args.positional[1], args.call);
}

// index() and count() are those of the tuple.
template <bool Index>
Value record_search(Interpreter& in, const Arguments& args, Value self) {
  const Value tuple = record_tuple(in, args, self);
  if (tuple.is_error()) return tuple;
  return in.call(in.attribute(tuple, Index ? "index" : "count", args.call), args.positional.subspan(1), args.call);
}

Value record_asdict(Interpreter& in, const Arguments& args, Value) {
  auto values = record_values(in, args);
  if (!values) return Value::error();
  Tuple* names = tuple_fields(args.positional[0].as<Instance>()->cls);
  Dict* dict = in.make<Dict>();
  for (std::size_t i = 0; i < values->size(); ++i) in.dict_set(dict, names->items[i], (*values)[i]);
  return Value::object(dict);
}

Value record_replace(Interpreter& in, const Arguments& args, Value) {
  auto values = record_values(in, args);
  if (!values) return Value::error();
  Instance* self = args.positional[0].as<Instance>();
  Tuple* names = tuple_fields(self->cls);
  Instance* copy = in.make<Instance>();
  copy->cls = self->cls;
  copy->attributes = self->attributes;
  for (const Keyword& k : args.keywords) {
    if (std::none_of(names->items.begin(), names->items.end(), [&](Value n) { return n.as<Str>()->text == k.name; })) {
      return in.fail(code::kArguments, k.span, self->cls->name + " has no field '" + std::string(k.name) + "'", {},
                     "ValueError");
    }
    copy->set(k.name, k.value);
  }
  return Value::object(copy);
}

Value record_repr(Interpreter& in, const Arguments& args, Value) {
  auto values = record_values(in, args);
  if (!values) return Value::error();
  Instance* self = args.positional[0].as<Instance>();
  Tuple* names = tuple_fields(self->cls);
  std::string text = self->cls->name + "(";
  for (std::size_t i = 0; i < values->size(); ++i) {
    auto part = repr_of(in, (*values)[i]);
    if (!part || !reserve(in, args.call, part->size())) return Value::error();
    text += (i ? ", " : "") + names->items[i].as<Str>()->text + "=" + *part;
  }
  return in.string(text + ")");
}

// Tile._make([128, 64]); `self` is the class.
Value record_make(Interpreter& in, const Arguments& args, Value self) {
  if (args.positional.empty()) return in.fail(code::kArguments, args.call, "_make() takes the values");
  auto values = in.iterate(args.positional.back(), args.call);
  return values ? in.call(self, *values, args.call) : Value::error();
}

void make_record(Interpreter& in, Class* cls, std::vector<Value> names, Dict* defaults) {
  cls->scope->set("_fields", in.tuple(std::move(names)));
  cls->scope->set("_field_defaults", Value::object(defaults));
  auto add = [&](std::string_view name, NativeFunction function) {
    if (!cls->scope->find(name)) add_method(in, cls, name, function);
  };
  add("__init__", record_init);
  add("__iter__", record_tuple);
  add("__getitem__", record_getitem);
  add("__len__", record_len);
  add("__eq__", record_compare<syntax::Operator::Eq>);
  add("__ne__", record_compare<syntax::Operator::Ne>);
  add("__lt__", record_compare<syntax::Operator::Lt>);
  add("__le__", record_compare<syntax::Operator::Le>);
  add("__gt__", record_compare<syntax::Operator::Gt>);
  add("__ge__", record_compare<syntax::Operator::Ge>);
  add("__add__", record_add);
  add("__repr__", record_repr);
  add("index", record_search<true>);
  add("count", record_search<false>);
  add("_asdict", record_asdict);
  add("_replace", record_replace);
  if (!cls->scope->find("_make")) cls->scope->set("_make", in.native("_make", record_make, Value::object(cls)));
}

}  // namespace

// namedtuple("Point", "x y", defaults=(0,)) or a list of names.
Value namedtuple(Interpreter& in, const Arguments& args, Value) {
  Bound a(in, args, "namedtuple", {"typename", "field_names", "rename", "defaults", "module"}, 2);
  if (!a) return Value::error();
  auto name = in.as_string(a[0], a.span(0), "the name of a named tuple");
  if (!name) return Value::error();
  std::vector<Value> names;
  if (Str* text = a[1].as<Str>()) {
    std::string word;
    for (char c : text->text + " ") {
      if (c != ' ' && c != ',' && c != '\t' && c != '\n') {
        word += c;
      } else if (!word.empty()) {
        names.push_back(in.string(word));
        word.clear();
      }
    }
  } else {
    auto items = in.iterate(a[1], a.span(1));
    if (!items) return Value::error();
    for (Value v : *items) {
      auto text_or_none = in.as_string(v, a.span(1), "the name of a field");
      if (!text_or_none) return Value::error();
      names.push_back(in.string(*text_or_none));
    }
  }
  Dict* defaults = in.make<Dict>();
  if (a.has(3)) {
    auto values = in.iterate(a[3], a.span(3));
    if (!values) return Value::error();
    if (values->size() > names.size()) {
      return in.fail(code::kArguments, a.span(3), "there are more defaults than fields");
    }
    std::size_t first = names.size() - values->size();
    for (std::size_t i = 0; i < values->size(); ++i) in.dict_set(defaults, names[first + i], (*values)[i]);
  }
  Class* cls = make_class(in, *name, {class_named(in, "object")});
  make_record(in, cls, std::move(names), defaults);
  return Value::object(cls);
}

void finish_named_tuple(Interpreter& in, Class* cls) {
  Class* base = class_named(in, "typing.NamedTuple");
  if (!base || std::find(cls->bases.begin(), cls->bases.end(), base) == cls->bases.end()) return;
  std::vector<Value> names;
  Dict* defaults = in.make<Dict>();
  for (const std::string& name : cls->fields) {
    names.push_back(in.string(name));
    if (auto* b = cls->scope->find(name)) in.dict_set(defaults, names.back(), b->value);
  }
  make_record(in, cls, std::move(names), defaults);
}

}  // namespace tilewright::script::python
