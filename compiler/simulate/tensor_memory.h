// The tensor memory of one CTA: 128 lanes of 512 columns of 32 bits, allocated by columns (copy_async.md 8.4).
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/simulate/memory.h"

namespace tilewright::simulate {

class TensorMemory {
 public:
  static constexpr std::int64_t kLanes = 128, kColumns = 512, kUnit = 32, kCellBytes = 4;

  explicit TensorMemory(bool trace) : trace_(trace) {}

  // The first of so many neighbouring columns, no longer free; nothing: there are none. A power of two from 32 to 512.
  std::optional<std::int64_t> allocate(std::int64_t columns);
  // False: these columns were not allocated together.
  bool release(std::int64_t first, std::int64_t columns);
  bool holds(std::int64_t column) const;  // it is allocated
  bool any_allocated() const;

  // The cell's 32 bits.
  View cell(std::int64_t lane, std::int64_t column);

  bool relinquished = false;  // the CTA allocates no more

 private:
  bool trace_;
  std::array<std::int16_t, kColumns / kUnit> owners_{};  // first unit of the allocation, plus one; 0: free
  std::unique_ptr<OwnedBlock> cells_;                    // made when the first cell is touched
};

}  // namespace tilewright::simulate
