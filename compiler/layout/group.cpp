// Grouping (layout.md 5.5): cutting the iters so that consecutive runs of them belong to the dimensions of a shape.
//
// `pending` is the product of the extents seen since the last cut. When an extent of the shape divides it, the cut
// falls inside the iter under the cursor: its slower part closes the run, its faster part starts the next one.
#include "compiler/layout/detail.h"

namespace tilewright::layout {
namespace detail {

bool try_group(const TileLayout& l, ShapeView shape, Grouped& out) {
  out.layout.shard.clear();
  out.layout.shard.reserve(l.shard.size() + shape.size());
  out.separators.clear();
  out.separators.reserve(shape.size() + 1);
  out.separators.push_back(0);
  Dim pending = 1;
  std::size_t k = 0;
  for (const Iter& iter : l.shard) {
    Iter rest = iter;
    pending = pending * rest.extent;
    while (k < shape.size() && provably_divisible(pending, shape[k])) {
      Dim faster = floordiv(pending, shape[k]);
      if (!provably_divisible(rest.extent, faster)) return false;
      out.layout.shard.push_back({floordiv(rest.extent, faster), rest.stride * faster, rest.axis});
      rest.extent = pending = faster;
      ++k;
      out.separators.push_back(out.layout.shard.size());
    }
    if (rest.extent.is(1)) continue;
    if (k == shape.size()) return false;
    out.layout.shard.push_back(rest);
  }
  if (k != shape.size()) return false;
  out.layout.replica = l.replica;
  out.layout.offset = l.offset;
  return true;
}

Result<Grouped> group_for(std::string_view what, const TileLayout& l, ShapeView shape) {
  Grouped grouped;
  if (try_group(l, shape, grouped)) return grouped;
  return fail(std::string(what) + ": the layout does not split along the shape", l, shape);
}

}  // namespace detail

Result<Grouped> group(const TileLayout& l, ShapeView shape) { return detail::group_for("group", l, shape); }

}  // namespace tilewright::layout
