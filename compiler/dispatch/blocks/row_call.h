// Calls of instruction rows, written with the operands that matter.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "compiler/dispatch/variant.h"
#include "compiler/intrinsics/intrinsic.h"

namespace tilewright::dispatch {

using intrinsics::row_of;

// A call with the leading operands given, the others at their defaults, and `rest` for the variadic operand. Values
// are cast to the integer type that the row wants.
ir::Expr row_call(const intrinsics::Intrinsic& row, std::vector<ir::Expr> leading, std::span<const ir::Expr> rest = {});

// The target has no such instruction; empty: it has (Y20). `what` names it.
Reason no_such_instruction(CallContext& context, const intrinsics::Intrinsic& row, std::string_view what);

}  // namespace tilewright::dispatch
