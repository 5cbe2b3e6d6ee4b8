// Watches one expression while a script is evaluated, for an editor that asks what stands under its cursor.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "compiler/script/value.h"

namespace tilewright::script {

struct Store;

// Handed to the evaluation that it watches (EvaluateOptions::probe).
struct Probe {
  const syntax::Node* node = nullptr;
  std::size_t limit = 4;                       // values after these are not kept
  std::vector<Value> values;                   // that the expression took, in order
  std::vector<std::shared_ptr<Store>> stores;  // keep what the values point to

  void see(Value v, const std::shared_ptr<Store>& store);
};

}  // namespace tilewright::script
