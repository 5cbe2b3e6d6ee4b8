// From two regions to the plain numbers that the plan search works on (copy_async.md 3.2).
#pragma once
#include "compiler/dispatch/variants/copy_async/tma_plan.h"

namespace tilewright::dispatch::tma {

// `shared_window` is the shared region's (blocks/operands.h). Error: what of the operands no tensor map can describe.
std::expected<Problem, Reason> problem_of(const ir::Region& global, const ir::Region& shared,
                                          const Window& shared_window);

}  // namespace tilewright::dispatch::tma
