#include "compiler/script/fingerprint.h"

#include <algorithm>
#include <bit>

namespace tilewright::script {
namespace {

// Beyond these a walk costs more than an evaluation.
constexpr std::size_t kMaxObjects = 100'000;
constexpr int kMaxDepth = 200;

}  // namespace

bool Fingerprint::met(const void* o) {
  if (2 * met_count_ >= met_.size()) {
    std::vector<std::pair<const void*, std::uint32_t>> old(std::max<std::size_t>(64, 4 * met_.size()));
    old.swap(met_);
    for (const auto& entry : old) {
      if (entry.first) slot_of(entry.first) = entry;
    }
  }
  auto& [known, number] = slot_of(o);
  if (known) {
    digest_.add(std::uint64_t{0xFFFF0000} + number);
    return true;
  }
  known = o;
  number = static_cast<std::uint32_t>(met_count_++);
  if (met_count_ > kMaxObjects) unknown();
  return false;
}

// Where `o` is, or would be.
std::pair<const void*, std::uint32_t>& Fingerprint::slot_of(const void* o) {
  const std::size_t mask = met_.size() - 1;
  const auto mixed = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(o)) * 0x9E3779B97F4A7C15ull;
  std::size_t i = (mixed >> 32) & mask;
  while (met_[i].first && met_[i].first != o) i = (i + 1) & mask;
  return met_[i];
}

void Fingerprint::add(const std::shared_ptr<const syntax::TopLevel>& statement) {
  if (!statement || met(statement.get())) return;
  digest_.add(statement->digest);
  statements_.push_back(statement);
}

void Fingerprint::names(const std::shared_ptr<const syntax::TopLevel>& statement, Scope* closure) {
  add(statement);
  std::pair<const void*, const void*> key(statement.get(), closure);
  if (!statement || std::find(resolved_.begin(), resolved_.end(), key) != resolved_.end()) return;
  resolved_.push_back(key);
  for (const syntax::Name& name : statement->names) {
    if (!known_) return;
    Value* found = nullptr;
    // From inside of a function: the names of a class body around it are not seen.
    for (Scope* s = closure; s && !found; s = s->parent) {
      if (s->kind == Scope::Kind::Class || !s->may_have(name.hash)) continue;
      if (auto* b = s->find(name)) found = &b->value;
    }
    if (!found) found = in_.builtins().find(name);
    if (!found) {
      // Not there, or made by the function itself; where it is not, the message tells whether the module defines it
      // later.
      bool later = false;
      for (Scope* s = closure; s; s = s->parent) later = later || (s->frozen_from && s->frozen_from->find(name));
      digest_.add(later ? 3 : 1);
      continue;
    }
    digest_.add(2);
    Value v = *found;  // following it may move the scope's table
    add(v);
  }
}

void Fingerprint::add(const std::vector<Value>& values) {
  digest_.add(values.size());
  for (Value v : values) {
    if (!known_) return;
    add(v);
  }
}

void Fingerprint::add(layout::Dim d) {
  if (!d.is_constant()) return unknown();
  digest_.add(static_cast<std::uint64_t>(d.value()));
}

void Fingerprint::add(const layout::TileLayout& l) {
  for (const layout::Iters* iters : {&l.shard, &l.replica}) {
    digest_.add(iters->size());
    for (const layout::Iter& i : *iters) {
      add(i.extent);
      add(i.stride);
      digest_.add(static_cast<std::uint64_t>(i.axis));
    }
  }
  digest_.add(l.offset.size());
  for (auto& [axis, value] : l.offset) {
    digest_.add(static_cast<std::uint64_t>(axis));
    add(value);
  }
}

void Fingerprint::add(const layout::Layout& l) {
  digest_.add(l.swizzle ? 1 : 0);
  if (l.swizzle) {
    digest_.add(static_cast<std::uint64_t>(l.swizzle->per_element));
    digest_.add(static_cast<std::uint64_t>(l.swizzle->swizzle_len));
    digest_.add(static_cast<std::uint64_t>(l.swizzle->atom_len));
    digest_.add(l.swizzle->inner ? 1 : 0);
  }
  digest_.add(l.tile ? 1 : 0);
  if (l.tile) add(*l.tile);
}

void Fingerprint::add(Value v) {
  digest_.add(static_cast<std::uint64_t>(v.tag) | (static_cast<std::uint64_t>(v.numpy) << 8));
  switch (v.tag) {
    case Tag::Error:
    case Tag::Poison:
    case Tag::None:
    case Tag::Ellipsis:
    case Tag::NotImplemented: return;
    case Tag::Opaque: return digest_.add(std::string_view(v.reason()));
    case Tag::Bool: return digest_.add(v.b ? 1 : 0);
    case Tag::Int: digest_.add(v.immediate ? 1 : 0); return digest_.add(static_cast<std::uint64_t>(v.i));
    case Tag::Float: return digest_.add(std::bit_cast<std::uint64_t>(v.f));
    case Tag::Expr: {
      // A constant of the module outlives this evaluation together with the module's arena; variables have identities.
      if (!in_.module_owns(v.e)) return unknown();
      add(v.e->dtype);
      if (const auto* i = v.as_expr().as<ir::IntImm>()) return digest_.add(static_cast<std::uint64_t>(i->value));
      if (const auto* f = v.as_expr().as<ir::FloatImm>()) return digest_.add(std::bit_cast<std::uint64_t>(f->value));
      return unknown();
    }
    case Tag::Object: break;
  }
  if (++depth_ > kMaxDepth) unknown();
  if (known_) object(v.o);
  --depth_;
}

void Fingerprint::add(const Function* f) { object(const_cast<Function*>(f)); }

void Fingerprint::add(ir::DataType t) {
  digest_.add((static_cast<std::uint64_t>(t.code) << 32) | (std::uint64_t{t.bits} << 16) | t.lanes);
}

void Fingerprint::bindings(Scope* scope) {
  digest_.add(scope ? scope->bindings.size() : 0);
  for (std::size_t i = 0; scope && i < scope->bindings.size() && known_; ++i) {
    digest_.add(scope->bindings[i].name);
    add(scope->bindings[i].value);
  }
}

void Fingerprint::contents(Dict& d) {
  digest_.add(d.items.size());
  for (auto& [key, value] : d.items) {
    if (!known_) return;
    add(key);
    add(value);
  }
}

void Fingerprint::contents(Range& r) {
  digest_.add(static_cast<std::uint64_t>(r.start));
  digest_.add(static_cast<std::uint64_t>(r.stop));
  digest_.add(static_cast<std::uint64_t>(r.step));
}

void Fingerprint::contents(Function& f) {
  digest_.add(f.def->at.begin);
  digest_.add(static_cast<std::uint64_t>(f.mode));
  if (is_of_prelude(f.closure)) return digest_.add(f.keep->digest);
  if (!f.is_hygienic) return unknown();  // its names are its caller's
  names(f.keep, f.closure);
  add(f.defaults);
  add(f.attributes);
  digest_.add(f.owner ? 1 : 0);
  if (f.owner) add(Value::object(f.owner));
}

void Fingerprint::contents(LambdaFunction& f) {
  digest_.add(f.def->at.begin);
  digest_.add(f.kernel_mode ? 1 : 0);
  names(f.keep, f.closure);
  add(f.defaults);
}

void Fingerprint::contents(Native& n) {
  digest_.add(n.name);
  digest_.add(reinterpret_cast<std::uintptr_t>(n.function));
  add(n.self);
}

void Fingerprint::contents(Class& c) {
  digest_.add(std::string_view(c.name));
  if (c.scope && is_of_prelude(c.scope)) return;
  digest_.add((c.is_meta ? 1u : 0u) | (c.is_dataclass ? 2u : 0u) | (c.is_frozen ? 4u : 0u) | (c.is_enum ? 8u : 0u) |
              (c.is_int_enum ? 16u : 0u) | (c.is_exception ? 32u : 0u) | (c.has_unknown_base ? 64u : 0u));
  digest_.add(reinterpret_cast<std::uintptr_t>(c.construct));
  digest_.add(c.fields.size());
  for (const std::string& field : c.fields) digest_.add(std::string_view(field));
  digest_.add(c.mro.size());
  for (Class* base : c.mro) add(Value::object(base));
  digest_.add(c.bases.size());
  for (Class* base : c.bases) add(Value::object(base));
  bindings(c.scope);
}

void Fingerprint::contents(Instance& i) {
  add(Value::object(i.cls));
  digest_.add(i.attributes.size());
  for (auto& [name, value] : i.attributes) {
    if (!known_) return;
    digest_.add(std::string_view(name));
    add(value);
  }
}

void Fingerprint::contents(Namespace& n) {
  digest_.add(std::string_view(n.path));
  digest_.add(reinterpret_cast<std::uintptr_t>(n.lookup));
  digest_.add(static_cast<std::uint64_t>(n.scope_kind + 1));
  if (!n.scope) return n.lookup ? void() : unknown();  // a module that is still being run
  if (is_of_prelude(n.scope)) return;
  bindings(n.scope);
}

void Fingerprint::contents(DataTypeValue& d) {
  add(d.dtype);
  digest_.add(d.subscripted ? 1 : 0);
  add(d.shape);
}

void Fingerprint::contents(TypeAnnotation& t) {
  if (t.buffer) return unknown();
  digest_.add(static_cast<std::uint64_t>(t.kind));
  add(t.pointee);
  digest_.add(std::string_view(t.storage_scope));
  add(t.inner);
}

void Fingerprint::contents(Jit& j) {
  add(Value::object(j.function));
  digest_.add((j.is_private ? 1u : 0u) | (j.persistent ? 2u : 0u));
  digest_.add(j.cache.size());
  for (auto& [key, value] : j.cache) {
    add(key);
    add(value);
  }
}

void Fingerprint::contents(Set& s) {
  for (std::uint32_t place : s.table.places) digest_.add(place);
  digest_.add(s.table.next_popped);
  contents(s.entries);
}

void Fingerprint::object(Object* o) {
  if (met(o)) return;
  digest_.add(static_cast<std::uint64_t>(o->type) + 100);
  Value v = Value::object(o);
  switch (o->type) {
    case Type::Str: return digest_.add(std::string_view(v.as<Str>()->text));
    case Type::BigInt: {
      auto n = static_cast<unsigned __int128>(v.as<BigInt>()->value);
      digest_.add(static_cast<std::uint64_t>(n));
      return digest_.add(static_cast<std::uint64_t>(n >> 64));
    }
    case Type::List: return add(v.as<List>()->items);
    case Type::Tuple: return add(v.as<Tuple>()->items);
    case Type::Dict: return contents(*v.as<Dict>());
    case Type::Set: return contents(*v.as<Set>());
    case Type::Range: return contents(*v.as<Range>());
    case Type::Slice:
      add(v.as<Slice>()->start);
      add(v.as<Slice>()->stop);
      return add(v.as<Slice>()->step);
    case Type::Iterator:
      if (v.as<Iterator>()->source || v.as<Iterator>()->is_running) return unknown();
      digest_.add(v.as<Iterator>()->next);
      return add(v.as<Iterator>()->items);
    case Type::Function: return contents(*v.as<Function>());
    case Type::Lambda: return contents(*v.as<LambdaFunction>());
    case Type::BoundMethod: add(v.as<BoundMethod>()->function); return add(v.as<BoundMethod>()->self);
    case Type::Native: return contents(*v.as<Native>());
    case Type::Class: return contents(*v.as<Class>());
    case Type::Instance: return contents(*v.as<Instance>());
    case Type::Namespace: return contents(*v.as<Namespace>());
    case Type::Property:
      add(v.as<Property>()->getter);
      add(v.as<Property>()->setter);
      return digest_.add(v.as<Property>()->cached ? 1 : 0);
    case Type::StaticMethod: return add(v.as<StaticMethod>()->function);
    case Type::ClassMethod: return add(v.as<ClassMethod>()->function);
    case Type::Super:
      if (v.as<Super>()->after) add(Value::object(v.as<Super>()->after));
      return add(v.as<Super>()->self);
    case Type::Layout:
      if (v.as<LayoutValue>()->in_kernel) return unknown();  // it dies with that kernel
      return add(*v.as<LayoutValue>()->layout);
    case Type::LayoutSpec:
      digest_.add((v.as<LayoutSpec>()->has_shard ? 1u : 0u) | (v.as<LayoutSpec>()->has_replica ? 2u : 0u));
      return add(v.as<LayoutSpec>()->tile);
    case Type::LayoutBuilder: return digest_.add(v.as<LayoutBuilder>()->replica ? 1 : 0);
    case Type::Axis: return digest_.add(static_cast<std::uint64_t>(v.as<AxisValue>()->axis));
    case Type::AxisTerm: {
      layout::TileLayout l;
      l.offset = v.as<AxisTerm>()->terms;
      return add(l);
    }
    case Type::Iter: {
      layout::TileLayout l;
      l.shard = {v.as<IterValue>()->iter};
      return add(l);
    }
    case Type::DataType: return contents(*v.as<DataTypeValue>());
    case Type::TypeAnnotation: return contents(*v.as<TypeAnnotation>());
    case Type::Jit: return contents(*v.as<Jit>());
    case Type::Kernel: {
      KernelValue* k = v.as<KernelValue>();
      if (!k->record || !k->record->reusable) return unknown();
      return digest_.add(k->record->key);
    }
    case Type::MetaVar: return add(v.as<MetaVar>()->value);
    case Type::Buffer:
    case Type::Region:
    case Type::Frame:
    case Type::PendingStore:
    case Type::TensorMapType:
    case Type::Scope:
    case Type::Intrinsic: return unknown();
    case Type::Unknown: return digest_.add(std::string_view(o->why));
  }
}

}  // namespace tilewright::script
