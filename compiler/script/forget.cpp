#include "compiler/script/forget.h"

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "compiler/script/interpreter.h"

namespace tilewright::script {
namespace {

constexpr std::size_t kLittle = 1 << 20;

// Are the bytes of the heap mostly those of kernels that an evaluation before this one made? They count for the
// script's limits as if they had been made again, and have no objects here.
bool holds_little(const Heap& heap, std::span<KernelValue* const> kernels) {
  constexpr std::size_t kFewObjects = 2048, kMostOfOne = 256 << 10;
  if (heap.objects() >= kFewObjects) return false;
  std::size_t reused = 0;
  for (const KernelValue* k : kernels) {
    if (k->record) reused += std::min(k->record->bytes, kMostOfOne);
  }
  return heap.bytes() < kLittle + reused;
}

}  // namespace

void forget_values(Evaluation& evaluation) {
  Heap& heap = evaluation.interpreter().heap();
  if (heap.bytes() < kLittle) return;
  std::vector<KernelValue*> kept;
  for (const Entry& entry : evaluation.entries) kept.insert(kept.end(), entry.kernels.begin(), entry.kernels.end());
  std::ranges::sort(kept);
  const auto again = std::ranges::unique(kept);
  kept.erase(again.begin(), again.end());
  if (holds_little(heap, kept)) return;
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
