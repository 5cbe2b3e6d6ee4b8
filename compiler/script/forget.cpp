#include "compiler/script/forget.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "compiler/script/interpreter.h"

namespace tilewright::script {

void forget_values(Evaluation& evaluation) {
  constexpr std::size_t kLittle = 1 << 20;
  Heap& heap = evaluation.interpreter().heap();
  if (heap.bytes() < kLittle) return;
  std::vector<KernelValue*> kept;
  for (const Entry& entry : evaluation.entries) kept.insert(kept.end(), entry.kernels.begin(), entry.kernels.end());
  std::ranges::sort(kept);
  const auto again = std::ranges::unique(kept);
  kept.erase(again.begin(), again.end());
  std::vector<KernelValue> kernels(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kernels[i] = std::move(*kept[i]);
    kernels[i].source = nullptr;
  }

  std::destroy_at(&heap);
  std::construct_at(&heap);
  evaluation.module = nullptr;
  std::vector<KernelValue*> made;
  for (KernelValue& kernel : kernels) *made.emplace_back(heap.make<KernelValue>()) = std::move(kernel);
  for (Entry& entry : evaluation.entries) {
    for (KernelValue*& kernel : entry.kernels) {
      kernel = made[static_cast<std::size_t>(std::ranges::lower_bound(kept, kernel) - kept.begin())];
    }
  }
}

}  // namespace tilewright::script
