// What the model's run of a kernel shows that could be asked less of the hardware: findings of severity Hint.
#pragma once
#include <vector>

#include "compiler/run/time_model.h"
#include "compiler/session/compile.h"

namespace tilewright::work {

// TW7010: lanes of one warp take both arms of a branch, and both compute. TW7011: float64 in a kernel without a tensor
// or scalar of it. Of what the script itself writes, in its order.
std::vector<text::Diagnostic> instruction_advice(const run::TimeModel& model, const session::CompiledKernel& kernel,
                                                 const text::Anchors& anchors);

// A hint at a place of the kernel.
text::Diagnostic hint_at(const ir::Origin& origin, std::string_view code, std::string message, std::string hint,
                         const text::Anchors& anchors);

}  // namespace tilewright::work
