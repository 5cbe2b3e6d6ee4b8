#include "compiler/dispatch/blocks/threads.h"

#include "compiler/dispatch/words.h"

namespace tilewright::dispatch {
namespace {

using ir::ExecScope;
using ir::ScopeBinding;
using scope::ActiveAxis;

Reason narrowed(const scope::Box& intra, ActiveAxis axis, std::int64_t full) {
  const scope::ActiveRange* range = scope::find(intra, axis);
  if (!range) return cat("axis ", scope::axis_name(axis), " is missing from the active threads");
  if (range->elected) return cat(scope::axis_name(axis), " is one elected lane, not all ", full);
  if (range->extent == full && range->offset == 0) return {};
  return cat(scope::axis_name(axis), " narrowed to [", range->offset, ", ",
             range->offset + (range->extent - 1) * range->stride + 1, ") of [0, ", full, ")");
}

}  // namespace

Reason parted(CallContext& context) {
  const scope::Inexact* condition = scope::dividing_condition(context.scope);
  if (!condition) return {};
  return cat("only some threads of the ", ir::exec_scope_name(context.scope.kind), " pass `", condition->term, "`");
}

std::int64_t cluster_size(const CallContext& context) {
  std::int64_t n = 1;
  for (ir::Expr e : context.launch().cluster) {
    const std::int64_t* v = ir::constant(e);
    n = v ? n * *v : 0;
  }
  return n;
}

Reason not_all_active(CallContext& context) {
  const scope::CallScope& s = context.scope;
  if (s.kind == ExecScope::Thread) return {};
  if (!s.tracked) return "number of threads of the CTA is not known before the launch";
  if (!s.failure.empty()) return s.failure;
  std::int64_t threads = context.launch().threads().value_or(0);
  if (s.kind == ExecScope::Cta && threads < 32) {
    return cat("a CTA of ", threads, " threads is less than one warp: degenerate thread count 0");
  }
  if (threads % 32 != 0) return cat("a CTA of ", threads, " threads is not a whole number of warps");
  if (Reason r = narrowed(s.intra, ActiveAxis::laneid, 32); !r.empty()) return r;
  if (s.kind == ExecScope::Warpgroup) {
    if (Reason r = narrowed(s.intra, ActiveAxis::wid_in_wg, 4); !r.empty()) return r;
  }
  if (s.kind == ExecScope::Cta) {
    if (Reason r = narrowed(s.intra, ActiveAxis::warpid, threads / 32); !r.empty()) return r;
  }
  return parted(context);
}

std::int64_t thread_count(const CallContext& context) {
  switch (context.scope.kind) {
    case ExecScope::Thread: return 1;
    case ExecScope::Warp: return 32;
    case ExecScope::Warpgroup: return 128;
    default: return context.launch().threads().value_or(0) / 32 * 32;
  }
}

ir::Expr thread_index(CallContext& context) {
  switch (context.scope.kind) {
    case ExecScope::Thread: return ir::Expr(0);
    case ExecScope::Warp: return context.scope_id(ScopeBinding::WarpThread);
    case ExecScope::Warpgroup: return context.scope_id(ScopeBinding::WarpgroupThread);
    default: return context.linear_thread();
  }
}

std::string_view worker_name(ExecScope scope) { return scope == ExecScope::Warp ? "a lane" : "a thread"; }

std::expected<std::int64_t, Reason> first_active_thread(const CallContext& context) {
  const scope::CallScope& s = context.scope;
  if (s.kind == ExecScope::Thread) return 0;
  if (!s.failure.empty()) return std::unexpected(s.failure);
  const scope::ActiveRange* lanes = scope::find(s.intra, ActiveAxis::laneid);
  if (!lanes) return std::unexpected(std::string("the active threads are not known before the launch"));
  if (lanes->elected)
    return std::unexpected(std::string("the active lane is elected at run time, so no fixed thread can work for all"));
  if (s.kind == ExecScope::Warp) return lanes->offset;
  const scope::ActiveRange* warps =
      scope::find(s.intra, s.kind == ExecScope::Warpgroup ? ActiveAxis::wid_in_wg : ActiveAxis::warpid);
  if (!warps) return std::unexpected(std::string("the active warps are not known before the launch"));
  return lanes->offset + 32 * warps->offset;
}

ir::Expr axis_value(CallContext& context, layout::Axis axis) {
  switch (axis) {
    case layout::Axis::laneid: return context.scope_id(ScopeBinding::WarpThread);
    case layout::Axis::tid_in_wg: return context.scope_id(ScopeBinding::WarpgroupThread);
    case layout::Axis::wid_in_wg: return context.scope_id(ScopeBinding::WarpgroupWarp);
    case layout::Axis::tx: return context.linear_thread();
    case layout::Axis::warpid: return context.scope_id(ScopeBinding::CtaWarp);
    case layout::Axis::wgid: return context.scope_id(ScopeBinding::CtaWarpgroup);
    default: return {};
  }
}

std::int64_t axis_extent(const CallContext& context, layout::Axis axis) {
  std::int64_t threads = context.launch().threads().value_or(0);
  // A CTA need not be made of whole warpgroups; only a warpgroup that cooperates is one for sure.
  std::int64_t group = 128;
  if (context.scope.kind == ir::ExecScope::Cta && threads % 128 != 0) group = threads < 128 ? threads : 0;
  switch (axis) {
    case layout::Axis::laneid: return 32;
    case layout::Axis::tid_in_wg: return group;
    case layout::Axis::wid_in_wg: return group / 32;
    case layout::Axis::tx: return threads;
    case layout::Axis::warpid: return threads / 32;
    case layout::Axis::wgid: return threads / 128;
    default: return 0;
  }
}

}  // namespace tilewright::dispatch
