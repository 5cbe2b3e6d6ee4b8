#include "compiler/script/instance_names.h"

#include <algorithm>

#include "compiler/script/interpreter.h"
#include "compiler/script/python/support.h"
#include "compiler/script/worlds.h"

namespace tilewright::script {
namespace {

// Instances by turns with their dicts; no identifier, so scripts never see it.
constexpr std::string_view kNames = "<names of instances>";
constexpr std::size_t kMostNames = 128;

List* all_names(Interpreter& in) {
  const Value* known = in.builtins().find(kNames);
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

Dict* names_of(Interpreter& in, Instance* instance) {
  if (Dict* known = known_names(in, instance); known && is_in_step(*instance, *known)) return known;
  Dict* names = in.make<Dict>();
  for (const auto& [name, value] : instance->attributes) in.dict_set(names, in.string(name), value);
  names->owner = instance;
  List* all = all_names(in);
  if (!all) {
    all = in.make<List>();
    in.builtins().set(kNames, Value::object(all));
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

void lose_names(Interpreter& in, const Instance* instance, const char* why) {
  if (Dict* names = known_names(in, instance)) become_unknown(names, why);
}

}  // namespace tilewright::script
