// What a batch (batch.h) stands on: the pool of its slots, who compiles for them, and the gate before memory.
#pragma once
#include <functional>
#include <stop_token>
#include <vector>

#include "server/work/batch.h"
#include "server/work/memory_gate.h"

namespace tilewright::work {

class BatchPlace {
 public:
  // `tools` is asked for who compiles, only where a slot runs compiled kernels (looking for CUDA costs something).
  // `jobs`: cores for compilations. Completes `request`, whose copies must not outlive this.
  BatchPlace(std::vector<Slot> slots, unsigned jobs, RunRequest& request,
             const std::function<toolchain::Toolchain*()>& tools, const std::stop_token& stop);

  SlotPool& pool() { return pool_; }
  bool cubins() const { return cubins_; }
  // How many threads make runs: of kernels that are compiled more than there are slots, so that these do not wait.
  unsigned threads() const { return threads_; }

 private:
  bool cubins_;
  unsigned threads_;
  SlotPool pool_;
  MemoryGate gate_;
};

}  // namespace tilewright::work
