// Tiles in registers: which threads of the scope hold them (compute.md 3.1, 3.3).
#pragma once
#include "compiler/dispatch/blocks/operands.h"

namespace tilewright::dispatch {

// The region's part of the layout, threads not joined, with its offsets. Nothing: the region is no strided block.
std::optional<layout::Layout> part_of_layout(const ir::Region& region);
// The region of a tile in registers: its walks in canonical form, threads joined, and where it starts in a thread's
// registers. What the region says of whose part it is (an index of a warp) is not in it: of_another_warp() judges that.
WindowResult register_window(const ir::Region& region);

// Every thread of the scope holds a part of the tile, and each its own: the thread walks of the region count the
// scope's threads once. Nothing is asked at thread scope.
Reason not_spread_over_scope(CallContext& context, const ir::Region& region);
// A tile over several warps (or warpgroups) that is cut to one of them belongs to that one: no other warp may work on
// it (Q33).
Reason of_another_warp(CallContext& context, const ir::Region& region);
// Both layouts repeat their elements alike.
Reason replicas_differ(const ir::Region& anchor, const ir::Region& other);

}  // namespace tilewright::dispatch
