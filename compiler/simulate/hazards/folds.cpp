#include "compiler/simulate/hazards/folds.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "compiler/ir/origin.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/hazards/causes.h"
#include "compiler/simulate/hazards/control.h"
#include "compiler/simulate/hazards/races.h"
#include "compiler/simulate/machine/engine.h"

namespace tilewright::simulate {
namespace {

// Where a statement stands in its kernel: the calls that lead to it, outermost first, then its own place.
using Place = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Place place_of(const ir::Origin& origin) {
  Place out;
  for (const text::Span& span : ir::call_chain(origin.chain)) out.emplace_back(span.anchor, span.begin);
  out.emplace_back(origin.span.anchor, origin.span.begin);
  return out;
}

// A race of two accesses that a barrier between them would order.
bool lacks_barrier(const Finding& f) {
  const bool is_race = f.code == code::kRace || f.code == code::kEqualStores;
  return is_race && !f.related.empty() && f.kind == Finding::Kind::MissingBarrier;
}

struct Stretch {
  Place from, to;  // the earlier access in the text, and the later one
};

Stretch stretch_of(const Finding& f) {
  Stretch s{place_of(f.related.front().origin), place_of(f.origin)};
  if (s.to < s.from) std::swap(s.from, s.to);
  return s;
}

bool share_a_barrier(const Stretch& a, const Stretch& b) {
  if (a.from == b.from || a.to == b.to || a.from == b.to || a.to == b.from) return true;
  return std::max(a.from, b.from) < std::min(a.to, b.to);
}

void relate_finding(Finding& to, const Finding& f, std::string_view words) {
  const auto known = [&](const Finding::Related& r) { return ir::same_origin(r.origin, f.origin); };
  if (ir::same_origin(to.origin, f.origin) || std::ranges::any_of(to.related, known)) return;
  relate(to, {f.origin, std::string(words) + std::string(f.code) + ": " + f.message});
}

// For each finding the one that keeps it: so far itself.
std::vector<std::size_t> each_alone(const std::vector<Finding>& findings) {
  std::vector<std::size_t> keeper(findings.size());
  std::iota(keeper.begin(), keeper.end(), std::size_t{0});
  return keeper;
}

// Findings that stay: those at `keep`, each with the others of its group as related places.
void fold_into(std::vector<Finding>& findings, const std::vector<std::size_t>& keeper, std::string_view words) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (keeper[i] == i) continue;
    Finding& cause = findings[keeper[i]];
    relate_finding(cause, findings[i], words);
    if (findings[i].severity == Severity::Error) cause.severity = Severity::Error;
  }
  std::size_t at = 0;
  std::erase_if(findings, [&](const Finding&) {
    const std::size_t i = at++;
    return keeper[i] != i;
  });
}

// The same of a use of an mbarrier and its initialisation in the same CTA.
bool lacks_barrier_of_cta(const Finding& f) {
  return f.kind == Finding::Kind::UnorderedInit && !f.related.empty() && f.weight == static_cast<int>(Reach::Cta);
}

// One missing barrier. The first in the text is told, with the hint of the widest.
void fold_barriers(std::vector<Finding>& findings) {
  std::vector<std::size_t> group(findings.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  std::vector<Stretch> stretches(findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (lacks_barrier(findings[i]) || lacks_barrier_of_cta(findings[i])) stretches[i] = stretch_of(findings[i]);
  const auto is_other_reach = [&](const Finding& a, const Finding& b) {
    return (lacks_barrier_of_cta(a) || lacks_barrier_of_cta(b)) && a.weight != b.weight;
  };
  for (std::size_t i = 0; i < findings.size(); ++i) {
    for (std::size_t j = 0; j < i && !stretches[i].to.empty(); ++j) {
      if (stretches[j].to.empty() || group[i] == group[j] || !share_a_barrier(stretches[i], stretches[j])) continue;
      if (is_other_reach(findings[i], findings[j])) continue;
      std::ranges::replace(group, group[i], group[j]);
    }
  }
  std::vector<std::size_t> keeper = each_alone(findings);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (stretches[i].to.empty()) continue;
    std::size_t best = i, widest = i;
    for (std::size_t j = 0; j < findings.size(); ++j) {
      if (group[j] != group[i] || stretches[j].to.empty()) continue;
      const auto rank = [&](std::size_t k) {
        return std::tuple(findings[k].severity != Severity::Error, findings[k].code != code::kRace, stretches[k].to, k);
      };
      if (rank(j) < rank(best)) best = j;
      if (findings[j].weight > findings[widest].weight) widest = j;
    }
    keeper[i] = best;
    if (best == i && findings[widest].weight > findings[best].weight) {
      findings[best].hint = findings[widest].hint;
      findings[best].weight = findings[widest].weight;
    }
  }
  fold_into(findings, keeper, "the same barrier is missing: ");
}

bool is_of_one_buffer(const Finding::Memory& a, const Finding::Memory& b) {
  if (!a.name.empty() && !b.name.empty()) return a.name == b.name;
  return a.data && a.data == b.data;
}

// One buffer that is not, or not wholly, written.
void fold_unwritten(std::vector<Finding>& findings) {
  std::vector<std::size_t> keeper = each_alone(findings);
  auto rank = [&](std::size_t k) {
    return std::pair(findings[k].severity != Severity::Error, place_of(findings[k].origin));
  };
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].code != code::kUnwritten) continue;
    for (std::size_t j = 0; j < findings.size(); ++j) {
      const bool same =
          findings[j].code == code::kUnwritten && is_of_one_buffer(findings[i].memory, findings[j].memory);
      if (same && rank(j) < rank(keeper[i])) keeper[i] = j;
    }
  }
  fold_into(findings, keeper, "read here as well: ");
}

// Calls `follows(f)` of each finding other than `cause`, which takes those of which it is true.
template <class Follows>
void fold_behind(std::vector<Finding>& findings, std::size_t cause, const Follows& follows) {
  std::vector<std::size_t> keeper = each_alone(findings);
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (i != cause && follows(findings[i])) keeper[i] = cause;
  fold_into(findings, keeper, "may follow from it: ");
}

// Two rounds of one statement.
bool is_of_one(const Finding& f) { return !f.related.empty() && ir::same_origin(f.origin, f.related.front().origin); }

bool is_race(const Finding& f) { return f.code == code::kRace || f.code == code::kEqualStores; }

bool touches(const Finding& f, const ir::Origin& place) {
  return ir::same_origin(f.origin, place) || (!f.related.empty() && ir::same_origin(f.related.front().origin, place));
}

template <class Is>
std::size_t first_of(const std::vector<Finding>& findings, const Is& is) {
  return static_cast<std::size_t>(std::ranges::find_if(findings, is) - findings.begin());
}

// Lanes that part at one barrier meet the others at the next one.
void fold_divergence(std::vector<Finding>& findings) {
  auto parts = [](const Finding& f) { return f.code == code::kDivergence && f.severity == Severity::Error; };
  std::size_t cause = first_of(findings, parts);
  for (std::size_t i = cause; i < findings.size(); ++i)
    if (parts(findings[i]) && place_of(findings[i].origin) < place_of(findings[cause].origin)) cause = i;
  if (cause == findings.size()) return;
  const Place barrier = place_of(findings[cause].origin);
  const bool is_split = findings[cause].kind == Finding::Kind::SplitWarp;
  fold_behind(findings, cause, [&](const Finding& f) {
    if (parts(f)) return true;
    if (!is_split || !lacks_barrier(f)) return false;
    const Stretch s = stretch_of(f);
    return s.from < barrier && barrier < s.to;
  });
}

// An index that leaves its buffer, or first its own row, also meets what others own.
void fold_behind_bounds(std::vector<Finding>& findings) {
  const std::size_t cause = first_of(
      findings, [](const Finding& f) { return f.code == code::kOutOfBounds && f.severity == Severity::Error; });
  if (cause == findings.size()) return;
  const ir::Origin place = findings[cause].origin;
  const std::string buffer = findings[cause].memory.name;
  fold_behind(findings, cause, [&](const Finding& f) {
    return is_race(f) && (touches(f, place) || (!buffer.empty() && f.memory.name == buffer));
  });
}

// Barriers that nothing orders after their initialisation: one barrier is missing, whichever is used first.
void fold_unordered_inits(std::vector<Finding>& findings) {
  auto is_one = [](const Finding& f) { return f.kind == Finding::Kind::UnorderedInit; };
  std::size_t cause = first_of(findings, is_one);
  if (cause == findings.size()) return;
  for (std::size_t i = cause; i < findings.size(); ++i)
    if (is_one(findings[i]) && place_of(findings[i].origin) < place_of(findings[cause].origin)) cause = i;
  fold_behind(findings, cause, [&](const Finding& f) { return is_one(f) || f.kind == Finding::Kind::NotInitialised; });
}

// Where no thread waits on the barrier of a copy, the phases of the barriers around it lose their order.
void fold_behind_never_waited(std::vector<Finding>& findings) {
  const std::size_t cause = first_of(
      findings, [](const Finding& f) { return f.kind == Finding::Kind::NeverWaited && f.severity == Severity::Error; });
  if (cause == findings.size()) return;
  constexpr std::string_view kCodes[] = {code::kInterleaving, code::kMbarrier, code::kDeadlock, code::kUnfinished};
  fold_behind(findings, cause, [&](const Finding& f) {
    return f.weight < kCause && std::ranges::find(kCodes, f.code) != std::end(kCodes);
  });
}

// Of threads that come apart: does one of the calls stand in a branch of its own?
bool is_in_branch(const Decisions& decisions, const Finding& f) {
  if (f.code != code::kDivergence) return false;
  return decisions.is_in_other_branch(f.origin) ||
         std::ranges::any_of(f.related, [&](const auto& r) { return decisions.is_in_other_branch(r.origin); });
}

// A race on what decides whether threads come to a call, and threads that come apart there.
void fold_behind_deciding_race(std::vector<Finding>& findings, const lower::LoweredKernel& kernel) {
  constexpr std::string_view kCodes[] = {code::kDivergence, code::kDeadlock, code::kPartialWarp};
  auto is_apart = [&](const Finding& f) {
    return f.weight < kCause && std::ranges::find(kCodes, f.code) != std::end(kCodes);
  };
  if (std::ranges::none_of(findings, is_apart)) return;
  std::vector<std::size_t> keeper = each_alone(findings);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& race = findings[i];
    if (race.code != code::kRace || race.severity != Severity::Error || !race.memory.data) continue;
    const Decisions decisions(kernel.device, race.memory.data);
    for (std::size_t j = 0; j < findings.size(); ++j)
      if (is_apart(findings[j]) && keeper[j] == j && decisions.leads_to(findings[j].origin) &&
          !is_in_branch(decisions, findings[j]))
        keeper[j] = i;
  }
  fold_into(findings, keeper, "may follow from it: ");
}

// A barrier that a part of the threads comes to orders nothing: not what stands around it, nor two rounds of its loop.
void fold_behind_parted_barrier(std::vector<Finding>& findings, const lower::LoweredKernel& kernel) {
  auto parts = [](const Finding& f) { return f.code == code::kDivergence; };
  const Decisions none(kernel.device, nullptr);
  std::size_t cause = first_of(findings, [&](const Finding& f) { return parts(f) && is_in_branch(none, f); });
  if (cause == findings.size()) cause = first_of(findings, parts);
  if (cause == findings.size()) return;
  const ir::Origin barrier = findings[cause].origin;
  const Place place = place_of(barrier);
  fold_behind(findings, cause, [&](const Finding& f) {
    if (parts(f)) return share_a_loop(kernel.device, barrier, f.origin);
    const bool is_within = f.code == code::kRace && !f.related.empty() && f.weight < static_cast<int>(Reach::Cluster);
    if (!is_within) return false;
    const Stretch s = stretch_of(f);
    return (s.from < place && place < s.to) || (share_a_loop(kernel.device, barrier, f.origin) &&
                                                share_a_loop(kernel.device, barrier, f.related.front().origin));
  });
}

// A race, and that its value is sometimes the same.
void fold_equal_stores(std::vector<Finding>& findings) {
  std::vector<std::size_t> keeper = each_alone(findings);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].code != code::kEqualStores || findings[i].memory.name.empty()) continue;
    const std::size_t race = first_of(findings, [&](const Finding& f) {
      return f.code == code::kRace && f.severity != Severity::Incomplete && f.memory.name == findings[i].memory.name &&
             touches(f, findings[i].origin);
    });
    if (race < findings.size()) keeper[i] = race;
  }
  fold_into(findings, keeper, "may follow from it: ");
}

// A slot that is filled again while it is read: its readers may also come too late to the wait for the next copy.
void fold_late_wait(std::vector<Finding>& findings) {
  auto is_late = [](const Finding& f) { return f.kind == Finding::Kind::LateWait && f.weight < kCause; };
  const auto late = std::ranges::find_if(findings, is_late);
  if (late == findings.end()) return;
  const std::vector<Finding::Related> parties = late->related;
  const std::size_t cause = first_of(findings, [&](const Finding& f) {
    const bool is_kind = f.code == code::kUnawaited || f.code == code::kRace;
    return is_kind && f.severity == Severity::Error && !f.related.empty() &&
           std::ranges::any_of(parties, [&](const auto& p) { return ir::same_origin(p.origin, f.related[0].origin); });
  });
  if (cause == findings.size()) return;
  const ir::Origin place = findings[cause].origin;
  findings[cause].hint =
      "put a barrier between this use and the copy of a later round, or let its threads arrive at one that the thread "
      "of the copy waits for";
  fold_behind(findings, cause, [&](const Finding& f) {
    const bool is_kind = f.code == code::kUnawaited || f.code == code::kRace;
    return is_late(f) || (is_kind && ir::same_origin(f.origin, place));
  });
}

// A reader that does not wait for its slot arrives too early as well: the wait of the side that fills it may then be
// late by a phase. So may that of a reader where the other side does not wait for the slot.
void fold_behind_unwaited_slot(std::vector<Finding>& findings, const lower::LoweredKernel& kernel) {
  const auto is_late = [](const Finding& f) {
    return f.kind == Finding::Kind::LateWait && f.weight < kCause && !f.related.empty();
  };
  const auto late = std::ranges::find_if(findings, is_late);
  if (late == findings.end()) return;
  const ir::Origin waits = late->origin, ends = late->related.front().origin;
  const std::size_t cause = first_of(findings, [&](const Finding& f) {
    const auto in_loops = [&](const ir::Origin& one, const ir::Origin& other) {
      return share_a_loop(kernel.device, one, ends) && share_a_loop(kernel.device, other, waits);
    };
    return f.code == code::kRace && lacks_barrier(f) && f.severity == Severity::Error &&
           f.weight == static_cast<int>(Reach::Cta) &&
           (in_loops(f.origin, f.related.front().origin) || in_loops(f.related.front().origin, f.origin));
  });
  if (cause < findings.size()) fold_behind(findings, cause, is_late);
}

// A copy that is read too early, and in a later round overwritten, and the arrivals that tell of it. Where a wait of
// that loop may be late by a phase, that is the cause.
void fold_around_unawaited_copy(std::vector<Finding>& findings, const lower::LoweredKernel& kernel) {
  const std::size_t read = first_of(findings, [](const Finding& f) {
    return f.code == code::kUnawaited && f.severity == Severity::Error && !f.related.empty() && !is_of_one(f) &&
           f.queue == 1 + static_cast<int>(Queue::Copy);
  });
  if (read == findings.size()) return;
  const ir::Origin place = findings[read].origin, copy = findings[read].related.front().origin;
  const auto in_loop = [&](const Finding& f) {  // one of its sides
    return share_a_loop(kernel.device, f.origin, place) ||
           (!f.related.empty() && share_a_loop(kernel.device, f.related.front().origin, place));
  };
  // A statement of a helper is the same at each call.
  const auto is_at = [](const ir::Origin& a, const ir::Origin& b) { return place_of(a).back() == place_of(b).back(); };
  const std::size_t late = first_of(
      findings, [&](const Finding& f) { return f.kind == Finding::Kind::LateWait && f.weight < kCause && in_loop(f); });
  fold_behind(findings, late < findings.size() ? late : read, [&](const Finding& f) {
    if (is_race(f)) return !f.related.empty() && is_at(f.origin, copy) && is_at(f.related.front().origin, copy);
    if (f.code == code::kUnawaited) return ir::same_origin(f.origin, place);
    return f.kind == Finding::Kind::EarlyPart && in_loop(f);
  });
}

template <class Is>
void fold_alike(std::vector<Finding>& findings, const Is& is, std::string_view words) {
  const std::size_t first = first_of(findings, is);
  std::vector<std::size_t> keeper = each_alone(findings);
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (is(findings[i])) keeper[i] = first;
  fold_into(findings, keeper, words);
}

// Memory of a CTA of the cluster that may not have begun.
bool is_unbegun(const Finding& f) {
  return f.code == code::kRace && f.memory.name.empty() && f.kind == Finding::Kind::Other &&
         f.weight == static_cast<int>(Reach::Cluster);
}

// One barrier of the cluster: CTAs that have not begun, or that have ended.
void fold_lives_of_ctas(std::vector<Finding>& findings) {
  const auto is_ended = [](const Finding& f) { return f.code == code::kEndedCta && f.severity == Severity::Error; };
  fold_alike(findings, is_unbegun, "the same barrier is missing: ");
  fold_alike(findings, is_ended, "the same barrier is missing: ");
}

// What is not waited for has not been written, either: the buffer that it is read from, or any that a copy is still
// under way to. A value that comes from such a read tells of that read (undefined.cpp).
void fold_behind_unawaited(std::vector<Finding>& findings) {
  std::vector<std::size_t> keeper = each_alone(findings);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& f = findings[i];
    if (f.code != code::kUnwritten) continue;
    const std::size_t cause = first_of(findings, [&](const Finding& c) {
      const bool is_cause = c.code == code::kUnawaited && c.severity == Severity::Error;
      return is_cause && (f.memory.arriving || f.memory.name.empty() || f.memory.name == c.memory.name);
    });
    if (cause < findings.size()) keeper[i] = cause;
  }
  fold_into(findings, keeper, "may follow from it: ");
}

// A ring whose reader ends before its writer: what the missing rounds were to write is not written, either.
void fold_behind_unended(std::vector<Finding>& findings, const lower::LoweredKernel& kernel) {
  const std::size_t cause = first_of(findings, [](const Finding& f) {
    return f.code == code::kUnfinished && f.severity == Severity::Error && !f.barriers.empty();
  });
  if (cause == findings.size()) return;
  const std::string barriers(buffer_of(findings[cause].barriers.front()));
  fold_behind(findings, cause, [&](const Finding& f) {
    return f.code == code::kUnwritten && f.memory.data &&
           is_written_in_loops_of(kernel.device, f.memory.data, barriers, f.origin);
  });
}

// A bulk copy that is not waited for before its slot is given back may also end after its CTA.
void fold_behind_early_release(std::vector<Finding>& findings) {
  const std::size_t cause = first_of(
      findings, [](const Finding& f) { return f.code == code::kRace && f.queue == 1 + static_cast<int>(Queue::Bulk); });
  if (cause == findings.size()) return;
  const Finding race = findings[cause];
  fold_behind(findings, cause, [&](const Finding& f) {
    return f.code == code::kUnfinished && f.barriers.empty() && touches(race, f.origin);
  });
}

// Memory of another CTA that nothing waits for: that CTA may have ended, too, or not have begun.
void fold_behind_cluster_race(std::vector<Finding>& findings) {
  const std::size_t cause = first_of(findings, [](const Finding& f) {
    return lacks_barrier(f) && f.code == code::kRace && f.weight == static_cast<int>(Reach::Cluster);
  });
  if (cause == findings.size()) return;
  const Finding race = findings[cause];
  fold_behind(findings, cause, [&](const Finding& f) {
    return (f.code == code::kEndedCta && touches(race, f.origin)) || is_unbegun(f);
  });
}

// Numbers that a race leaves lead threads to the same place, and to the same value.
void fold_behind_race(std::vector<Finding>& findings) {
  const std::size_t cause = first_of(findings, [&](const Finding& f) {
    return f.code == code::kRace && f.severity == Severity::Error && lacks_barrier(f) && !is_of_one(f);
  });
  if (cause == findings.size()) return;
  const Place place = place_of(findings[cause].origin);
  fold_behind(findings, cause, [&](const Finding& f) {
    return ((is_race(f) && is_of_one(f)) || f.code == code::kEqualStores) && place <= place_of(f.origin);
  });
}

// Operations of one kind that one wait would end: it stands before the first use of any of them.
void fold_waits(std::vector<Finding>& findings) {
  std::vector<std::size_t> keeper = each_alone(findings);
  auto is_one = [](const Finding& f) {
    return f.code == code::kUnawaited && f.severity == Severity::Error && f.queue != 0 && !f.related.empty();
  };
  auto shares = [](const Finding& a, const Finding& b) {
    const bool counted = !a.barriers.empty() || !b.barriers.empty();
    return a.queue == b.queue && (!counted || std::ranges::find_first_of(a.barriers, b.barriers) != a.barriers.end()) &&
           share_a_barrier(stretch_of(a), stretch_of(b));
  };
  for (std::size_t i = 0; i < findings.size(); ++i) {
    for (std::size_t j = 0; j < findings.size() && is_one(findings[i]); ++j) {
      if (!is_one(findings[j]) || !shares(findings[i], findings[j])) continue;
      if (place_of(findings[j].origin) < place_of(findings[keeper[i]].origin)) keeper[i] = j;
    }
  }
  // What is kept for another one is kept for the first of all.
  for (std::size_t& k : keeper)
    while (keeper[k] != k) k = keeper[k];
  fold_into(findings, keeper, "the same wait is missing: ");
}

// A slot that is filled again while it is read looks like a copy that is not waited for: where a barrier is missing
// before the same use, that is it.
void fold_later_rounds(std::vector<Finding>& findings) {
  std::vector<std::size_t> keeper = each_alone(findings);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].kind != Finding::Kind::LaterRound) continue;
    const std::size_t race = first_of(findings, [&](const Finding& f) {
      return lacks_barrier(f) && f.severity == Severity::Error && ir::same_origin(f.origin, findings[i].origin);
    });
    if (race < findings.size()) keeper[i] = race;
  }
  fold_into(findings, keeper, "the same barrier is missing: ");
}

// Writes that several asynchronous copies meet: one fence is missing behind them. The first copy after them is told.
void fold_fences(std::vector<Finding>& findings) {
  auto is_one = [](const Finding& f) {
    return f.code == code::kProxy && f.severity == Severity::Error && !f.related.empty();
  };
  auto rank = [&](std::size_t i) {
    const Place place = place_of(findings[i].origin);
    return std::pair(place < place_of(findings[i].related.front().origin), place);
  };
  std::vector<std::size_t> keeper = each_alone(findings);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    for (std::size_t j = 0; j < findings.size() && is_one(findings[i]); ++j) {
      const bool same = is_one(findings[j]) &&
                        ir::same_origin(findings[i].related.front().origin, findings[j].related.front().origin);
      if (same && rank(j) < rank(keeper[i])) keeper[i] = j;
    }
  }
  fold_into(findings, keeper, "the same fence is missing: ");
}

// A named barrier that counts warps for the wrong time: waits at such barriers that have no end, and what the barriers
// of that loop, or this one, are to order.
void fold_behind_mixed_times(std::vector<Finding>& findings, const lower::LoweredKernel& kernel) {
  using enum Finding::Kind;
  const std::size_t cause = first_of(findings, [](const Finding& f) { return f.kind == MixedTimes; });
  if (cause == findings.size()) return;
  const ir::Origin barrier = findings[cause].origin;
  const Place place = place_of(barrier);
  fold_behind(findings, cause, [&](const Finding& f) {
    if (f.kind == MixedTimes || f.kind == AtNamedBarrier) return true;
    if (!lacks_barrier(f) || f.weight >= static_cast<int>(Reach::Cluster)) return false;
    const Stretch s = stretch_of(f);
    return (s.from < place && place < s.to) || share_a_loop(kernel.device, barrier, f.origin) ||
           share_a_loop(kernel.device, barrier, f.related.front().origin);
  });
}

bool share_barriers(const Finding& a, const Finding& b) {
  return std::ranges::any_of(a.barriers, [&](const std::string& one) {
    return std::ranges::any_of(b.barriers,
                               [&](const std::string& other) { return buffer_of(one) == buffer_of(other); });
  });
}

// Bytes that a phase does not announce complete it too early, or a later one never: what its waiters do too early, and
// copies into one slot.
void fold_behind_other_bytes(std::vector<Finding>& findings) {
  const std::size_t cause = first_of(findings, [](const Finding& f) { return f.kind == Finding::Kind::OtherBytes; });
  if (cause == findings.size()) return;
  const Finding bytes = findings[cause];
  const auto is_early = [&](const Finding& f) {
    return (f.code == code::kInterleaving || f.code == code::kUnawaited) && share_barriers(bytes, f);
  };
  std::vector<ir::Origin> copies;
  for (const Finding& f : findings)
    if (is_early(f)) copies.push_back(f.origin);
  fold_behind(findings, cause, [&](const Finding& f) {
    const auto is_at = [&](const ir::Origin& copy) { return touches(f, copy); };
    return is_early(f) || (is_race(f) && std::ranges::any_of(copies, is_at));
  });
}

// The same where a phase has more bytes at the end than all announcements: nothing holds in the loops of its barrier.
void fold_behind_unannounced_bytes(std::vector<Finding>& findings, const lower::LoweredKernel& kernel) {
  const std::size_t cause = first_of(findings, [](const Finding& f) {
    return f.code == code::kBytes && f.severity == Severity::Error && !f.barriers.empty();
  });
  if (cause == findings.size()) return;
  const std::string barriers(buffer_of(findings[cause].barriers.front()));
  fold_behind(findings, cause, [&](const Finding& f) {
    const bool is_kind = f.code == code::kInterleaving || f.code == code::kUnawaited || is_race(f);
    return is_kind && f.weight < kCause && is_in_loop_of(kernel.device, f.origin, barriers);
  });
}

// Two sides of a ring of which one does not wait for the other: what they do to the slots of that loop, waits on the
// same barriers that have no end, and copies of what the other side has not written yet.
void fold_behind_early_part(std::vector<Finding>& findings, const lower::LoweredKernel& kernel) {
  const std::size_t cause = first_of(findings, [](const Finding& f) {
    return f.kind == Finding::Kind::EarlyPart || f.kind == Finding::Kind::EarlyWait;
  });
  if (cause == findings.size()) return;
  const Finding early = findings[cause];
  const std::string barriers(buffer_of(early.barriers.front()));
  fold_behind(findings, cause, [&](const Finding& f) {
    if (f.code == code::kUnawaited && is_of_one(f)) return ir::same_origin(f.origin, early.origin);
    if (f.code == code::kDeadlock && f.weight < kCause)
      return share_barriers(early, f) || std::ranges::any_of(f.barriers, [&](const std::string& b) {
               return is_in_loop_of(kernel.device, early.origin, buffer_of(b));
             });
    if (f.code == code::kUnwritten && f.memory.name.empty()) return is_in_loop_of(kernel.device, f.origin, barriers);
    // The other side's waits on another barrier of the ring.
    if (f.kind == Finding::Kind::LateWait && f.weight < kCause)
      return !share_barriers(early, f) && share_a_loop(kernel.device, early.origin, f.origin);
    return is_race(f) && f.severity == Severity::Error && !f.related.empty() &&
           f.weight == static_cast<int>(Reach::Cta) &&
           (share_a_loop(kernel.device, early.origin, f.origin) ||
            share_a_loop(kernel.device, early.origin, f.related.front().origin));
  });
}

// Tensor memory that is read, or given back, before what uses it is done: what is read then, and what comes of it.
void fold_behind_tensor_memory(std::vector<Finding>& findings, const lower::LoweredKernel& kernel) {
  const auto is_early = [](const Finding& f) {
    return (is_race(f) || f.code == code::kUnawaited) && f.severity == Severity::Error && !f.related.empty();
  };
  const auto is_cause = [&](const Finding& f) { return is_early(f) && f.kind != Finding::Kind::GivesBack; };
  std::vector<std::size_t> keeper = each_alone(findings);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Finding& f = findings[i];
    const auto takes = [&](const Finding& c) {
      if (f.kind == Finding::Kind::GivesBack)
        return is_cause(c) && !f.related.empty() && touches(c, f.related.front().origin);
      if (f.code == code::kTensorMemory) return c.kind == Finding::Kind::GivesBack && touches(c, f.origin);
      return f.code == code::kUnwritten && !f.memory.data && is_cause(c) &&
             (is_handed(kernel.device, f.memory.name, c.origin) ||
              is_handed(kernel.device, f.memory.name, c.related.front().origin));
    };
    const std::size_t cause = first_of(findings, takes);
    if (cause < findings.size() && cause != i) keeper[i] = cause;
  }
  for (std::size_t& k : keeper)
    while (keeper[k] != k) k = keeper[k];
  fold_into(findings, keeper, "may follow from it: ");
}

// A barrier of the CTA that only a part of it comes to, and the threads that wait there for ever.
void fold_behind_parted_wait(std::vector<Finding>& findings) {
  const std::size_t cause = first_of(findings, [](const Finding& f) { return f.code == code::kDivergence; });
  if (cause == findings.size()) return;
  const Finding parted = findings[cause];
  fold_behind(findings, cause, [&](const Finding& f) {
    return f.code == code::kDeadlock && f.weight < kCause && touches(parted, f.origin);
  });
}

// A flag that a CTA polls without synchronisation while another one sets it, and what it is to guard.
void fold_behind_flag(std::vector<Finding>& findings, const lower::LoweredKernel& kernel) {
  auto is_one = [](const Finding& f) {
    return f.code == code::kRace && f.severity == Severity::Error && f.memory.data && !f.related.empty() &&
           f.weight >= static_cast<int>(Reach::Cluster);
  };
  if (std::ranges::count_if(findings, is_one) < 2) return;
  std::vector<std::size_t> keeper = each_alone(findings);
  const std::size_t flag =
      first_of(findings, [&](const Finding& f) { return is_one(f) && is_polled(kernel.device, f.memory.data); });
  for (std::size_t i = 0; i < findings.size() && flag < findings.size(); ++i)
    if (is_one(findings[i]) && !is_polled(kernel.device, findings[i].memory.data)) keeper[i] = flag;
  fold_into(findings, keeper, "may follow from it: ");
}

}  // namespace

void relate(Finding& to, Finding::Related one) {
  if (to.related.size() < kMostRelated)
    to.related.push_back(std::move(one));
  else
    ++to.more;
}

std::vector<Finding::Related> related_as_told(const Finding& f) {
  std::vector<Finding::Related> out = f.related;
  if (f.more && !out.empty()) out.back().message += " (and " + std::to_string(f.more) + " more)";
  return out;
}

void fold_same_faults(std::vector<Finding>& findings, const lower::LoweredKernel* kernel) {
  fold_unordered_inits(findings);
  fold_behind_never_waited(findings);
  if (kernel) fold_behind_deciding_race(findings, *kernel);
  if (kernel) fold_behind_flag(findings, *kernel);
  // A count that is known to be wrong (Causes) takes all that follows from it.
  if (std::ranges::none_of(findings, [](const Finding& f) { return f.weight >= kCause; })) {
    fold_behind_other_bytes(findings);
    if (kernel) fold_behind_unannounced_bytes(findings, *kernel);
    if (kernel) fold_behind_early_part(findings, *kernel);
    if (kernel) fold_behind_mixed_times(findings, *kernel);
  }
  if (kernel) fold_behind_tensor_memory(findings, *kernel);
  fold_divergence(findings);
  fold_behind_parted_wait(findings);
  if (kernel) fold_behind_parted_barrier(findings, *kernel);
  fold_behind_bounds(findings);
  fold_late_wait(findings);
  if (kernel) fold_behind_unwaited_slot(findings, *kernel);
  if (kernel) fold_around_unawaited_copy(findings, *kernel);
  fold_lives_of_ctas(findings);
  fold_behind_unawaited(findings);
  if (kernel) fold_behind_unended(findings, *kernel);
  fold_behind_early_release(findings);
  fold_waits(findings);
  fold_fences(findings);
  fold_barriers(findings);
  fold_later_rounds(findings);
  fold_behind_cluster_race(findings);
  fold_behind_race(findings);
  fold_equal_stores(findings);
  fold_unwritten(findings);
}

}  // namespace tilewright::simulate
