#include "compiler/simulate/hazards/order.h"

#include <algorithm>
#include <bit>

#include "compiler/simulate/hazards/clock.h"

namespace tilewright::simulate {
namespace {

void raise(std::vector<Time>& times, Agent agent, Time time) {
  if (agent >= times.size()) times.resize(agent + 1);
  times[agent] = std::max(times[agent], time);
}

void include(std::vector<OtherGroup>& groups, const OtherGroup& other) {
  auto at = std::ranges::lower_bound(groups, other.group, {}, &OtherGroup::group);
  if (at == groups.end() || at->group != other.group) {
    groups.insert(at, other);
  } else if (at->known != other.known) {
    auto both = std::make_shared<Knowledge>();
    both->seen = at->known->seen;
    both->proxied = at->known->proxied;
    both->proxied_global = at->known->proxied_global;
    catch_up(both->seen, other.known->seen);
    catch_up(both->proxied, other.known->proxied);
    catch_up(both->proxied_global, other.known->proxied_global);
    if (both->seen != at->known->seen || both->proxied != at->known->proxied ||
        both->proxied_global != at->known->proxied_global)
      at->known = std::move(both);
  }
}

void include(std::vector<OtherGroup>& groups, const std::vector<OtherGroup>& more) {
  for (const OtherGroup& other : more) include(groups, other);
}

const OtherGroup* find(const Knowledge& known, std::uint32_t group) {
  auto at = std::ranges::lower_bound(known.groups, group, {}, &OtherGroup::group);
  return at == known.groups.end() || at->group != group ? nullptr : &*at;
}

bool includes(const Knowledge& known, const Knowledge& part) {
  return known.serial == part.serial || std::ranges::find(known.within, part.serial) != known.within.end();
}

}  // namespace

void Order::start(std::size_t threads, bool apart) {
  apart_ = apart;
  auto nothing = std::make_shared<Knowledge>();
  nothing->serial = ++serial_;
  Own first;
  first.base = nothing;
  threads_.assign(threads, first);
  next_agent_ = static_cast<Agent>(threads);
  memo_ = {};
}

bool Order::knows_group(Agent thread, std::uint32_t group) const {
  return find(*threads_[thread].base, group) != nullptr;
}

bool Order::knows_other(Agent thread, std::uint32_t group, Agent other, Time time) const {
  const OtherGroup* known = find(*threads_[thread].base, group);
  return known && at(known->known->seen, other) >= time;
}

bool Order::proxy_knows_other(Agent thread, std::uint32_t group, Agent other, Time time, Space space) const {
  const OtherGroup* known = find(*threads_[thread].base, group);
  if (!known) return false;
  const Knowledge& there = *known->known;
  return at(space == Space::Global && apart_ ? there.proxied_global : there.proxied, other) >= time;
}

bool Order::knows(Agent thread, Agent other, Strand strand, Time number) const {
  const auto s = static_cast<std::size_t>(strand);
  const Own& own = threads_[other];
  if (thread == other && own.done[s] >= number) return true;
  return own.strands[s] != 0 && at(threads_[thread].base->seen, own.strands[s]) >= number;
}

Agent Order::strand_of(Own& own, Strand strand) {
  Agent& agent = own.strands[static_cast<std::size_t>(strand)];
  if (!agent) agent = add_agent();
  return agent;
}

void Order::finish(Agent thread, Strand strand, Time number) {
  Own& own = threads_[thread];
  if (number == 0) return;
  strand_of(own, strand);
  own.used |= 1u << static_cast<std::size_t>(strand);
  Time& done = own.done[static_cast<std::size_t>(strand)];
  done = std::max(done, number);
}

void Order::finish(Agent thread, Strand strand, Time number, Gathering& into) {
  if (number != 0) mark(strand_of(threads_[thread], strand), number, into);
}

std::shared_ptr<Knowledge> Order::copy_of(const Knowledge& known) {
  auto out = std::make_shared<Knowledge>(known);
  out->serial = ++serial_;
  out->within.assign(1, known.serial);
  return out;
}

Known* Order::remembered(std::uint64_t a, std::uint64_t b) {
  Memo& memo = memo_[(a * 7 + b) % memo_.size()];
  if (memo.a != a || memo.b != b) memo = {a, b, nullptr};
  return &memo.result;
}

Known Order::both(const Known& a, const Known& b) {
  if (includes(*a, *b)) return a;
  if (includes(*b, *a)) return b;
  Known* known = remembered(a->serial, b->serial);
  if (!*known) {
    auto out = copy_of(*a);
    catch_up(out->seen, b->seen);
    catch_up(out->proxied, b->proxied);
    catch_up(out->proxied_global, b->proxied_global);
    include(out->groups, b->groups);
    out->within.push_back(b->serial);
    *known = out;
  }
  return *known;
}

void Order::join(const Known& known, Gathering& into) {
  if (std::ranges::find(into.bases_, known) == into.bases_.end()) into.bases_.push_back(known);
}

void Order::release(Agent thread, Gathering& into) {
  Own& own = threads_[thread];
  join(own.base, into);
  into.tips_.push_back({thread, own.time, own.proxied, own.proxied_global});
  for (std::uint32_t used = own.used; used; used &= used - 1) {
    const auto s = static_cast<std::size_t>(std::countr_zero(used));
    if (own.done[s] > at(own.base->seen, own.strands[s])) mark(own.strands[s], own.done[s], into);
  }
  ++own.time;
}

Known Order::close(const Gathering& gathering) {
  auto out = gathering.bases_.empty() ? copy_of(Knowledge{}) : copy_of(*gathering.bases_[0]);
  for (std::size_t i = 1; i < gathering.bases_.size(); ++i) {
    const Knowledge& base = *gathering.bases_[i];
    if (includes(*gathering.bases_[0], base)) continue;
    catch_up(out->seen, base.seen);
    catch_up(out->proxied, base.proxied);
    catch_up(out->proxied_global, base.proxied_global);
    include(out->groups, base.groups);
  }
  out->within.clear();
  for (const Known& base : gathering.bases_) out->within.push_back(base->serial);
  for (const auto& [agent, seen, proxied, proxied_global] : gathering.tips_) {
    raise(out->seen, agent, seen);
    raise(out->proxied, agent, proxied);
    if (proxied_global) raise(out->proxied_global, agent, proxied_global);
  }
  return out;
}

void Order::acquire(Agent thread, const Known& known) {
  if (known) threads_[thread].base = both(threads_[thread].base, known);
}

void Order::acquire_group(Agent thread, const OtherGroup& other) {
  const OtherGroup* had = find(*threads_[thread].base, other.group);
  if (had && had->known == other.known) return;
  auto out = copy_of(*threads_[thread].base);
  include(out->groups, other);
  threads_[thread].base = out;
}

Known Order::meet_all() {
  std::vector<Agent> all(threads_.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Agent>(i);
  meet(all);
  return threads_[0].base;
}

void Order::acquire_groups(std::span<const OtherGroup> others) {
  auto out = copy_of(*threads_[0].base);
  for (const OtherGroup& other : others) include(out->groups, other);
  for (Own& own : threads_) own.base = out;
}

void Order::meet(std::span<const Agent> threads) {
  Gathering all;
  for (Agent t : threads) release(t, all);
  Known known = close(all);
  for (Agent t : threads) threads_[t].base = known;
}

void Order::fence_proxy(Agent thread, Space space) {
  Own& own = threads_[thread];
  const bool shared = !apart_ || space != Space::Global, global = apart_ && space != Space::Shared;
  if (shared) own.proxied = own.time;
  if (global) own.proxied_global = own.time;
  ++own.time;
  // (No serial is that large: the spaces have answers of their own.)
  Known* known = remembered(own.base->serial, ~static_cast<std::uint64_t>(apart_ ? space : Space::Both));
  if (!*known) {
    auto out = copy_of(*own.base);
    auto fence = [&](Knowledge& k) {
      if (shared) catch_up(k.proxied, k.seen);
      if (global) catch_up(k.proxied_global, k.seen);
    };
    fence(*out);
    // What other clusters have released is made visible by a fence of the thread that acquired it, too.
    for (OtherGroup& other : out->groups) {
      auto proxied = std::make_shared<Knowledge>(*other.known);
      fence(*proxied);
      other.known = std::move(proxied);
    }
    *known = out;
  }
  own.base = *known;
}

}  // namespace tilewright::simulate
