// Copies whose region is shared out evenly over all threads of a scope, in rounds of one vector each (dispatch.md 8.1,
// copy_async.md 2): what copy/gmem_smem and copy_async/ldgsts have in common.
#pragma once
#include <functional>
#include <string_view>

#include "compiler/dispatch/blocks/partition.h"
#include "compiler/dispatch/variant.h"
#include "compiler/ir/stmt.h"

namespace tilewright::dispatch {

// Such a copy works within a CTA.
Reason not_within_cta(const CallContext& context);
// All threads take part, and each gets the same number of elements.
Reason not_shared_evenly(CallContext& context);

// One access of a thread: element offsets into the shared and the global buffer.
using Access = std::function<void(ir::BodyBuilder& round, ir::Expr shared, ir::Expr global)>;
// All rounds of the thread; what can be computed before the loop stands before it.
const ir::Stmt* shared_rounds(CallContext& context, const Partition& p, const ir::Buffer& global, ir::LoopKind kind,
                              const Access& access);

// The facts of both variants, and the summary with `width` ("128-bit", "16 bytes") in it.
void describe_sharing(Plan& plan, CallContext& context, const Partition& p, int vector_bits, std::string_view variant,
                      std::string_view width);

}  // namespace tilewright::dispatch
