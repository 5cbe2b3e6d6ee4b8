// What orders accesses: barriers, fences, releases and acquires, the ends of CTAs and the tensor maps of copies.
#include <algorithm>
#include <bit>

#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine.h"

namespace tilewright::simulate {

void Races::meet(std::span<Thread* const> threads) {
  std::vector<Agent> agents;
  agents.reserve(threads.size());
  for (const Thread* t : threads) agents.push_back(t->number);
  order_.meet(agents);
}

void Races::meet_lanes(std::span<const Thread> lanes, std::uint32_t members) {
  std::vector<Agent> agents;
  for (std::size_t l = 0; l < lanes.size(); ++l)
    if (members >> l & 1) agents.push_back(lanes[l].number);
  order_.meet(agents);
}

void Races::fence_proxy(const Thread& t) { order_.fence_proxy(t.number); }

void Races::arrive(const Thread& t, std::uint64_t at) {
  Place& p = place(at);
  if (auto rank = machine_.rank_of(at); rank && *rank != t.cta)
    p.remote = {first_thread_ + t.number + 1, order_.now(t.number), site_of(t)};
  order_.release(t.number, p.open);
}

void Races::close(std::uint64_t at) {
  Place& p = place(at);
  p.over = order_.close(p.open);
  p.open.clear();
}

void Races::leave(const Thread& t, std::uint64_t at) { order_.acquire(t.number, place(at).over); }

void Races::init_barrier(const Thread& t, std::uint64_t barrier) {
  places_.erase(barrier);
  place(barrier).init = {first_thread_ + t.number + 1, order_.now(t.number), site_of(t)};
}

void Races::use_barrier(const Thread& t, std::uint64_t barrier) {
  Place& p = place(barrier);
  const Access use{.thread = t};
  if (ordered(use, p.init, true)) return;
  Finding f;
  f.code = code::kRace;
  f.message = "thread " + std::to_string(t.linear) + " uses the barrier at byte " + std::to_string(offset_of(barrier)) +
              " of `" + std::string(machine_.block_name(barrier >> kOffsetBits)) + "`, which " + name_of(p.init) +
              " initialises: nothing orders the two";
  f.hint = "put T.cuda.cta_sync() behind the initialisation, or T.cuda.cluster_sync() for the barriers of other CTAs";
  f.related.push_back({machine_.origin_numbered(p.init.site), "initialised here"});
  machine_.report(std::move(f), &t);
  p.init = {};  // said once
}

void Races::use_barrier_by_proxy(const Thread& t, std::uint64_t barrier) {
  Place& p = place(barrier);
  if (p.init.who == 0 || p.fenced || order_.proxy_knows(t.number, p.init.who - 1 - first_thread_, p.init.time)) return;
  p.fenced = true;  // said once
  Finding f;
  f.code = code::kProxy;
  f.severity = Severity::Warning;
  f.message = "an asynchronous operation signals a barrier, and no fence has made its initialisation by " +
              name_of(p.init) + " visible to such operations";
  f.hint =
      "put T.ptx.fence.mbarrier_init() or T.ptx.fence.proxy_async() behind the initialisation, before the barrier "
      "that orders it";
  f.related.push_back({machine_.origin_numbered(p.init.site), "initialised here"});
  machine_.report(std::move(f), &t);
}

void Races::fence_init(const Thread& t) {
  for (auto& [at, p] : places_) {
    if (p.init.who != 0 && order_.knows(t.number, p.init.who - 1 - first_thread_, p.init.time)) p.fenced = true;
  }
}

void Races::end_cta(std::span<const Thread> threads, std::uint64_t first_block, std::size_t blocks) {
  Gathering all;
  for (const Thread& t : threads) order_.release(t.number, all);
  const Known known = order_.close(all);
  const std::uint32_t first = first_thread_ + threads[0].number,
                      end = first + static_cast<std::uint32_t>(threads.size());
  Touch left;
  std::string_view what;
  auto look = [&](const Touch& touch, std::string_view verb) {
    if (left.who != 0 || touch.who == 0) return;
    bool over = false;
    if (touch.is_operation()) {
      const Issued& op = issued(touch.who & ~Touch::kOperation);
      if (first_thread_ + op.thread >= first && first_thread_ + op.thread < end) return;
      over = op.queue == Queue::Counted ? op.number != 0 && order_.holds(known, op.barrier, op.number)
                                        : order_.holds(known, op.thread, strand_of(op.queue), op.number);
    } else {
      if (touch.who - 1 >= first && touch.who - 1 < end) return;
      over = order_.holds(known, touch.who - 1 - first_thread_, touch.time);
    }
    if (over) return;
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
      look(p.remote, "arrives in");
  }
  if (left.who == 0) return;
  Finding f;
  f.code = code::kEndedCta;
  f.message = name_of(left) + " " + std::string(what) + " shared memory of CTA " + std::to_string(threads[0].cta) +
              " of the cluster, which may have ended by then: nothing orders this before its end";
  f.hint = "put T.cuda.cluster_sync() at the end of the kernel";
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

void Races::operation_reads_map(const Thread& t, std::uint32_t operation, std::uint64_t map) {
  touch({.thread = t, .operation = operation}, map, kMapBytes);
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
  f.hint = "put T.ptx.fence.proxy_tensormap_acquire(map) before the copy, behind what synchronises with the writer";
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
  if (!relaxed) {
    order_.release(t.number, all);
  } else if (fenced_[t.number]) {
    Order::join(fenced_[t.number], all);
  }
  at.group = group_;
  at.cta = t.cta;
  at.scope = scope;
  if (all.empty()) return;
  // What others have released there before goes on with it.
  if (own == at.known.end()) own = at.known.insert(own, {group_, nullptr});
  own->known = order_.close(all);
}

void Races::acquire(const Thread& t, std::uint64_t pointer, intrinsics::Scope scope, bool relaxed) {
  auto found = history_->published.find(machine_.generic(pointer));
  if (found == history_->published.end()) return;
  const History::Published& from = found->second;
  const auto narrow = [](intrinsics::Scope s) { return s <= intrinsics::Scope::Cta; };
  if ((from.group != group_ || from.cta != t.cta) && (narrow(scope) || narrow(from.scope))) {
    missed_[t.number] = Missed::Scope;
    return;
  }
  if (from.known.empty()) missed_[t.number] = Missed::Semantics;
  for (const OtherGroup& released : from.known) {
    if (released.group != group_) {
      order_.acquire_group(t.number, released);
    } else if (relaxed) {
      missed_[t.number] = Missed::Semantics;
      heard_[t.number].push_back(released.known);
    } else {
      order_.acquire(t.number, released.known);
    }
  }
}

void Races::fence(const Thread& t) {
  for (const Known& known : heard_[t.number]) order_.acquire(t.number, known);
  heard_[t.number].clear();
  Gathering own;
  order_.release(t.number, own);
  fenced_[t.number] = order_.close(own);
}

}  // namespace tilewright::simulate
