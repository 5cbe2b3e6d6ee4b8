#include "compiler/scope/intervals.h"

#include <algorithm>
#include <numeric>

namespace tilewright::scope {
namespace {

using ir::ScopeBinding;
using ir::Var;

std::int64_t last(const ActiveRange& r) { return r.offset + (r.extent - 1) * r.stride; }
HalfOpen hull(const ActiveRange& r) { return {r.offset, last(r) + 1}; }

HalfOpen clamp(HalfOpen interval, HalfOpen to) { return {std::max(interval.lo, to.lo), std::min(interval.hi, to.hi)}; }

Applied intersect(ActiveRange& range, HalfOpen in) {
  in = clamp(in, hull(range));
  if (in.lo >= in.hi) return Applied::Disjoint;
  std::int64_t first = std::max<std::int64_t>(0, ceil_div(in.lo - range.offset, range.stride));
  std::int64_t end = std::min(range.extent, floor_div(in.hi - 1 - range.offset, range.stride) + 1);
  if (end <= first) return Applied::Disjoint;
  range = {end - first, range.offset + range.stride * first, range.stride};
  return Applied::Yes;
}

Applied keep_residue(ActiveRange& range, std::int64_t n, std::int64_t r) {
  if (r < 0 || r >= n) return Applied::Disjoint;
  std::int64_t period = n / std::gcd(range.stride, n);
  for (std::int64_t i = 0; i < std::min(range.extent, period); ++i) {
    if ((range.offset + range.stride * i) % n != r) continue;
    range = {(range.extent - 1 - i) / period + 1, range.offset + range.stride * i, range.stride * period};
    return Applied::Yes;
  }
  return Applied::Disjoint;
}

// The flat rule of 6.2: values 32 * major + lane over unit-stride ranges.
Applied flat(ActiveRange& major, ActiveRange& lanes, HalfOpen in) {
  in = clamp(in, {32 * major.offset + lanes.offset, 32 * last(major) + last(lanes) + 1});
  if (in.lo >= in.hi) return Applied::Disjoint;
  if (in.lo <= 32 * major.offset + lanes.offset && in.hi > 32 * last(major) + last(lanes)) return Applied::Yes;
  if (major.stride != 1 || lanes.stride != 1) return Applied::No;
  std::int64_t lane_end = lanes.offset + lanes.extent;
  std::int64_t a = std::max(major.offset, floor_div(in.lo - lane_end, 32) + 1);
  std::int64_t b = std::min(major.offset + major.extent, ceil_div(in.hi - lanes.offset, 32));
  if (b <= a) return Applied::Disjoint;
  if (b == a + 1) {
    std::int64_t lo = std::max(lanes.offset, in.lo - 32 * a), hi = std::min(lane_end, in.hi - 32 * a);
    if (lo >= hi) return Applied::Disjoint;
    major = {1, a};
    lanes = {hi - lo, lo};
    return Applied::Yes;
  }
  if (in.lo > 32 * a + lanes.offset || 32 * (b - 1) + lane_end > in.hi) return Applied::No;
  major = {b - a, a};
  return Applied::Yes;
}

// Which range of the set a CTA id is; null: the set does not describe it.
template <class Set>
auto* cta_range(Set& set, const Var* id, const Closure& closure) {
  using Found = decltype(&set.cta[0]);
  bool described = (set.ctas == ActiveSet::Ctas::Cluster && id->scope_id == ScopeBinding::ClusterCta) ||
                   (set.ctas == ActiveSet::Ctas::Grid && id->scope_id == ScopeBinding::KernelCta);
  if (!described) return Found{};
  const ir::ScopeIds* ids = closure.declaration_of(id);
  // An id declared without extents stands for all dimensions at once.
  if (!ids || ids->vars.size() != set.cta_axes) return Found{};
  return &set.cta[id->dimension];
}

bool one_warpgroup(const ActiveRange& warps) { return warps.offset / 4 == last(warps) / 4; }

// Parity of the rank in the cluster (6.3 with N8).
Applied apply_parity(ActiveSet& set, std::int64_t parity) {
  if (set.ctas != ActiveSet::Ctas::Cluster) return Applied::No;
  int axis = -1;
  std::int64_t coefficient = 1, fixed = 0;
  for (int i = 0; i < set.cta_axes; ++i) {
    const ActiveRange& range = set.cta[i];
    if (range.extent > 1 && coefficient * range.stride % 2 != 0) {
      if (axis >= 0) return Applied::No;
      axis = i;
    } else {
      fixed += coefficient * range.offset;
    }
    coefficient *= set.cta_extent[i];
  }
  std::int64_t residue = ((parity - fixed) % 2 + 2) % 2;
  if (axis < 0) return residue == 0 ? Applied::Yes : Applied::Disjoint;
  return keep_residue(set.cta[axis], 2, residue);
}

}  // namespace

std::optional<HalfOpen> active_hull(const ActiveSet& set, const Var* id, const Closure& closure) {
  const ActiveRange &warps = set.warps, &lanes = set.lanes;
  switch (id->scope_id) {
    case ScopeBinding::CtaWarpgroup: return HalfOpen{warps.offset / 4, last(warps) / 4 + 1};
    case ScopeBinding::CtaWarp: return hull(warps);
    case ScopeBinding::WarpgroupWarp:
      if (one_warpgroup(warps)) return HalfOpen{warps.offset % 4, last(warps) % 4 + 1};
      return HalfOpen{0, 4};
    case ScopeBinding::WarpThread: return lanes.elected ? HalfOpen{0, 32} : hull(lanes);
    case ScopeBinding::CtaThread: {
      if (!set.flat_threads) return std::nullopt;
      if (lanes.elected) return HalfOpen{32 * warps.offset, 32 * last(warps) + 32};
      return HalfOpen{32 * warps.offset + lanes.offset, std::min(32 * last(warps) + last(lanes) + 1, set.threads)};
    }
    case ScopeBinding::WarpgroupThread: {
      if (!one_warpgroup(warps)) return HalfOpen{0, 128};
      std::int64_t lo = 32 * (warps.offset % 4), hi = 32 * (last(warps) % 4);
      if (lanes.elected) return HalfOpen{lo, hi + 32};
      return HalfOpen{lo + lanes.offset, hi + last(lanes) + 1};
    }
    case ScopeBinding::KernelCta:
    case ScopeBinding::ClusterCta: {
      const ActiveRange* range = cta_range(set, id, closure);
      if (range) return hull(*range);
      break;
    }
    case ScopeBinding::ClusterCtaPair: return HalfOpen{0, 2};
    default: break;
  }
  // Not described by the set: what the declaration says.
  if (ir::Interval range = closure.range(id); range.bounded()) return HalfOpen{range.lo, range.hi + 1};
  return std::nullopt;
}

Applied apply_interval(ActiveSet& set, const Var* id, HalfOpen in, const Closure& closure) {
  if (in.lo >= in.hi) return Applied::Disjoint;
  std::optional<HalfOpen> now = active_hull(set, id, closure);
  if (!now) return Applied::No;
  if (in.lo <= now->lo && now->hi <= in.hi) return Applied::Yes;
  if (in.lo >= now->hi || in.hi <= now->lo) return Applied::Disjoint;
  in = clamp(in, *now);
  switch (id->scope_id) {
    case ScopeBinding::WarpThread: return set.lanes.elected ? Applied::No : intersect(set.lanes, in);
    case ScopeBinding::CtaWarp: return intersect(set.warps, in);
    case ScopeBinding::CtaWarpgroup: {
      ActiveRange& w = set.warps;
      if (w.stride != 1 || w.offset % 4 != 0 || w.extent % 4 != 0) return Applied::No;
      ActiveRange groups{w.extent / 4, w.offset / 4};
      Applied applied = intersect(groups, in);
      if (applied == Applied::Yes) w = {groups.extent * 4, groups.offset * 4};
      return applied;
    }
    case ScopeBinding::WarpgroupWarp: {
      ActiveRange& w = set.warps;
      if (w.stride != 1 || !one_warpgroup(w)) return Applied::No;
      std::int64_t base = w.offset / 4 * 4;
      return intersect(w, {base + in.lo, base + in.hi});
    }
    case ScopeBinding::CtaThread:
      if (set.lanes.elected || !set.flat_threads) return Applied::No;
      return flat(set.warps, set.lanes, in);
    case ScopeBinding::WarpgroupThread: {
      if (set.lanes.elected || !one_warpgroup(set.warps)) return Applied::No;
      std::int64_t base = set.warps.offset / 4 * 4;
      return flat(set.warps, set.lanes, {32 * base + in.lo, 32 * base + in.hi});
    }
    case ScopeBinding::KernelCta:
    case ScopeBinding::ClusterCta: {
      ActiveRange* range = cta_range(set, id, closure);
      return range ? intersect(*range, in) : Applied::No;
    }
    case ScopeBinding::ClusterCtaPair:
      if (in.hi - in.lo != 1) return Applied::No;
      return apply_parity(set, in.lo);
    default: return Applied::No;
  }
}

Applied apply_modulo(ActiveSet& set, const Var* id, std::int64_t n, std::int64_t r, const Closure& closure) {
  if (id->scope_id != ScopeBinding::KernelCta && id->scope_id != ScopeBinding::ClusterCta) return Applied::No;
  ActiveRange* range = cta_range(set, id, closure);
  return range ? keep_residue(*range, n, r) : Applied::No;
}

}  // namespace tilewright::scope
