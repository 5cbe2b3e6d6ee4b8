// The module `enum`: assignments of a class body become members.
#include "compiler/script/python/enums.h"

#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/script/python/python.h"
#include "compiler/script/python/support.h"

namespace tilewright::script {

namespace python {
namespace {

struct Base {
  std::string_view key, name;
  bool integer, text;
};
constexpr Base kBases[] = {
    {"enum.Enum", "Enum", false, false},      {"enum.IntEnum", "IntEnum", true, false},
    {"enum.StrEnum", "StrEnum", false, true}, {"enum.Flag", "Flag", false, false},
    {"enum.IntFlag", "IntFlag", true, false},
};

template <std::size_t I>
Value base_class(Interpreter& in) {
  const Base& base = kBases[I];
  return Value::object(shared_class(in, base.key, [&] {
    Class* parent = class_named(in, "object");
    if constexpr (I > 0) parent = base_class < I == 4 ? 3 : 0 > (in).template as<Class>();
    Class* cls = make_class(in, base.name, {parent});
    cls->is_enum = true;
    cls->is_int_enum = base.integer;
    if (base.text) cls->scope->set(kTextEnum, Value::none());
    if (base.name == "Flag") add_flag_methods(in, cls);
    return cls;
  }));
}

Class* auto_class(Interpreter& in) {
  return shared_class(in, "enum.auto", [&] { return make_class(in, "auto", {class_named(in, "object")}); });
}

Value enum_auto(Interpreter& in, const Arguments&, Value) {
  Instance* instance = in.make<Instance>();
  instance->cls = auto_class(in);
  return Value::object(instance);
}

Value identity(Interpreter&, const Arguments& args, Value) {
  return args.positional.empty() ? Value::none() : args.positional[0];
}

// @unique: no two names may have one value.
Value unique(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "unique", 1, 1)) return Value::error();
  Class* cls = args.positional[0].as<Class>();
  if (!cls || !cls->is_enum) return args.positional[0];
  std::vector<Instance*> seen;
  for (const Scope::Binding& b : cls->scope->bindings) {
    Instance* member = b.value.as<Instance>();
    if (!member || member->cls != cls) continue;
    if (std::ranges::find(seen, member) == seen.end()) {
      seen.push_back(member);
      continue;
    }
    return in.fail(code::kValue, args.call,
                   "duplicate values in the enum " + cls->name + ": " + std::string(b.name) + " is " +
                       in.str(*member->find("name")),
                   {}, "ValueError");
  }
  return args.positional[0];
}

// nonmember(value): an attribute of the class, and none of its members.
Class* nonmember_class(Interpreter& in) {
  return shared_class(in, "enum.nonmember", [&] { return make_class(in, "nonmember", {class_named(in, "object")}); });
}
Value nonmember(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "nonmember", 1, 1)) return Value::error();
  Instance* instance = in.make<Instance>();
  instance->cls = nonmember_class(in);
  instance->set("value", args.positional[0]);
  return Value::object(instance);
}

// Functions, descriptors and private names stay what they are.
bool becomes_member(std::string_view name, Value v) {
  if (name.starts_with("_") || name.starts_with("<")) return false;  // "<": ours (class_scope.h)
  if (!v.is_object()) return true;
  switch (v.o->type) {
    case Type::Function:
    case Type::Lambda:
    case Type::Native:
    case Type::Property:
    case Type::StaticMethod:
    case Type::ClassMethod:
    case Type::Class: return false;
    case Type::Instance: {
      const Class* cls = v.as<Instance>()->cls;
      return cls->name != "nonmember" || !cls->scope || cls->scope->parent;
    }
    default: return true;
  }
}

// What an auto() becomes after members of these values.
Value next_auto(Interpreter& in, Class* cls, std::string_view name, std::vector<Value> values) {
  if (Value* own = cls->find("_generate_next_value_")) {
    Value function = *own;
    if (StaticMethod* s = function.as<StaticMethod>()) function = s->function;
    const auto count = static_cast<std::int64_t>(values.size());
    List* before = in.make<List>();
    before->items = std::move(values);
    const Value args[] = {in.string(name), Value::integer(1), Value::integer(count), Value::object(before)};
    return in.call(function, args, {});
  }
  std::optional<__int128> last;
  for (Value v : values)
    if (auto number = in.as_big(v)) last = last && is_flag_class(cls) ? std::max(*last, *number) : *number;
  if (cls->find(kTextEnum)) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return in.string(lower);
  }
  if (is_flag_class(cls)) {
    __int128 bit = 1;
    while (last && bit <= *last && bit < (static_cast<__int128>(1) << 120)) bit *= 2;
    return in.big(bit);
  }
  return in.big(last ? *last + 1 : 1);
}

// Runs the class' own __new__ and __init__ for a member with value `v`.
Value make_member(Interpreter& in, Class* cls, Value v) {
  std::vector<Value> args{v};
  if (Tuple* t = v.as<Tuple>()) args = t->items;
  Instance* member = in.make<Instance>();
  member->cls = cls;
  member->set("value", v);
  if (Scope::Binding* b = cls->scope->find("__new__")) {
    Value function = b->value;
    if (StaticMethod* s = function.as<StaticMethod>()) function = s->function;
    std::vector<Value> with_class{Value::object(cls)};
    with_class.insert(with_class.end(), args.begin(), args.end());
    Value made = in.call(function, with_class, {});
    if (made.is_error()) return made;
    if (Instance* instance = made.as<Instance>()) {
      member = instance;
      Value* own = member->find("_value_");
      member->set("value", own ? *own : v);
    }
  }
  if (Scope::Binding* b = cls->scope->find("__init__")) {
    if (Function* f = b->value.as<Function>()) {
      Arguments arguments;
      arguments.positional = args;
      Value result = in.call_function(f, arguments, Value::object(member));
      if (result.is_error()) return result;
      if (Value* own = member->find("_value_")) member->set("value", *own);
    }
  }
  return Value::object(member);
}

constexpr Entry kEnum[] = {
    {"Enum", nullptr, base_class<0>},
    {"IntEnum", nullptr, base_class<1>},
    {"StrEnum", nullptr, base_class<2>},
    {"Flag", nullptr, base_class<3>},
    {"IntFlag", nullptr, base_class<4>},
    {"auto", enum_auto},
    {"unique", unique},
    {"member", identity},
    {"nonmember", nonmember},
};

}  // namespace

std::optional<std::string_view> text_value(Value v) {
  if (Str* s = v.as<Str>()) return s->text;
  Instance* member = v.as<Instance>();
  if (!member || !member->cls->is_enum || member->cls->is_int_enum || !member->cls->find(kTextEnum))
    return std::nullopt;
  Value* value = member->find("value");
  Str* s = value ? value->as<Str>() : nullptr;
  return s ? std::optional<std::string_view>(s->text) : std::nullopt;
}

std::vector<Value> enum_members(const Class* cls) {
  std::vector<Value> members;
  if (!cls->scope) return members;
  const bool flag = is_flag_class(cls);
  for (auto& b : cls->scope->bindings) {
    Instance* member = b.value.as<Instance>();
    if (!member || member->cls != cls) continue;
    const Value* value = flag ? member->find("value") : nullptr;
    // Zero, and what stands for several flags, are names of combinations.
    if (value && value->is_int() && (value->i <= 0 || (value->i & (value->i - 1)) != 0)) continue;
    bool alias = std::any_of(members.begin(), members.end(), [&](Value m) { return m.o == member; });
    if (!alias) members.push_back(b.value);
  }
  return members;
}

bool number_autos(Interpreter& in, Class* cls) {
  auto is_auto = [&](Value v) { return v.as<Instance>() && v.as<Instance>()->cls == auto_class(in); };
  if (cls->scope->bindings.empty() || !is_auto(cls->scope->bindings.back().value)) return true;
  std::vector<Value> values;
  for (std::size_t i = 0; i < cls->scope->bindings.size(); ++i) {
    if (!in.step({})) return false;
    Scope::Binding b = cls->scope->bindings[i];
    if (is_auto(b.value)) {
      const Value number = next_auto(in, cls, b.name, values);
      if (number.is_error()) return false;
      cls->scope->bindings[i].value = b.value = number;
    }
    if (becomes_member(b.name, b.value)) values.push_back(b.value);
  }
  return true;
}

void finish_enum(Interpreter& in, Class* cls) {
  // A mixed-in data type only says what the values are: it must not construct members.
  auto is_data = [&](Class* c) { return c->construct != nullptr; };
  const bool of_str = std::ranges::any_of(cls->mro, [&](Class* c) { return is_data(c) && c->name == "str"; });
  for (Class* c : cls->mro) {
    if (is_data(c) && c->name == "int") cls->is_int_enum = true;
    if (is_data(c) && c->name == "str") cls->scope->set(kTextEnum, Value::none());
  }
  std::erase_if(cls->mro, is_data);
  std::vector<Value> members;
  for (std::size_t i = 0; i < cls->scope->bindings.size(); ++i) {
    std::string_view name = cls->scope->bindings[i].name;
    Value v = cls->scope->bindings[i].value;
    if (Instance* held = v.as<Instance>(); held && held->cls == nonmember_class(in)) {
      cls->scope->bindings[i].value = *held->find("value");
    }
    if (!becomes_member(name, v)) continue;
    if (!in.step({})) return;
    if (of_str && (v.is_int() || v.is_float() || v.is_bool())) v = in.string(in.str(v));
    auto same = std::find_if(members.begin(), members.end(), [&](Value m) {
      Value* value = m.as<Instance>()->find("value");
      return value && in.equals(*value, v);
    });
    if (same != members.end()) {  // another name of the same member
      cls->scope->bindings[i].value = *same;
      continue;
    }
    Value member = make_member(in, cls, v);
    if (member.is_error()) return;
    member.as<Instance>()->set("name", in.string(name));
    members.push_back(member);
    cls->scope->bindings[i].value = member;
  }
}

// The names and values that Enum("Name", ...) is given; nothing with a pending error.
static std::optional<std::vector<std::pair<std::string, Value>>> given_members(Interpreter& in, const Class* base,
                                                                               Value given, text::Span span) {
  std::vector<std::pair<std::string, Value>> out;
  auto add = [&](std::string name) {
    const std::size_t n = out.size();
    out.emplace_back(std::move(name), is_flag_class(base)
                                          ? in.big(static_cast<__int128>(1) << std::min<std::size_t>(n, 100))
                                          : Value::integer(static_cast<std::int64_t>(n) + 1));
  };
  if (Str* text = given.as<Str>()) {
    std::string word;
    for (const char c : text->text + " ") {
      if (c != ' ' && c != ',' && c != '\t' && c != '\n') {
        word += c;
      } else if (!word.empty()) {
        add(std::exchange(word, {}));
      }
    }
    return out;
  }
  std::vector<Value> items;
  if (Dict* dict = given.as<Dict>()) {
    for (auto& [key, value] : dict->items) items.push_back(in.tuple({key, value}));
  } else {
    auto listed = in.iterate(given, span);
    if (!listed) return std::nullopt;
    items = std::move(*listed);
  }
  for (const Value item : items) {
    Tuple* pair = item.as<Tuple>();
    const Value name = pair && pair->items.size() == 2 ? pair->items[0] : item;
    auto text = in.as_string(name, span, "the name of a member");
    if (!text) return std::nullopt;
    if (pair) {
      out.emplace_back(*text, pair->items[1]);
    } else {
      add(std::string(*text));
    }
  }
  return out;
}

Value enum_by_call(Interpreter& in, Class* base, const Arguments& args) {
  if (args.positional.size() != 2 || base->find(kTextEnum) || args.positional[1].is_opaque()) {
    return Value::opaque("an enum that a call makes");
  }
  for (const Keyword& k : args.keywords)
    if (k.name != "module" && k.name != "qualname") return Value::opaque("an enum that a call makes");
  auto name = in.as_string(args.positional[0], args.at(0), "the name of an enum");
  auto members = name ? given_members(in, base, args.positional[1], args.at(1)) : std::nullopt;
  if (!members) return Value::error();
  if (!reserve(in, args.call, members->size() * sizeof(Scope::Binding))) return Value::error();
  Class* cls = make_class(in, *name, {base});
  cls->is_enum = true;
  cls->is_int_enum = base->is_int_enum;
  for (auto& [member, value] : *members) cls->scope->set(in.keep(member), value);
  finish_enum(in, cls);
  return in.has_pending() ? Value::error() : Value::object(cls);
}

std::span<const Entry> enum_names() { return kEnum; }

}  // namespace python

void finish_class(Interpreter& in, Class* cls) {
  if (cls->is_enum) {
    python::finish_enum(in, cls);
  } else {
    python::finish_named_tuple(in, cls);
  }
}

}  // namespace tilewright::script
