#include "compiler/dispatch/variants/copy_async/tma_plan.h"

#include <algorithm>

#include "compiler/dispatch/words.h"

namespace tilewright::dispatch::tma {
namespace {

constexpr std::size_t kMaxRank = 5;
constexpr std::int64_t kMaxBox = 256;

// Cuts a shard into an outer part and an inner one of `inner` elements; references behind it move by one.
Problem split(const Problem& problem, ShardRef at, std::int64_t inner) {
  Problem out = problem;
  Walks& shards = out.runs[at.run].shards;
  Walk& outer = shards[at.position];
  Walk rest{inner, outer.stride};
  outer = {outer.extent / inner, outer.stride * inner};
  shards.insert(shards.begin() + static_cast<std::ptrdiff_t>(at.position) + 1, rest);
  return out;
}

const Walk& shard(const Problem& problem, ShardRef at) { return problem.runs[at.run].shards[at.position]; }

// What the reference asks of a plan; it takes the first prefix for which this holds, legal or not.
bool reference_accepts(const Problem& problem, const Candidate& plan) {
  if (plan.dims.empty() || plan.dims.size() > kMaxRank || !plan.dims.back().stride.is(1)) return false;
  return !problem.swizzle || plan.dims.back().box * problem.bits <= problem.span_bytes() * 8;
}

// The shards of a run behind `position`, as one number.
std::int64_t extents_behind(const GlobalRun& run, std::size_t position) {
  std::int64_t n = 1;
  for (std::size_t k = position + 1; k < run.shards.size(); ++k) n *= run.shards[k].extent;
  return n;
}

// How often the reference would issue: as many prefixes as it takes, none of them repaired or cut. 0: its plan is
// illegal.
std::int64_t reference_issues(const Problem& problem) {
  std::vector<ShardRef> chain = packed_chain(problem);
  for (std::size_t j = chain.size() + 1; j-- > 0;) {
    auto plan = assemble(problem, std::span(chain.data(), j));
    if (!plan) continue;
    merge(problem, *plan);
    if (reference_accepts(problem, *plan)) return is_legal(problem, *plan) ? plan->issues() : 0;
  }
  return 0;
}

class Search {
 public:
  explicit Search(const Problem& problem) : row_(problem.span_bytes() * 8 / problem.bits) {}

  // Every prefix of the chain, longest first. `original`: the problem as it was given, nothing cut.
  void look(const Problem& problem, bool original) {
    std::vector<ShardRef> chain = packed_chain(problem);
    for (std::size_t j = chain.size() + 1; j-- > 0;) {
      std::span<const ShardRef> selected(chain.data(), j);
      if (!original && is_rest(problem, selected)) continue;
      auto plan = assemble(problem, selected);
      if (!plan) {
        if (uncut.empty()) uncut = plan.error();
        continue;
      }
      if (best && best->issues() <= plan->issues()) return;
      Candidate merged = *plan;
      merge(problem, merged);
      Reason why = illegal(problem, merged);
      if (why.empty()) {
        offer(std::move(merged), j, chain.size());
        return;  // shorter prefixes only issue more
      }
      note(why);
      if (mend(problem, *plan, j, chain.size())) return;
      if (j > 0) cut_last(problem, selected, chain.size());
    }
  }

  // Members of the chain that are too long for a box, but not at its end, in two dimensions each: a cut into issues
  // would end the chain there. Nothing: there is none.
  std::optional<Problem> tiled(const Problem& problem) const {
    std::optional<Problem> out;
    for (std::size_t round = 0; round < kMaxRank; ++round) {
      const Problem& now = out ? *out : problem;
      std::vector<ShardRef> chain = packed_chain(now);
      std::optional<Problem> cut;
      for (std::size_t i = 0; i < chain.size() && !cut; ++i) {
        const bool row = i == 0 && problem.swizzle != 0;
        if (shard(now, chain[i]).extent <= most(row) || (i + 1 == chain.size() && !row)) continue;
        cut = in_two(now, chain, i);
      }
      if (!cut) break;
      out = std::move(cut);
    }
    return out;
  }

  Found found;
  std::optional<Candidate> best;
  Reason first, last;  // why not: of the longest prefix that gives a box, and of the shortest
  Reason uncut;        // why the longest prefix gives none

 private:
  std::int64_t row_;  // elements of a row of the swizzle

  std::int64_t most(bool row) const { return row ? row_ : kMaxBox; }

  void note(const Reason& why) {
    if (first.empty()) first = why;
    last = why;
  }

  void offer(Candidate plan, std::size_t j, std::size_t chain) {
    if (best && best->issues() <= plan.issues()) return;
    found.selected = j;
    found.chain = chain;
    best = std::move(plan);
  }

  // The last member is the outer part of one that tiled() cut: such a rest is issued, not boxed.
  static bool is_rest(const Problem& problem, std::span<const ShardRef> selected) {
    if (selected.size() < 2) return false;
    const ShardRef outer = selected.back(), inner = selected[selected.size() - 2];
    const Walk &o = shard(problem, outer), &n = shard(problem, inner);
    return outer.run == inner.run && outer.position + 1 == inner.position && o.stride == n.extent * n.stride;
  }

  // The member in the longest inner part that can be a box dimension of its own, and the rest.
  std::optional<Problem> in_two(const Problem& problem, std::span<const ShardRef> chain, std::size_t member) const {
    const ShardRef at = chain[member];
    const GlobalRun& run = problem.runs[at.run];
    const std::int64_t extent = shard(problem, at).extent, behind = extents_behind(run, at.position);
    const bool row = member == 0 && problem.swizzle != 0;
    for (std::int64_t inner = std::min(most(row), extent / 2); inner > 1; --inner) {
      if (extent % inner != 0 || (member == 0 && inner * problem.bits % 128 != 0)) continue;
      if (at.position == 0 &&
          !(provably_divisible(run.shape, inner * behind) && provably_divisible(run.start, inner * behind))) {
        continue;
      }
      return split(problem, at, inner);
    }
    return std::nullopt;
  }

  // A plan that breaks a rule, rewritten without changing what it moves: single elements that the address of the
  // tensor counts, whole neighbours joined, fewer dimensions (V9), wider elements (Y1). True: one of them is legal.
  bool mend(const Problem& problem, const Candidate& raw, std::size_t j, std::size_t chain) {
    enum class Join { Nothing, Misaligned, Rows, All };
    for (bool fold : {false, true}) {
      for (Join neighbours : {Join::Nothing, Join::Misaligned, Join::Rows, Join::All}) {
        Candidate plan = raw;
        if (fold && !fold_misaligned(plan)) break;
        if (neighbours == Join::Misaligned) merge(problem, plan);
        if (neighbours == Join::Rows && !join_rows(problem, plan)) continue;
        if (neighbours == Join::All && !join_all(problem, plan)) continue;
        reduce_rank(problem, plan);
        do {
          if (!is_legal(problem, plan)) continue;
          offer(std::move(plan), j, chain);
          return true;
        } while (promote(problem, plan));
      }
    }
    return false;
  }

  // The last member of the prefix in pieces: the largest that is legal is the box, the rest is issued (Y1, V4).
  void cut_last(const Problem& problem, std::span<const ShardRef> selected, std::size_t chain) {
    const std::int64_t extent = shard(problem, selected.back()).extent;
    const std::int64_t longest = most(selected.size() == 1 && problem.swizzle != 0);
    if (extent <= longest) return;
    for (std::int64_t box = longest; box > 1; --box) {
      if (extent % box != 0) continue;
      Problem cut = split(problem, selected.back(), box);
      std::vector<ShardRef> parts(selected.begin(), selected.end());
      for (ShardRef& part : parts) {
        if (part.run == selected.back().run && part.position >= selected.back().position) ++part.position;
      }
      auto plan = assemble(cut, parts);
      if (!plan || mend(cut, *plan, selected.size(), chain)) return;
    }
  }
};

}  // namespace

std::int64_t Candidate::issues() const {
  std::int64_t n = 1;
  for (const Step& s : steps) n *= s.extent;
  return n;
}

std::int64_t Candidate::box_elements() const {
  std::int64_t n = 1;
  for (const Dimension& d : dims) n *= d.box;
  return n;
}

std::expected<Found, Reason> search(const Problem& problem) {
  Search s(problem);
  s.look(problem, true);
  if (!s.best || s.best->issues() > 1) {
    if (auto tiled = s.tiled(problem)) s.look(*tiled, false);
  }
  if (!s.best) {
    if (s.first.empty()) return std::unexpected(std::move(s.uncut));
    if (s.last == s.first) return std::unexpected(std::move(s.first));
    return std::unexpected(cat(s.first, "; smaller boxes: ", s.last));
  }
  s.found.plan = std::move(*s.best);
  s.found.reference_issues = reference_issues(problem);
  return std::move(s.found);
}

// ---- 3.3 ------------------------------------------------------------------------------------------------------------

std::vector<ShardRef> packed_chain(const Problem& problem) {
  std::vector<ShardRef> chain;
  for (std::int64_t want = 1;;) {
    std::optional<ShardRef> next;
    for (std::size_t r = 0; r < problem.runs.size() && !next; ++r) {
      const Walks& shards = problem.runs[r].shards;
      for (std::size_t i = 0; i < shards.size() && !next; ++i) {
        ShardRef at{r, i};
        if (shards[i].stride == want && std::ranges::find(chain, at) == chain.end()) next = at;
      }
    }
    if (!next) return chain;
    chain.push_back(*next);
    want *= shard(problem, *next).extent;
  }
}

// ---- 3.4 ------------------------------------------------------------------------------------------------------------

std::expected<Candidate, Reason> assemble(const Problem& problem, std::span<const ShardRef> selected) {
  Candidate out{.dims = {}, .steps = {}, .bits = problem.bits, .base = problem.global_base};
  struct Chosen {
    std::size_t rank = 0;  // place in the chain
    Dimension dim;
    std::vector<Step> steps;
  };
  std::vector<Chosen> chosen;
  std::vector<Dimension> units, others;  // of single elements; of runs with nothing selected or a tail
  // Steps in their natural order; `dimension` counts others from 0, chosen ones from kChosen.
  constexpr std::size_t kChosen = 1000;
  std::vector<Step> steps;

  for (std::size_t r = 0; r < problem.runs.size(); ++r) {
    const GlobalRun& run = problem.runs[r];
    if (run.extent == 1) {
      units.push_back({run.shape, run.stride, run.start, 1});
      continue;
    }
    const std::size_t q = run.shards.size();
    std::vector<std::size_t> place(q, kChosen);  // in the chain
    std::vector<std::int64_t> after(q, 1);       // product of the extents behind a shard
    for (std::size_t k = q; k-- > 1;) after[k - 1] = after[k] * run.shards[k].extent;
    for (std::size_t i = 0; i < selected.size(); ++i) {
      if (selected[i].run == r) place[selected[i].position] = i;
    }
    std::size_t begin = 0;  // of the segment
    for (std::size_t k = 0; k < q; ++k) {
      if (place[k] == kChosen) continue;
      const bool head = begin == 0 && std::ranges::all_of(place.begin(), place.begin() + static_cast<std::ptrdiff_t>(k),
                                                          [&](std::size_t p) { return p == kChosen; });
      const std::int64_t unit = after[k];
      Dimension dim{.shape = 0, .stride = run.stride * Dim(unit), .start = 0, .box = run.shards[k].extent};
      if (head) {
        if (!provably_divisible(run.shape, unit) || !provably_divisible(run.start, unit)) {
          return std::unexpected(cat("a box dimension of steps of ", unit, " elements needs an extent (",
                                     layout::to_string(run.shape), ") and a start (", layout::to_string(run.start),
                                     ") that are multiples of it"));
        }
        dim.shape = floordiv(run.shape, unit);
        dim.start = floordiv(run.start, unit);
      } else {
        std::int64_t shape = 1;
        for (std::size_t m = begin; m <= k; ++m) shape *= run.shards[m].extent;
        dim.shape = shape;
      }
      for (std::size_t m = begin; m < k; ++m) {
        steps.push_back({run.shards[m].extent, kChosen + place[k], after[m] / unit, run.shards[m].stride});
      }
      chosen.push_back({place[k], dim, {}});
      begin = k + 1;
    }
    if (begin == q && q > 0) continue;
    const bool whole = begin == 0;
    std::int64_t tail = 1;
    for (std::size_t m = begin; m < q; ++m) tail *= run.shards[m].extent;
    for (std::size_t m = begin; m < q; ++m) {
      steps.push_back({run.shards[m].extent, others.size(), after[m], run.shards[m].stride});
    }
    others.push_back({whole ? run.shape : Dim(tail), run.stride, whole ? run.start : Dim(0), 1});
  }

  std::ranges::sort(chosen, [](const Chosen& a, const Chosen& b) { return a.rank > b.rank; });
  out.dims = std::move(units);
  const std::size_t first_other = out.dims.size();
  out.dims.insert(out.dims.end(), others.begin(), others.end());
  const std::size_t last = out.dims.size() + chosen.size() - 1;  // of chain member 0, the innermost
  for (const Chosen& c : chosen) out.dims.push_back(c.dim);
  for (Step& s : steps)
    s.dimension = s.dimension >= kChosen ? last - (s.dimension - kChosen) : first_other + s.dimension;
  out.steps = std::move(steps);
  return out;
}

}  // namespace tilewright::dispatch::tma
