#include "compiler/script/probe.h"

namespace tilewright::script {

void Probe::see(Value v, const std::shared_ptr<Store>& store) {
  if (v.is_error() || values.size() >= limit) return;
  values.push_back(v);
  if (stores.empty() || stores.back() != store) stores.push_back(store);
}

}  // namespace tilewright::script
