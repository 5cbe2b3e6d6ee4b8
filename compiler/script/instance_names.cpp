#include "compiler/script/instance_names.h"

#include <algorithm>

#include "compiler/script/interpreter.h"
#include "compiler/script/python/namespaces.h"
#include "compiler/script/python/support.h"
#include "compiler/script/worlds.h"

namespace tilewright::script {
namespace {

// Instances by turns with their dicts; no identifier, so scripts never see it.
constexpr std::string_view kInstanceNames = "<names of instances>";
constexpr std::size_t kMostNames = 128;

List* all_names(Interpreter& in) {
  const Value* known = in.builtins().find(kInstanceNames);
  return known ? known->as<List>() : nullptr;
}

Dict* known_names(Interpreter& in, const Instance* instance) {
  const List* all = all_names(in);
  for (std::size_t i = 0; all && i < all->items.size(); i += 2)
    if (all->items[i].o == instance) return static_cast<Dict*>(all->items[i + 1].o);
  return nullptr;
}

// After one way of two it may hold what that way left.
bool is_in_step(const Instance& instance, const Dict& names) {
  if (names.type != Type::Dict) return instance.type == Type::Unknown;
  return std::ranges::equal(names.items, instance.attributes, [](const auto& item, const auto& attribute) {
    const Str* key = item.first.template as<Str>();
    return key && key->text == attribute.first && is_same(item.second, attribute.second);
  });
}

}  // namespace

bool may_be_missing(Value v) { return v.tag == Tag::Opaque && std::string_view(v.reason()).starts_with('`'); }

Dict* names_of(Interpreter& in, Instance* instance) {
  if (Dict* known = known_names(in, instance); known && is_in_step(*instance, *known)) return known;
  Dict* names = in.make<Dict>();
  for (const auto& [name, value] : instance->attributes) in.dict_set(names, in.string(name), value);
  names->owner = instance;
  List* all = all_names(in);
  if (!all) {
    all = in.make<List>();
    in.builtins().set(kInstanceNames, Value::object(all));
  }
  // The oldest go: what a script still holds of them is not known any more.
  if (all->items.size() >= kMostNames) {
    become_unknown(all->items[1].o, "the __dict__ of an instance, of very many");
    all->items.erase(all->items.begin(), all->items.begin() + 2);
  }
  for (Object* o : {static_cast<Object*>(instance), static_cast<Object*>(names)})
    all->items.push_back(Value::object(o));
  return names;
}

void set_in_instance(Interpreter& in, Instance* instance, std::string_view name, Value value) {
  instance->set(name, value);
  Dict* names = known_names(in, instance);
  if (names && names->type == Type::Dict) in.dict_set(names, in.string(name), value);
}

bool erase_in_instance(Interpreter& in, Instance* instance, std::string_view name) {
  const auto is_it = [&](const auto& a) { return a.first == name; };
  if (std::ranges::none_of(instance->attributes, is_it)) return false;
  if (Dict* names = known_names(in, instance); names && names->type == Type::Dict) {
    const auto at = std::ranges::find_if(names->items, [&](const auto& item) {
      const Str* key = item.first.template as<Str>();
      return key && key->text == name;
    });
    if (at != names->items.end()) python::dict_erase(names, static_cast<std::size_t>(at - names->items.begin()));
  }
  std::erase_if(instance->attributes, is_it);
  return true;
}

bool erase_in_class(Class* cls, std::string_view name) {
  const bool of_script = cls->scope && cls->scope->parent;
  return of_script && cls->scope->erase(syntax::Name{name, syntax::hash_name(name), {}});
}

void lose_names(Interpreter& in, const Instance* instance, const char* why) {
  if (Dict* names = known_names(in, instance)) become_unknown(names, why);
}

namespace {

// The keys of names that a script has set in modules that are no scripts; the first says that there are any.
constexpr std::string_view kAnyIsSet = "set in modules.", kAnyName = "*";

std::string key_of_set(const Namespace& module, std::string_view name) {
  return std::string(kAnyIsSet) + module.path + "." + std::string(name);
}

}  // namespace

void note_set_in_module(Interpreter& in, const Namespace& module, std::string_view name) {
  in.builtins().set(kAnyIsSet, Value::none());
  in.builtins().set(in.keep(key_of_set(module, name)), Value::none());
}

bool is_set_in_module(Interpreter& in, const Namespace& module, std::string_view name) {
  if (!module.space.empty() || !in.builtins().find(kAnyIsSet)) return false;
  return in.builtins().find(key_of_set(module, name)) || in.builtins().find(key_of_set(module, kAnyName));
}

bool lose_any_name(Interpreter& in, Value object, const char* why, Value value) {
  in.may_be(why, value);
  if (object.as<Instance>()) become_unknown(object.o, why);
  if (Function* f = object.as<Function>()) f->attributes = Value::opaque(why);
  const Namespace* module = object.as<Namespace>();
  if (module && !module->scope) note_set_in_module(in, *module, kAnyName);
  if (module && module->scope) return python::bind_any(in, module->scope, Value::opaque(why), value);
  Class* cls = object.as<Class>();
  if (!cls || !cls->scope || !cls->scope->parent) return true;
  std::size_t work = 0;
  for (Class* c : cls->mro) {
    if (!c->scope || !c->scope->parent) continue;
    work += c->scope->bindings.size();
    for (const Scope::Binding& b : std::vector(c->scope->bindings)) {
      if (b.name.starts_with("__") && b.name.ends_with("__")) continue;
      in.may_be(why, b.value);
      cls->scope->set(b.name, Value::opaque(why));
    }
  }
  cls->has_unknown_base = true;  // other names may be there now
  return in.charge(4 * work, {});
}

}  // namespace tilewright::script
