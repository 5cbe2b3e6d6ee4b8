#include "compiler/run/other_ctas.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <tuple>

#include "compiler/run/cta_use.h"
#include "compiler/run/sample.h"

namespace tilewright::run {
namespace {

using ir::Interval;

constexpr std::uint64_t kMostClusters = 1u << 20;
constexpr std::uint64_t kMostWork = 1u << 26;   // numbers that are computed once for each access and decision
constexpr std::uint64_t kMostSpent = 1u << 28;  // and all together, pairs of accesses included
constexpr std::size_t kMostWanted = 32;
constexpr std::size_t kMostPairs = 1u << 16;
constexpr std::int64_t kMostBits = std::int64_t{1} << 34;  // of a tensor whose indices of 32 bits cannot wrap
constexpr std::int64_t kFar = std::int64_t{1} << 40;
constexpr std::size_t kMostTerms = 8;  // of a sum, each less than a sixteenth of what 64 bits hold
constexpr std::uint64_t kPoll = 1u << 10;
constexpr const char* kOtherBranch = "CTAs that take another branch were not run";

class Others {
 public:
  Others(const CtaUse& use, const Bound& bound, std::span<const std::uint64_t> run, const std::stop_token& stop)
      : use_(use),
        bound_(bound),
        launch_(bound.job.launches.back()),
        run_(run),
        stop_(stop),
        clusters_(clusters_of(launch_)) {
    for (const Trips& t : use.trips())
      for (std::uint32_t rounds : t) rounds_ = std::max<std::uint64_t>(rounds_, rounds);
    points_ = clusters_ * rounds_;
  }

  OtherCtas answer() {
    std::string why = why_not();
    if (why.empty() && !wanted_.empty()) {
      why = wants_class_ ? kOtherBranch : "an access of another CTA may leave its tensor";
      return {std::move(why), std::vector<std::uint64_t>(wanted_.begin(), wanted_.end())};
    }
    return {std::move(why), {}};
  }

 private:
  std::string why_not() {
    const std::uint64_t work = (use_.accesses().size() * 4 + use_.decisions().size() * 2 + 8) * points_;
    if (clusters_ > kMostClusters || work > kMostWork) return "it has too many CTAs";
    if (!classes()) return why_;
    for (const GlobalAccess& a : use_.accesses())
      if (!stays_inside(a)) return why_;
    if (!apart()) return why_;
    return {};
  }

  // ---- points: a cluster in a round of its loops. Outside of loops there is the first one only.
  std::uint64_t cluster_at(std::uint64_t point) const { return point % clusters_; }
  bool is_in(std::uint64_t point, int loop) const {
    const std::uint64_t round = point / clusters_;
    return loop < 0 ? round == 0 : round < use_.trips()[static_cast<std::size_t>(loop)][cluster_at(point)];
  }

  // ---- numbers of atoms by point
  std::size_t atom(ir::Expr e) {
    for (std::size_t i = 0; i < atoms_.size(); ++i)
      if (ir::structurally_equal(atoms_[i].e, e)) return i;
    Atom& a = atoms_.emplace_back();
    a.e = e;
    const std::array<std::uint64_t, 3> along = clusters_along(launch_);
    a.known = spend(points_);
    for (std::uint64_t p = 0; p < points_ && a.known; ++p) {
      if (p % kPoll == kPoll - 1 && stop_.stop_requested()) a.known = false;
      const std::uint64_t n = cluster_at(p);
      const std::array<std::uint64_t, 3> at = {n % along[0], n / along[0] % along[1], n / along[0] / along[1]};
      auto symbol = [&](const ir::Var* v) -> std::expected<Number, std::string> {
        if (v == use_.round_var()) return Number::of(static_cast<std::int64_t>(p / clusters_));
        for (std::size_t d = 0; d < 3; ++d)
          if (v == use_.cluster_var(d)) return Number::of(static_cast<std::int64_t>(at[d]));
        return std::unexpected("unknown");
      };
      const auto value = evaluate_integer(e, symbol);
      a.known = a.known && value && *value < kFar && *value > -kFar;
      a.values.push_back(value.value_or(0));
    }
    if (a.known && points_ > 0) {
      a.lo = std::ranges::min(a.values);
      a.hi = std::ranges::max(a.values);
    }
    return atoms_.size() - 1;
  }

  // Of an atom in the rounds of a loop, or outside of loops; lo > hi: there are none.
  Interval range_of(std::size_t number, int loop) {
    if (use_.trips().empty()) return {atoms_[number].lo, atoms_[number].hi};
    if (auto known = ranges_.find({number, loop}); known != ranges_.end()) return known->second;
    Interval out{Interval::kMax, Interval::kMin};
    for (std::uint64_t p = 0; p < atoms_[number].values.size(); ++p)
      if (is_in(p, loop)) widen(out, atoms_[number].values[p]);
    return ranges_[{number, loop}] = out;
  }
  static void widen(Interval& i, std::int64_t v) { i = {std::min(i.lo, v), std::max(i.hi, v)}; }

  // The part of a sum that depends on the cluster, for each point.
  std::optional<std::vector<std::int64_t>> outer_values(const Affine& a) {
    if (a.outer.size() > kMostTerms || !spend(points_ * (1 + a.outer.size()))) return std::nullopt;
    std::vector<std::int64_t> out(points_);
    for (const OuterTerm& t : a.outer) {
      const std::size_t number = atom(t.atom);
      const Atom& own = atoms_[number];
      std::int64_t farthest = 0;
      if (!own.known || __builtin_mul_overflow(t.factor, std::max(std::abs(own.lo), std::abs(own.hi)), &farthest) ||
          farthest > Interval::kMax / 16 || farthest < Interval::kMin / 16)
        return std::nullopt;
      for (std::uint64_t p = 0; p < points_; ++p) out[p] += t.factor * own.values[p];
    }
    return out;
  }

  // ---- classes of clusters that decide alike
  using Class = std::pair<std::uint64_t, std::uint64_t>;  // two hashes of what they decide
  static void mix(std::uint64_t& h, std::int64_t value) {
    h = (h ^ static_cast<std::uint64_t>(value)) * 0x9E3779B97F4A7C15ull;
    h ^= h >> 31;
  }

  // 1: it holds whatever the inner part is; 0: it does not; nothing: that depends.
  static std::optional<bool> compared(ir::ExprKind kind, Interval d) {
    switch (kind) {
      case ir::ExprKind::LT: return d.hi < 0 ? std::optional(true) : d.lo >= 0 ? std::optional(false) : std::nullopt;
      case ir::ExprKind::LE: return d.hi <= 0 ? std::optional(true) : d.lo > 0 ? std::optional(false) : std::nullopt;
      case ir::ExprKind::GT: return d.lo > 0 ? std::optional(true) : d.hi <= 0 ? std::optional(false) : std::nullopt;
      case ir::ExprKind::GE: return d.lo >= 0 ? std::optional(true) : d.hi < 0 ? std::optional(false) : std::nullopt;
      default: {
        const bool equal = d.lo == 0 && d.hi == 0, apart = d.lo > 0 || d.hi < 0;
        if (!equal && !apart) return std::nullopt;
        return (kind == ir::ExprKind::EQ) == equal;
      }
    }
  }

  // How far `v` has gone through the numbers that decide, where these are multiples of `unit`: as many of them lie on
  // each side of it in all clusters with the same answer.
  static std::int64_t step_of(ir::ExprKind kind, std::int64_t v, std::int64_t unit) {
    const std::int64_t below = v >= 0 ? v / unit : -((-v + unit - 1) / unit), above = below + (v % unit != 0);
    switch (kind) {
      case ir::ExprKind::LT:
      case ir::ExprKind::GE: return below;
      case ir::ExprKind::LE:
      case ir::ExprKind::GT: return above;
      default: return v;
    }
  }

  bool decide(const Decision& d) {
    if (d.exactly) {
      const std::size_t number = atom(d.exactly);
      if (!atoms_[number].known) return fail("a branch depends on the CTA's index");
      for (std::uint64_t p = 0; p < points_; ++p)
        if (is_in(p, d.loop)) add(cluster_at(p), atoms_[number].values[p], 0);
      return true;
    }
    const auto outer = outer_values(d.difference);
    if (!outer) return fail("a branch depends on the CTA's index");
    const Interval inner = d.difference.inner_range();
    std::int64_t unit = 0;
    for (const InnerTerm& t : d.difference.inner) unit = std::gcd(unit, t.factor);
    for (std::uint64_t p = 0; p < points_; ++p) {
      if (!is_in(p, d.loop)) continue;
      const std::int64_t v = (*outer)[p];
      const Interval all{inner.lo == Interval::kMin ? inner.lo : inner.lo + v,
                         inner.hi == Interval::kMax ? inner.hi : inner.hi + v};
      const std::optional<bool> known = inner.bounded() ? compared(d.comparison, all) : std::nullopt;
      if (known) {
        add(cluster_at(p), *known, 1);
      } else {
        add(cluster_at(p), unit > 0 ? step_of(d.comparison, v + d.difference.constant, unit) : v, 2);
      }
    }
    return true;
  }
  void add(std::uint64_t cluster, std::int64_t value, std::int64_t kind) {
    mix(class_[cluster].first, value * 4 + kind);
    mix(class_[cluster].second, value ^ kind << 50);
  }

  bool classes() {
    class_.assign(clusters_, {1, 2});
    for (const Trips& t : use_.trips())
      for (std::uint64_t n = 0; n < clusters_; ++n) add(n, t[n], 3);
    for (const Decision& d : use_.decisions())
      if (!decide(d)) return false;
    for (std::uint64_t n : run_) was_run_.insert(class_[n]);
    for (std::uint64_t n = 0; n < clusters_; ++n) {
      if (!was_run_.insert(class_[n]).second) continue;
      wants_class_ = true;
      wanted_.insert(n);
      if (wanted_.size() > kMostWanted) return fail(kOtherBranch);
    }
    return true;
  }

  // ---- inside of the tensors, aligned as those that were run
  std::optional<std::int64_t> bits_of(const ir::Var* memory) const {
    const BoundLaunch& own = bound_.launches.back();
    for (const lower::KernelParam& p : own.kernel->plan.params) {
      if (p.kind != lower::ParamKind::Pointer || (p.tensor ? p.tensor->data : p.var) != memory) continue;
      const std::string name = param_name(p);
      for (const BoundTensor& t : own.tensors)
        if (t.name == name) return t.bytes * 8;
    }
    return std::nullopt;
  }

  // Either the clusters of each class that were run are those with the farthest addresses, or the addresses are known.
  bool stays_inside(const GlobalAccess& a) {
    if (a.map >= 0) return true;  // what lies outside of the tensor is left out
    const auto outer = outer_values(a.at);
    if (!outer) return fail("an address is not known");
    struct Reached {
      Interval all{Interval::kMax, Interval::kMin}, run{Interval::kMax, Interval::kMin};
      std::int64_t first = 0;
    };
    std::map<Class, Reached> reached;
    const std::int64_t unit = a.bits > 0 ? std::min<std::int64_t>(128, a.bits & -a.bits) : 128;
    const std::set<std::uint64_t> was_run(run_.begin(), run_.end());
    for (std::uint64_t p = 0; p < points_; ++p) {
      if (!is_in(p, a.loop)) continue;
      const std::uint64_t n = cluster_at(p);
      Reached& r = reached.try_emplace(class_[n], Reached{.first = (*outer)[p]}).first->second;
      if (((*outer)[p] - r.first) % unit != 0) return fail("an access is aligned otherwise in other CTAs");
      widen(r.all, (*outer)[p]);
      if (was_run.contains(n)) widen(r.run, (*outer)[p]);
    }
    const std::optional<std::int64_t> size = bits_of(a.memory);
    const Interval inner = a.at.inner_range();
    for (const auto& [number, r] : reached) {
      if (r.all == r.run) continue;
      if (size && *size <= kMostBits && a.bits > 0 && inner.bounded() && r.all.lo + inner.lo >= 0 &&
          r.all.hi + inner.hi + a.bits <= *size)
        continue;
      for (std::int64_t far : {r.all.lo, r.all.hi}) want(*outer, far, number, a.loop);
      if (wanted_.size() > kMostWanted) return fail("an access of another CTA may leave its tensor");
    }
    return true;
  }

  // A cluster of this class whose number is `far` in some round.
  void want(const std::vector<std::int64_t>& outer, std::int64_t far, const Class& number, int loop) {
    std::optional<std::uint64_t> one;
    for (std::uint64_t p = 0; p < points_; ++p) {
      const std::uint64_t n = cluster_at(p);
      if (outer[p] != far || class_[n] != number || !is_in(p, loop)) continue;
      if (wanted_.contains(n) || std::ranges::find(run_, n) != run_.end()) return;
      if (!one) one = n;
    }
    if (one) wanted_.insert(*one);
  }

  // ---- no cluster touches what another one writes
  // The address as one number, for an access through a map, too; nothing: not known.
  std::optional<Affine> flat(const GlobalAccess& a) const {
    if (a.map < 0) {
      Affine out = a.at;
      out.add_inner(1, {0, a.bits - 1});
      return a.bits > 0 ? std::optional(std::move(out)) : std::nullopt;
    }
    const JobTensorMap& m = launch_.tensor_maps[static_cast<std::size_t>(a.map)];
    const std::int64_t element = element_bits(a);
    if (a.bits < 0 || element == 0) return std::nullopt;
    Affine out;
    out.constant = m.byte_offset * 8;
    for (std::size_t d = 0; d < a.box.size(); ++d) {
      const std::int64_t stride = d == 0 ? element : static_cast<std::int64_t>(m.strides[d - 1]) * 8;
      if (stride > kFar || (stride != 0 && std::abs(a.box[d].constant) > kFar / stride)) return std::nullopt;
      out.constant += a.box[d].constant * stride;
      for (const OuterTerm& t : a.box[d].outer) {
        auto known =
            std::ranges::find_if(out.outer, [&](const auto& o) { return ir::structurally_equal(o.atom, t.atom); });
        if (known == out.outer.end()) known = out.outer.insert(out.outer.end(), {0, t.atom});
        known->factor += t.factor * stride;
      }
      for (const InnerTerm& t : a.box[d].inner) out.add_inner(t.factor * stride, t.range);
    }
    out.add_inner(1, {0, element - 1});
    return out;
  }
  std::int64_t element_bits(const GlobalAccess& a) const {
    const auto* tensor = bound_.launches.back().kernel->plan.tensor_maps[static_cast<std::size_t>(a.map)].tensor;
    return static_cast<std::int64_t>(tensor->dtype.bits) * tensor->dtype.lanes;
  }

  // Do different coordinates name different elements?
  bool rows_apart(const GlobalAccess& a) const {
    const JobTensorMap& m = launch_.tensor_maps[static_cast<std::size_t>(a.map)];
    std::int64_t below = element_bits(a) * static_cast<std::int64_t>(m.dims[0]);
    for (std::size_t d = 1; d < m.dims.size(); ++d) {
      const auto stride = static_cast<std::int64_t>(m.strides[d - 1]) * 8;
      if (stride < below) return false;
      if (__builtin_mul_overflow(stride, static_cast<std::int64_t>(m.dims[d]), &below)) return false;
    }
    return true;
  }

  using Loops = std::pair<int, int>;  // in which two accesses stand

  // The equation that holds where both touch one element. False: there are none.
  bool equate(const Affine& a, const Affine& b, Loops loops, std::set<int>& equal) {
    std::vector<Unknown> unknowns;
    for (const OuterTerm& t : a.outer) {
      const std::size_t number = atom(t.atom);
      lost_ = lost_ || !atoms_[number].known;
      const Interval x = range_of(number, loops.first), y = range_of(number, loops.second);
      if (atoms_[number].known && (x.lo > x.hi || y.lo > y.hi)) return false;  // one of them is never reached
      const bool same = equal.contains(static_cast<int>(number));
      unknowns.push_back({t.factor, same ? 0 : x.lo - y.hi, same ? 0 : x.hi - y.lo, static_cast<int>(number)});
    }
    // Inner numbers of one factor count as one: their difference is what gets narrow.
    const std::size_t first = unknowns.size();
    auto add = [&](const Affine& side, std::int64_t sign) {
      for (const InnerTerm& t : side.inner) {
        const bool turned = t.factor < 0;
        const std::int64_t factor = turned ? -t.factor : t.factor;
        std::int64_t lo = std::max(t.range.lo, -kFar), hi = std::min(t.range.hi, kFar);
        if (turned == (sign > 0)) std::tie(lo, hi) = std::pair(-hi, -lo);
        auto known = std::find_if(unknowns.begin() + static_cast<std::ptrdiff_t>(first), unknowns.end(),
                                  [&](const Unknown& u) { return u.factor == factor; });
        if (known == unknowns.end()) known = unknowns.insert(unknowns.end(), {factor, 0, 0, -1});
        known->lo += lo;
        known->hi += hi;
      }
    };
    add(a, 1);
    add(b, -1);
    if (!narrow(a.constant - b.constant, unknowns)) return false;
    for (const Unknown& u : unknowns)
      if (u.atom >= 0 && u.lo == 0 && u.hi == 0) equal.insert(u.atom);
    return true;
  }

  // Do the two touch no common element from different clusters?
  bool apart(const GlobalAccess& a, const GlobalAccess& b) {
    std::set<int> equal;
    const Loops loops{a.loop, b.loop};
    const bool by_coordinate = a.map >= 0 && a.bits >= 0 && b.bits >= 0 && is_same_map(a.map, b.map) && rows_apart(a);
    if (by_coordinate) {
      for (std::size_t known = ~std::size_t{0}; known != equal.size();) {
        known = equal.size();
        for (std::size_t d = 0; d < a.box.size(); ++d) {
          if (!same_outer(a.box[d], b.box[d])) return false;
          if (!equate(a.box[d], b.box[d], loops, equal)) return true;
        }
      }
      return tells_clusters(equal, loops);
    }
    const std::optional<Affine> x = flat(a), y = flat(b);
    if (!x || !y) return false;
    if (!same_outer(*x, *y)) return lie_apart(*x, *y, loops);
    return !equate(*x, *y, loops, equal) || tells_clusters(equal, loops);
  }

  // In all clusters the one lies before the other.
  bool lie_apart(const Affine& a, const Affine& b, Loops loops) {
    const auto x = outer_values(a), y = outer_values(b);
    const Interval i = a.inner_range(), j = b.inner_range();
    if (!x || !y || !i.bounded() || !j.bounded()) return false;
    Interval one{Interval::kMax, Interval::kMin}, other = one;
    for (std::uint64_t p = 0; p < points_; ++p) {
      if (is_in(p, loops.first)) widen(one, (*x)[p]);
      if (is_in(p, loops.second)) widen(other, (*y)[p]);
    }
    if (one.lo > one.hi || other.lo > other.hi) return true;
    return one.hi + i.hi < other.lo + j.lo || other.hi + j.hi < one.lo + i.lo;
  }

  bool is_same_map(int a, int b) const {
    if (a < 0 || b < 0) return false;
    const JobTensorMap &x = launch_.tensor_maps[static_cast<std::size_t>(a)],
                       &y = launch_.tensor_maps[static_cast<std::size_t>(b)];
    return a == b || (x.buffer == y.buffer && x.byte_offset == y.byte_offset && x.dims == y.dims &&
                      x.strides == y.strides && x.dtype == y.dtype && x.box.size() == y.box.size());
  }

  // Do these atoms together have other values in each cluster, in all rounds of these loops?
  bool tells_clusters(const std::set<int>& atoms, Loops loops) {
    if (loops.first > loops.second) std::swap(loops.first, loops.second);
    const auto key = std::pair(atoms, loops);
    if (auto known = telling_.find(key); known != telling_.end()) return known->second;
    if (!spend(points_ * (1 + atoms.size()))) return false;
    std::vector<std::vector<std::int64_t>> rows;  // the cluster is the last number
    for (std::uint64_t p = 0; p < points_; ++p) {
      if (!is_in(p, loops.first) && !is_in(p, loops.second)) continue;
      std::vector<std::int64_t>& row = rows.emplace_back();
      for (int a : atoms) row.push_back(atoms_[static_cast<std::size_t>(a)].values[p]);
      row.push_back(static_cast<std::int64_t>(cluster_at(p)));
    }
    std::ranges::sort(rows);
    const auto met = std::ranges::adjacent_find(rows, [&](const auto& x, const auto& y) {
      return x.back() != y.back() && std::equal(x.begin(), x.end() - 1, y.begin());
    });
    return telling_[key] = met == rows.end();
  }

  std::string name_of(const ir::Var* memory) const {
    for (const lower::KernelParam& p : bound_.launches.back().kernel->plan.params)
      if (p.tensor && p.tensor->data == memory) return std::string(p.tensor->name);
    return std::string(memory->name);
  }

  bool apart() {
    std::size_t pairs = 0;
    const auto& all = use_.accesses();
    for (const GlobalAccess& a : all) {
      if (!a.writes) continue;
      for (const GlobalAccess& b : all) {
        if (b.memory != a.memory) continue;
        if (++pairs > kMostPairs || !spend(1)) return fail("it has too many accesses");
        if (!apart(a, b) || lost_) return fail("CTAs may write what others touch in " + name_of(a.memory));
      }
    }
    return true;
  }

  // Accounts for numbers that are about to be computed. False: there are too many, or the caller has stopped.
  bool spend(std::uint64_t numbers) {
    spent_ += numbers;
    return spent_ <= kMostSpent && !stop_.stop_requested();
  }

  bool fail(std::string why) {
    why_ = std::move(why);
    return false;
  }

  struct Atom {
    ir::Expr e;
    bool known = true;
    std::int64_t lo = 0, hi = 0;
    std::vector<std::int64_t> values{};
  };

  const CtaUse& use_;
  const Bound& bound_;
  const JobLaunch& launch_;
  std::span<const std::uint64_t> run_;
  const std::stop_token& stop_;
  std::uint64_t clusters_, rounds_ = 1, points_ = 0, spent_ = 0;
  std::vector<Atom> atoms_;
  std::vector<Class> class_;  // of each cluster
  std::set<Class> was_run_;
  std::set<std::uint64_t> wanted_;
  bool wants_class_ = false;
  std::map<std::pair<std::set<int>, Loops>, bool> telling_;
  std::map<std::pair<std::size_t, int>, Interval> ranges_;
  bool lost_ = false;  // an atom has no value
  std::string why_;
};

}  // namespace

OtherCtas other_ctas(const lower::LoweredKernel& kernel, const Bound& bound, std::span<const std::uint64_t> run,
                     const std::stop_token& stop) {
  OtherCtas out;
  for (const bool by_rounds : {false, true}) {
    Arena arena;
    ArenaScope scope(arena);
    const CtaUse use(kernel, bound, by_rounds);
    if (by_rounds && (!use.unknown().empty() || use.trips().empty())) return out;
    OtherCtas now = use.unknown().empty() ? Others(use, bound, run, stop).answer() : OtherCtas{use.unknown(), {}};
    // Of a loop by rounds each CTA takes its own way where rounds are not told apart; what else they show is more.
    if (!by_rounds || now.differ.empty() || !now.worth_run.empty() || out.differ == kOtherBranch) out = std::move(now);
    if (out.differ.empty() || !out.worth_run.empty() || stop.stop_requested()) return out;
  }
  return out;
}

}  // namespace tilewright::run
