#include "compiler/simulate/hazards/interleavings.h"

#include <algorithm>

#include "compiler/ir/origin.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/hazards/clock.h"
#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {
namespace {

using Clock = Interleavings::Clock;

std::uint32_t at(const Clock& clock, std::uint32_t agent) { return agent < clock.size() ? clock[agent] : 0; }

bool covers(const Clock& clock, const Clock& part) {
  for (std::size_t i = 0; i < part.size(); ++i)
    if (at(clock, static_cast<std::uint32_t>(i)) < part[i]) return false;
  return true;
}

// Parts of a phase that are kept: enough to name one of them.
constexpr std::size_t kParts = 128;
// Places in memory whose readers are told apart.
constexpr std::size_t kPlaces = 4096;

}  // namespace

void Interleavings::start_group(std::uint32_t ctas, std::uint32_t warps) {
  warps_ = warps;
  agents_.assign(std::size_t{ctas} * warps, {});
  next_agent_ = 0;
  for (Warp& w : agents_) {
    w.agent = next_agent_++;
    auto first = std::make_shared<Clock>(agents_.size());
    (*first)[w.agent] = 1;
    w.past = std::move(first);
  }
  barriers_.clear();
  places_.clear();
  published_.clear();
  told_.clear();
}

Interleavings::Warp& Interleavings::now(const Thread& t) { return agents_[t.cta * warps_ + t.linear / 32]; }

void Interleavings::advance(Warp& w) {
  auto next = std::make_shared<Clock>(*w.past);
  ++(*next)[w.agent];
  w.past = std::move(next);
}

void Interleavings::learn(Warp& w, const Clock& more, std::uint32_t agent, std::uint32_t time) {
  if (at(*w.past, agent) >= time && covers(*w.past, more)) return;
  auto next = std::make_shared<Clock>(*w.past);
  catch_up(*next, more);
  if (next->size() <= agent) next->resize(agent + 1);
  (*next)[agent] = std::max((*next)[agent], time);
  w.past = std::move(next);
}

void Interleavings::take_part(Phase& phase, const Thread& t, const Clock& past, bool later) {
  catch_up(phase.before, past);
  phase.later |= later;
  const std::uint32_t agent = now(t).agent;
  const ir::Origin origin = machine_.place_in_script(t);
  auto known = std::ranges::find_if(phase.parts, [&](const Part& p) {
    return p.agent == agent && p.later == later && ir::same_origin(p.origin, origin);
  });
  if (known != phase.parts.end()) {
    known->time = at(past, agent);
  } else if (phase.parts.size() < kParts) {
    phase.parts.push_back({agent, at(past, agent), t.number, later, origin});
  }
}

const Interleavings::Part* Interleavings::missing(const Phase& phase, const Clock& past) {
  for (const Part& p : phase.parts)
    if (p.later || at(past, p.agent) < p.time) return &p;
  return phase.parts.empty() ? nullptr : &phase.parts.back();
}

const Interleavings::Phase* Interleavings::phase_of(const Barrier& b, std::int64_t phase) const {
  return phase == b.over ? &b.last : phase + 1 == b.over ? &b.previous : nullptr;
}

// True if an agent with this past comes after the end of the phase, one of the last two that are over?
bool Interleavings::knows(const Clock& past, const Barrier& b, std::int64_t phase) {
  if (phase < 0 || at(past, b.agent) > phase) return true;
  const Phase& over = phase == b.over ? b.last : b.previous;
  return !over.later && covers(past, over.before);
}

void Interleavings::init(std::uint64_t barrier, std::string_view name) {
  Barrier& b = barriers_[barrier] = {};
  b.agent = next_agent_++;
  b.name = name;
}

void Interleavings::counts(const Thread& t, std::uint64_t barrier, std::uint64_t phase, const Past& issued) {
  Barrier& b = barriers_[barrier];
  Warp& w = now(t);
  if (!issued) advance(w);
  const Past past = issued ? issued : w.past;
  const auto before = static_cast<std::int64_t>(phase) - 1;
  if (!knows(*past, b, before)) {
    const Phase* open = phase_of(b, before);
    const Part* part = open ? missing(*open, *past) : nullptr;
    if (part && first_of(b.name)) tell_early_part(t, b, phase, *part);
  }
  take_part(b.open, t, *past, issued != nullptr);
}

void Interleavings::phase_over(std::uint64_t barrier, std::uint64_t phase) {
  Barrier& b = barriers_[barrier];
  // A phase ends behind the one before.
  catch_up(b.open.before, b.last.before);
  b.previous = std::move(b.last);
  b.last = std::move(b.open);
  b.open = {};
  b.over = static_cast<std::int64_t>(phase);
  for (const Wait& wait : b.waits) {
    if (wait.phase + 1 == b.over && at(b.last.before, wait.agent) < wait.time && first_of(b.name))
      tell_lapped(b, wait, b.last);
  }
  std::erase_if(b.waits, [&](const Wait& wait) { return wait.phase < b.over; });
}

void Interleavings::comes_to_wait(const Thread& t, std::uint64_t barrier, std::int64_t phase) {
  Barrier& b = barriers_[barrier];
  Warp& w = now(t);
  const ir::Origin origin = machine_.place_in_script(t);
  // Lanes that come later are with the first.
  const bool known = std::ranges::any_of(b.waits, [&](const Wait& had) {
    return had.agent == w.agent && had.phase == phase && ir::same_origin(had.origin, origin);
  });
  if (known) return;
  if (!knows(*w.past, b, phase - 1)) {
    const Phase* open = phase_of(b, phase - 1);
    const Part* part = open ? missing(*open, *w.past) : nullptr;
    if (part && first_of(b.name)) tell_early_wait(t, b, phase, *part);
  }
  advance(w);
  b.waits.push_back({w.agent, time_of(w), t.number, phase, origin});
}

void Interleavings::waited(const Thread& t, std::uint64_t barrier) {
  const Barrier& b = barriers_[barrier];
  if (b.over >= 0) learn(now(t), b.last.before, b.agent, static_cast<std::uint32_t>(b.over + 1));
}

bool Interleavings::has_part(const Thread& t, std::uint64_t barrier) {
  const std::uint32_t agent = now(t).agent;
  return std::ranges::any_of(barriers_[barrier].open.parts, [&](const Part& p) { return p.agent == agent; });
}

void Interleavings::comes(const Thread& t, std::uint64_t place, std::string_view name) {
  Place& p = places_[place];
  Warp& w = now(t);
  if (p.used && !covers(*w.past, p.last.before)) {
    const Part* part = missing(p.last, *w.past);
    if (part && !name.empty() && first_of(std::string(name) + std::to_string(t.cta))) tell_mixed(t, name, *part);
  }
  advance(w);
  take_part(p.open, t, *w.past, false);
}

void Interleavings::closes(std::uint64_t place) {
  Place& p = places_[place];
  p.last = std::move(p.open);
  p.open = {};
  p.used = true;
}

void Interleavings::leaves(const Thread& t, std::uint64_t place) { learn(now(t), places_[place].last.before); }

void Interleavings::publishes(const Thread& t, std::uint64_t pointer) {
  // Very many places count as one: then more is taken to be ordered than is.
  if (published_.size() >= kPlaces && !published_.contains(pointer)) pointer = 0;
  catch_up(published_[pointer], *now(t).past);
}

void Interleavings::hears(const Thread& t, std::uint64_t pointer) {
  for (std::uint64_t from : {pointer, std::uint64_t{0}})
    if (auto found = published_.find(from); found != published_.end()) learn(now(t), found->second);
}

// ---- in words ----

bool Interleavings::first_of(const std::string& barrier) {
  return told_.insert(barrier.substr(0, barrier.find('['))).second;
}

std::string Interleavings::warp_name(std::uint32_t thread) const {
  const Thread& t = machine_.thread(thread);
  std::string out = "warp " + std::to_string(t.linear / 32);
  if (machine_.ctas() > 1) out += " of CTA " + std::to_string(t.cta) + " of the cluster";
  return out;
}

void Interleavings::tell_lapped(const Barrier& b, const Wait& wait, const Phase& next) {
  const std::string phase = std::to_string(wait.phase + 1), who = warp_name(wait.thread);
  Finding f;
  f.code = code::kInterleaving;
  f.kind = Finding::Kind::LateWait;
  f.barriers = {b.name};
  f.message = who + " may come to this wait" +
              (wait.phase < 0 ? std::string() : " for phase " + std::to_string(wait.phase)) + " of " + b.name +
              " when phase " + phase + " is over as well: nothing that ends phase " + phase +
              " waits for it, and the same parity then means phase " + std::to_string(wait.phase + 2);
  f.hint = "let " + who +
           " arrive after this wait at a barrier that is waited for before the next phase ends, as the "
           "consumers of a ring say that a slot is empty";
  for (const Part& p : next.parts)
    if (f.related.size() < 2)
      f.related.push_back({p.origin, warp_name(p.thread) + " brings phase " + phase + " to its end from here"});
  machine_.report(std::move(f), &machine_.thread(wait.thread), wait.origin);
}

void Interleavings::tell_early_wait(const Thread& t, const Barrier& b, std::int64_t phase, const Part& open) {
  const std::string before = std::to_string(phase - 1);
  Finding f;
  f.code = code::kInterleaving;
  f.kind = Finding::Kind::EarlyWait;
  f.barriers = {b.name};
  f.message = warp_name(t.number) + " waits here for phase " + std::to_string(phase) + " of " + b.name +
              " and may come while phase " + before + " is under way, when the same parity means phase " +
              std::to_string(phase - 2) + (phase < 2 ? ", the one before the first" : "") +
              ": the wait then ends at once";
  f.hint = "wait for phase " + before + " first, or for something after it";
  f.related.push_back({open.origin, warp_name(open.thread) + " has a part in phase " + before + " here"});
  machine_.report(std::move(f), &t, machine_.place_in_script(t));
}

void Interleavings::tell_early_part(const Thread& t, const Barrier& b, std::uint64_t phase, const Part& open) {
  const std::string before = std::to_string(phase - 1), who = warp_name(t.number);
  Finding f;
  f.code = code::kInterleaving;
  f.kind = Finding::Kind::EarlyPart;
  f.barriers = {b.name};
  f.message = who + " counts in phase " + std::to_string(phase) + " of " + b.name +
              " here, and may do so while phase " + before + " is under way, which " + warp_name(open.thread) +
              " has a part in: nothing makes " + who + " wait for its end";
  f.hint = "wait before this for phase " + before +
           ", or on a barrier that its waiters arrive at after it (the `empty` "
           "barrier of a ring)";
  f.related.push_back({open.origin, "counts in phase " + before});
  machine_.report(std::move(f), &t, machine_.place_in_script(t));
}

void Interleavings::tell_mixed(const Thread& t, std::string_view name, const Part& open) {
  Finding f;
  f.code = code::kInterleaving;
  f.kind = Finding::Kind::MixedTimes;
  f.message = warp_name(t.number) + " comes to " + std::string(name) + " here, and " + warp_name(open.thread) +
              " may be there for the time before: nothing orders the two, so the barrier may count one for the other";
  f.hint = "give each group of warps a barrier number of its own, or let one wait for the other";
  f.related.push_back({open.origin, warp_name(open.thread) + " comes to it here"});
  machine_.report(std::move(f), &t, machine_.place_in_script(t));
}

}  // namespace tilewright::simulate
