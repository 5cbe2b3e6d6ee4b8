// What both regions of a copy have in common from 0.26 on, whatever variant serves it (dispatch.md 8).
#pragma once
#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

// The extents of a region that are not 1, in order.
std::vector<ir::Expr> wide_extents(const ir::Region& region);

// How the regions of a copy or copy_async differ; empty: they may be copied, or the release does not ask.
Reason unequal_regions(const ir::TileCall& call, text::Dialect release);

}  // namespace tilewright::dispatch
