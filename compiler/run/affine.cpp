#include "compiler/run/affine.h"

#include <algorithm>
#include <tuple>

#include "compiler/expr/analyzer.h"

namespace tilewright::run {
namespace {

using ir::Expr;
using ir::ExprKind;
using ir::Interval;
using Wide = __int128;

constexpr std::int64_t kFar = std::int64_t{1} << 62;

bool times(std::int64_t a, std::int64_t b, std::int64_t& out) {
  return !__builtin_mul_overflow(a, b, &out) && out > -kFar && out < kFar;
}

class AffineSum {
 public:
  AffineSum(const OuterVars& outer, Affine& out) : outer_(outer), out_(out) {}

  bool add(Expr e, std::int64_t factor, int depth = 0) {
    if (depth > 64) return false;
    const auto* b = e.as<ir::Binary>();
    std::int64_t product = 0;
    if (const std::int64_t* value = ir::constant(e)) {
      if (!times(*value, factor, product)) return false;
      return !__builtin_add_overflow(out_.constant, product, &out_.constant) && out_.constant > -kFar &&
             out_.constant < kFar;
    }
    if (e.kind() == ExprKind::Add) return add(b->a, factor, depth + 1) && add(b->b, factor, depth + 1);
    // Unsigned differences wrap: as an atom they are computed as they are.
    if (e.kind() == ExprKind::Sub && e.dtype().is_uint()) return atom(e, factor);
    if (e.kind() == ExprKind::Sub) return add(b->a, factor, depth + 1) && add(b->b, -factor, depth + 1);
    if (e.kind() == ExprKind::Mul) {
      const bool first = ir::constant(b->a) != nullptr;
      const std::int64_t* value = ir::constant(first ? b->a : b->b);
      if (value) return times(*value, factor, product) && add(first ? b->b : b->a, product, depth + 1);
    }
    if (const auto* cast = e.as<ir::Cast>(); cast && widens(cast)) return add(cast->value, factor, depth + 1);
    return atom(e, factor);
  }

 private:
  static bool widens(const ir::Cast* cast) {
    const ir::DataType from = cast->value.dtype(), to = cast->dtype;
    if (!from.is_integral() || !to.is_integral()) return false;
    return from.is_int() == to.is_int() ? to.bits >= from.bits : from.is_uint() && to.bits > from.bits;
  }

  bool atom(Expr e, std::int64_t factor) {
    const Reach reach = reach_of(e, outer_);
    if (reach.outer && reach.inner) return false;
    if (!reach.outer) {
      out_.add_inner(factor, ir::bounds(e));
      return true;
    }
    for (OuterTerm& t : out_.outer)
      if (ir::structurally_equal(t.atom, e)) return !__builtin_add_overflow(t.factor, factor, &t.factor);
    out_.outer.push_back({factor, e});
    return true;
  }

  const OuterVars& outer_;
  Affine& out_;
};

std::int64_t clamped(Wide v) { return static_cast<std::int64_t>(std::clamp(v, Wide{-kFar}, Wide{kFar})); }

// Factor times what lies between lo and hi.
std::pair<Wide, Wide> scaled(std::int64_t factor, std::int64_t lo, std::int64_t hi) {
  const Wide a = Wide{factor} * lo, b = Wide{factor} * hi;
  return {std::min(a, b), std::max(a, b)};
}

Wide floor_div(Wide a, Wide b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

}  // namespace

Reach reach_of(Expr e, const OuterVars& outer) {
  Reach out;
  ir::walk(e, [&](Expr x) {
    if (const auto* v = x.as<ir::Var>()) (outer.contains(v) ? out.outer : out.inner) = true;
    return true;
  });
  return out;
}

Interval Affine::inner_range() const {
  Wide lo = constant, hi = constant;
  bool low = true, high = true;
  for (const InnerTerm& t : inner) {
    const bool below = t.factor > 0 ? t.range.lo != Interval::kMin : t.range.hi != Interval::kMax;
    const bool above = t.factor > 0 ? t.range.hi != Interval::kMax : t.range.lo != Interval::kMin;
    low &= below || t.factor == 0;
    high &= above || t.factor == 0;
    const auto [a, b] = scaled(t.factor, t.range.lo, t.range.hi);
    lo += a;
    hi += b;
  }
  return {low && lo > -kFar ? clamped(lo) : Interval::kMin, high && hi < kFar ? clamped(hi) : Interval::kMax};
}

std::optional<Affine> affine_of(Expr e, const OuterVars& outer, std::int64_t factor) {
  Affine out;
  if (!e || !AffineSum(outer, out).add(e, factor)) return std::nullopt;
  std::erase_if(out.outer, [](const OuterTerm& t) { return t.factor == 0; });
  return out;
}

bool same_outer(const Affine& a, const Affine& b) {
  if (a.outer.size() != b.outer.size()) return false;
  return std::ranges::all_of(a.outer, [&](const OuterTerm& x) {
    return std::ranges::any_of(
        b.outer, [&](const OuterTerm& y) { return x.factor == y.factor && ir::structurally_equal(x.atom, y.atom); });
  });
}

// Each unknown is bounded by the range of all others, until nothing gets narrower.
bool narrow(std::int64_t constant, std::vector<Unknown>& unknowns) {
  constexpr int kRounds = 16;
  std::erase_if(unknowns, [](const Unknown& u) { return u.factor == 0; });
  bool changed = true;
  for (int round = 0; changed && round < kRounds; ++round) {
    changed = false;
    Wide lo = constant, hi = constant;
    for (const Unknown& u : unknowns) {
      const auto [a, b] = scaled(u.factor, u.lo, u.hi);
      lo += a;
      hi += b;
    }
    if (lo > 0 || hi < 0) return false;
    for (Unknown& u : unknowns) {
      const auto [a, b] = scaled(u.factor, u.lo, u.hi);
      // factor * u = -rest, where rest lies in [lo - a, hi - b].
      const Wide f = u.factor > 0 ? u.factor : -Wide{u.factor};
      Wide low = -floor_div(hi - b, f), high = floor_div(-(lo - a), f);
      if (u.factor < 0) std::tie(low, high) = std::pair(-high, -low);
      const std::int64_t new_lo = std::max(u.lo, clamped(low)), new_hi = std::min(u.hi, clamped(high));
      if (new_lo > new_hi) return false;
      if (new_lo == u.lo && new_hi == u.hi) continue;
      changed = true;
      u.lo = new_lo;
      u.hi = new_hi;
      const auto [c, d] = scaled(u.factor, u.lo, u.hi);
      lo += c - a;
      hi += d - b;
    }
  }
  return true;
}

}  // namespace tilewright::run
