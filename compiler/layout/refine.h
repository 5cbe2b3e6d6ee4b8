// Cutting the iters of a layout where the dimensions of several shapes begin and end (`group_many` of release 0.26).
//
// A shape's boundaries are the products of its leading extents: 1, a, a*b, .... The refined layout has a boundary
// wherever the layout or one of the shapes has one, and as many of a value as the sequence that has most of it, so that
// a dimension of one element stays an iter of its own.
#pragma once
#include <span>
#include <vector>

#include "compiler/layout/layout.h"

namespace tilewright::layout {

struct RefinedLayout {
  TileLayout layout;
  // One list for each shape: dimension d is shard[separators[d] .. separators[d+1]).
  std::vector<std::vector<std::size_t>> separators;
};
// Error: the totals differ, or a boundary of one does not divide the next one of another.
Result<RefinedLayout> refine(const TileLayout& l, std::span<const Shape> shapes);

}  // namespace tilewright::layout
