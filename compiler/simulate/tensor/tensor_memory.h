// The tensor memory of one CTA: 128 lanes of 512 columns of 32 bits, allocated by columns (copy_async.md 8.4), or all
// of it at once: then there may be 576 on sm_107 (PTX ISA 9.4, "tcgen05.alloc.exclusive").
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "compiler/ir/stmt.h"
#include "compiler/simulate/machine/memory.h"

namespace tilewright::simulate {

// Pointers into tensor memory, by CTA of the group; only the search for races knows it so.
inline constexpr std::uint64_t kTensorBlocks = 0xff0000;

// Fields of the 32 bits by which scripts name a cell.
struct TensorAddress {
  int lane = 0, column = 0;
  // `row` and `column` are added field by field, without carry.
  static TensorAddress of(std::uint64_t bits, std::uint64_t row = 0, std::uint64_t column = 0) {
    return {static_cast<int>((bits >> 16 & 0xffff) + row) & 0xffff, static_cast<int>(bits + column) & 0xffff};
  }
};

class TensorMemory {
 public:
  static constexpr std::int64_t kLanes = 128, kColumns = 512, kMostColumns = 576, kUnit = 32, kCellBytes = 4;

  explicit TensorMemory(bool trace) : trace_(trace) {}

  // The first of so many neighbouring columns, no longer free; nothing: there are none. A power of two from 32 to 512.
  std::optional<std::int64_t> allocate(std::int64_t columns);
  // The same where nothing else is allocated, and nothing will be until they are given back. Up to 576 columns.
  std::optional<std::int64_t> allocate_alone(std::int64_t columns);
  bool is_alone() const { return alone_; }
  // False: these columns were not allocated together.
  bool release(std::int64_t first, std::int64_t columns);
  bool holds(std::int64_t column) const;  // it is allocated
  bool any_allocated() const;
  // Columns of the first allocation that is not given back, where it was made.
  struct Left {
    std::int64_t first = 0, columns = 0;
    ir::Origin origin{};
  };
  Left left() const;
  void made_at(std::int64_t first, const ir::Origin& origin) { made_[first] = origin; }
  std::int64_t columns_from(std::int64_t first) const;  // that were allocated together; 0: none begin there
  ir::Origin origin_of(std::int64_t first) const {
    const auto found = made_.find(first);
    return found == made_.end() ? ir::Origin() : found->second;
  }

  bool holds(std::int64_t first, std::int64_t columns) const;

  // The cell's 32 bits; those of the next columns of the lane follow.
  View cell(std::int64_t lane, std::int64_t column);

  // Names of cells for the search for races: the lanes of a column, then the next column. Calls f(pointer, cells) for
  // each run of them.
  template <class F>
  static void each_run(std::uint32_t cta, std::int64_t lane, std::int64_t lanes, std::int64_t column,
                       std::int64_t columns, F&& f) {
    if (lanes == kLanes) {
      f(pointer_to(kTensorBlocks + cta, column * kLanes), lanes * columns);
    } else {
      for (std::int64_t c = column; c < column + columns; ++c)
        f(pointer_to(kTensorBlocks + cta, c * kLanes + lane), lanes);
    }
  }

  bool relinquished = false;  // the CTA allocates no more

 private:
  bool trace_, alone_ = false;
  std::int64_t columns_ = kColumns;                          // of a lane of `cells_`
  std::map<std::int64_t, ir::Origin> made_;                  // by the first column
  std::array<std::int16_t, kMostColumns / kUnit> owners_{};  // first unit of the allocation, plus one; 0: free
  std::unique_ptr<OwnedBlock> cells_;                        // made when the first cell is touched
};

}  // namespace tilewright::simulate
