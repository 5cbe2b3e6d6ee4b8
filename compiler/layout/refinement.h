// The cuts of several shapes in one layout.
#pragma once
#include <span>
#include <vector>

#include "compiler/layout/layout.h"

namespace tilewright::layout {

struct Refined {
  TileLayout layout;
  std::vector<std::vector<std::size_t>> separators;  // one list a shape, as Grouped has them
};
// The layout cut wherever one of the shapes ends a dimension. Iters are split, never joined nor moved; an extent of 1
// stays an iter of its own.
Result<Refined> group_many(const TileLayout& l, std::span<const Shape> shapes);

}  // namespace tilewright::layout
