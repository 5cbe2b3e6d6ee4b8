#include "compiler/scope/active.h"

#include <algorithm>

#include "compiler/scope/closure.h"

namespace tilewright::scope {
namespace {

using ir::ExecScope;

std::int64_t last(const ActiveRange& r) { return r.offset + (r.extent - 1) * r.stride; }

// Warps as (position in the warpgroup, warpgroup), where that is a box (7.1).
struct WarpgroupSplit {
  ActiveRange position, group;
};
std::optional<WarpgroupSplit> split_warps(const ActiveRange& warps) {
  std::int64_t e = warps.extent, o = warps.offset;
  if (o % 4 == 0 && e % 4 == 0) return WarpgroupSplit{{4, 0}, {e / 4, o / 4}};
  if (e <= 4 - o % 4) return WarpgroupSplit{{e, o % 4}, {1, o / 4}};
  return std::nullopt;
}

layout::Unit unit_of(ExecScope scope) {
  switch (scope) {
    case ExecScope::Cluster: return layout::Unit::Cluster;
    case ExecScope::Cta: return layout::Unit::Cta;
    case ExecScope::Warpgroup: return layout::Unit::Warpgroup;
    case ExecScope::Warp: return layout::Unit::Warp;
    case ExecScope::Thread: break;
  }
  return layout::Unit::Thread;
}

}  // namespace

std::string_view axis_name(ActiveAxis axis) {
  constexpr std::string_view names[] = {"laneid", "warpid", "cta_id", "bx",        "by",  "bz",
                                        "cbx",    "cby",    "cbz",    "wid_in_wg", "wgid"};
  return names[static_cast<std::size_t>(axis)];
}

const ActiveRange* find(const Box& box, ActiveAxis axis) {
  for (const AxisRange& entry : box) {
    if (entry.axis == axis) return &entry.range;
  }
  return nullptr;
}

bool divides(const Inexact& condition, ExecScope scope) {
  return condition.provably_divergent && !condition.never_true && condition.unit > unit_of(scope);
}

bool may_divide(const Inexact& condition, ExecScope scope) {
  return !condition.provably_divergent && !condition.never_true && condition.unit > unit_of(scope);
}

const Inexact* dividing_condition(const CallScope& scope) {
  for (const Inexact& condition : scope.inexact) {
    if (divides(condition, scope.kind)) return &condition;
  }
  return nullptr;
}

std::optional<std::int64_t> Launch::threads() const {
  std::int64_t product = 1;
  for (ir::Expr extent : block) {
    if (!extent) continue;
    const std::int64_t* v = ir::constant(extent);
    if (!v) return std::nullopt;
    product *= *v;
  }
  return product;
}

ActiveAxis ActiveSet::cta_axis(int dimension) const {
  if (cta_axes < 2) return ActiveAxis::cta_id;
  int first = static_cast<int>(ctas == Ctas::Cluster ? ActiveAxis::cbx : ActiveAxis::bx);
  return static_cast<ActiveAxis>(first + dimension);
}

ActiveSet at_device_entry(const Closure& closure) {
  ActiveSet set;
  const Launch& launch = closure.launch;
  std::optional<std::int64_t> threads = launch.threads();
  if (!launch.has_block || !threads || *threads <= 0) return set;
  set.tracked = true;
  set.threads = *threads;
  // N4: a short warp is active with the lanes it has, and the last, partial warp of a ragged CTA counts.
  set.lanes = {std::min<std::int64_t>(*threads, 32), 0};
  set.warps = {(*threads + 31) / 32, 0};
  set.flat_threads = ir::is_constant(launch.block[1], 1) && ir::is_constant(launch.block[2], 1);

  auto take = [&](const std::array<ir::Expr, 3>& extents, std::size_t dims, ActiveSet::Ctas kind) {
    if (dims > 3) return false;
    for (std::size_t i = 0; i < dims; ++i) {
      if (!ir::constant(extents[i])) return false;
    }
    set.ctas = kind;
    set.cta_axes = static_cast<std::uint8_t>(std::max<std::size_t>(dims, 1));
    for (std::size_t i = 0; i < set.cta_axes; ++i) {
      set.cta_extent[i] = i < dims ? *ir::constant(extents[i]) : 1;
      set.cta[i] = {set.cta_extent[i], 0};
    }
    return true;
  };
  std::size_t cluster_dims = closure[ir::ScopeBinding::ClusterCta].shape.size();
  if (launch.has_cluster && take(launch.cluster, cluster_dims, ActiveSet::Ctas::Cluster)) return set;
  if (!launch.has_grid) return set;
  std::size_t grid_dims = closure[ir::ScopeBinding::KernelCta].shape.size();
  if (!closure[ir::ScopeBinding::KernelCta].declaration) grid_dims = std::max(grid_dims, cluster_dims);
  take(launch.grid, grid_dims, ActiveSet::Ctas::Grid);
  return set;
}

CallScope split(const ActiveSet& set, ExecScope kind) {
  CallScope out;
  out.kind = kind;
  out.tracked = set.tracked;
  if (!set.tracked) return out;
  Box ctas;
  for (int i = 0; i < set.cta_axes; ++i) ctas.push_back({set.cta_axis(i), set.cta[i]});
  AxisRange lanes{ActiveAxis::laneid, set.lanes}, warps{ActiveAxis::warpid, set.warps};
  switch (kind) {
    case ExecScope::Thread: out.inter = {lanes, warps}; break;
    case ExecScope::Warp:
      out.intra = {lanes};
      out.inter = {warps};
      break;
    case ExecScope::Warpgroup: {
      std::optional<WarpgroupSplit> parts = split_warps(set.warps);
      if (!parts) {
        out.failure = "active warps " + std::to_string(set.warps.offset) + ".." + std::to_string(last(set.warps)) +
                      " cross a warpgroup boundary";
        return out;
      }
      out.intra = {lanes, {ActiveAxis::wid_in_wg, parts->position}};
      out.inter = {{ActiveAxis::wgid, parts->group}};
      break;
    }
    case ExecScope::Cta: out.intra = {lanes, warps}; break;
    case ExecScope::Cluster:
      out.intra = {lanes, warps};
      out.intra.insert(out.intra.end(), ctas.begin(), ctas.end());
      return out;
  }
  out.inter.insert(out.inter.end(), ctas.begin(), ctas.end());
  return out;
}

}  // namespace tilewright::scope
