// The planner of tma_auto (copy_async.md 12.2): the largest box that the hardware takes, in the order of shared memory.
//
// In shared memory the region is one dense chain of iters, from stride 1 on. The layout of the tensor is cut wherever
// the region's dimensions or those iters begin, so that each piece of the tensor belongs to one iter. For p = 1, 2, ...
// the first p iters become the box and the others loops of instructions; the largest p that the rules allow wins. Where
// a rule is broken that another description of the same bytes may keep, dimensions are joined or dropped, and elements
// taken two at a time.
#pragma once
#include "compiler/dispatch/variants/copy_async/tma_config.h"
#include "compiler/dispatch/variants/copy_async/tma_spec.h"

namespace tilewright::dispatch::tma {

// What the value of an issue axis adds to a coordinate: value / divisor % modulus.
struct Digit {
  std::size_t dim = 0;  // of the map
  std::int64_t divisor = 1, modulus = 1;
};
// An iter of shared memory that is walked by instructions.
struct IssueAxis {
  std::int64_t extent = 1, stride = 1;  // elements of shared memory
  std::vector<Digit> digits;
};

struct AutoPlan {
  Spec spec;
  std::vector<IssueAxis> axes;  // the last one is the fastest digit of the instruction's number
  Dim shared_start;             // of the region in its storage, before the swizzle: elements

  std::int64_t issues() const;
};

std::expected<AutoPlan, Reason> plan_auto(const Sides& sides, const Config& config, ir::Target target);

// ---- repairs, tma_auto_repair.cpp -----------------------------------------------------------------------------------

// Drops dimensions of one element and joins those that continue each other.
void canonicalize(AutoPlan& plan);
// Elements of twice the width; false: the bytes would not be the same.
bool promote(AutoPlan& plan);
// Canonical, with elements as wide as the rules need. The rules that stay broken; empty: it is legal.
std::vector<Finding> repair(AutoPlan& plan);

}  // namespace tilewright::dispatch::tma
