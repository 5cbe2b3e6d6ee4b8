// Who cooperates in a copy (dispatch.md 7.3, 7.4).
#pragma once
#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

// All threads of the scope reach the call; else which axis is narrowed or which condition parts them (N4, N11, X15).
Reason not_all_active(CallContext& context);
// "only warp 0 gets here", "only one elected lane gets here"; empty: the scope's threads are all there, or are not
// known.
std::string narrowed_to(const CallContext& context);
// A CTA of a known number of threads that is no whole number of warps.
bool parts_a_warp(const scope::Launch& launch);
// The same for primitives that a CTA of any number of threads can share: only whole warps are asked for where a warp
// works alone (compute.md 3 #3).
Reason not_all_here(CallContext& context);
// Only the part that certain divergence decides, for variants in which one thread works for all.
Reason parted(CallContext& context);
// Threads of one instance: product of the cooperating axes; 0 for a CTA below one warp.
std::int64_t thread_count(const CallContext& context);
// The same without rounding: a CTA of 40 threads has 40; 0: not known.
std::int64_t member_count(const CallContext& context);
// Their index, 0 .. thread_count - 1.
ir::Expr thread_index(CallContext& context);
// Threads are counted along threadIdx.x alone; empty: they are.
Reason not_one_dimensional(const CallContext& context);
// All threads of the scope wait for each other; nothing at thread scope. Warpgroups have barriers of their own, 8 and
// up, so that two of them never meet in one (Q13).
void add_barrier(CallContext& context, ir::BodyBuilder& out);
// CTAs of a cluster; 0: not a constant.
std::int64_t cluster_size(const CallContext& context);
// "a lane", "a thread".
std::string_view worker_name(ir::ExecScope scope);
// The thread that does everything in a scalar fallback, as an index within the scope; an error where that is not
// static.
std::expected<std::int64_t, Reason> first_active_thread(const CallContext& context);
// For register layouts: the value of a thread axis at the executing thread.
ir::Expr axis_value(CallContext& context, layout::Axis axis);
// How many values it takes among all threads of the scope; 0: unknown.
std::int64_t axis_extent(const CallContext& context, layout::Axis axis);

}  // namespace tilewright::dispatch
