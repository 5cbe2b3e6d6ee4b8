// Dataclasses.
//
// A dataclass keeps its fields under "__dataclass_fields__" (name to Field object, in order, bases first), as Python
// does; the natives added to it read them. Instances hold fields as plain attributes.
#include <algorithm>

#include "compiler/script/class_scope.h"
#include "compiler/script/codes.h"
#include "compiler/script/operators.h"
#include "compiler/script/python/python.h"
#include "compiler/script/python/support.h"

namespace tilewright::script::python {
namespace {

constexpr std::string_view kFields = "__dataclass_fields__";

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
  if (Value* v = in.builtins().find(kKey)) return *v;
  Instance* instance = in.make<Instance>();
  instance->cls = field_class(in);
  in.builtins().set(kKey, Value::object(instance));
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

// Is it one of InitVar, which the constructor hands to __post_init__ and no instance keeps?
bool is_init_only(Instance* field) {
  Value* v = field->find(kInitOnly);
  return v && v->is_bool() && v->b;
}
bool is_keyword_only(Instance* field) {
  Value* v = field->find("kw_only");
  return v && v->is_bool() && v->b;
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
  std::vector<Value> for_post_init;
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
      const bool positional = !is_keyword_only(f);
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
    if (is_init_only(f)) {
      for_post_init.push_back(given);
    } else {
      self->set(name, given);
    }
  }
  if (next < args.positional.size()) {
    in.fail(code::kArguments, args.call,
            self->cls->name + "() takes " + std::to_string(next - 1) + " positional arguments, " +
                std::to_string(args.positional.size() - 1) + " are given",
            {}, "TypeError");
    return in.certainly();
  }
  if (keywords_used < args.keywords.size()) {
    if (auto failure = unknown()) return *failure;
  }
  if (self->cls->find("__post_init__")) {
    Value bound = in.attribute(args.positional[0], "__post_init__", args.call);
    Value result = bound.is_error() ? bound : in.call(bound, for_post_init, args.call);
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

// Of a dataclass with eq=False: an object equals itself alone.
Value is_itself(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "__eq__", 2, 2)) return Value::error();
  const Instance *a = args.positional[0].as<Instance>(), *b = args.positional[1].as<Instance>();
  return a && b && a->cls == b->cls ? Value::boolean(a == b) : Value::not_implemented();
}

// ---- the decorator ------------------------------------------------------------------------------------------------

bool option(Interpreter& in, Dict* options, std::string_view name, bool absent) {
  Value* v = options ? in.dict_find(options, in.string(name)) : nullptr;
  return v && !v->is_opaque() ? in.truth(*v, {}).value_or(absent) : absent;
}

// What fields() shows of a field that field() was not told.
void complete_field(Interpreter& in, Instance* f) {
  for (const std::string_view name : {"init", "repr", "compare"})
    if (!f->find(name)) f->set(name, Value::boolean(true));
  if (!f->find("kw_only")) f->set("kw_only", Value::boolean(false));
  if (!f->find("hash")) f->set("hash", Value::none());
  if (!f->find("metadata")) f->set("metadata", Value::object(in.make<Dict>()));
}

// Takes a tuple of names (class_scope.h) away from the class.
std::vector<std::string> taken_names(Class* cls, std::string_view of) {
  std::vector<std::string> names;
  Scope::Binding* b = cls->scope->find(of);
  Tuple* tuple = b ? b->value.as<Tuple>() : nullptr;
  if (!tuple) return names;
  for (Value v : tuple->items) names.emplace_back(v.as<Str>()->text);
  cls->scope->erase({of, syntax::hash_name(of), {}});
  return names;
}

// The names of positional patterns, in order: arguments of the constructor that are not by keyword alone.
void add_match_args(Interpreter& in, Class* cls, Dict* fields) {
  if (cls->scope->find("__match_args__")) return;
  std::vector<Value> names;
  for (auto& [key, value] : fields->items) {
    Instance* f = value.as<Instance>();
    if (flag(f, "init") && !is_keyword_only(f)) names.push_back(key);
  }
  cls->scope->set("__match_args__", in.tuple(std::move(names)));
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
  const std::vector<std::string> init_only = taken_names(cls, kInitOnly), by_keyword = taken_names(cls, kByKeyword);
  auto is_among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
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
    if (is_among(init_only, name)) f->set(kInitOnly, Value::boolean(true));
    if ((all_keyword_only || is_among(by_keyword, name)) && !f->find("kw_only"))
      f->set("kw_only", Value::boolean(true));
    complete_field(in, f);
    if (!is_missing(in, f, "default")) cls->scope->set(in.keep(name), *f->find("default"));
    in.dict_set(fields, in.string(name), Value::object(f));
  }
  cls->fields.clear();
  for (auto& [key, value] : fields->items) {
    Instance* f = value.as<Instance>();
    const std::string& name = key.as<Str>()->text;
    if (!is_init_only(f)) cls->fields.push_back(name);
    if (!flag(f, "init") || is_keyword_only(f)) continue;
    bool has_default = !is_missing(in, f, "default") || !is_missing(in, f, "default_factory");
    if (had_default && !has_default) {
      return in.fail(code::kArguments, args.call,
                     "field '" + name + "' of " + cls->name + " has no default but follows one that has");
    }
    had_default |= has_default;
  }
  cls->scope->set(kFields, Value::object(fields));
  cls->is_dataclass = true;
  if (option(in, options, "match_args", true)) add_match_args(in, cls, fields);
  cls->is_frozen = option(in, options, "frozen", false);
  if (option(in, options, "slots", false)) {
    std::vector<Value> slots;
    for (const std::string& name : cls->fields) slots.push_back(in.string(name));
    cls->scope->set("__slots__", in.tuple(std::move(slots)));
  }
  auto add = [&](std::string_view name, NativeFunction function) {
    if (!cls->scope->find(name)) add_method(in, cls, name, function);
  };
  if (option(in, options, "init", true)) add("__init__", dataclass_init);
  const Value* equality = cls->find("__eq__");
  const bool by_identity = equality && equality->as<Native>() && equality->as<Native>()->function == is_itself;
  if (!option(in, options, "eq", true)) {
    add("__eq__", is_itself);
  } else if (by_identity) {  // of a base
    add("__eq__", dataclass_compare<syntax::Operator::Eq>);
  }
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
  for (auto& [key, value] : dict->items)
    if (!is_init_only(value.as<Instance>())) items.push_back(value);
  return in.tuple(std::move(items));
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

}  // namespace

Value replace(Interpreter& in, const Arguments& args, Value) {
  if (args.positional.size() != 1) return in.fail(code::kArguments, args.call, "replace() takes one object");
  Instance* old = args.positional[0].as<Instance>();
  Dict* dict = fields_of(args.positional[0]);
  if (!old || !dict) return needs_dataclass(in, args, "replace");
  std::vector<Keyword> keywords(args.keywords.begin(), args.keywords.end());
  for (auto& [key, value] : dict->items) {
    const std::string& name = key.as<Str>()->text;
    Instance* f = value.as<Instance>();
    if (const Keyword* k = keyword(args, name); k && !flag(f, "init")) {
      return in.fail(code::kArguments, k->span, "replace() cannot set '" + name + "', which has init=False", {},
                     "ValueError");
    }
    Value* current = is_init_only(f) ? old->cls->find(name) : old->find(name);
    if (is_init_only(f) && is_missing(in, f, "default") && !keyword(args, name)) {
      return in.fail(code::kArguments, args.call, "replace() needs '" + name + "', an InitVar without a default", {},
                     "ValueError");
    }
    if (!current || keyword(args, name) || !flag(value.as<Instance>(), "init")) continue;
    keywords.push_back({name, *current, args.call});
  }
  Arguments all = args;
  all.positional = {};
  all.spans = {};
  all.keywords = keywords;
  return in.call(Value::object(old->cls), all);
}

namespace {

constexpr Entry kDataclasses[] = {
    {"dataclass", dataclass},
    {"field", field},
    {"fields", known<fields>},
    {"replace", replace},
    {"asdict", known<as_data<true>>},
    {"astuple", known<as_data<false>>},
    {"is_dataclass", known<is_dataclass>},
    {"MISSING", nullptr, missing},
    {"FrozenInstanceError", nullptr, [](Interpreter& in) { return *in.builtins().find("AttributeError"); }},
};

}  // namespace

bool is_compared_field(Interpreter& in, const Class* cls, std::string_view name) {
  Dict* fields = fields_of(const_cast<Class*>(cls));
  Value* field = fields ? in.dict_find(fields, in.string(name)) : nullptr;
  return field && flag(field->as<Instance>(), "compare");
}

bool is_shown_field(Interpreter& in, const Class* cls, std::string_view name) {
  Dict* fields = fields_of(const_cast<Class*>(cls));
  Value* field = fields ? in.dict_find(fields, in.string(name)) : nullptr;
  return !field || flag(field->as<Instance>(), "repr");
}

std::span<const Entry> dataclasses_names() { return kDataclasses; }

}  // namespace tilewright::script::python
