#include "compiler/script/forget.h"

#include "compiler/script/interpreter.h"

namespace tilewright::script {
namespace {

template <class T>
void clear(T& container) {
  T().swap(container);
}

void clear_dict(Dict& dict) {
  clear(dict.items);
  clear(dict.index);
}

void forget(Object* o) {
  const Value v = Value::object(o);
  switch (o->type) {
    case Type::Str: clear(v.as<Str>()->text); break;
    case Type::List: clear(v.as<List>()->items); break;
    case Type::Tuple: clear(v.as<Tuple>()->items); break;
    case Type::Dict: clear_dict(*v.as<Dict>()); break;
    case Type::Set:
      clear_dict(v.as<Set>()->entries);
      clear(v.as<Set>()->table.places);
      break;
    case Type::Iterator:
      clear(v.as<Iterator>()->items);
      v.as<Iterator>()->source.reset();
      break;
    case Type::Instance: clear(v.as<Instance>()->attributes); break;
    default: break;
  }
}

}  // namespace

void forget_values(Evaluation& evaluation) {
  constexpr std::size_t kLittle = 2 << 20;
  Heap& heap = evaluation.interpreter().heap();
  if (heap.bytes() < kLittle) return;
  for (Object* o : heap.all()) forget(o);
}

}  // namespace tilewright::script
