// Where names and attributes are kept: scopes, classes, instances.
#include "compiler/script/value.h"

namespace tilewright::script {

using syntax::Name;

namespace {
constexpr std::size_t kIndexFrom = 16;  // bindings from which a scope keeps an index
}

Scope::Binding* Scope::find(const Name& name) {
  if (!index.empty()) {
    auto [from, to] = index.equal_range(name.hash);
    for (auto it = from; it != to; ++it) {
      if (bindings[it->second].name == name.text) return &bindings[it->second];
    }
    return nullptr;
  }
  for (Binding& b : bindings) {
    if (b.hash == name.hash && b.name == name.text) return &b;
  }
  return nullptr;
}

Scope::Binding* Scope::find(std::string_view name) { return find(Name{name, syntax::hash_name(name), {}}); }

void Scope::set(const Name& name, Value value) {
  if (Binding* b = find(name)) {
    b->value = value;
    return;
  }
  bindings.push_back({name.hash, name.text, value});
  if (bindings.size() < kIndexFrom) return;
  if (index.empty()) {
    for (std::uint32_t i = 0; i < bindings.size(); ++i) index.emplace(bindings[i].hash, i);
  } else {
    index.emplace(name.hash, static_cast<std::uint32_t>(bindings.size() - 1));
  }
}

bool Scope::erase(const Name& name) {
  Binding* found = find(name);
  if (!found) return false;
  bindings.erase(bindings.begin() + (found - bindings.data()));
  if (index.empty()) return true;
  index.clear();
  for (std::uint32_t i = 0; i < bindings.size(); ++i) index.emplace(bindings[i].hash, i);
  return true;
}

void Scope::set(std::string_view name, Value value) { set(Name{name, syntax::hash_name(name), {}}, value); }

bool is_of_prelude(const Scope* scope) {
  while (scope && scope->parent) scope = scope->parent;
  return scope && scope->is_prelude;
}

Value* Class::find(std::string_view name) {
  for (Class* c : mro) {
    if (!c->scope) continue;
    if (auto* b = c->scope->find(name)) return &b->value;
  }
  return nullptr;
}

Value* Instance::find(std::string_view name) {
  for (auto& [key, value] : attributes) {
    if (key == name) return &value;
  }
  return nullptr;
}

void Instance::set(std::string_view name, Value value) {
  if (Value* v = find(name)) {
    *v = value;
  } else {
    attributes.emplace_back(std::string(name), value);
  }
}

}  // namespace tilewright::script
