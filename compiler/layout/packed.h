// Shared memory without a swizzle, as tcgen05 reads it from release 0.26 on.
#pragma once
#include "compiler/layout/layout.h"

namespace tilewright::layout {

// Units of 16 bytes of one column behind each other, then the next column of units: [..., m, k/e, e]. Row-major where a
// row is no whole number of units. The last two extents must be constants.
Result<Layout> mma_packed_layout(expr::DataType dtype, ShapeView shape);

}  // namespace tilewright::layout
