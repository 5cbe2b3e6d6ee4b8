// Reductions of tiles in registers by a warp or a warpgroup: what one thread reduces, and with which lanes (compute.md
// 8.4 to 8.7).
#pragma once
#include "compiler/dispatch/blocks/iters.h"
#include "compiler/dispatch/blocks/reduction.h"

namespace tilewright::dispatch {

// The registers of one thread. Result i is destination[i] and, for each summand, source[i] + summand[k].
struct LocalView {
  Walks destination{}, source{}, summand{};
  layout::Dim destination_start{}, source_start{};
  std::vector<std::int64_t> distances{};  // of the lanes that hold the other parts of a result, ascending
  bool in_place = false;                  // destination and source are the same registers

  std::int64_t results() const { return product(destination); }
  std::int64_t summands() const { return product(summand); }
};

// Dimension by dimension: what stays is held alike on both sides, and a reduced dimension that lives in threads keeps
// them (every thread holds its part). `exchange`: the lanes then combine their parts. Error: why this is no such call.
std::expected<LocalView, Reason> local_view(CallContext& context, bool exchange);

// The lane pattern: all of a reduced dimension lives in lanes, and the destination repeats its elements over them. Is
// it one by its layouts (8.4), and then the view of it; error: what keeps the lanes apart (Q19).
bool is_lane_pattern(const Reduction& r);
std::expected<LocalView, Reason> lane_view(CallContext& context);

}  // namespace tilewright::dispatch
