// Tensor maps of a kernel: one for each distinct description, shared by the calls that need it (copy_async.md 3.7).
#pragma once
#include "compiler/dispatch/variants/copy_async/tma_plan.h"

namespace tilewright::dispatch::tma {

// The element type that the driver is told; empty: there is none for it. `bits`: of the map's elements, more than the
// tensor's where the plan was promoted.
std::string_view map_dtype(ir::DataType dtype, int bits);

// The map of a plan: an earlier one of the kernel with the same description, or a new one noted in the journal. Error:
// the description depends on what only the device knows.
std::expected<const TensorMap*, Reason> tensor_map(CallContext& context, const ir::Buffer& tensor,
                                                   const Candidate& plan, int swizzle, int oob_fill);

// The map that is described, `var` left out: an earlier one of the kernel, or a new one as above.
std::expected<const TensorMap*, Reason> shared_map(CallContext& context, TensorMap map);

// Numbers of a map as a report has them: as they are, or in words where one is known at the launch only.
FactValue numbers(const std::vector<ir::Expr>& values);

}  // namespace tilewright::dispatch::tma
