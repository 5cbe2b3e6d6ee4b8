#include "compiler/simulate/hazards/causes.h"

#include <algorithm>
#include <bit>
#include <span>

#include "compiler/intrinsics/say.h"
#include "compiler/ir/origin.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/hazards/folds.h"
#include "compiler/simulate/machine/machine.h"
#include "compiler/text/amounts.h"

namespace tilewright::simulate {
namespace {

constexpr int kKnownCause = kCause + 1;

using Kind = Finding::Kind;

// May it follow from a barrier that counts wrongly?
bool may_follow(const Finding& f) {
  constexpr std::string_view kCodes[] = {code::kUnwritten,  code::kDeadlock, code::kMbarrier,  code::kBytes,
                                         code::kUnfinished, code::kRace,     code::kUnawaited, code::kInterleaving};
  return f.weight < kCause && std::ranges::find(kCodes, f.code) != std::end(kCodes);
}

}  // namespace

std::string_view usual_hint(std::string_view finding) {
  struct Hint {
    std::string_view code, text;
  };
  static constexpr Hint kHints[] = {
      {code::kOutOfBounds, "guard the access with a test of its index, or correct the index"},
      {code::kUnwritten,
       "write it before it is read, and wait for what writes it; Tx.cta.fill gives a whole tile a value"},
      {code::kMisaligned, "let the address be a multiple of the access, or make the access narrower"},
      {code::kDivergence, "move the barrier out of the branch, so that all threads come to one call"},
      {code::kPartialWarp, "let all lanes that the mask names come to the call, or give it the mask of those that do"},
      {code::kDivision, "test the divisor before"},
      {code::kPointer,
       "pass an address of the kernel's own buffers; of another CTA's memory only to instructions that "
       "take .shared::cluster"},
      {code::kMbarrier, "let one thread initialise the barrier, and as many arrive in each phase as that says"},
      {code::kBytes, "let expect_tx announce as many bytes as the copies that signal the barrier bring"},
      {code::kLaunch, "change the extents of the launch"},
  };
  const auto found = std::ranges::find(kHints, finding, &Hint::code);
  return found == std::end(kHints) ? std::string_view() : found->text;
}

void Causes::arrives(Machine& m, const Thread& t, std::uint64_t barrier) {
  const std::uint64_t at = m.generic(barrier);
  Barrier& b = barriers_[at];
  const std::uint32_t warp = t.number / 32, lane = 1u << (t.linear % 32);
  if (b.warp != warp || b.pc != t.pc || (b.lanes & lane)) b.lanes = 0;
  b.warp = warp;
  b.pc = t.pc;
  b.lanes |= lane;
  const int lanes = std::popcount(b.lanes);
  const Mbarrier* state = m.find_barrier(at);
  if (state) counts(m, t, b, *state);
  if (!state || lanes < 2 || lanes <= state->arrivals) return;
  // Later lanes make the count larger.
  auto known = std::ranges::find_if(
      found_, [](const Finding& f) { return f.code == code::kMbarrier && f.kind != Kind::TooFewArrivals; });
  if (known != found_.end() && !ir::same_origin(known->origin, m.origin_of(t))) return;
  if (known == found_.end()) known = found_.insert(found_.begin(), Finding{});
  if (known->times >= static_cast<std::uint64_t>(lanes)) return;
  known->code = code::kMbarrier;
  known->message = std::to_string(lanes) + " lanes of warp " + std::to_string(t.linear / 32) + " each arrive at " +
                   state->name + " by this call, and a phase takes " + text::counted(state->arrivals, "arrival");
  known->hint = "let one lane do it: put `if {elect}():` around the call"_row_text;
  known->origin = m.origin_of(t);
  known->cta = m.cta_of(t);
  known->thread = t.linear;
  known->weight = kCause;
  known->times = static_cast<std::uint64_t>(lanes);
  known->related = {{state->origin, state->name + " is initialised here"}};
}

// More threads arrive by one call than a phase takes. Some kernels let a different one arrive in each phase: it is told
// where the counting itself goes wrong (is_of_its_barrier()).
void Causes::counts(Machine& m, const Thread& t, Barrier& b, const Mbarrier& state) {
  if (b.call == ~0u) b.call = t.pc;
  if (b.call != t.pc) return;
  const auto place = std::ranges::lower_bound(b.arrivers, t.number);
  if (place != b.arrivers.end() && *place == t.number) return;
  b.arrivers.insert(place, t.number);
  const auto arrivers = static_cast<std::int64_t>(b.arrivers.size());
  if (arrivers <= state.arrivals) return;
  auto known = std::ranges::find(found_, Kind::TooFewArrivals, &Finding::kind);
  if (known == found_.end()) known = found_.insert(found_.end(), Finding{});
  if (static_cast<std::int64_t>(known->times) >= arrivers) return;
  known->code = code::kMbarrier;
  known->message = state.name + " is initialised for " + text::counted(state.arrivals, "arrival") + ", and " +
                   std::to_string(arrivers) + " threads arrive at it by one call: its phases end before all have come";
  known->kind = Kind::TooFewArrivals;
  known->barriers = {state.name};
  known->hint = "initialise it for " + std::to_string(arrivers) + " arrivals, or let fewer threads arrive";
  known->origin = state.origin;
  known->cta = m.cta_of(t);
  known->thread = t.linear;
  known->weight = kCause;
  known->times = static_cast<std::uint64_t>(arrivers);
  known->related = {{m.origin_of(t), text::counted(arrivers, "thread") + " arrive here"}};
}

void Causes::announces(Machine& m, const Thread& t, std::uint64_t barrier, std::int64_t bytes) {
  const std::uint64_t at = m.generic(barrier);
  Barrier& b = barriers_[at];
  if (b.thread == ~0u) b.thread = t.number;
  b.mixed = b.mixed || b.thread != t.number;
  if (b.copied > 0) compare(m, at, b);
  b.announced += bytes;
  b.announcement = m.origin_of(t);
}

void Causes::copies(Machine& m, const Thread& t, std::uint64_t barrier, std::int64_t bytes) {
  Barrier& b = barriers_[m.generic(barrier)];
  b.mixed = b.mixed || b.thread != t.number || b.announced == 0;
  b.copied += bytes;
  const ir::Origin origin = m.origin_of(t);
  const auto same = [&](const ir::Origin& had) { return ir::same_origin(had, origin); };
  if (b.counted.size() < kMostRelated && std::ranges::none_of(b.counted, same)) b.counted.push_back(origin);
  if (b.brought.size() < kMostRelated) b.brought.push_back({m.origin_of(t), "brings " + text::counted(bytes, "byte")});
}

void Causes::compare(Machine& m, std::uint64_t at, Barrier& b) {
  const Mbarrier* state = m.find_barrier(at);
  const bool differs = !b.mixed && b.announced > 0 && b.copied > 0 && b.announced != b.copied;
  if (differs && state && !by_bytes_) {
    by_bytes_ = true;
    Finding f;
    f.code = code::kBytes;
    f.message = "expect_tx announces " + std::to_string(b.announced) + " bytes for a phase of " + state->name +
                ", and the copies after it bring " + std::to_string(b.copied);
    f.hint = "announce " + std::to_string(b.copied) + " bytes, as many as the copies bring";
    f.origin = b.announcement;
    f.cta = m.cta_of(m.thread(b.thread));
    f.thread = m.thread(b.thread).linear;
    f.weight = kCause;
    f.related = std::move(b.brought);
    found_.push_back(std::move(f));
  }
  b.announced = b.copied = 0;
  b.brought.clear();
}

void Causes::comes(Machine& m, const Thread& t, std::uint64_t barrier, std::int64_t phase) {
  constexpr std::size_t kMostIdle = 8;
  const std::uint64_t at = m.generic(barrier);
  Barrier::Waits& own = barriers_[at].waits[t.number];
  own.pending = phase;
  const Mbarrier* state = m.find_barrier(at);
  const bool over = state && phase < static_cast<std::int64_t>(state->phase);
  if (!over || (phase >= 0 && own.last != phase)) return;
  const ir::Origin origin = m.place_in_script(t);
  auto known = std::ranges::find_if(idle_, [&](const Idle& had) {
    return had.barrier == at && had.phase == phase && ir::same_origin(had.origin, origin);
  });
  if (known == idle_.end() && idle_.size() >= kMostIdle) return;
  if (known == idle_.end()) known = idle_.insert(known, {at, phase, state->name, origin, m.cta_of(t), {}});
  known->threads.push_back(t.linear);
}

void Causes::leaves(const Thread& t, std::uint64_t barrier) {
  const auto known = barriers_.find(barrier);
  if (known == barriers_.end()) return;
  const auto own = known->second.waits.find(t.number);
  if (own != known->second.waits.end()) own->second.last = own->second.pending;
}

// Some of these waits are meant (a producer's first ones): it is a cause where its thread then touches what a copy
// writes that the barrier counts.
void Causes::take_idle(Machine& m, const Idle& idle) {
  const Barrier& b = barriers_[idle.barrier];
  auto is_counted = [&](const ir::Origin& origin) {
    return std::ranges::any_of(b.counted, [&](const ir::Origin& had) { return ir::same_origin(had, origin); });
  };
  auto shows = [&](const Finding& f) {
    const bool is_kind = f.code == code::kUnawaited || f.code == code::kRace;
    return is_kind && f.cta == idle.cta && std::ranges::find(idle.threads, f.thread) != idle.threads.end() &&
           !f.related.empty() && is_counted(f.related.front().origin);
  };
  // Where the copies then wait for what came too early none is issued: the same wait hangs, and nothing is written.
  auto hangs = [&](const Finding& f) {
    return f.code == code::kDeadlock && ir::same_origin(f.origin, idle.origin) &&
           std::ranges::find(f.barriers, idle.name) != f.barriers.end();
  };
  auto reads_nothing = [&](const Finding& f) {
    return f.code == code::kUnwritten && f.cta == idle.cta &&
           std::ranges::find(idle.threads, f.thread) != idle.threads.end();
  };
  const auto any = [&](const auto& is) { return std::ranges::any_of(m.result().findings, is); };
  if (!any(shows) && !(idle.phase < 0 && any(hangs) && any(reads_nothing))) return;
  if (std::ranges::find(found_, Kind::OtherParity, &Finding::kind) != found_.end()) return;
  const std::string parity = std::to_string(idle.phase & 1), next = std::to_string(idle.phase + 1);
  Finding f;
  f.code = code::kInterleaving;
  f.message = "this wait returns at once: parity " + parity + " means " +
              (idle.phase < 0 ? "the phase before the first, and no phase of " + idle.name + " has ended"
                              : "phase " + std::to_string(idle.phase) + " of " + idle.name +
                                    ", which the thread has waited for before");
  f.kind = Kind::OtherParity;
  f.barriers = {idle.name};
  f.hint = "wait for phase " + next + " here, of parity " + std::to_string((idle.phase + 1) & 1) +
           (idle.phase < 0 ? ": a barrier begins in phase 0" : ": the parity changes with each phase");
  f.origin = idle.origin;
  f.cta = idle.cta;
  f.thread = idle.threads.front();
  f.weight = kKnownCause;
  for (const ir::Origin& copy : b.counted)
    if (f.related.size() < 3) f.related.push_back({copy, idle.name + " counts this copy"});
  found_.push_back(std::move(f));
}

// A copy that is touched too early, and no thread waits on a barrier that counts it: what else goes wrong with barriers
// may follow, since a wait is part of their rhythm.
void Causes::mark_never_waited(Machine& m) const {
  for (Finding& f : m.result().findings) {
    if (f.code != code::kUnawaited || f.related.empty()) continue;
    bool counted = false, waited = false;
    for (const auto& [at, b] : barriers_) {
      const auto is_it = [&](const ir::Origin& had) { return ir::same_origin(had, f.related.front().origin); };
      if (std::ranges::none_of(b.counted, is_it)) continue;
      counted = true;
      waited = waited || !b.waits.empty();
      if (const Mbarrier* state = m.find_barrier(at)) f.barriers.push_back(state->name);
    }
    if (counted && !waited) f.kind = Kind::NeverWaited;
  }
}

std::vector<Finding> Causes::take(Machine& m) {
  mark_never_waited(m);
  for (const Idle& idle : idle_) take_idle(m, idle);
  idle_.clear();
  // Where the run has stopped copies may be missing, never too many.
  for (auto& [at, b] : barriers_)
    if (b.copied > b.announced) compare(m, at, b);
  return std::move(found_);
}

std::string_view buffer_of(std::string_view barrier) {
  barrier.remove_prefix(std::min(barrier.size(), barrier.find('`') + 1));
  return barrier.substr(0, barrier.find_first_of("`["));
}

namespace {

// Memory that one thread gives back before the others are done: they may also come too late to their next wait.
void fold_late_waits(std::vector<Finding>& findings) {
  const auto released = std::ranges::find(findings, Kind::ReleasedForAll, &Finding::kind);
  if (released == findings.end()) return;
  for (const Finding& f : findings)
    if (f.code == code::kInterleaving)
      relate(*released, {f.origin, "follows from it: " + std::string(f.code) + ": " + f.message});
  std::erase_if(findings, [](const Finding& f) { return f.code == code::kInterleaving; });
}

// A copy that is read before it is waited for also ends too late for its CTA, or for another one; and what one thread
// has waited for others have not.
void fold_late_ends(std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].code != code::kUnawaited || findings[i].related.empty()) continue;
    Finding first = std::move(findings[i]);
    const ir::Origin copy = first.related.front().origin;
    const auto follows = [&](const Finding& f) {
      const bool ends = f.code == code::kEndedCta || f.code == code::kUnfinished;
      const bool same_two = f.code == code::kRace && ir::same_origin(f.origin, first.origin) && !f.related.empty() &&
                            ir::same_origin(f.related.front().origin, copy);
      return same_two || (ends && (ir::same_origin(f.origin, copy) || ir::same_origin(f.origin, first.origin)));
    };
    for (const Finding& f : findings)
      if (follows(f)) relate(first, {f.origin, "follows from it: " + std::string(f.code) + ": " + f.message});
    const auto before = std::ranges::count_if(std::span(findings).first(i), follows);
    std::erase_if(findings, follows);
    i -= static_cast<std::size_t>(before);
    findings[i] = std::move(first);
  }
}

// Does what goes wrong concern the barrier whose count this is?
bool is_of_its_barrier(const Finding& cause, const std::vector<Finding>& findings) {
  constexpr std::string_view kCodes[] = {code::kInterleaving, code::kMbarrier, code::kDeadlock};
  const std::string_view name = buffer_of(cause.barriers.front());
  return std::ranges::any_of(findings, [&](const Finding& f) {
    if (f.weight >= kCause || std::ranges::find(kCodes, f.code) == std::end(kCodes)) return false;
    return std::ranges::any_of(f.barriers, [&](const std::string& one) { return buffer_of(one) == name; });
  });
}

}  // namespace

void put_causes_first(std::vector<Finding>& findings, const lower::LoweredKernel* kernel) {
  std::erase_if(findings, [&](const Finding& f) {
    return f.weight == kCause && f.kind == Kind::TooFewArrivals && !is_of_its_barrier(f, findings);
  });
  fold_late_waits(findings);
  fold_late_ends(findings);
  fold_same_faults(findings, kernel);
  // One that has led to something before is told whatever else is found (findings come from several schedules).
  auto first = std::ranges::find(findings, kKnownCause, &Finding::weight);
  if (first == findings.end()) first = std::ranges::find(findings, kCause, &Finding::weight);
  if (first == findings.end()) return;
  Finding cause = std::move(*first);
  const bool known = cause.weight == kKnownCause;
  std::erase_if(findings, [&](const Finding& f) { return f.weight >= kCause; });
  // The same said at the same place, by the rule that the cause breaks.
  auto same = [&](const Finding& f) { return f.code == cause.code && ir::same_origin(f.origin, cause.origin); };
  const bool told = std::ranges::any_of(findings, same);
  auto follows = [&](const Finding& f) { return f.severity == Severity::Error && may_follow(f) && !same(f); };
  const auto others = std::ranges::count_if(findings, follows);
  if (others == 0 && !known) return;
  if (others == 1 && !told && !known) {
    Finding& one = *std::ranges::find_if(findings, follows);
    one.related.push_back({cause.origin, cause.message});
    if (one.hint.empty()) one.hint = cause.hint;
    return;
  }
  // The barrier's own account of its bytes stays where it is, at the initialisation, and names the announcement.
  const auto account = std::ranges::find_if(findings, [&](const Finding& f) {
    return cause.code == code::kBytes && f.code == cause.code && f.severity == Severity::Error && !same(f);
  });
  if (account != findings.end()) {
    Finding own = std::move(*account);
    findings.erase(account);
    own.related.insert(own.related.begin(), {cause.origin, cause.message});
    own.hint = cause.hint;
    cause = std::move(own);
  }
  for (const Finding& f : findings) {
    if (follows(f)) relate(cause, {f.origin, "follows from it: " + std::string(f.code) + ": " + f.message});
  }
  std::erase_if(findings, [&](const Finding& f) { return follows(f) || same(f); });
  cause.weight = kKnownCause;
  findings.insert(findings.begin(), std::move(cause));
}

}  // namespace tilewright::simulate
