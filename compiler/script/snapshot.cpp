// Keeping, exchanging and joining what objects hold.
#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_set>

#include "compiler/script/worlds.h"

namespace tilewright::script {

namespace {

// Parts that are shared would be compared once for each way to them: what takes longer counts as different.
constexpr int kMostParts = 1000;

bool is_same_object(Object* x, Object* y, int& parts);

bool is_same_at(Value a, Value b, int& parts) {
  if (a.tag != b.tag || a.numpy != b.numpy || --parts < 0) return false;
  switch (a.tag) {
    case Tag::Bool: return a.b == b.b;
    case Tag::Int: return a.i == b.i && a.immediate == b.immediate;
    case Tag::Float: return std::bit_cast<std::uint64_t>(a.f) == std::bit_cast<std::uint64_t>(b.f);
    case Tag::Expr: return a.e == b.e || ir::structurally_equal(a.as_expr(), b.as_expr());
    case Tag::Opaque: return a.why == b.why || std::strcmp(a.why, b.why) == 0;
    case Tag::Object: return a.o == b.o || is_same_object(a.o, b.o, parts);
    default: return true;
  }
}

bool is_same_object(Object* x, Object* y, int& parts) {
  if (x->type != y->type) return false;
  const Value a = Value::object(x), b = Value::object(y);
  switch (x->type) {
    case Type::Str: return a.as<Str>()->text == b.as<Str>()->text;
    case Type::BigInt: return a.as<BigInt>()->value == b.as<BigInt>()->value;
    case Type::Tuple:
      return std::ranges::equal(a.as<Tuple>()->items, b.as<Tuple>()->items,
                                [&](Value p, Value q) { return is_same_at(p, q, parts); });
    case Type::Range: {
      Range *p = a.as<Range>(), *q = b.as<Range>();
      return p->start == q->start && p->stop == q->stop && p->step == q->step;
    }
    case Type::Slice: {
      Slice *p = a.as<Slice>(), *q = b.as<Slice>();
      return is_same_at(p->start, q->start, parts) && is_same_at(p->stop, q->stop, parts) &&
             is_same_at(p->step, q->step, parts);
    }
    case Type::Native: {
      Native *p = a.as<Native>(), *q = b.as<Native>();
      return p->function == q->function && p->name == q->name && is_same_at(p->self, q->self, parts);
    }
    case Type::BoundMethod: {
      BoundMethod *p = a.as<BoundMethod>(), *q = b.as<BoundMethod>();
      return is_same_at(p->function, q->function, parts) && is_same_at(p->self, q->self, parts);
    }
    case Type::Namespace: {
      Namespace *p = a.as<Namespace>(), *q = b.as<Namespace>();
      return p->path == q->path && p->lookup == q->lookup && p->scope == q->scope && p->record == q->record &&
             p->scope_kind == q->scope_kind;
    }
    case Type::DataType: {
      DataTypeValue *p = a.as<DataTypeValue>(), *q = b.as<DataTypeValue>();
      return p->dtype == q->dtype && !p->subscripted && !q->subscripted;
    }
    case Type::Axis: return a.as<AxisValue>()->axis == b.as<AxisValue>()->axis;
    case Type::Iter: return layout::same(a.as<IterValue>()->iter, b.as<IterValue>()->iter);
    case Type::Layout: return layout::same(*a.as<LayoutValue>()->layout, *b.as<LayoutValue>()->layout);
    default: return false;
  }
}

bool holds_values(Value v) {
  if (!v.is_object()) return false;
  const Type type = v.o->type;
  return type == Type::List || type == Type::Tuple || type == Type::Dict || type == Type::Instance;
}

// One place that two worlds have.
std::size_t join_value(Value& now, Value other, const char* why, std::vector<Value>& parted) {
  if (is_same(now, other)) return 0;
  const bool was_known = !now.is_opaque();
  for (Value v : {now, other}) {
    if (v.is_object() || v.is_opaque()) parted.push_back(v);
  }
  now = Value::opaque(why);
  return was_known ? 1 : 0;
}

}  // namespace

bool is_same(Value a, Value b) {
  int parts = kMostParts;
  return is_same_at(a, b, parts);
}

Value joined(Value a, Value b, const char* why) { return is_same(a, b) ? a : Value::opaque(why); }

void become_unknown(Object* object, const char* why) {
  if (object->type == Type::Unknown) return;
  object->type = Type::Unknown;
  object->why = why;
}

void spoil_views(Dict* dict, bool keys) {
  if (keys) ++dict->version;
  std::erase_if(dict->views, [keys](Object* view) {
    const bool goes = keys || view->type != Type::Set;
    if (goes) become_unknown(view, "a view of a dict that has changed since it was made");
    return goes;
  });
}
namespace {
// A tuple of tuples of plain values, as most keys are: all that it holds is known. Counts what it looked at.
bool is_plain_key(Value v, std::size_t& parts, int depth) {
  constexpr std::size_t kMostParts = 256;
  constexpr int kDeepest = 4;
  Tuple* t = v.as<Tuple>();
  if (!t || depth > kDeepest || parts + t->items.size() > kMostParts) return false;
  parts += t->items.size();
  return std::ranges::all_of(t->items,
                             [&](Value item) { return is_plain(item) || is_plain_key(item, parts, depth + 1); });
}
}  // namespace

Value unknown_within(Value v, std::size_t& parts) {
  if (v.is_opaque()) return v;
  if (!holds_values(v)) return Value::none();
  if (std::size_t looked_at = 0; is_plain_key(v, looked_at, 0)) {
    parts += looked_at;
    return Value::none();
  }
  // Containers may share their parts: each is looked into once.
  constexpr std::size_t kMostObjects = 1'000'000;
  std::vector<Object*> todo{v.o}, met;
  Value found;
  auto look = [&](Value item) {
    ++parts;
    if (item.is_opaque() && found.is_none()) found = item;
    if (holds_values(item)) todo.push_back(item.o);
  };
  std::unordered_set<Object*> many;  // once there are more than a few
  while (!todo.empty() && found.is_none() && met.size() + many.size() < kMostObjects) {
    Object* o = todo.back();
    todo.pop_back();
    const bool few = met.size() < 8;
    if (std::ranges::find(met, o) != met.end() || (!few && !many.insert(o).second)) continue;
    if (few) met.push_back(o);
    const Value at = Value::object(o);
    if (List* l = at.as<List>()) std::ranges::for_each(l->items, look);
    if (Tuple* t = at.as<Tuple>()) std::ranges::for_each(t->items, look);
    if (Dict* d = at.as<Dict>()) std::ranges::for_each(d->items, [&](const auto& entry) { look(entry.second); });
    if (Instance* i = at.as<Instance>(); i && i->cls->is_dataclass) {
      std::ranges::for_each(i->attributes, [&](const auto& entry) { look(entry.second); });
    }
  }
  return found.is_none() && !todo.empty() ? Value::opaque("a value of more than a million parts") : found;
}

Snapshot::Snapshot(std::span<Object* const> objects) {
  for (Object* o : objects) keep(o);
}

void Snapshot::keep(Object* o) {
  const Value v = Value::object(o);
  const Kind kind{o->type, o->why};
  switch (o->type) {
    case Type::Scope: {
      auto* s = static_cast<Scope*>(o);
      scopes_.push_back({s, s->bindings});
      break;
    }
    case Type::List: sequences_.push_back({o, &v.as<List>()->items, nullptr, kind, v.as<List>()->items}); break;
    case Type::Iterator: {
      Iterator* i = v.as<Iterator>();
      sequences_.push_back({o, &i->items, &i->next, kind, i->items, i->next});
      if (i->source) generators_.push_back({i, i->source->copy()});
      break;
    }
    case Type::Dict: {
      Dict* d = v.as<Dict>();
      tables_.push_back({o, d, kind, d->items, d->index, nullptr, {}, d->version});
      break;
    }
    case Type::Set: {
      Set* set = v.as<Set>();
      Dict& entries = set->entries;
      tables_.push_back({o, &entries, kind, entries.items, entries.index, set, set->table, entries.version});
      break;
    }
    case Type::Instance: instances_.push_back({v.as<Instance>(), kind, v.as<Instance>()->attributes}); break;
    case Type::Function: singles_.push_back({&v.as<Function>()->attributes, v.as<Function>()->attributes}); break;
    case Type::MetaVar: singles_.push_back({&v.as<MetaVar>()->value, v.as<MetaVar>()->value}); break;
    case Type::Jit: caches_.push_back({v.as<Jit>(), v.as<Jit>()->cache}); break;
    default: break;
  }
}

void Snapshot::swap() {
  auto exchange_kind = [](Object* o, Kind& kind) {
    std::swap(o->type, kind.type);
    std::swap(o->why, kind.why);
  };
  for (Bindings& b : scopes_) b.scope->exchange(b.kept);
  for (Items& i : sequences_) {
    exchange_kind(i.object, i.kind);
    exchange_items(*i.items, i.kept);
    if (i.next) std::swap(*i.next, i.kept_next);
  }
  for (Entries& e : tables_) {
    exchange_kind(e.object, e.kind);
    exchange_items(e.dict->items, e.kept);
    e.dict->index.swap(e.index);
    std::swap(e.dict->version, e.version);
    if (e.set) std::swap(e.set->table, e.table);
  }
  for (Attributes& a : instances_) {
    exchange_kind(a.instance, a.kind);
    exchange_items(a.instance->attributes, a.kept);
  }
  for (Single& s : singles_) std::swap(*s.value, s.kept);
  for (Cache& c : caches_) c.jit->cache.swap(c.kept);
  for (Generator& g : generators_) g.iterator->source.swap(g.kept);
}

std::size_t Snapshot::join_into_objects(const char* why, std::vector<Value>& parted) {
  std::size_t changed = 0;
  for (Bindings& b : scopes_) changed += join(b, why, parted);
  for (Items& i : sequences_) changed += join(i, why, parted);
  for (Entries& e : tables_) changed += join(e, why, parted);
  for (Attributes& a : instances_) changed += join(a, why, parted);
  for (Generator& g : generators_) changed += join(g, why, parted);
  for (Single& s : singles_) changed += join_value(*s.value, s.kept, why, parted);
  // What a kernel was specialised for in one world was made of what held there.
  for (Cache& c : caches_) c.jit->cache.resize(std::min(c.jit->cache.size(), c.kept.size()));
  return changed;
}

std::size_t Snapshot::join(Bindings& b, const char* why, std::vector<Value>& parted) {
  std::size_t changed = 0;
  std::vector<Scope::Binding>& now = b.scope->bindings;
  const bool same_names = std::ranges::equal(
      now, b.kept, [](const auto& x, const auto& y) { return x.hash == y.hash && x.name == y.name; });
  if (same_names) {
    for (std::size_t i = 0; i < now.size(); ++i) changed += join_value(now[i].value, b.kept[i].value, why, parted);
    return changed;
  }
  auto named = [](const Scope::Binding& x) { return syntax::Name{x.name, x.hash, {}}; };
  Scope other;
  other.exchange(b.kept);
  // A module is the same wherever it was imported.
  auto only_here = [&](Value v) { return v.as<Namespace>() ? v : Value::opaque(why); };
  for (Scope::Binding& x : now) {
    if (Scope::Binding* y = other.find(named(x))) {
      changed += join_value(x.value, y->value, why, parted);
    } else if (Value v = only_here(x.value); v.is_opaque() && !x.value.is_opaque()) {
      parted.push_back(x.value);
      x.value = v;
      ++changed;
    }
  }
  for (const Scope::Binding& y : other.bindings) {
    if (b.scope->find(named(y))) continue;
    parted.push_back(y.value);
    b.scope->set(named(y), only_here(y.value));
    ++changed;
  }
  return changed;
}

std::size_t Snapshot::join(Generator& g, const char* why, std::vector<Value>& parted) {
  if (!g.iterator->source || !g.kept || g.iterator->source->same(*g.kept)) return 0;
  for (const Source* source : {g.iterator->source.get(), g.kept.get()}) {
    const std::vector<Value> parts = source->parts();
    parted.insert(parted.end(), parts.begin(), parts.end());
  }
  if (g.iterator->type == Type::Unknown) return 0;
  become_unknown(g.iterator, why);
  return 1;
}

std::size_t Snapshot::join(Items& i, const char* why, std::vector<Value>& parted) {
  const bool was_unknown = i.object->type == Type::Unknown;
  if (was_unknown && i.kind.type == Type::Unknown) return 0;
  if (was_unknown || i.kind.type == Type::Unknown || i.items->size() != i.kept.size() ||
      (i.next && *i.next != i.kept_next)) {
    become_unknown(i.object, i.kind.type == Type::Unknown ? i.kind.why : why);
    parted.insert(parted.end(), i.kept.begin(), i.kept.end());
    return 1;
  }
  std::size_t changed = 0;
  for (std::size_t k = 0; k < i.kept.size(); ++k) changed += join_value((*i.items)[k], i.kept[k], why, parted);
  return changed;
}

std::size_t Snapshot::join(Entries& e, const char* why, std::vector<Value>& parted) {
  const bool was_unknown = e.object->type == Type::Unknown;
  if (was_unknown && e.kind.type == Type::Unknown) return 0;
  const bool same_keys =
      std::ranges::equal(e.dict->items, e.kept, [](const auto& x, const auto& y) { return is_same(x.first, y.first); });
  if (was_unknown || e.kind.type == Type::Unknown || !same_keys) {
    become_unknown(e.object, e.kind.type == Type::Unknown ? e.kind.why : why);
    for (const auto& [key, value] : e.kept) parted.push_back(value);
    return 1;
  }
  std::size_t changed = 0;
  for (std::size_t k = 0; k < e.kept.size(); ++k) {
    changed += join_value(e.dict->items[k].second, e.kept[k].second, why, parted);
  }
  return changed;
}

std::size_t Snapshot::join(Attributes& a, const char* why, std::vector<Value>& parted) {
  const bool was_unknown = a.instance->type == Type::Unknown;
  if (was_unknown && a.kind.type == Type::Unknown) return 0;
  if (was_unknown || a.kind.type == Type::Unknown) {
    become_unknown(a.instance, was_unknown ? why : a.kind.why);
    for (const auto& [name, value] : a.kept) parted.push_back(value);
    return 1;
  }
  std::size_t changed = 0;
  auto find = [](auto& list, const std::string& name) {
    return std::ranges::find(list, name, [](const auto& entry) -> const std::string& { return entry.first; });
  };
  for (auto& [name, value] : a.instance->attributes) {
    auto other = find(a.kept, name);
    changed += join_value(value, other == a.kept.end() ? Value::error() : other->second, why, parted);
  }
  for (auto& [name, value] : a.kept) {
    if (find(a.instance->attributes, name) != a.instance->attributes.end()) continue;
    parted.push_back(value);
    a.instance->attributes.emplace_back(name, Value::opaque(why));
    ++changed;
  }
  return changed;
}

}  // namespace tilewright::script
