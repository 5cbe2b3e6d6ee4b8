// Where names and attributes are kept: scopes, classes, instances.
#include <algorithm>
#include <bit>
#include <utility>

#include "compiler/script/value.h"

namespace tilewright::script {

using syntax::Name;

namespace {
constexpr std::size_t kIndexFrom = 16;  // bindings from which a scope keeps an index
}

Scope::Binding* Scope::find(const Name& name) {
  if (slots_.empty()) {
    for (Binding& b : bindings) {
      if (b.hash == name.hash && b.name == name.text) return &b;
    }
    return nullptr;
  }
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = name.hash & mask; slots_[i].place != 0; i = (i + 1) & mask) {
    if (slots_[i].hash != name.hash) continue;
    Binding& b = bindings[slots_[i].place - 1];
    if (b.name == name.text) return &b;
  }
  return nullptr;
}

Scope::Binding* Scope::find(std::string_view name) { return find(Name{name, syntax::hash_name(name), {}}); }

void Scope::index(std::uint32_t place) {
  const std::uint32_t hash = bindings[place - 1].hash;
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i].place != 0) i = (i + 1) & mask;
  slots_[i] = {hash, place};
}

void Scope::reserve(std::size_t count) {
  bindings.reserve(count);
  if (count >= kIndexFrom) index_all(count);
}

void Scope::index_all(std::size_t room) {
  slots_.assign(std::bit_ceil(4 * std::max(room, bindings.size())), {});
  for (std::uint32_t place = 1; place <= bindings.size(); ++place) index(place);
}

void Scope::set(const Name& name, Value value) {
  if (Binding* b = find(name)) {
    b->value = value;
    return;
  }
  bindings.push_back({name.hash, name.text, value});
  if (bindings.size() < kIndexFrom && slots_.empty()) return;
  if (2 * bindings.size() > slots_.size()) return index_all(bindings.size());
  index(static_cast<std::uint32_t>(bindings.size()));
}

bool Scope::erase(const Name& name) {
  Binding* found = find(name);
  if (!found) return false;
  bindings.erase(bindings.begin() + (found - bindings.data()));
  if (!slots_.empty()) index_all(bindings.size());
  return true;
}

void Scope::reuse() {
  parent = frozen_from = nullptr;
  kind = Kind::Function;
  is_kernel = false;
  bindings.clear();
  globals.clear();
  nonlocals.clear();
  slots_.clear();
  locals = nullptr;
}

void Scope::exchange(std::vector<Binding>& others) {
  exchange_items(bindings, others);
  if (slots_.empty()) return;
  const bool same_names = std::ranges::equal(
      bindings, others, [](const Binding& a, const Binding& b) { return a.hash == b.hash && a.name == b.name; });
  if (!same_names) index_all(bindings.size());
}

void Scope::set(std::string_view name, Value value) { set(Name{name, syntax::hash_name(name), {}}, value); }

bool is_of_prelude(const Scope* scope) {
  while (scope && scope->parent) scope = scope->parent;
  return scope && scope->is_prelude;
}

void KeyIndex::clear() {
  slots_.clear();
  keys_ = 0;
}

void KeyIndex::swap(KeyIndex& other) noexcept {
  slots_.swap(other.slots_);
  std::swap(keys_, other.keys_);
}

void KeyIndex::put(Slot slot) {
  std::size_t i = slot.hash & (slots_.size() - 1);
  while (slots_[i].place != 0) i = (i + 1) & (slots_.size() - 1);
  slots_[i] = slot;
}

void KeyIndex::add(std::size_t hash, std::size_t position) {
  if (2 * (keys_ + 1) > slots_.size()) {
    const std::vector<Slot> before =
        std::exchange(slots_, std::vector<Slot>(std::max<std::size_t>(32, 2 * slots_.size())));
    for (const Slot& slot : before) {
      if (slot.place != 0) put(slot);
    }
  }
  ++keys_;
  put({mixed(hash), static_cast<std::uint32_t>(position + 1)});
}

void KeyIndex::remove(std::size_t position) {
  if (slots_.empty()) return;
  const auto place = static_cast<std::uint32_t>(position + 1);
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = slots_.size();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].place == place) hole = i;
    if (slots_[i].place > place) --slots_[i].place;
  }
  if (hole == slots_.size()) return;
  --keys_;
  // What the hole would hide from a search moves into it.
  for (std::size_t i = (hole + 1) & mask; slots_[i].place != 0; i = (i + 1) & mask) {
    const std::size_t home = slots_[i].hash & mask;
    if (((i - home) & mask) < ((i - hole) & mask)) continue;
    slots_[hole] = slots_[i];
    hole = i;
  }
  slots_[hole] = {};
}

void KeyIndex::move(std::span<const std::uint32_t> places) {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(slots_.size()));
  keys_ = 0;
  for (const Slot& slot : before) {
    if (slot.place == 0 || places[slot.place - 1] == kGone) continue;
    put({slot.hash, places[slot.place - 1] + 1});
    ++keys_;
  }
}

Value* Class::find(std::string_view name) {
  const Name wanted{name, syntax::hash_name(name), {}};
  for (Class* c : mro) {
    if (!c->scope) continue;
    if (auto* b = c->scope->find(wanted)) return &b->value;
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
