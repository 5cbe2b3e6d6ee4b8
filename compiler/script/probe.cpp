#include "compiler/script/probe.h"

namespace tilewright::script {

thread_local const syntax::Node* probed_node = nullptr;

namespace {
thread_local Probe* current = nullptr;
}  // namespace

void Probe::see(Value v, const std::shared_ptr<Store>& store) {
  if (v.is_error() || values.size() >= limit) return;
  values.push_back(v);
  if (stores.empty() || stores.back() != store) stores.push_back(store);
}

ProbeScope::ProbeScope(Probe* probe) : previous_(current) {
  current = probe;
  probed_node = probe ? probe->node : nullptr;
}

ProbeScope::~ProbeScope() {
  current = previous_;
  probed_node = current ? current->node : nullptr;
}

Probe& current_probe() { return *current; }

}  // namespace tilewright::script
