// What orders accesses: barriers, fences, releases and acquires, the ends of CTAs and the tensor maps of copies.
#include <algorithm>
#include <bit>

#include "compiler/intrinsics/say.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/hazards/races.h"
#include "compiler/simulate/machine/engine.h"
#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

void Races::meet(std::span<const Thread* const> threads) {
  std::vector<Agent> agents;
  agents.reserve(threads.size());
  for (const Thread* t : threads) agents.push_back(t->number);
  order_.meet(agents);
  if (sequential_) meet_sequential(agents);
}

// Two fence.sc have an order, and the later one knows what comes before the earlier one; where a store after the one
// was read before the other, it is that order. Store and load may be other threads', which a barrier orders behind and
// before the fences (PTX ISA 8.9.3, Fence-SC order; 8.9.4).
void Races::meet_sequential(std::span<const Agent> agents) {
  std::vector<Known> fences;
  std::vector<OtherGroup> heard;
  for (Agent a : agents) {
    const Known& known = fenced_[a].sequential;
    if (known && std::ranges::find(fences, known) == fences.end()) fences.push_back(known);
    for (const OtherGroup& other : heard_[a].sequential) add_once(heard, other);
  }
  if (fences.size() > 1) {
    Gathering all;
    for (const Known& known : fences) Order::join(known, all);
    fences = {order_.close(all)};
  }
  for (Agent a : agents) {
    if (!fences.empty()) fenced_[a].sequential = fences.front();
    heard_[a].sequential = heard;
  }
}

void Races::add_once(std::vector<OtherGroup>& list, const OtherGroup& other) {
  constexpr std::size_t kMost = 64;  // a thread that polls and never fences hears of more and more
  if (std::ranges::any_of(list, [&](const OtherGroup& had) { return had.known == other.known; })) return;
  if (list.size() == kMost) list.erase(list.begin());
  list.push_back(other);
}

void Races::fence_proxy(const Thread& t, ProxySpace space) { order_.fence_proxy(t.number, space); }

void Races::arrive(const Thread& t, std::uint64_t at) {
  Place& p = place(at);
  if (auto rank = machine_.rank_of(at); rank && *rank != t.cta) {
    const Touch now{first_thread_ + t.number + 1, order_.now(t.number), site_of(t)};
    auto had = std::ranges::find(p.remote, now.who, &Touch::who);
    if (had == p.remote.end()) {
      p.remote.push_back(now);
    } else {
      *had = now;
    }
  }
  order_.release(t.number, p.open);
}

void Races::close(std::uint64_t at) {
  Place& p = place(at);
  p.over = order_.close(p.open);
  p.open.clear();
}

// A relaxed wait on an mbarrier waits and orders nothing; a fence behind it completes it, as it does a relaxed read
// (PTX ISA 9.7.13.15.16, mbarrier.test_wait; 8.8).
void Races::leave(const Thread& t, std::uint64_t at) {
  if (machine_.find_barrier(at) && machine_.site_of(t).semantics == intrinsics::Semantics::Relaxed) {
    missed_[t.number] = Missed::Semantics;
    Heard& heard = heard_[t.number];
    if (heard.own.empty() || heard.own.back() != place(at).over) heard.own.push_back(place(at).over);
    return;
  }
  order_.acquire(t.number, place(at).over);
}

void Races::init_barrier(const Thread& t, std::uint64_t barrier) {
  places_.erase(barrier);
  place(barrier).init = {first_thread_ + t.number + 1, order_.now(t.number), site_of(t)};
}

// mbarrier.inval makes the memory free for anything else: each use of the barrier has to come before it or after it
// (PTX ISA 9.7.13.15.10, mbarrier.inval).
void Races::end_barrier(const Thread& t, std::uint64_t barrier) {
  for (const auto& [agent, use] : place(barrier).users) {
    if (order_.knows(t.number, agent, use.time)) continue;
    Finding f;
    f.code = code::kRace;
    f.message = "thread " + std::to_string(t.linear) + " invalidates the barrier at byte " +
                std::to_string(offset_of(barrier)) + " of `" +
                std::string(machine_.block_name(barrier >> kOffsetBits)) + "`, which " + name_of(use) +
                " uses: nothing orders the two";
    f.hint = "put {cta_sync}() before {mbarrier_inval}, after the last wait of all threads"_row_text;
    f.related.push_back({machine_.origin_numbered(use.site), "used here"});
    machine_.report(std::move(f), &t);
    break;
  }
  places_.erase(barrier);
}

void Races::use_barrier(const Thread& t, std::uint64_t barrier) {
  Place& p = place(barrier);
  if (ends_barriers_) p.users[t.number] = {first_thread_ + t.number + 1, order_.now(t.number), site_of(t)};
  const Access use{.thread = t};
  if (ordered(use, p.init, true) || (p.initialised && order_.knows(t.number, p.initialised, 1))) return;
  Finding f;
  f.code = code::kRace;
  f.kind = Finding::Kind::UnorderedInit;
  const Mbarrier* known = machine_.find_barrier(barrier);
  const std::string name = known ? known->name
                                 : "the barrier at byte " + std::to_string(offset_of(barrier)) + " of `" +
                                       std::string(machine_.block_name(barrier >> kOffsetBits)) + "`";
  f.message = "thread " + std::to_string(t.linear) + " uses " + name + ", which " + name_of(p.init) +
              " initialises: nothing orders the two";
  f.hint = "put {cta_sync}() after the initialisation, or {cluster_sync}() for the barriers of other CTAs"_row_text;
  f.weight = static_cast<int>(reach_of(t, thread_of(p.init)));
  f.related.push_back({machine_.origin_numbered(p.init.site), "initialised here"});
  machine_.report(std::move(f), &t);
  p.init = {};  // said once
}

// fence.mbarrier_init.release.cluster: a fence for the initialisations that the same thread has executed before it, and
// for nothing else (PTX ISA 9.7.13.4, membar/fence, ".mbarrier_init"). A relaxed arrival at the cluster's barrier, or a
// relaxed store, behind it publishes them.
void Races::fence_init(const Thread& t) {
  std::vector<Agent>& barriers = fenced_[t.number].barriers;
  for (auto& [at, p] : places_) {
    if (p.init.who != first_thread_ + t.number + 1) continue;
    if (!p.initialised) p.initialised = order_.add_agent();
    if (std::ranges::find(barriers, p.initialised) == barriers.end()) barriers.push_back(p.initialised);
  }
}

// barrier.cluster.arrive.relaxed "does not provide any memory ordering" by itself (PTX ISA 9.7.13.3); a fence before it
// that morally strong operations follow synchronises as a release does (8.8, "release pattern").
void Races::arrive_relaxed(const Thread& t) {
  Order::join(order_.known(t.number), relaxed_);
  const Fenced& fenced = fenced_[t.number];
  if (fenced.cluster) Order::join(fenced.cluster, place(kClusterPlace).open);
  if (fenced.cta) Order::join(fenced.cta, place(cluster_place(t.cta)).open);
  for (Agent barrier : fenced.barriers) Order::mark(barrier, 1, place(kClusterPlace).open);
}

void Races::leave_cluster(const Thread& t) {
  // Relaxed arrivals, too, are of threads that run.
  begun_.resize(std::size_t{machine_.ctas()} * machine_.ctas());
  for (std::uint32_t rank = 0; rank < machine_.ctas(); ++rank) begun_[t.cta * machine_.ctas() + rank] = true;
  leave(t, kClusterPlace);
  if (Place& own = place(cluster_place(t.cta)); !own.open.empty()) close(cluster_place(t.cta));
  leave(t, cluster_place(t.cta));
}

// tcgen05.commit tracks all earlier operations of its thread (PTX ISA 9.7.16.12.1), so of two commits of a thread the
// first arrives first.
Time Races::commits(const Thread& t, std::span<const std::uint64_t> barriers) {
  const Time number = ++strands_[t.number].issued[static_cast<std::size_t>(Strand::Commits)];
  for (std::uint64_t at : barriers)
    if (auto rank = machine_.rank_of(at); rank && *rank != t.cta)
      remote_commits_.push_back({t.number, number, order_.now(t.number), machine_.generic(at), site_of(t)});
  return number;
}

void Races::committed(const Thread& t, Time number, std::uint64_t barrier) {
  order_.finish(t.number, Strand::Commits, number, place(barrier).open);
}

// Operations in distributed shared memory must happen before the exit of the CTA (CUDA programming guide, "distributed
// shared memory"). A bulk copy between CTAs of a cluster ends with the bytes on the mbarrier of the one that receives
// (PTX ISA 9.7.9.25.4, cp.async.bulk), so the one that sends knows of it only through another synchronisation. A
// relaxed arrival is enough for it: nothing is read or written after.
std::uint64_t Races::sent_unknown_to(const Issued& op, const Known& known, std::uint64_t first_block,
                                     std::size_t blocks) {
  if (op.queue != Queue::Counted || op.number == 0 || order_.holds(known, op.barrier, op.number)) return 0;
  for (const auto& [at, p] : places_) {
    if (p.agent != op.barrier) continue;
    const std::uint64_t block = at >> kOffsetBits;
    const bool is_own = block >= first_block && block < first_block + blocks;
    return is_own || order_.holds(order_.close(relaxed_), op.barrier, op.number) ? 0 : at;
  }
  return 0;
}

void Races::end_cta(std::span<const Thread> threads, std::uint64_t first_block, std::size_t blocks) {
  Gathering all;
  for (const Thread& t : threads) order_.release(t.number, all);
  const Known known = order_.close(all);
  const std::uint32_t first = first_thread_ + threads[0].number,
                      end = first + static_cast<std::uint32_t>(threads.size());
  Touch left, sent;
  std::uint64_t sent_to = 0;
  std::uint32_t asked = 0;  // the own operation that was asked for last
  std::string_view what;
  auto look = [&](const Touch& touch, std::string_view verb) {
    if ((left.who != 0 && sent_to != 0) || touch.who == 0) return;
    bool over = false;
    if (touch.is_operation()) {
      const Issued& op = issued(touch.who & ~Touch::kOperation);
      if (first_thread_ + op.thread >= first && first_thread_ + op.thread < end) {
        if (verb != "reads" || sent_to != 0 || touch.who == asked) return;
        asked = touch.who;
        sent_to = sent_unknown_to(op, known, first_block, blocks);
        if (sent_to != 0) sent = touch;
        return;
      }
      over = op.queue == Queue::Counted ? op.number != 0 && order_.holds(known, op.barrier, op.number)
                                        : order_.holds(known, op.thread, strand_of(op.queue), op.number);
    } else {
      if (touch.who - 1 >= first && touch.who - 1 < end) return;
      over = order_.holds(known, touch.who - 1 - first_thread_, touch.time);
    }
    if (over || left.who != 0) return;
    left = touch;
    what = verb;
  };
  auto look_readers = [&](const Readers& r) {
    if (r.who == 0) return;
    if (r.who & Touch::kOperation) {
      look({r.who, r.time, r.site}, "reads");
    } else {
      look({(r.who - 1) * kLanes + static_cast<std::uint32_t>(std::countr_zero(r.lanes)) + 1, r.time, r.site}, "reads");
    }
  };
  for (std::uint64_t block = first_block; block < first_block + blocks; ++block) {
    shadow_.each_touched(block, [&](Cell& cell, std::int64_t) {
      look(cell.write, "writes");
      look_readers(cell.read);
      if (cell.more) std::ranges::for_each(shadow_.more(cell), look_readers);
    });
  }
  for (auto& [at, p] : places_) {
    if (const std::uint64_t block = at >> kOffsetBits; block >= first_block && block < first_block + blocks)
      for (const Touch& remote : p.remote) look(remote, "arrives in");
  }
  for (const RemoteCommit& c : remote_commits_) {
    const std::uint64_t block = c.barrier >> kOffsetBits;
    if (block < first_block || block >= first_block + blocks || left.who != 0) continue;
    if (order_.holds(known, c.thread, Strand::Commits, c.number)) continue;
    // The issuer has met the CTA since: its arrival is under way before the CTA can leave.
    if (order_.holds(known, c.thread, c.time)) continue;
    left = {first_thread_ + c.thread + 1, 0, c.site};
    what = "arrives by tcgen05.commit in";
  }
  if (sent_to != 0)
    machine_.report(sent_unknown(machine_, sent_to), &threads[0],
                    machine_.origin_numbered(sent.site & ~Touch::kAtomic));
  if (left.who == 0) return;
  Finding f;
  f.code = code::kEndedCta;
  f.message = name_of(left) + " " + std::string(what) + " shared memory of CTA " + std::to_string(threads[0].cta) +
              " of the cluster, which may have ended by then: nothing orders this before its end";
  f.hint = "put {cluster_sync}() at the end of the kernel"_row_text;
  machine_.report(std::move(f), &threads[0], machine_.origin_numbered(left.site & ~Touch::kAtomic));
}

// Who has written each part of the map last; ~0 where `self` does not know of it.
std::vector<std::pair<std::uint32_t, Time>> Races::writers_of(const Thread& self, std::uint64_t map, Touch* last) {
  std::vector<std::pair<std::uint32_t, Time>> writers;
  const Access access{.thread = self};
  shadow_at(map).each(map >> kOffsetBits, offset_of(map), kMapBytes, [&](Cell& cell, std::int64_t, std::int64_t) {
    writers.emplace_back(ordered(access, cell.write, true) ? cell.write.who : ~0u, cell.write.time);
    if (cell.write.who) *last = cell.write;
  });
  return writers;
}

void Races::acquire_map(const Thread& t, std::uint64_t map) {
  map = machine_.generic(map);
  const std::uint64_t block = map >> kOffsetBits;
  if (!machine_.is_watched(block) && !machine_.is_by_kernel(block)) return;
  Touch last;
  maps_[map].push_back({t.number, order_.now(t.number), writers_of(t, map, &last)});
  // Behind the fence: what others do with the map after synchronising with this thread.
  Gathering none;
  order_.release(t.number, none);
}

void Races::use_map(const Thread& t, std::uint64_t map) {
  map = machine_.generic(map);
  const std::uint64_t block = map >> kOffsetBits;
  const bool by_kernel = machine_.is_by_kernel(block);
  if (!machine_.is_watched(block) && !by_kernel) return;
  Touch last;
  const auto writers = writers_of(t, map, &last);
  if (last.who == 0 && !by_kernel) return;
  for (const FencedMap& fenced : maps_[map]) {
    const Thread& by = machine_.thread(fenced.thread);
    if (by.cta == t.cta && fenced.writes == writers && order_.knows(t.number, fenced.thread, fenced.time)) return;
  }
  Finding f;
  f.code = code::kProxy;
  f.message = "a copy uses a tensor map that " + (last.who ? name_of(last) : "an earlier kernel") +
              " has written, and no fence of this CTA makes that visible to copies";
  f.hint = "put {fence_proxy_tensormap}(map) before the copy, after what synchronises with the writer"_row_text;
  if (last.who) f.related.push_back({machine_.origin_numbered(last.site & ~Touch::kAtomic), "written here"});
  machine_.report(std::move(f), &t);
}

void Races::phase_over(std::uint64_t barrier, std::uint64_t phase) {
  Place& p = place(barrier);
  // The next phase begins where this one has ended.
  if (p.over) Order::join(p.over, p.open);
  Order::mark(p.agent, static_cast<Time>(phase + 1), p.open);
  close(barrier);
}

void Races::release(const Thread& t, std::uint64_t pointer, intrinsics::Scope scope, bool relaxed) {
  History::Published& at = history_->published[machine_.generic(pointer)];
  auto own = std::ranges::find(at.known, group_, &OtherGroup::group);
  Gathering all;
  if (own != at.known.end()) Order::join(own->known, all);
  const Fenced& fenced = fenced_[t.number];
  if (!relaxed) {
    order_.release(t.number, all);
  } else if (fenced.cta) {
    Order::join(fenced.cta, all);
  }
  for (Agent barrier : fenced.barriers) Order::mark(barrier, 1, all);
  at.group = group_;
  at.cta = t.cta;
  // A release by a fence reaches as far as the fence and the store that follows it.
  at.scope = relaxed && fenced.cta != fenced.cluster ? std::min(scope, intrinsics::Scope::Cta) : scope;
  if (fenced.sequential) {
    auto before = std::ranges::find(at.sequential, group_, &OtherGroup::group);
    Gathering fences;
    Order::join(fenced.sequential, fences);
    if (before == at.sequential.end()) before = at.sequential.insert(before, {group_, nullptr});
    if (before->known && before->known != fenced.sequential) Order::join(before->known, fences);
    if (before->known != fenced.sequential) before->known = order_.close(fences);
  }
  if (all.empty()) return;
  // What others have released there before goes on with it.
  if (own == at.known.end()) own = at.known.insert(own, {group_, nullptr});
  own->known = order_.close(all);
}

void Races::acquire(const Thread& t, std::uint64_t pointer, intrinsics::Scope scope, bool relaxed) {
  auto found = history_->published.find(machine_.generic(pointer));
  if (found == history_->published.end()) return;
  const History::Published& from = found->second;
  for (const OtherGroup& behind : from.sequential) add_once(heard_[t.number].sequential, behind);
  sequential_ = sequential_ || !from.sequential.empty();
  const auto narrow = [](intrinsics::Scope s) { return s <= intrinsics::Scope::Cta; };
  if ((from.group != group_ || from.cta != t.cta) && (narrow(scope) || narrow(from.scope))) {
    missed_[t.number] = Missed::Scope;
    return;
  }
  Missed& missed = missed_[t.number];
  if ((from.known.empty() || relaxed) && missed != Missed::Semantics) {
    if (from.known.empty() && !relaxed) {
      missed = Missed::Unreleased;
    } else {
      missed = machine_.is_global(pointer) ? Missed::Semantics : Missed::OwnSemantics;
    }
  }
  for (const OtherGroup& released : from.known) {
    const bool own = released.group == group_;
    if (relaxed) {
      // Only a fence behind the read completes it: relaxed and volatile reads acquire nothing (PTX ISA 8.8).
      Heard& heard = heard_[t.number];
      if (own && (heard.own.empty() || heard.own.back() != released.known)) heard.own.push_back(released.known);
      if (!own && (heard.others.empty() || heard.others.back().known != released.known))
        heard.others.push_back(released);
    } else if (own) {
      order_.acquire(t.number, released.known);
    } else {
      order_.acquire_group(t.number, released);
    }
  }
}

// fence.acquire completes the reads before it, fence.release what the stores behind it tell; all others do both.
void Races::fence(const Thread& t, intrinsics::Scope scope) {
  const intrinsics::Semantics semantics = machine_.site_of(t).semantics;
  if (semantics != intrinsics::Semantics::Release) hear(t, scope);
  if (semantics == intrinsics::Semantics::Acquire) return;
  Gathering own;
  order_.release(t.number, own);
  Fenced& fenced = fenced_[t.number];
  fenced.cta = order_.close(own);
  if (scope > intrinsics::Scope::Cta) fenced.cluster = fenced.cta;
  const bool sequential = semantics == intrinsics::Semantics::Sequential && scope >= intrinsics::Scope::Gpu;
  if (sequential) fenced.sequential = fenced.cta;
  sequential_ = sequential_ || sequential;
}

// What the relaxed reads of a thread have met so far orders what it does from now on.
void Races::hear(const Thread& t, intrinsics::Scope scope) {
  for (const Known& known : heard_[t.number].own) order_.acquire(t.number, known);
  for (const OtherGroup& other : heard_[t.number].others) order_.acquire_group(t.number, other);
  const bool sequential =
      machine_.site_of(t).semantics == intrinsics::Semantics::Sequential && scope >= intrinsics::Scope::Gpu;
  for (const OtherGroup& other : heard_[t.number].sequential) {
    if (!sequential) break;
    if (other.group == group_) order_.acquire(t.number, other.known);
    if (other.group != group_) order_.acquire_group(t.number, other);
  }
  std::vector<OtherGroup> still = sequential ? std::vector<OtherGroup>() : std::move(heard_[t.number].sequential);
  heard_[t.number] = {};
  heard_[t.number].sequential = std::move(still);
}

}  // namespace tilewright::simulate
