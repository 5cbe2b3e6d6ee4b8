#include "compiler/ir/outside.h"

#include "compiler/expr/analyzer.h"

namespace tilewright::ir {

std::string outside_of_buffer(const Region& region) {
  for (std::size_t d = 0; d < region.ranges.size(); ++d) {
    const Range& r = region.ranges[d];
    Expr hi = simplify(r.min + r.extent);
    const std::int64_t *begin = constant(r.min), *end = constant(hi), *n = constant(region.buffer->shape[d]);
    const bool before = begin && *begin < 0, behind = end && n && *end > *n && *n != 0;
    if (!before && !behind) continue;
    return "dimension " + std::to_string(d) + " of " + std::string(region.buffer->name) +
           (before ? " begins at 0, the slice at " + std::to_string(*begin)
                   : " ends at " + std::to_string(*n) + ", the slice at " + std::to_string(*end));
  }
  return {};
}

}  // namespace tilewright::ir
