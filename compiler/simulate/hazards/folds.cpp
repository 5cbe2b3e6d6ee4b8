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
#include "compiler/simulate/hazards/races.h"

namespace tilewright::simulate {
namespace {

constexpr std::size_t kMostRelated = 8;
constexpr std::string_view kLateWait = " may come to this wait";  // interleavings.cpp
constexpr std::string_view kSplit = " is split over two barriers";

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
  return is_race && !f.related.empty() && f.weight < static_cast<int>(Reach::Grid) && f.hint.starts_with("put ") &&
         f.hint.find("between them") != std::string::npos && f.hint.find("release on the side") == std::string::npos;
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

void relate(Finding& to, Finding&& f, std::string_view words) {
  const auto known = [&](const Finding::Related& r) { return ir::same_origin(r.origin, f.origin); };
  if (to.related.size() >= kMostRelated || ir::same_origin(to.origin, f.origin)) return;
  if (std::ranges::any_of(to.related, known)) return;
  to.related.push_back({f.origin, std::string(words) + std::string(f.code) + ": " + f.message});
}

// Findings that stay: those at `keep`, each with the others of its group as related places.
void fold_into(std::vector<Finding>& findings, const std::vector<std::size_t>& keeper, std::string_view words) {
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (keeper[i] != i) relate(findings[keeper[i]], std::move(findings[i]), words);
  std::size_t at = 0;
  std::erase_if(findings, [&](const Finding&) {
    const std::size_t i = at++;
    return keeper[i] != i;
  });
}

// One missing barrier. The first in the text is told, with the hint of the widest.
void fold_barriers(std::vector<Finding>& findings) {
  std::vector<std::size_t> group(findings.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  std::vector<Stretch> stretches(findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (lacks_barrier(findings[i])) stretches[i] = stretch_of(findings[i]);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    for (std::size_t j = 0; j < i && !stretches[i].to.empty(); ++j) {
      if (stretches[j].to.empty() || group[i] == group[j] || !share_a_barrier(stretches[i], stretches[j])) continue;
      std::ranges::replace(group, group[i], group[j]);
    }
  }
  std::vector<std::size_t> keeper(findings.size());
  std::iota(keeper.begin(), keeper.end(), std::size_t{0});
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

// "s" of "s[3] is read and ..." and of "element 3 of `s` is read and ...".
std::string_view buffer_of(std::string_view message) {
  if (const std::size_t tick = message.find('`'); message.starts_with("element ") && tick != message.npos) {
    message.remove_prefix(tick + 1);
    return message.substr(0, message.find('`'));
  }
  const std::size_t end = message.find_first_of("[ ");
  return end != message.npos && message[end] == '[' ? message.substr(0, end) : std::string_view();
}

// One buffer that is not, or not wholly, written.
void fold_unwritten(std::vector<Finding>& findings) {
  std::vector<std::size_t> keeper(findings.size());
  std::iota(keeper.begin(), keeper.end(), std::size_t{0});
  auto is_before = [&](std::size_t a, std::size_t b) {
    return place_of(findings[a].origin) < place_of(findings[b].origin);
  };
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].code != code::kUnwritten) continue;
    const std::string_view name = buffer_of(findings[i].message);
    for (std::size_t j = 0; j < findings.size() && !name.empty(); ++j) {
      const bool same = findings[j].code == code::kUnwritten && findings[j].severity == findings[i].severity &&
                        buffer_of(findings[j].message) == name;
      if (same && is_before(j, keeper[i])) keeper[i] = j;
    }
  }
  fold_into(findings, keeper, "read here as well: ");
}

// Calls `follows(f)` of each finding other than `cause`, which takes those of which it is true.
template <class Follows>
void fold_behind(std::vector<Finding>& findings, std::size_t cause, const Follows& follows) {
  std::vector<std::size_t> keeper(findings.size());
  std::iota(keeper.begin(), keeper.end(), std::size_t{0});
  for (std::size_t i = 0; i < findings.size(); ++i)
    if (i != cause && follows(findings[i])) keeper[i] = cause;
  fold_into(findings, keeper, "may follow from it: ");
}

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
  const bool is_split = findings[cause].message.find(kSplit) != std::string::npos;
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
  fold_behind(findings, cause, [&](const Finding& f) { return is_race(f) && touches(f, place); });
}

// A slot that is filled again while it is read: its readers may also come too late to the wait for the next copy.
void fold_late_wait(std::vector<Finding>& findings) {
  auto is_late = [](const Finding& f) {
    return f.code == code::kInterleaving && f.weight < kCause && f.message.find(kLateWait) != std::string::npos;
  };
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

// What is not waited for has not been written, either.
void fold_behind_unawaited(std::vector<Finding>& findings) {
  const std::size_t cause =
      first_of(findings, [](const Finding& f) { return f.code == code::kUnawaited && f.severity == Severity::Error; });
  if (cause < findings.size())
    fold_behind(findings, cause, [](const Finding& f) { return f.code == code::kUnwritten; });
}

// Memory of another CTA that nothing waits for: that CTA may have ended, too.
void fold_behind_cluster_race(std::vector<Finding>& findings) {
  const std::size_t cause = first_of(findings, [](const Finding& f) {
    return lacks_barrier(f) && f.code == code::kRace && f.weight == static_cast<int>(Reach::Cluster);
  });
  if (cause == findings.size()) return;
  const Finding race = findings[cause];
  fold_behind(findings, cause, [&](const Finding& f) { return f.code == code::kEndedCta && touches(race, f.origin); });
}

// Numbers that a race leaves lead threads to the same place, and to the same value.
void fold_behind_race(std::vector<Finding>& findings) {
  auto is_of_one = [](const Finding& f) {
    return is_race(f) && !f.related.empty() && ir::same_origin(f.origin, f.related.front().origin);
  };
  const std::size_t cause = first_of(findings, [&](const Finding& f) {
    return f.code == code::kRace && f.severity == Severity::Error && lacks_barrier(f) && !is_of_one(f);
  });
  if (cause == findings.size()) return;
  const Place place = place_of(findings[cause].origin);
  fold_behind(findings, cause, [&](const Finding& f) {
    return (is_of_one(f) || f.code == code::kEqualStores) && place <= place_of(f.origin);
  });
}

}  // namespace

void fold_same_faults(std::vector<Finding>& findings) {
  fold_divergence(findings);
  fold_behind_bounds(findings);
  fold_late_wait(findings);
  fold_behind_unawaited(findings);
  fold_barriers(findings);
  fold_behind_cluster_race(findings);
  fold_behind_race(findings);
  fold_unwritten(findings);
}

}  // namespace tilewright::simulate
