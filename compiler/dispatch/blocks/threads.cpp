#include "compiler/dispatch/blocks/threads.h"

#include <vector>

#include "compiler/dispatch/blocks/row_call.h"
#include "compiler/dispatch/words.h"

namespace tilewright::dispatch {
namespace {

using ir::ExecScope;
using ir::ScopeBinding;
using scope::ActiveAxis;

// "warp 0", "warps 0 to 2", "lanes 0, 2, ... 30"; with `full`, of how many.
std::string who(const scope::ActiveRange& range, std::string_view one, std::int64_t full) {
  if (range.elected) return cat("one elected ", one, full ? cat(" of ", full) : std::string());
  const std::int64_t last = range.offset + (range.extent - 1) * range.stride;
  const std::string all = full ? cat(" of ", full) : std::string();
  if (range.extent == 1) return cat(one, " ", range.offset, all);
  if (range.stride == 1) return cat(one, "s ", range.offset, " to ", last, all);
  return cat(one, "s ", range.offset, ", ", range.offset + range.stride, range.extent > 2 ? cat(", ... ", last) : "",
             all);
}

struct Step {
  ActiveAxis axis;
  std::string_view one;
  std::int64_t full;
};
// The axes along which threads cooperate at the call, the finest first.
std::vector<Step> steps_of(const CallContext& context) {
  std::vector<Step> steps;
  if (context.scope.kind == ExecScope::Thread) return steps;
  // A CTA below one warp has the lanes it has, and the last, partial warp of a ragged one counts (N4).
  const std::int64_t threads = context.launch().threads().value_or(0);
  const bool cta = context.scope.kind == ExecScope::Cta;
  steps.push_back({ActiveAxis::laneid, "lane", cta && threads < 32 ? threads : 32});
  if (context.scope.kind == ExecScope::Warpgroup) steps.push_back({ActiveAxis::wid_in_wg, "warp", 4});
  if (cta) steps.push_back({ActiveAxis::warpid, "warp", (threads + 31) / 32});
  return steps;
}

bool is_narrowed(const scope::ActiveRange& range, std::int64_t full) {
  return range.elected || range.extent != full || range.offset != 0;
}
std::string gets_here(const scope::ActiveRange& range) {
  return range.elected || range.extent == 1 ? " gets here" : " get here";
}

}  // namespace

std::string narrowed_to(const CallContext& context) {
  if (parts_a_warp(context.launch())) return {};  // no thread is left out
  std::string out;
  const scope::ActiveRange* last = nullptr;
  for (const Step& step : steps_of(context)) {
    const scope::ActiveRange* range = scope::find(context.scope.intra, step.axis);
    if (!range || !is_narrowed(*range, step.full)) continue;
    out += cat(out.empty() ? "only " : " of ", who(*range, step.one, 0));
    if (!last || range->extent > 1) last = range;
  }
  return last ? out + gets_here(*last) : out;
}

bool parts_a_warp(const scope::Launch& launch) { return launch.threads().value_or(0) % 32 != 0; }

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

namespace {

Reason not_known(const CallContext& context) {
  if (!context.scope.tracked) return "number of threads of the CTA is not known before the launch";
  return context.scope.failure;
}
Reason narrowed(CallContext& context) {
  for (const Step& step : steps_of(context)) {
    const scope::ActiveRange* range = scope::find(context.scope.intra, step.axis);
    if (!range) return cat("axis ", scope::axis_name(step.axis), " is missing from the active threads");
    if (is_narrowed(*range, step.full)) return cat("only ", who(*range, step.one, step.full), gets_here(*range));
  }
  return parted(context);
}

}  // namespace

Reason not_all_here(CallContext& context) {
  const scope::CallScope& s = context.scope;
  if (s.kind == ExecScope::Thread) return {};
  if (Reason r = not_known(context); !r.empty()) return r;
  const std::int64_t threads = context.launch().threads().value_or(0);
  const scope::ActiveRange* warps = scope::find(s.inter, ActiveAxis::warpid);
  if (s.kind == ExecScope::Warp && threads % 32 != 0 && warps && warps->offset + warps->extent > threads / 32) {
    return cat("the last warp of a CTA of ", threads, " threads has ", threads % 32, " lanes");
  }
  if (s.kind == ExecScope::Cta) {
    if (Reason r = not_one_dimensional(context); !r.empty()) return r;
  }
  return narrowed(context);
}

Reason not_all_active(CallContext& context) {
  const scope::CallScope& s = context.scope;
  if (s.kind == ExecScope::Thread) return {};
  if (Reason r = not_known(context); !r.empty()) return r;
  std::int64_t threads = context.launch().threads().value_or(0);
  if (s.kind == ExecScope::Cta && threads < 32) {
    return cat("a CTA of ", threads, " threads is less than one warp: degenerate thread count 0");
  }
  if (threads % 32 != 0) return cat("a CTA of ", threads, " threads is not a whole number of warps");
  return narrowed(context);
}

std::int64_t thread_count(const CallContext& context) {
  switch (context.scope.kind) {
    case ExecScope::Thread: return 1;
    case ExecScope::Warp: return 32;
    case ExecScope::Warpgroup: return 128;
    default: return context.launch().threads().value_or(0) / 32 * 32;
  }
}

std::int64_t member_count(const CallContext& context) {
  if (context.scope.kind == ExecScope::Cta) return context.launch().threads().value_or(0);
  return thread_count(context);
}

Reason not_one_dimensional(const CallContext& context) {
  const auto& block = context.launch().block;
  if (ir::is_constant(block[1], 1) && ir::is_constant(block[2], 1)) return {};
  return "the threads of the CTA are counted in more than one dimension";
}

void add_barrier(CallContext& context, ir::BodyBuilder& out) {
  auto add = [&](intrinsics::KnownRow row, std::vector<ir::Expr> args) {
    out.add<ir::Evaluate>(row_call(row_of(row), std::move(args)));
  };
  switch (context.scope.kind) {
    case ExecScope::Thread: break;
    case ExecScope::Warp: add("warp_sync", {}); break;
    case ExecScope::Warpgroup: {
      constexpr int kFirst = 8;  // the reference's
      const scope::ActiveRange* groups = scope::find(context.scope.inter, ActiveAxis::wgid);
      const bool one = groups && groups->extent == 1;
      add("warpgroup_sync", {one ? ir::Expr(kFirst) : ir::Expr(kFirst) + context.scope_id(ScopeBinding::CtaWarpgroup)});
      break;
    }
    default: add("cta_sync", {});
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
