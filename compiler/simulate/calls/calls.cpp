#include "compiler/simulate/calls/calls.h"

#include <algorithm>
#include <unordered_map>

namespace tilewright::simulate {

const CallRow* call_of(const intrinsics::Intrinsic& row) {
  using namespace intrinsics;
  // No value depends on how many registers a warpgroup has, and so there is no meaning to it.
  auto schedules = [](const Effect& e) { return e.verb == Verb::Schedules && e.object == Object::Threads; };
  if (row.by.together == Together::Warpgroup && std::ranges::any_of(row.effects, schedules)) return &register_call();
  static const auto kByMeaning = [] {
    std::unordered_map<Meaning, const CallRow*> out;
    for (auto rows : {barrier_calls(), cluster_calls(), memory_calls(), fence_calls(), copy_calls(), bulk_calls(),
                      tensor_calls(), tensor_memory_calls(), tensor_core_calls(), mma_calls(), wgmma_calls(),
                      float_calls(), hint_calls(), launch_calls(), nvshmem_calls()}) {
      for (const CallRow& row : rows) out.emplace(row.meaning, &row);
    }
    return out;
  }();
  auto found = kByMeaning.find(row.meaning);
  return found == kByMeaning.end() ? nullptr : found->second;
}

}  // namespace tilewright::simulate
