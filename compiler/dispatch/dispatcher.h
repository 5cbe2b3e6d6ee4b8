// Chooses a variant for every tile primitive of a kernel (dispatch.md 2-5).
#pragma once
#include <string>

#include "compiler/dispatch/dispatched.h"
#include "compiler/text/context.h"

namespace tilewright::dispatch {

// Closes the scope ids, follows the active threads, and replaces each tile primitive by the body of the first variant
// in the order of preference whose predicates hold and whose plan succeeds. Every call gets a report. What fails is
// reported to `context` and marks the result as failed; the walk goes on, so that one run tells of all calls.
//
// The result owns what dispatch made (its own arena) and holds the kernel, whose nodes it uses for the rest.
Dispatched dispatch(const ir::Kernel& kernel, const text::Context& context);

// "T.warp.copy(A_smem[0:32, 0:32], A[0:32, 0:32])".
std::string call_text(const ir::TileCall& call);

// The table of a call that no variant served, in the pieces that tests and users of the reference match (section 3).
std::string failure_table(const CallReport& report);

}  // namespace tilewright::dispatch
