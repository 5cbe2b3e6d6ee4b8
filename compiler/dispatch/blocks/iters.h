// Shard lists of a planned copy: plain integers, all on axis m unless said otherwise.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/dispatch/blocks/operands.h"

namespace tilewright::dispatch {

struct Walk {
  std::int64_t extent = 1;
  std::int64_t stride = 1;
  ir::Expr unit{};  // a pitch known only at run time: the step is stride * unit; null: 1
};
bool step_divisible(const Walk& walk, std::int64_t v);
Walk walk_of(const layout::Iter& iter);  // its extent is constant
using Walks = std::vector<Walk>;

std::int64_t product(std::span<const Walk> walks);
std::int64_t product(std::span<const std::int64_t> extents);
// Drops unit walks and joins neighbours that continue each other (layout.md 5.4, steps 1 and 4).
Walks fuse(std::span<const Walk> walks);

// Walks cut so that consecutive runs have the extents of `shape`; run i is walks[cuts[i] .. cuts[i+1]) (layout.md 5.5).
struct Runs {
  Walks walks;
  std::vector<std::size_t> cuts;
  std::span<const Walk> run(std::size_t i) const { return std::span(walks).subspan(cuts[i], cuts[i + 1] - cuts[i]); }
};
std::optional<Runs> group(std::span<const Walk> walks, std::span<const std::int64_t> shape);

// Cuts an inner block of `n` elements off the end: the last walks multiply to exactly n (7.6). Nothing: no such cut.
std::optional<Walks> carve(std::span<const Walk> walks, std::int64_t n);

// Offset of linear index `x` in [0, product) over the walks.
ir::Expr place(std::span<const Walk> walks, ir::Expr x);

}  // namespace tilewright::dispatch
