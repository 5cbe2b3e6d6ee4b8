// Objects that nothing leads to any more, of loops that make many.
//
// At the end of a round, what the rounds made is held by the script alone: whatever runs around the loop had no part in
// it, and what calls within it held has ended with them. So an object that was made since the loop began, and that
// neither an object from before nor the interpreter itself leads to, is given back. While a kernel is built, in one of
// two ways of a condition that is not known, and where a way waits for the end of the loop, nothing is.
#include <algorithm>

#include "compiler/script/arrivals.h"
#include "compiler/script/plain_calls.h"

namespace tilewright::script {
namespace {

class Reach {
 public:
  void object(Object* o) {
    if (!o || o->is_reached) return;
    o->is_reached = true;
    todo_.push_back(o);
  }
  void value(Value v) {
    if (v.is_object()) object(v.o);
  }
  void values(const std::vector<Value>& values) {
    for (Value v : values) value(v);
  }
  void pending(const Pending& p) {
    value(p.exception);
    values(p.given);
    for (const Function* f : p.through) object(const_cast<Function*>(f));
  }
  // Follows what was reached to its end; returns how many objects that were.
  std::size_t follow() {
    std::size_t count = 0;
    for (; !todo_.empty(); ++count) {
      Object* o = todo_.back();
      todo_.pop_back();
      if (o->type == Type::Unknown) {
        unknown(o);
      } else {
        parts(o);
      }
    }
    return count;
  }

 private:
  void dict(const Dict& d) {
    for (const auto& [key, held] : d.items) {
      value(key);
      value(held);
    }
    object(d.owner);
    for (Object* view : d.views) object(view);
  }
  void list(const List& l) {
    values(l.items);
    if (auto* view = dynamic_cast<const ValuesView*>(&l)) object(view->of);
  }
  void set(const Set& s) {
    dict(s.entries);
    if (auto* view = dynamic_cast<const KeysView*>(&s)) object(view->of);
  }
  void iterator(const Iterator& it) {
    values(it.items);
    if (!it.source) return;
    values(it.source->parts());
    std::vector<Object*> held;
    it.source->add_held(held);
    for (Object* o : held) object(o);
  }
  void instance(const Instance& i) {
    object(i.cls);
    for (const auto& [name, held] : i.attributes) value(held);
  }
  // What became unknown holds what it held.
  void unknown(Object* o) {
    if (auto* l = dynamic_cast<List*>(o)) list(*l);
    if (auto* t = dynamic_cast<Tuple*>(o)) values(t->items);
    if (auto* d = dynamic_cast<Dict*>(o)) dict(*d);
    if (auto* s = dynamic_cast<Set*>(o)) set(*s);
    if (auto* i = dynamic_cast<Iterator*>(o)) iterator(*i);
    if (auto* i = dynamic_cast<Instance*>(o)) instance(*i);
  }
  void scope(const Scope& s) {
    object(s.parent);
    object(s.frozen_from);
    for (const Scope::Binding& b : s.bindings) value(b.value);
  }
  void function(const Function& f) {
    object(f.closure);
    object(f.owner);
    values(f.defaults);
    value(f.attributes);
    for (const auto& [name, list] : f.parametrize) value(list);
  }
  void cls(const Class& c) {
    for (Class* base : c.bases) object(base);
    for (Class* base : c.mro) object(base);
    object(c.scope);
  }

  void parts(Object* o) {
    const Value v = Value::object(o);
    switch (o->type) {
      case Type::List: return list(*v.as<List>());
      case Type::Tuple: return values(v.as<Tuple>()->items);
      case Type::Dict: return dict(*v.as<Dict>());
      case Type::Set: return set(*v.as<Set>());
      case Type::Iterator: return iterator(*v.as<Iterator>());
      case Type::Instance: return instance(*v.as<Instance>());
      case Type::Scope: return scope(*v.as<Scope>());
      case Type::Function: return function(*v.as<Function>());
      case Type::Class: return cls(*v.as<Class>());
      case Type::Lambda: object(v.as<LambdaFunction>()->closure); return values(v.as<LambdaFunction>()->defaults);
      case Type::Slice: return values({v.as<Slice>()->start, v.as<Slice>()->stop, v.as<Slice>()->step});
      case Type::BoundMethod: return values({v.as<BoundMethod>()->function, v.as<BoundMethod>()->self});
      case Type::Native: return value(v.as<Native>()->self);
      case Type::Namespace: return object(v.as<Namespace>()->scope);
      case Type::Property: return values({v.as<Property>()->getter, v.as<Property>()->setter});
      case Type::StaticMethod: return value(v.as<StaticMethod>()->function);
      case Type::ClassMethod: return value(v.as<ClassMethod>()->function);
      case Type::Super: object(v.as<Super>()->after); return value(v.as<Super>()->self);
      case Type::DataType: return values(v.as<DataTypeValue>()->shape);
      case Type::TypeAnnotation: return value(v.as<TypeAnnotation>()->inner);
      case Type::Kernel: return object(v.as<KernelValue>()->source);
      case Type::Jit:
        object(v.as<Jit>()->function);
        for (const auto& [given, kernel] : v.as<Jit>()->cache) {
          values(given);
          value(kernel);
        }
        return;
      case Type::MetaVar: return value(v.as<MetaVar>()->value);
      default: return;  // no values are in it
    }
  }

  std::vector<Object*> todo_;
};

// What was counted for it beside its own size.
std::size_t content_of(const Object& o) {
  switch (o.type) {
    case Type::Str: return static_cast<const Str&>(o).text.size();
    case Type::List: return static_cast<const List&>(o).items.size() * sizeof(Value);
    case Type::Tuple: return static_cast<const Tuple&>(o).items.size() * sizeof(Value);
    case Type::Dict: return static_cast<const Dict&>(o).items.size() * kEntryBytes;
    case Type::Set: return static_cast<const Set&>(o).entries.items.size() * kEntryBytes;
    case Type::Scope: return 128;  // what its first bindings were taken to need
    case Type::Iterator: return static_cast<const Iterator&>(o).items.size() * sizeof(Value);
    default: return 0;
  }
}

}  // namespace

void Interpreter::collect(Rounds& rounds) {
  const std::span<Object* const> all = heap_.all();
  rounds.next = all.size() + std::max(kFewObjects, all.size());
  const bool waits = std::ranges::any_of(arrivals_, [](const Arrivals* a) { return !a->empty(); });
  if (kernel_ || worlds_ > 0 || errors_.pending || probe_ || waits || runs_prelude()) return;
  Reach reach;
  for (Object* o : all.first(rounds.first)) reach.object(o);
  reach.value(return_value_);
  for (const auto& [record, v] : denoted_) reach.value(v);
  for (KernelValue* k : kernels_) reach.object(k);
  for (const auto& [path, v] : modules_.known()) reach.value(v);
  for (const auto& [path, p] : modules_.failed()) reach.pending(p);
  for (const Failure& f : errors_.failures) reach.pending(f.pending);
  for (const Unread& u : unread_) reach.object(const_cast<Function*>(u.function));
  for (const Modules::Run& run : modules_.runs()) reach.object(run.scope);
  for (const Modules::Open& open : modules_.opened()) {
    reach.object(open.scope);
    reach.value(open.names);
  }
  for (const auto& [why, known] : aliases_) {
    for (Object* o : known.objects) reach.object(o);
  }
  for (const auto& [def, names] : locals_) {
    if (names.plain) names.plain->for_held([&](Value v) { reach.value(v); });
  }
  for (const std::vector<Value>* kept : kept_) reach.values(*kept);
  for (Scope* s : free_scopes_) reach.object(s);
  reach.object(script_scope_);
  builtins_.for_made([&](Value v) { reach.value(v); });
  spend(reach.follow());
  heap_.give_back(rounds.first, rounds.bytes, content_of);
  for (Object* o : heap_.all()) o->is_reached = false;
  rounds.next = heap_.objects() + std::max(kFewObjects, heap_.objects());
}

}  // namespace tilewright::script
