// Tiles in registers: which threads of the scope hold them (compute.md 3.1, 3.3).
#pragma once
#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

// Every thread of the scope holds a part of the tile, and each its own: the thread walks of the region count the
// scope's threads once. Nothing is asked at thread scope.
Reason not_spread_over_scope(CallContext& context, const ir::Region& region);
// A tile over several warps (or warpgroups) that is cut to one of them belongs to that one: nobody else may work on it
// (Q33).
Reason of_another_warp(CallContext& context, const ir::Region& region);
// Both layouts repeat their elements alike.
Reason replicas_differ(const ir::Region& anchor, const ir::Region& other);

}  // namespace tilewright::dispatch
