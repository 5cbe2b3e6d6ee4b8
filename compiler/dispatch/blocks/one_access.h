// A side of a copy that one access moves as a whole.
#pragma once
#include <optional>

#include "compiler/dispatch/blocks/operands.h"

namespace tilewright::dispatch {

// Elements of a region; nothing: known only at run time.
std::optional<std::int64_t> elements_of(const ir::Region& region);

// Why accesses of `word` elements from the first one on are not the `count` elements of this side of the copy: they are
// no neighbours, or begin at a constant place that is no multiple of an access. Empty: they are, as far as is known.
Reason scattered(CallContext& context, bool is_dst, std::int64_t count, std::int64_t word);

// Pointer to element `skipped` of a region, row by row; its extents are constant.
ir::Expr pointer_into(const ir::Region& region, std::int64_t skipped = 0);

}  // namespace tilewright::dispatch
