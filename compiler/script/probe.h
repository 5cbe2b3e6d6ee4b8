// Watches one expression while a script is evaluated, for an editor that asks what stands under its cursor.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "compiler/script/value.h"

namespace tilewright::script {

struct Store;

struct Probe {
  const syntax::Node* node = nullptr;
  std::size_t limit = 4;                       // values after these are not kept
  std::vector<Value> values;                   // that the expression took, in order
  std::vector<std::shared_ptr<Store>> stores;  // keep what the values point to

  void see(Value v, const std::shared_ptr<Store>& store);
};

// The probe of the evaluations that this thread runs, like the arena (ArenaScope). Null: none.
class ProbeScope {
 public:
  explicit ProbeScope(Probe* probe);
  ~ProbeScope();
  ProbeScope(const ProbeScope&) = delete;
  ProbeScope& operator=(const ProbeScope&) = delete;

 private:
  Probe* previous_;
};
// The node that is watched; null: none.
extern thread_local const syntax::Node* probed_node;
Probe& current_probe();  // there must be one

}  // namespace tilewright::script
