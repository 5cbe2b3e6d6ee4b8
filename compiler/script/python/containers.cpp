// Methods of list, tuple, dict and set. Unknown values may be kept in them; an unknown key or position leaves a
// container unknown that it changes.
#include <algorithm>

#include "compiler/script/codes.h"
#include "compiler/script/python/methods.h"
#include "compiler/script/python/set_order.h"
#include "compiler/script/worlds.h"

namespace tilewright::script::python {
namespace {

Value none_or_error(bool ok) { return ok ? Value::none() : Value::error(); }

// The container is changed in a way that is not known; with it the instance whose __dict__ it is.
Value changed(Value self, Value unknown) {
  if (Dict* dict = self.as<Dict>(); dict && dict->owner) become_unknown(dict->owner, unknown.reason());
  become_unknown(self.o, unknown.reason());
  return unknown;
}

// The first argument that is not known, or holds what is not; None: there is none.
Value unknown_among(Interpreter& in, const Arguments& args) {
  for (Value v : args.positional) {
    if (Value unknown = in.unknown_within(v); !unknown.is_none()) return unknown;
  }
  return Value::none();
}

// ---- list and tuple -----------------------------------------------------------------------------------------------

std::vector<Value>& items_of(Value self) {
  if (List* list = self.as<List>()) return list->items;
  return static_cast<Tuple*>(self.o)->items;
}

Value list_append(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "append", 1, 1) || !reserve(in, args.call, sizeof(Value))) return Value::error();
  items_of(self).push_back(args.positional[0]);
  return Value::none();
}

Value list_extend(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "extend", 1, 1)) return Value::error();
  if (args.positional[0].is_opaque()) return changed(self, args.positional[0]);
  if (args.positional[0].is_poison()) return args.positional[0];
  auto more = in.iterate(args.positional[0], args.at(0));
  if (!more || !reserve(in, args.call, more->size() * sizeof(Value))) return Value::error();
  std::vector<Value>& items = items_of(self);
  items.insert(items.end(), more->begin(), more->end());
  return Value::none();
}

// A position as Python reads it: from the end when negative.
std::optional<std::int64_t> position(Interpreter& in, const Arguments& args, std::size_t i, std::size_t size) {
  auto at = in.as_int(args.positional[i], args.at(i), "a position");
  if (!at) return std::nullopt;
  return *at < 0 ? *at + static_cast<std::int64_t>(size) : *at;
}

Value list_insert(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "insert", 2, 2)) return Value::error();
  if (args.positional[0].is_opaque()) return changed(self, args.positional[0]);
  std::vector<Value>& items = items_of(self);
  auto at = position(in, args, 0, items.size());
  if (!at || !reserve(in, args.call, sizeof(Value)) || !work(in, args.call, items.size() / 4)) return Value::error();
  items.insert(items.begin() + std::clamp<std::int64_t>(*at, 0, static_cast<std::int64_t>(items.size())),
               args.positional[1]);
  return Value::none();
}

Value list_pop(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "pop", 0, 1)) return Value::error();
  if (Value unknown = unknown_among(in, args); !unknown.is_none()) return changed(self, unknown);
  std::vector<Value>& items = items_of(self);
  std::int64_t at = static_cast<std::int64_t>(items.size()) - 1;
  if (!args.positional.empty()) {
    auto given = position(in, args, 0, items.size());
    if (!given) return Value::error();
    at = *given;
  }
  if (at < 0 || at >= static_cast<std::int64_t>(items.size())) {
    return in.fail(code::kIndex, args.call, items.empty() ? "pop from an empty list" : "pop index out of range", {},
                   "IndexError");
  }
  if (!work(in, args.call, (items.size() - static_cast<std::size_t>(at)) / 4)) return Value::error();
  Value v = items[static_cast<std::size_t>(at)];
  items.erase(items.begin() + at);
  return v;
}

// Position of a value, comparing as Python does; the script's __eq__ may change the list meanwhile.
std::optional<std::size_t> find_item(Interpreter& in, Value self, Value wanted, text::Span span, bool* failed) {
  for (std::size_t i = 0; i < items_of(self).size(); ++i) {
    if (!in.step(span)) {
      *failed = true;
      return std::nullopt;
    }
    if (in.equals(items_of(self)[i], wanted)) return i;
  }
  *failed = in.has_pending();
  return std::nullopt;
}

Value list_remove(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "remove", 1, 1)) return Value::error();
  Value unknown = unknown_among(in, args);
  if (unknown.is_none()) unknown = in.unknown_within(self);
  if (!unknown.is_none()) return changed(self, unknown);
  bool failed = false;
  auto at = find_item(in, self, args.positional[0], args.call, &failed);
  if (failed) return Value::error();
  if (!at) {
    in.fail(code::kValue, args.call, "the value to remove is not in the list", {}, "ValueError");
    return in.certainly();
  }
  std::vector<Value>& items = items_of(self);
  if (*at < items.size()) items.erase(items.begin() + static_cast<std::ptrdiff_t>(*at));
  return Value::none();
}

Value list_index(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "index", 1, 3)) return Value::error();
  Value unknown = unknown_among(in, args);
  if (unknown.is_none()) unknown = in.unknown_within(self);
  if (!unknown.is_none()) return unknown;
  bool failed = false;
  std::size_t from = 0;
  if (args.positional.size() > 1) {
    auto given = position(in, args, 1, items_of(self).size());
    if (!given) return Value::error();
    from = static_cast<std::size_t>(std::max<std::int64_t>(0, *given));
  }
  for (std::size_t i = from; i < items_of(self).size(); ++i) {
    if (!in.step(args.call)) return Value::error();
    if (in.equals(items_of(self)[i], args.positional[0])) return Value::integer(static_cast<std::int64_t>(i));
  }
  if (failed || in.has_pending()) return Value::error();
  in.fail(code::kValue, args.call, "the value is not in the " + std::string(type_name(self)), {}, "ValueError");
  return in.certainly();
}

Value list_count(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "count", 1, 1)) return Value::error();
  Value unknown = unknown_among(in, args);
  if (unknown.is_none()) unknown = in.unknown_within(self);
  if (!unknown.is_none()) return unknown;
  std::int64_t n = 0;
  for (std::size_t i = 0; i < items_of(self).size(); ++i) {
    if (!in.step(args.call)) return Value::error();
    n += in.equals(items_of(self)[i], args.positional[0]) ? 1 : 0;
  }
  return in.has_pending() ? Value::error() : Value::integer(n);
}

Value list_reverse(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "reverse", 0, 0) || !work(in, args.call, items_of(self).size())) return Value::error();
  std::reverse(items_of(self).begin(), items_of(self).end());
  return Value::none();
}

Value list_sort(Interpreter& in, const Arguments& args, Value self) {
  bool reverse = false;
  Value key;
  for (const Keyword& k : args.keywords) {
    if (k.name == "key") {
      key = k.value;
    } else if (k.name == "reverse") {
      auto t = in.truth(k.value, k.span);
      if (!t) return Value::error();
      reverse = *t;
    }
  }
  std::vector<Value> sorted = items_of(self);
  if (!sort(in, sorted, key, reverse, args.call)) return Value::error();
  items_of(self) = std::move(sorted);
  return Value::none();
}

Value list_copy(Interpreter& in, const Arguments& args, Value self) {
  if (!reserve(in, args.call, items_of(self).size() * sizeof(Value))) return Value::error();
  return in.list(items_of(self));
}

Value list_clear(Interpreter&, const Arguments&, Value self) {
  items_of(self).clear();
  return Value::none();
}

// A deque is a list here, with these on top.
Value deque_appendleft(Interpreter& in, const Arguments& args, Value self) {
  std::vector<Value>& items = items_of(self);
  if (!takes(in, args, "appendleft", 1, 1) || !work(in, args.call, items.size() / 4)) return Value::error();
  if (!reserve(in, args.call, sizeof(Value))) return Value::error();
  items.insert(items.begin(), args.positional[0]);
  return Value::none();
}

Value deque_popleft(Interpreter& in, const Arguments& args, Value self) {
  std::vector<Value>& items = items_of(self);
  if (!takes(in, args, "popleft", 0, 0) || !work(in, args.call, items.size() / 4)) return Value::error();
  if (items.empty()) return in.fail(code::kIndex, args.call, "pop from an empty deque", {}, "IndexError");
  Value v = items.front();
  items.erase(items.begin());
  return v;
}

// ---- dict ---------------------------------------------------------------------------------------------------------

// Of a dict also where it became unknown meanwhile.
Dict* dict_of(Value self) { return static_cast<Dict*>(self.o); }

// A key that is not known leaves the answer unknown.
std::optional<Value> unknown_key(Interpreter& in, const Arguments& args) {
  if (args.positional.empty()) return std::nullopt;
  Value key = args.positional[0];
  if (key.is_poison()) return key;
  Value unknown = in.unknown_within(key);
  return unknown.is_none() ? std::nullopt : std::optional(unknown);
}
// The same of a method that changes the container.
std::optional<Value> unknown_changed_key(Interpreter& in, const Arguments& args, Value self) {
  auto unknown = unknown_key(in, args);
  if (unknown && unknown->is_opaque()) changed(self, *unknown);
  return unknown;
}

Value missing_key(Interpreter& in, text::Span span, Value key) {
  auto text = repr_of(in, key);
  if (!text) return Value::error();
  return in.fail(code::kIndex, span, "key " + text->substr(0, 80) + " is not in the dict", {}, "KeyError");
}

Value dict_get(Interpreter& in, const Arguments& args, Value self) {
  if (auto unknown = unknown_key(in, args)) return *unknown;
  Bound a(in, args, "get", {"key", "default"}, 1);
  if (!a) return Value::error();
  Value* found = in.dict_find(dict_of(self), a[0]);
  if (in.has_pending()) return Value::error();
  return found ? *found : a[1];
}

// The dict tells it when it changes.
template <class View>
Value watched(Interpreter& in, View* view, Dict* dict) {
  view->of = dict;
  std::erase_if(dict->views, [](const Object* o) { return o->type == Type::Unknown; });
  dict->views.push_back(view);
  in.heap().count(sizeof(Object*));
  return Value::object(view);
}

// The view of the dict that there is already, if it still shows what the dict holds; null: there is none.
template <class View, class F>
View* shown(Dict* dict, F same) {
  for (Object* o : dict->views) {
    auto* view = o->type == View::kType ? dynamic_cast<View*>(o) : nullptr;
    if (view && same(*view)) return view;
  }
  return nullptr;
}

Value dict_items(Interpreter& in, const Arguments& args, Value self) {
  auto& from = dict_of(self)->items;
  ValuesView* known = shown<ValuesView>(dict_of(self), [&](const ValuesView& view) {
    return view.has_keys && std::ranges::equal(view.items, from, [](Value pair, const auto& entry) {
             const Tuple* t = pair.as<Tuple>();
             return t && t->items.size() == 2 && is_same(t->items[0], entry.first) &&
                    is_same(t->items[1], entry.second);
           });
  });
  if (known) return in.charge(4 * from.size(), args.call) ? Value::object(known) : Value::error();
  if (!reserve(in, args.call, from.size() * (sizeof(Tuple) + 3 * sizeof(Value))) || !work(in, args.call, from.size())) {
    return Value::error();
  }
  ValuesView* view = in.make<ValuesView>();
  view->items.reserve(from.size());
  for (auto& [k, v] : from) view->items.push_back(in.tuple({k, v}));
  view->has_keys = true;
  return watched(in, view, dict_of(self));
}

Value dict_keys(Interpreter& in, const Arguments& args, Value self) {
  Dict* from = dict_of(self);
  if (!reserve(in, args.call, from->items.size() * kEntryBytes)) return Value::error();
  KeysView* known = shown<KeysView>(from, [&](const KeysView& view) {
    return std::ranges::equal(view.entries.items, from->items,
                              [](const auto& x, const auto& y) { return is_same(x.first, y.first); });
  });
  if (known) return in.charge(4 * from->items.size(), args.call) ? Value::object(known) : Value::error();
  KeysView* keys = in.make<KeysView>();
  keys->table.by_insertion = true;
  for (auto& [k, v] : from->items) keys->entries.items.emplace_back(k, Value::none());
  keys->entries.index = from->index;  // the same keys at the same positions
  return watched(in, keys, from);
}

Value dict_values(Interpreter& in, const Arguments& args, Value self) {
  auto& from = dict_of(self)->items;
  if (!reserve(in, args.call, from.size() * sizeof(Value))) return Value::error();
  ValuesView* known = shown<ValuesView>(dict_of(self), [&](const ValuesView& view) {
    return !view.has_keys &&
           std::ranges::equal(view.items, from, [](Value v, const auto& entry) { return is_same(v, entry.second); });
  });
  if (known) return in.charge(4 * from.size(), args.call) ? Value::object(known) : Value::error();
  ValuesView* view = in.make<ValuesView>();
  view->items.reserve(from.size());
  for (auto& [k, v] : from) view->items.push_back(v);
  return watched(in, view, dict_of(self));
}

Value dict_pop(Interpreter& in, const Arguments& args, Value self) {
  if (auto unknown = unknown_changed_key(in, args, self)) return *unknown;
  if (!takes(in, args, "pop", 1, 2)) return Value::error();
  Dict* dict = dict_of(self);
  auto at = in.dict_position(dict, args.positional[0]);
  if (in.has_pending()) return Value::error();
  if (!at) return args.positional.size() == 2 ? args.positional[1] : missing_key(in, args.call, args.positional[0]);
  if (!work(in, args.call, dict->items.size() + dict->index.size() * 4)) return Value::error();
  Value v = dict->items[*at].second;
  dict_erase(dict, *at);
  return v;
}

Value dict_popitem(Interpreter& in, const Arguments& args, Value self) {
  Dict* dict = dict_of(self);
  if (dict->items.empty()) return in.fail(code::kIndex, args.call, "popitem() of an empty dict", {}, "KeyError");
  if (!work(in, args.call, dict->index.size() * 4)) return Value::error();
  const Keyword* named = keyword(args, "last");  // of an OrderedDict, which is a dict here
  const Value last = named ? named->value : args.positional.empty() ? Value::boolean(true) : args.positional[0];
  if (last.is_opaque()) return changed(self, last);
  const std::optional<bool> from_end = in.truth(last, args.call);
  if (!from_end) return Value::error();
  const std::size_t at = *from_end ? dict->items.size() - 1 : 0;
  auto [k, v] = dict->items[at];
  dict_erase(dict, at);
  return in.tuple({k, v});
}

Value dict_setdefault(Interpreter& in, const Arguments& args, Value self) {
  if (auto unknown = unknown_changed_key(in, args, self)) return *unknown;
  if (!takes(in, args, "setdefault", 1, 2)) return Value::error();
  if (Value* found = in.dict_find(dict_of(self), args.positional[0])) return *found;
  Value v = args.positional.size() == 2 ? args.positional[1] : Value::none();
  in.dict_set(dict_of(self), args.positional[0], v);
  return in.has_pending() ? Value::error() : v;
}

Value dict_update(Interpreter& in, const Arguments& args, Value self) {
  if (!args.positional.empty() && args.positional[0].is_opaque()) return changed(self, args.positional[0]);
  if (!args.positional.empty() && args.positional[0].is_poison()) return args.positional[0];
  Dict* dict = dict_of(self);
  Value construct = Value::object(class_named(in, "dict"));
  Value made = class_named(in, "dict")->construct(in, args, construct);
  if (made.is_error()) return made;
  if (made.is_opaque()) return changed(self, made);
  for (auto& [k, v] : made.as<Dict>()->items) {
    if (!in.step(args.call)) return Value::error();
    in.dict_set(dict, k, v);
  }
  return none_or_error(!in.has_pending());
}

Value dict_copy(Interpreter& in, const Arguments& args, Value self) {
  Dict* from = dict_of(self);
  if (!reserve(in, args.call, from->items.size() * kEntryBytes)) return Value::error();
  Dict* copy = in.make<Dict>();
  copy->items = from->items;
  copy->index = from->index;
  return Value::object(copy);
}

Value dict_clear(Interpreter&, const Arguments&, Value self) {
  Object* owner = dict_of(self)->owner;
  if (Instance* instance = owner ? Value::object(owner).as<Instance>() : nullptr) instance->attributes.clear();
  spoil_views(dict_of(self), true);
  dict_of(self)->items.clear();
  dict_of(self)->index.clear();
  return Value::none();
}

// ---- set ----------------------------------------------------------------------------------------------------------

Dict* entries_of(Value self) { return &static_cast<Set*>(self.o)->entries; }

Set* set_of(Value self) { return static_cast<Set*>(self.o); }

Value set_add(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "add", 1, 1) || !in.step(args.call)) return Value::error();
  in.dict_set(entries_of(self), args.positional[0], Value::none());
  return none_or_error(!in.has_pending());
}

Value set_discard_or_remove(Interpreter& in, const Arguments& args, Value self, bool must) {
  if (auto unknown = unknown_changed_key(in, args, self)) return *unknown;
  if (!takes(in, args, must ? "remove" : "discard", 1, 1)) return Value::error();
  Dict* entries = entries_of(self);
  auto at = in.dict_position(entries, args.positional[0]);
  if (in.has_pending()) return Value::error();
  if (!at) return must ? missing_key(in, args.call, args.positional[0]) : Value::none();
  if (!work(in, args.call, entries->items.size() + entries->index.size() * 4)) return Value::error();
  dict_erase(entries, *at);
  return Value::none();
}

Value set_discard(Interpreter& in, const Arguments& args, Value self) {
  return set_discard_or_remove(in, args, self, false);
}
Value set_remove(Interpreter& in, const Arguments& args, Value self) {
  return set_discard_or_remove(in, args, self, true);
}

Value set_pop(Interpreter& in, const Arguments& args, Value self) {
  Dict* entries = entries_of(self);
  if (entries->items.empty()) return in.fail(code::kIndex, args.call, "pop from an empty set", {}, "KeyError");
  if (!work(in, args.call, entries->items.size() + entries->index.size() * 4)) return Value::error();
  if (has_drawn_order(self)) {
    const Value any = of_drawn_order();
    become_unknown(set_of(self), any.reason());
    return any;
  }
  const std::size_t at = popped_position(*set_of(self));
  Value v = entries->items[at].first;
  dict_erase(entries, at);
  return v;
}

template <Combine How>
Value set_combine(Interpreter& in, const Arguments& args, Value self) {
  const bool frozen = set_of(self)->is_frozen;
  Set* result = args.positional.empty() ? copy_of(in, *set_of(self)) : set_of(self);
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    result = combined(in, result, args.positional[i], How, args.at(i));
    if (!result) return Value::error();
    if (Value::object(result).is_opaque()) break;
  }
  result->is_frozen = frozen;
  return Value::object(result);
}

template <Combine How>
Value set_change(Interpreter& in, const Arguments& args, Value self) {
  if (auto unknown = unknown_argument(args)) return unknown->is_opaque() ? changed(self, *unknown) : *unknown;
  for (std::size_t i = 0; i < args.positional.size(); ++i) {
    if (!change(in, set_of(self), args.positional[i], How, args.at(i))) return Value::error();
    if (self.is_opaque()) return changed(self, self);
  }
  return Value::none();
}

enum class Relation { Subset, Superset, Disjoint };

template <Relation R>
Value set_relation(Interpreter& in, const Arguments& args, Value self) {
  if (!takes(in, args, "a comparison of sets", 1, 1)) return Value::error();
  constexpr Combine kHow = R == Relation::Disjoint ? Combine::Intersection : Combine::Difference;
  Value left = self, right = args.positional[0];
  if (R == Relation::Superset) {
    Value construct = Value::object(class_named(in, "set"));
    left = class_named(in, "set")->construct(in, args, construct);
    if (left.is_error()) return left;
    right = self;
  }
  Set* rest = combined(in, set_of(left), right, kHow, args.call);
  if (rest && Value::object(rest).is_opaque()) return Value::object(rest);
  return rest ? Value::boolean(rest->entries.items.empty()) : Value::error();
}

Value set_copy(Interpreter& in, const Arguments& args, Value self) {
  if (!in.step(args.call)) return Value::error();
  return Value::object(copy_of(in, *set_of(self)));
}

Value set_clear(Interpreter&, const Arguments&, Value self) {
  assign(*set_of(self), Set());
  return Value::none();
}

constexpr Entry kList[] = {
    {"append", list_append},    {"extend", list_extend}, {"insert", list_insert}, {"pop", list_pop},
    {"remove", list_remove},    {"index", list_index},   {"count", list_count},   {"reverse", list_reverse},
    {"sort", list_sort},        {"copy", list_copy},     {"clear", list_clear},   {"appendleft", deque_appendleft},
    {"popleft", deque_popleft},
};
constexpr Entry kTuple[] = {{"index", list_index}, {"count", list_count}};
constexpr Entry kDict[] = {
    {"get", dict_get},   {"items", dict_items},     {"keys", dict_keys},     {"values", dict_values},
    {"pop", dict_pop},   {"popitem", dict_popitem}, {"update", dict_update}, {"setdefault", dict_setdefault},
    {"copy", dict_copy}, {"clear", dict_clear},
};
constexpr Entry kSet[] = {
    {"add", set_add},
    {"discard", set_discard},
    {"remove", set_remove},
    {"pop", set_pop},
    {"copy", set_copy},
    {"clear", set_clear},
    {"union", known<set_combine<Combine::Union>>},
    {"intersection", known<set_combine<Combine::Intersection>>},
    {"difference", known<set_combine<Combine::Difference>>},
    {"symmetric_difference", known<set_combine<Combine::Symmetric>>},
    {"update", set_change<Combine::Union>},
    {"intersection_update", set_change<Combine::Intersection>},
    {"difference_update", set_change<Combine::Difference>},
    {"symmetric_difference_update", set_change<Combine::Symmetric>},
    {"issubset", known<set_relation<Relation::Subset>>},
    {"issuperset", known<set_relation<Relation::Superset>>},
    {"isdisjoint", known<set_relation<Relation::Disjoint>>},
};

}  // namespace

Value dict_fromkeys(Interpreter& in, const Arguments& args, Value) {
  if (!takes(in, args, "fromkeys", 1, 2)) return Value::error();
  auto keys = in.iterate(args.positional[0], args.at(0));
  if (!keys) return Value::error();
  Dict* dict = in.make<Dict>();
  for (Value k : *keys) {
    if (!in.step(args.call)) return Value::error();
    in.dict_set(dict, k, args.positional.size() == 2 ? args.positional[1] : Value::none());
  }
  return Value::object(dict);
}

std::span<const Entry> list_methods() { return kList; }
std::span<const Entry> tuple_methods() { return kTuple; }
std::span<const Entry> dict_methods() { return kDict; }
std::span<const Entry> set_methods() { return kSet; }

}  // namespace tilewright::script::python
