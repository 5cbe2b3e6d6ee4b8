// Classes made of named fields: dataclasses, NamedTuple and namedtuple.
//
// A dataclass keeps its fields under "__dataclass_fields__" (name to Field object, in order, bases first), as Python
// does; the natives added to it read them. Instances hold fields as plain attributes.
#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/script/python/python.h"
#include "compiler/script/python/support.h"

namespace tilewright::script::python {
namespace {

constexpr std::string_view kFields = "__dataclass_fields__";
constexpr int kDeepest = 100;  // nesting that asdict() and deepcopy() follow

Class* field_class(Interpreter& in) {
  return shared_class(in, "dataclasses.Field", [&] { return make_class(in, "Field", {class_named(in, "object")}); });
}

Instance* as_field(Interpreter& in, Value v) {
  Instance* f = v.as<Instance>();
  return f && f->cls == field_class(in) ? f : nullptr;
}

// "dataclasses.MISSING", and how a field without a default says so.
Value missing(Interpreter& in) {
  constexpr std::string_view kKey = "dataclasses.MISSING";
  if (auto* b = in.builtins()->find(kKey)) return b->value;
  Instance* instance = in.make<Instance>();
  instance->cls = field_class(in);
  in.builtins()->set(kKey, Value::object(instance));
  return Value::object(instance);
}
bool is_missing(Interpreter& in, const Instance* field, std::string_view part) {
  const Value* v = const_cast<Instance*>(field)->find(part);
  return !v || in.is_identical(*v, missing(in));
}

bool flag(Instance* field, std::string_view name) {
  Value* v = field->find(name);
  return !v || !v->is_bool() || v->b;
}

Instance* make_field(Interpreter& in, Value default_value) {
  Instance* f = in.make<Instance>();
  f->cls = field_class(in);
  f->set("default", default_value);
  f->set("default_factory", missing(in));
  return f;
}

// field(default=..., default_factory=..., init=..., repr=..., compare=..., kw_only=..., ...)
Value field(Interpreter& in, const Arguments& args, Value) {
  Instance* f = make_field(in, missing(in));
  if (!args.positional.empty()) return in.fail(code::kArguments, args.call, "field() takes keyword arguments only");
  for (const Keyword& k : args.keywords) f->set(k.name, k.value);
  if (!is_missing(in, f, "default") && !is_missing(in, f, "default_factory")) {
    return in.fail(code::kArguments, args.call, "field() takes a default or a default_factory, not both", {},
                   "ValueError");
  }
  return Value::object(f);
}

// The nearest dataclass of an instance: a subclass without the decorator inherits the constructor.
Dict* fields_of(Class* cls) {
  Value* found = cls->find(kFields);
  return found ? found->as<Dict>() : nullptr;
}

Dict* fields_of(Value v) {
  if (Instance* instance = v.as<Instance>()) return fields_of(instance->cls);
  if (Class* cls = v.as<Class>()) return fields_of(cls);
  return nullptr;
}

// ---- the generated constructor ------------------------------------------------------------------------------------

std::optional<Value> default_of(Interpreter& in, Instance* field, text::Span span) {
  if (!is_missing(in, field, "default")) return *field->find("default");
  if (!is_missing(in, field, "default_factory")) {
    Value factory = *field->find("default_factory");
    return call(in, factory, {}, span);
  }
  return std::nullopt;
}

Value dataclass_init(Interpreter& in, const Arguments& args, Value) {
  Instance* self = args.positional.empty() ? nullptr : args.positional[0].as<Instance>();
  Dict* fields = self ? fields_of(self->cls) : nullptr;
  if (!fields) return in.fail(code::kArguments, args.call, "__init__() needs an instance of a dataclass");
  std::size_t next = 1;
  std::size_t keywords_used = 0;
  // Fails at the first keyword that names no field.
  auto unknown = [&]() -> std::optional<Value> {
    for (const Keyword& k : args.keywords) {
      Value* f = in.dict_find(fields, in.string(k.name));
      if (f && flag(f->as<Instance>(), "init")) continue;
      std::vector<std::string_view> known;
      for (auto& [name, field] : fields->items) {
        if (flag(field.as<Instance>(), "init")) known.push_back(name.as<Str>()->text);
      }
      return in.unknown_keyword(self->cls->name + "()", k, known);
    }
    return std::nullopt;
  };
  auto entries = fields->items;
  for (auto& [key, value] : entries) {
    if (!in.step(args.call)) return Value::error();
    std::string_view name = key.as<Str>()->text;
    Instance* f = value.as<Instance>();
    Value given;
    bool has = false;
    if (flag(f, "init")) {
      const Keyword* k = keyword(args, name);
      Value* keyword_only = f->find("kw_only");
      bool positional = !(keyword_only && keyword_only->is_bool() && keyword_only->b);
      if (positional && next < args.positional.size()) {
        given = args.positional[next++];
        has = true;
        if (k) {
          return in.fail(code::kArguments, k->span, self->cls->name + "() is given '" + std::string(name) + "' twice");
        }
      } else if (k) {
        given = k->value;
        has = true;
        ++keywords_used;
      }
    }
    if (!has) {
      auto value_or_none = default_of(in, f, args.call);
      if (!value_or_none) {
        if (!flag(f, "init")) continue;
        if (auto failure = unknown()) return *failure;  // what is missing was meant there
        return in.fail(code::kArguments, args.call,
                       self->cls->name + "() needs the argument '" + std::string(name) + "'");
      }
      given = *value_or_none;
      if (given.is_error()) return given;
    }
    self->set(name, given);
  }
  if (next < args.positional.size()) {
    return in.fail(code::kArguments, args.call,
                   self->cls->name + "() takes " + std::to_string(next - 1) + " positional arguments, " +
                       std::to_string(args.positional.size() - 1) + " are given");
  }
  if (keywords_used < args.keywords.size()) {
    if (auto failure = unknown()) return *failure;
  }
  if (self->cls->find("__post_init__")) {
    Value bound = in.attribute(args.positional[0], "__post_init__", args.call);
    Value result = bound.is_error() ? bound : call(in, bound, {}, args.call);
    if (result.is_error()) return result;
  }
  return Value::none();
}

Value values_tuple(Interpreter& in, Value v, Dict* fields) {
  std::vector<Value> items;
  for (auto& [key, f] : fields->items) {
    Value* value = v.as<Instance>()->find(key.as<Str>()->text);
    if (value && flag(f.as<Instance>(), "compare")) items.push_back(*value);
  }
  return in.tuple(std::move(items));
}

template <syntax::Operator Op>
Value dataclass_compare(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "a comparison", 2, 2)) return Value::error();
  Value a = args.positional[0], b = args.positional[1];
  Dict* fields = fields_of(a);
  if (!fields || !a.as<Instance>() || !b.as<Instance>() || fields_of(b) != fields) return Value::not_implemented();
  return in.compare(Op, values_tuple(in, a, fields), values_tuple(in, b, fields), args.call);
}

// ---- the decorator ------------------------------------------------------------------------------------------------

bool option(Interpreter& in, Dict* options, std::string_view name, bool absent) {
  Value* v = options ? in.dict_find(options, in.string(name)) : nullptr;
  return v ? in.truth(*v, {}).value_or(absent) : absent;
}

Value decorate(Interpreter& in, const Arguments& args, Class* cls, Dict* options) {
  Dict* fields = in.make<Dict>();
  for (std::size_t i = cls->mro.size(); i-- > 1;) {
    auto* inherited = cls->mro[i]->scope ? cls->mro[i]->scope->find(kFields) : nullptr;
    if (!inherited) continue;
    for (auto& [key, value] : inherited->value.as<Dict>()->items) in.dict_set(fields, key, value);
  }
  bool all_keyword_only = option(in, options, "kw_only", false);
  bool had_default = false;
  for (const std::string& name : cls->fields) {
    if (!in.step(args.call)) return Value::error();
    Value* in_class = cls->find(name);
    Instance* f = in_class ? as_field(in, *in_class) : nullptr;
    if (!f) f = make_field(in, in_class ? *in_class : missing(in));
    if (Value* d = f->find("default"); d && (d->as<List>() || d->as<Dict>() || d->as<Set>())) {
      return in.fail(code::kValue, args.call, "field '" + name + "' has a default that can change",
                     "write field(default_factory=...)", "ValueError");
    }
    f->set("name", in.string(name));
    f->set("type", Value::opaque("an annotation"));
    if (all_keyword_only && !f->find("kw_only")) f->set("kw_only", Value::boolean(true));
    if (!is_missing(in, f, "default")) cls->scope->set(in.keep(name), *f->find("default"));
    in.dict_set(fields, in.string(name), Value::object(f));
  }
  cls->fields.clear();
  for (auto& [key, value] : fields->items) {
    Instance* f = value.as<Instance>();
    const std::string& name = key.as<Str>()->text;
    cls->fields.push_back(name);
    Value* keyword_only = f->find("kw_only");
    if (!flag(f, "init") || (keyword_only && keyword_only->is_bool() && keyword_only->b)) continue;
    bool has_default = !is_missing(in, f, "default") || !is_missing(in, f, "default_factory");
    if (had_default && !has_default) {
      return in.fail(code::kArguments, args.call,
                     "field '" + name + "' of " + cls->name + " has no default but follows one that has");
    }
    had_default |= has_default;
  }
  cls->scope->set(kFields, Value::object(fields));
  cls->is_dataclass = true;
  cls->is_frozen = option(in, options, "frozen", false);
  auto add = [&](std::string_view name, NativeFunction function) {
    if (!cls->scope->find(name)) add_method(in, cls, name, function);
  };
  if (option(in, options, "init", true)) add("__init__", dataclass_init);
  if (option(in, options, "order", false)) {
    add("__lt__", dataclass_compare<syntax::Operator::Lt>);
    add("__le__", dataclass_compare<syntax::Operator::Le>);
    add("__gt__", dataclass_compare<syntax::Operator::Gt>);
    add("__ge__", dataclass_compare<syntax::Operator::Ge>);
  }
  return Value::object(cls);
}

Value decorate_with(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "dataclass", 1, 1)) return Value::error();
  Class* cls = args.positional[0].as<Class>();
  return cls ? decorate(in, args, cls, self.as<Dict>()) : args.positional[0];
}

// @dataclass and @dataclass(frozen=True, ...)
Value dataclass(Interpreter& in, const Arguments& args, Value) {
  Dict* options = in.make<Dict>();
  for (const Keyword& k : args.keywords) in.dict_set(options, in.string(k.name), k.value);
  if (args.positional.empty()) return in.native("dataclass", decorate_with, Value::object(options));
  Class* cls = args.positional[0].as<Class>();
  return cls ? decorate(in, args, cls, options) : args.positional[0];
}

// ---- dataclasses.* ------------------------------------------------------------------------------------------------

Value needs_dataclass(Interpreter& in, const Arguments& args, std::string_view name) {
  return wrong_type(in, args.at(0), name, "a dataclass or an instance of one", args.positional[0]);
}

Value is_dataclass(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "is_dataclass", 1, 1)) return Value::error();
  return Value::boolean(fields_of(args.positional[0]) != nullptr);
}

Value fields(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "fields", 1, 1)) return Value::error();
  Dict* dict = fields_of(args.positional[0]);
  if (!dict) return needs_dataclass(in, args, "fields");
  std::vector<Value> items;
  for (auto& [key, value] : dict->items) items.push_back(value);
  return in.tuple(std::move(items));
}

Value replace(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.size() != 1) return in.fail(code::kArguments, args.call, "replace() takes one object");
  Instance* old = args.positional[0].as<Instance>();
  Dict* dict = fields_of(args.positional[0]);
  if (!old || !dict) return needs_dataclass(in, args, "replace");
  std::vector<Keyword> keywords(args.keywords.begin(), args.keywords.end());
  for (auto& [key, value] : dict->items) {
    const std::string& name = key.as<Str>()->text;
    Value* current = old->find(name);
    if (!current || keyword(args, name) || !flag(value.as<Instance>(), "init")) continue;
    keywords.push_back({name, *current, args.call});
  }
  Arguments all = args;
  all.positional = {};
  all.spans = {};
  all.keywords = keywords;
  return in.call(Value::object(old->cls), all);
}

Value convert(Interpreter& in, Value v, bool to_dict, int depth, text::Span span) {
  if (!in.step(span)) return Value::error();
  if (depth > kDeepest) return in.fail(code::kLimit, span, "the data is nested too deeply", {}, "RecursionError");
  auto each = [&](const std::vector<Value>& items) -> std::optional<std::vector<Value>> {
    std::vector<Value> out;
    for (Value item : items) {
      out.push_back(convert(in, item, to_dict, depth + 1, span));
      if (out.back().is_error()) return std::nullopt;
    }
    return out;
  };
  if (Instance* instance = v.as<Instance>()) {
    Dict* dict = fields_of(v);
    if (!dict) return v;
    Dict* named = in.make<Dict>();
    std::vector<Value> values;
    for (auto& [key, f] : dict->items) {
      Value* current = instance->find(key.as<Str>()->text);
      if (!current) continue;
      Value item = convert(in, *current, to_dict, depth + 1, span);
      if (item.is_error()) return item;
      if (to_dict) in.dict_set(named, key, item);
      values.push_back(item);
    }
    return to_dict ? Value::object(named) : in.tuple(std::move(values));
  }
  if (List* l = v.as<List>()) {
    auto items = each(l->items);
    return items ? in.list(std::move(*items)) : Value::error();
  }
  if (Tuple* t = v.as<Tuple>()) {
    auto items = each(t->items);
    return items ? in.tuple(std::move(*items)) : Value::error();
  }
  if (Dict* d = v.as<Dict>()) {
    Dict* out = in.make<Dict>();
    for (auto& [key, value] : d->items) {
      Value item = convert(in, value, to_dict, depth + 1, span);
      if (item.is_error()) return item;
      in.dict_set(out, key, item);
    }
    return Value::object(out);
  }
  return v;
}

template <bool ToDict>
Value as_data(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.empty()) return in.fail(code::kArguments, args.call, "an instance of a dataclass is needed");
  if (!args.positional[0].as<Instance>() || !fields_of(args.positional[0])) {
    return needs_dataclass(in, args, ToDict ? "asdict" : "astuple");
  }
  return convert(in, args.positional[0], ToDict, 0, args.call);
}

// ---- named tuples ---------------------------------------------------------------------------------------------------

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
  add("_asdict", record_asdict);
  add("_replace", record_replace);
}

// ---- copies -------------------------------------------------------------------------------------------------------

class Copier {
 public:
  Copier(Interpreter& in, text::Span span, bool deep) : in_(in), span_(span), deep_(deep) {}

  Value copy(Value v, int depth = 0) {
    if (!v.is_object() || (depth > 0 && !deep_)) return v;
    for (auto& [from, to] : done_) {
      if (from == v.o) return to;
    }
    if (!work(in_, span_, done_.size())) return Value::error();
    if (depth > kDeepest) return in_.fail(code::kLimit, span_, "the data is nested too deeply", {}, "RecursionError");
    if (List* l = v.as<List>()) {
      List* out = in_.make<List>();
      done_.emplace_back(v.o, Value::object(out));
      return items(l->items, out->items, depth) ? Value::object(out) : Value::error();
    }
    if (Tuple* t = v.as<Tuple>(); t && deep_) {
      Tuple* out = in_.make<Tuple>();
      return items(t->items, out->items, depth) ? Value::object(out) : Value::error();
    }
    if (Dict* d = v.as<Dict>()) {
      Dict* out = in_.make<Dict>();
      done_.emplace_back(v.o, Value::object(out));
      auto entries = d->items;
      for (auto& [key, value] : entries) {
        Value item = copy(value, depth + 1);
        if (item.is_error()) return item;
        in_.dict_set(out, key, item);
      }
      return Value::object(out);
    }
    if (Set* s = v.as<Set>()) {
      Set* out = in_.make<Set>();
      if (!reserve(in_, span_, s->entries.items.size() * 4 * sizeof(Value))) return Value::error();
      out->entries.items = s->entries.items;
      out->entries.index = s->entries.index;
      return Value::object(out);
    }
    Instance* instance = v.as<Instance>();
    if (!instance || instance->cls->is_enum) return v;
    Instance* out = in_.make<Instance>();
    out->cls = instance->cls;
    done_.emplace_back(v.o, Value::object(out));
    auto attributes = instance->attributes;
    if (!reserve(in_, span_, attributes.size() * 2 * sizeof(Value))) return Value::error();
    for (auto& [name, value] : attributes) {
      Value item = copy(value, depth + 1);
      if (item.is_error()) return item;
      out->set(name, item);
    }
    return Value::object(out);
  }

 private:
  bool items(const std::vector<Value>& from, std::vector<Value>& to, int depth) {
    if (!reserve(in_, span_, from.size() * sizeof(Value))) return false;
    to.reserve(from.size());
    for (Value item : std::vector<Value>(from)) {
      to.push_back(copy(item, depth + 1));
      if (to.back().is_error() || !in_.step(span_)) return false;
    }
    return true;
  }

  Interpreter& in_;
  text::Span span_;
  bool deep_;
  std::vector<std::pair<Object*, Value>> done_;
};

template <bool Deep>
Value copy_value(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.empty()) return in.fail(code::kArguments, args.call, "copy() needs a value");
  return Copier(in, args.call, Deep).copy(args.positional[0]);
}

constexpr Entry kDataclasses[] = {
    {"dataclass", dataclass},
    {"field", field},
    {"fields", known<fields>},
    {"replace", replace},
    {"asdict", known<as_data<true>>},
    {"astuple", known<as_data<false>>},
    {"is_dataclass", known<is_dataclass>},
    {"MISSING", nullptr, missing},
    {"FrozenInstanceError", nullptr, [](Interpreter& in) { return in.builtins()->find("AttributeError")->value; }},
};
constexpr Entry kCopy[] = {{"copy", copy_value<false>}, {"deepcopy", copy_value<true>}, {"replace", replace}};

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

std::span<const Entry> dataclasses_names() { return kDataclasses; }
std::span<const Entry> copy_names() { return kCopy; }

}  // namespace tilewright::script::python
