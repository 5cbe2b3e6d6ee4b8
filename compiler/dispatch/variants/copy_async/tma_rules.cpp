// What the hardware takes (copy_async.md 3.8 and 8.1), and how a plan is brought closer to it (3.5).
#include <algorithm>

#include "compiler/dispatch/variants/copy_async/tma_plan.h"
#include "compiler/dispatch/words.h"
#include "compiler/expr/analyzer.h"

namespace tilewright::dispatch::tma {
namespace {

constexpr std::int64_t kMaxBox = 256;

bool stepped(const Candidate& plan, std::size_t dimension) {
  return std::ranges::any_of(plan.steps, [&](const Step& s) { return s.dimension == dimension; });
}

Dim bytes(Dim elements, int bits) {
  return bits % 8 == 0 ? elements * Dim(bits / 8) : floordiv(elements * Dim(bits), 8);
}

// Known not to be a multiple. What is only known on the host is checked there, when the map is encoded.
bool never_divisible(Dim value, std::int64_t by) { return value.is_constant() && value.value() % by != 0; }

void remove(Candidate& plan, std::size_t dimension) {
  plan.dims.erase(plan.dims.begin() + static_cast<std::ptrdiff_t>(dimension));
  for (Step& s : plan.steps) {
    if (s.dimension > dimension) --s.dimension;
  }
}

// Two neighbours that are whole and continue each other.
bool joinable(const Candidate& plan, std::size_t outer) {
  const Dimension &o = plan.dims[outer], &n = plan.dims[outer + 1];
  return !stepped(plan, outer) && !stepped(plan, outer + 1) && o.start.is(0) && n.start.is(0) && o.shape.is(o.box) &&
         n.shape.is(n.box) && provably_equal(o.stride, n.shape * n.stride);
}

void join(Candidate& plan, std::size_t outer) {
  Dimension& o = plan.dims[outer];
  const Dimension n = plan.dims[outer + 1];
  o = {o.shape * n.shape, n.stride, 0, o.box * n.box};
  remove(plan, outer + 1);
}

// Joins the first pair, from the inside; `blocked`: one was left alone because its box would be too long. `row`: the
// most elements of the innermost box.
bool join_one(Candidate& plan, bool& blocked, std::int64_t row = INT64_MAX) {
  for (std::size_t n = plan.dims.size(); n-- > 1;) {
    if (!joinable(plan, n - 1)) continue;
    if (n + 1 == plan.dims.size() && plan.dims[n - 1].box * plan.dims[n].box > row) continue;
    if (plan.dims[n - 1].box * plan.dims[n].box > kMaxBox) {
      blocked = true;
      continue;
    }
    join(plan, n - 1);
    return true;
  }
  return false;
}

bool inside(Dim start, Dim shape) {
  if (start.is_constant()) {
    return start.value() >= 0 && (shape.is_constant() ? start.value() < shape.value() : start.value() == 0);
  }
  ir::Interval range = ir::bounds(start.expr());
  return shape.is_constant() && range.lo >= 0 && range.hi < shape.value();
}

bool single(const Candidate& plan, std::size_t i) { return plan.dims[i].box == 1 && !stepped(plan, i); }

// Two dimensions of which one element is taken, as one that counts through both.
bool join_singles(Candidate& plan) {
  for (std::size_t o = 0; o + 1 < plan.dims.size(); ++o) {
    for (std::size_t n = 0; n + 1 < plan.dims.size(); ++n) {
      const Dimension &outer = plan.dims[o], &inner = plan.dims[n];
      if (o == n || !single(plan, o) || !single(plan, n) || !inside(inner.start, inner.shape) ||
          !provably_equal(outer.stride, inner.shape * inner.stride)) {
        continue;
      }
      plan.dims[o] = {outer.shape * inner.shape, inner.stride, outer.start * inner.shape + inner.start, 1};
      remove(plan, n);
      return true;
    }
  }
  return false;
}

// A dimension that holds still is dropped; where it stands on a fixed element, the address of the tensor moves.
bool drop_single(const Problem& problem, Candidate& plan, bool moved) {
  for (std::size_t i = 0; i + 1 < plan.dims.size(); ++i) {
    const Dimension& d = plan.dims[i];
    if (!single(plan, i) || !d.start.is_constant() || !inside(d.start, d.shape)) continue;
    if (!moved && !(d.start.is(0) && d.shape.is(1))) continue;
    plan.base = plan.base + d.start * d.stride * Dim(plan.bits / problem.bits);
    remove(plan, i);
    return true;
  }
  return false;
}

}  // namespace

void merge(const Problem& problem, Candidate& plan) {
  auto misaligned = [&] {
    for (std::size_t i = 0; i + 1 < plan.dims.size(); ++i) {
      if (!provably_divisible(bytes(plan.dims[i].stride, plan.bits), 16)) return true;
    }
    return false;
  };
  if (plan.dims.size() < 2 || !misaligned()) return;
  while (true) {
    bool blocked = false;
    if (join_one(plan, blocked)) continue;
    if (!blocked || !promote(problem, plan)) return;
  }
}

bool promote(const Problem& problem, Candidate& plan) {
  if (!problem.may_promote || plan.bits >= 64 || plan.bits < 8 || plan.dims.empty()) return false;
  Dimension& inner = plan.dims.back();
  if (stepped(plan, plan.dims.size() - 1) || !inner.stride.is(1)) return false;
  if (!provably_divisible(inner.shape, 2) || !provably_divisible(inner.start, 2) || inner.box % 2 != 0) return false;
  for (std::size_t i = 0; i + 1 < plan.dims.size(); ++i) {
    if (!provably_divisible(plan.dims[i].stride, 2)) return false;
  }
  plan.bits *= 2;
  inner.shape = floordiv(inner.shape, 2);
  inner.start = floordiv(inner.start, 2);
  inner.box /= 2;
  for (std::size_t i = 0; i + 1 < plan.dims.size(); ++i) plan.dims[i].stride = floordiv(plan.dims[i].stride, 2);
  return true;
}

void reduce_rank(const Problem& problem, Candidate& plan) {
  while (plan.dims.size() > 5) {
    bool blocked = false;
    const std::int64_t row = problem.swizzle ? problem.span_bytes() * 8 / plan.bits : INT64_MAX;
    if (!drop_single(problem, plan, false) && !join_singles(plan) && !drop_single(problem, plan, true) &&
        !join_one(plan, blocked, row) && !(blocked && promote(problem, plan))) {
      return;
    }
  }
}

bool join_rows(const Problem& problem, Candidate& plan) {
  if (problem.swizzle == 0) return false;
  const std::int64_t span = problem.span_bytes() * 8 / plan.bits;  // elements
  bool joined = false;
  while (plan.dims.size() > 1 && joinable(plan, plan.dims.size() - 2) &&
         plan.dims[plan.dims.size() - 2].box * plan.dims.back().box <= std::min(span, kMaxBox)) {
    join(plan, plan.dims.size() - 2);
    joined = true;
  }
  return joined;
}

bool join_all(const Problem& problem, Candidate& plan) {
  if (problem.swizzle != 0) return false;
  const std::size_t before = plan.dims.size();
  for (std::size_t n = plan.dims.size(); n-- > 1;) {
    if (joinable(plan, n - 1)) join(plan, n - 1);
  }
  return plan.dims.size() < before;
}

bool fold_misaligned(Candidate& plan) {
  bool folded = false;
  for (std::size_t i = plan.dims.size(); i-- > 1;) {
    const Dimension& d = plan.dims[i - 1];
    if (!single(plan, i - 1) || !d.start.is_constant() || !inside(d.start, d.shape) ||
        provably_divisible(bytes(d.stride, plan.bits), 16)) {
      continue;
    }
    plan.base = plan.base + d.start * d.stride;
    remove(plan, i - 1);
    folded = true;
  }
  return folded;
}

// The rule that a plan breaks, as `say` puts it into words; its empty result: none.
template <typename Say>
static auto broken_rule(const Problem& problem, const Candidate& plan, Say say) -> decltype(say("")) {
  const int span = static_cast<int>(problem.span_bytes());
  if (plan.dims.empty()) return say("nothing to describe");
  if (plan.dims.size() > 5) return say("rank ", plan.dims.size(), " > 5, the most that a tensor map has");
  const Dimension& inner = plan.dims.back();
  if (!inner.stride.is(1)) {
    return say("the innermost box dimension has stride ", layout::to_string(inner.stride), " in the tensor, not 1");
  }
  for (std::size_t i = plan.dims.size(); i-- > 0;) {
    const Dimension& d = plan.dims[i];
    if (d.box > kMaxBox) return say("a box of ", d.box, " elements in one dimension; ", kMaxBox, " is the most");
    if (d.shape.is_constant() && (d.shape.value() < 1 || d.shape.value() > std::int64_t{1} << 32)) {
      return say("a dimension of ", d.shape.value(), " elements; a tensor map takes 1 to 2^32");
    }
    if (d.start.is_constant() && (d.start.value() < INT32_MIN || d.start.value() > INT32_MAX)) {
      return say("the coordinate ", d.start.value(), " does not fit 32 bits");
    }
    if (i + 1 == plan.dims.size()) continue;
    Dim stride = bytes(d.stride, plan.bits);
    if (never_divisible(stride, 16)) {
      return say("a stride of ", stride.value(), " bytes in the tensor: strides must be multiples of 16 bytes");
    }
    if (stride.is_constant() && (stride.value() < 0 || stride.value() >= std::int64_t{1} << 40)) {
      return say("a stride of ", stride.value(), " bytes in the tensor: the most is below 2^40");
    }
  }
  const std::int64_t row = inner.box * plan.bits / 8;
  if (row % 16 != 0) {
    return say("the innermost box holds ", inner.box, inner.box == 1 ? " element, " : " elements, ", row,
               " bytes: it must be a multiple of 16 bytes");
  }
  if (problem.swizzle) {
    if (row > span) return say("the innermost box of ", row, " bytes exceeds a row of the ", span, "-byte swizzle");
    if (row < span && plan.box_elements() != inner.box) {
      return say("rows of ", row, " bytes under a ", span, "-byte swizzle: the hardware would give each row ", span,
                 " bytes");
    }
  }
  if (Dim base = bytes(plan.base, problem.bits); never_divisible(base, 16)) {
    return say("the tensor starts ", base.value(), " bytes into its storage: it must be aligned to 16 bytes");
  }
  if (!provably_divisible(bytes(problem.shared_start, problem.bits), 128)) {
    return say("the region starts ", layout::to_string(bytes(problem.shared_start, problem.bits)),
               " bytes into shared memory: a box must start on a multiple of 128 bytes");
  }
  for (const Step& s : plan.steps) {
    if (s.extent > 1 && s.stride * problem.bits / 8 % 128 != 0) {
      return say("boxes ", s.stride * problem.bits / 8,
                 " bytes apart in shared memory: each must start on a multiple of 128 bytes");
    }
    if (s.extent > 1 && s.stride == 0) return say("several boxes would go to the same place in shared memory");
  }
  if (plan.issues() > kMaxIssues)
    return say(plan.issues(), " instructions would be needed; ", kMaxIssues, " is the most");
  return {};
}

Reason illegal(const Problem& problem, const Candidate& plan) {
  return broken_rule(problem, plan, [](const auto&... words) -> Reason { return cat(words...); });
}

bool is_legal(const Problem& problem, const Candidate& plan) {
  return !broken_rule(problem, plan, [](const auto&...) { return true; });
}

}  // namespace tilewright::dispatch::tma
