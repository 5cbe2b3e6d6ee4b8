// Other descriptions of the same bytes (copy_async.md 12.2).
#include <algorithm>
#include <array>

#include "compiler/dispatch/variants/copy_async/tma_auto_plan.h"

namespace tilewright::dispatch::tma {
namespace {

constexpr std::int64_t kMostInBox = 256;

// Instructions step along this dimension.
bool stepped(const AutoPlan& plan, std::size_t dim) {
  return std::ranges::any_of(plan.axes, [&](const IssueAxis& axis) {
    return std::ranges::any_of(axis.digits, [&](const Digit& d) { return d.dim == dim; });
  });
}

void remove(AutoPlan& plan, std::size_t dim) {
  plan.spec.dims.erase(plan.spec.dims.begin() + static_cast<std::ptrdiff_t>(dim));
  for (IssueAxis& axis : plan.axes) {
    for (Digit& d : axis.digits) d.dim -= d.dim > dim;
  }
}

bool fits_shape(Dim shape) {
  return proven(both(prove_at_least(shape, 1), prove_at_most(shape, std::int64_t{1} << 32)));
}
bool fits_box(Dim box) { return proven(both(prove_at_least(box, 1), prove_at_most(box, kMostInBox))); }
bool equal(Dim a, Dim b) { return proven(prove_equal(a, b)); }

// A dimension of one element says nothing of an address. The innermost one can go where the next one walks on in the
// same steps.
bool drop_unit(AutoPlan& plan) {
  std::vector<SpecDim>& dims = plan.spec.dims;
  if (dims.size() < 2) return false;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (stepped(plan, i) || !equal(dims[i].shape, 1) || !equal(dims[i].box, 1)) continue;
    if (i == 0 && (!equal(dims[1].stride, dims[0].stride) || !legal_innermost(plan.spec, dims[1].shape, dims[1].box))) {
      continue;
    }
    remove(plan, i);
    return true;
  }
  return false;
}

// The innermost pair is whole and too long for a box, but elements of twice the width fit.
bool promote_to_join(AutoPlan& plan) {
  const SpecDim& outer = plan.spec.dims[1];
  const bool too_long = proven(prove_at_least(plan.spec.dims[0].box * outer.box, kMostInBox + 1));
  if (plan.spec.dims.size() < 3 || !too_long || !equal(outer.box, outer.shape) || !equal(outer.start, 0)) return false;
  AutoPlan wider = plan;
  if (!promote(wider)) return false;
  const std::vector<SpecDim>& dims = wider.spec.dims;
  const Dim shape = dims[0].shape * dims[1].shape, box = dims[0].box * dims[1].box;
  if (!fits_box(box) || !fits_shape(shape) || !legal_innermost(wider.spec, shape, box)) return false;
  plan = std::move(wider);
  return true;
}

// A dimension that is copied whole and the next one, which continues it: one dimension. True: something changed.
bool join(AutoPlan& plan) {
  std::vector<SpecDim>& dims = plan.spec.dims;
  for (std::size_t i = 0; i + 1 < dims.size(); ++i) {
    SpecDim &inner = dims[i], &outer = dims[i + 1];
    if (stepped(plan, i) || stepped(plan, i + 1)) continue;
    const Dim shape = inner.shape * outer.shape, box = inner.box * outer.box;
    if (i == 0 && !legal_innermost(plan.spec, shape, box)) continue;
    if (!equal(inner.box, inner.shape) || !equal(inner.start, 0) || !equal(outer.stride, inner.shape * inner.stride) ||
        !fits_shape(shape)) {
      continue;
    }
    if (!fits_box(box)) {
      if (i == 0 && promote_to_join(plan)) return true;
      continue;
    }
    inner = {shape, inner.stride, box, outer.start * inner.shape};
    remove(plan, i + 1);
    return true;
  }
  return false;
}

bool repairable(const Finding& finding) {
  constexpr std::array<std::string_view, 4> kRules = {"rank", "global_stride_alignment", "box_dim", "inner_box_bytes"};
  return std::ranges::find(kRules, finding.rule) != kRules.end();
}

}  // namespace

void canonicalize(AutoPlan& plan) {
  while (drop_unit(plan) || join(plan)) {
  }
}

bool promote(AutoPlan& plan) {
  Spec& spec = plan.spec;
  const std::int64_t unit = spec.unit();
  if (unit > 4 || spec.packed() || spec.oob_fill != 0 || spec.reduces || spec.dtype == "tf32") return false;
  if (!equal(spec.inner_stride, 1) || stepped(plan, 0)) return false;
  SpecDim& inner = spec.dims[0];
  for (Dim n : {inner.shape, inner.box, inner.start}) {
    if (!proven(prove_divisible(n, 2))) return false;
  }
  for (std::size_t i = 1; i < spec.dims.size(); ++i) {
    if (!proven(prove_divisible(spec.dims[i].stride, 2 * unit))) return false;
  }
  spec.dtype = unit == 1 ? "uint16" : unit == 2 ? "uint32" : "uint64";
  spec.bits *= 2;
  inner = {floordiv(inner.shape, 2), inner.stride * Dim(2), floordiv(inner.box, 2), floordiv(inner.start, 2)};
  return true;
}

std::vector<Finding> repair(AutoPlan& plan) {
  while (true) {
    canonicalize(plan);
    std::vector<Finding> broken = broken_rules(plan.spec, true);
    if (broken.empty() || !std::ranges::all_of(broken, repairable) || !promote(plan)) return broken;
  }
}

}  // namespace tilewright::dispatch::tma
