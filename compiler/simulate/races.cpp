#include "compiler/simulate/races.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine.h"

namespace tilewright::simulate {
namespace {

constexpr std::uint32_t kLanes = 32;
constexpr std::int64_t kMapBytes = 128;

// The strand of a queue's operations; of bulk copies the one in which their writes end.
Strand strand_of(Queue queue) {
  switch (queue) {
    case Queue::Bulk: return Strand::BulkWrites;
    case Queue::TensorCore: return Strand::TensorWork;
    default: return Strand::Copies;
  }
}
std::size_t index_of(Queue queue) { return static_cast<std::size_t>(strand_of(queue)); }

std::string_view words_of(Queue queue) {
  switch (queue) {
    case Queue::Copy: return "the cp.async";
    case Queue::Bulk: return "the bulk copy";
    case Queue::TensorCore: return "the tcgen05 operation";
    default: return "the asynchronous copy";
  }
}

std::string_view wait_for(Queue queue, bool writes) {
  switch (queue) {
    case Queue::Copy:
      return "wait for it: T.ptx.cp_async.commit_group() and T.ptx.cp_async.wait_group(0), then a barrier for the "
             "other threads";
    case Queue::Bulk:
      return writes ? "wait for it: T.ptx.cp_async.bulk.commit_group() and T.ptx.cp_async.bulk.wait_group(0), in the "
                      "thread that issued it"
                    : "wait until it has read its source: T.ptx.cp_async.bulk.commit_group() and "
                      "T.ptx.cp_async.bulk.wait_group(0, True), in the thread that issued it, then a barrier for the "
                      "others";
    case Queue::TensorCore: return "let T.ptx.tcgen05.commit arrive at a barrier, and wait on that";
    default: return "wait on the barrier that counts its bytes";
  }
}

}  // namespace

void Races::start_group(std::size_t threads, std::uint64_t first_shared) {
  if (group_ == 0) shadow_.clear();
  ++group_;
  // Warps of different clusters have different numbers.
  first_thread_ += stride_;
  stride_ = (static_cast<std::uint32_t>(threads) + kLanes - 1) / kLanes * kLanes;
  operations_ += static_cast<std::uint32_t>(issued_.size());
  issued_.clear();
  shadow_.forget_from(first_shared);
  order_.start(threads);
  strands_.assign(threads, {});
  places_.clear();
  maps_.clear();
  missed_.assign(threads, Missed::Nothing);
  fenced_.assign(threads, nullptr);
  heard_.assign(threads, {});
}

std::uint32_t Races::site_of(const Thread& t) const { return machine_.origin_number(t); }

Races::Place& Races::place(std::uint64_t at) {
  Place& p = places_[at];
  if (!p.agent) p.agent = order_.add_agent();
  return p;
}

// ---- accesses ----

void Races::touch(Access access, std::uint64_t pointer, std::int64_t bytes) {
  pointer = machine_.generic(pointer);
  const std::uint64_t block = pointer >> kOffsetBits;
  if (full_ || !machine_.is_watched(block)) return;
  const std::int64_t first = offset_of(pointer);
  bool fits = shadow_.each(block, first, bytes, [&](Cell& cell, std::int64_t at, std::int64_t width) {
    const std::uint64_t here = pointer_to(block, at);
    if (access.writes) {
      check_write(access, cell, here, width, at - first);
    } else {
      check_read(access, cell, here, width);
    }
  });
  if (fits) return;
  full_ = true;
  machine_.finding(code::kRacesLimit, Severity::Warning,
                   "from here on races are not searched for: the memory that this takes has reached its limit",
                   &access.thread);
}

void Races::read(const Thread& t, std::uint64_t pointer, std::int64_t bytes, How how) {
  touch({.thread = t, .how = how}, pointer, bytes);
}

void Races::write(const Thread& t, std::uint64_t pointer, std::int64_t bytes, const std::byte* old,
                  const std::byte* now, How how) {
  touch({.thread = t, .writes = true, .how = how, .old = old, .now = now}, pointer, bytes);
}

void Races::operation_reads(const Thread& t, std::uint32_t operation, std::uint64_t pointer, std::int64_t bytes) {
  touch({.thread = t, .operation = operation, .proxy = is_proxy(issued(operation).queue)}, pointer, bytes);
}

void Races::operation_writes(const Thread& t, std::uint32_t operation, std::uint64_t pointer, std::int64_t bytes,
                             How how) {
  touch({.thread = t, .operation = operation, .writes = true, .proxy = is_proxy(issued(operation).queue), .how = how},
        pointer, bytes);
}

bool Races::has_ended(const Access& a, const Issued& op, bool writing) const {
  const Agent self = a.thread.number;
  if (op.queue == Queue::Counted) return op.number != 0 && order_.knows(self, op.barrier, op.number);
  if (order_.knows(self, op.thread, strand_of(op.queue), op.number)) return true;
  return op.queue == Queue::Bulk && !writing && order_.knows(self, op.thread, Strand::BulkReads, op.number);
}

bool Races::is_awaited(const Issued& op, bool writing) const {
  if (op.queue == Queue::Counted) return op.number != 0;
  const Time arrived = strands_[op.thread].arrived[index_of(op.queue)];
  Time done = std::max(arrived, order_.finished(op.thread, strand_of(op.queue)));
  if (op.queue == Queue::Bulk && !writing) done = std::max(done, order_.finished(op.thread, Strand::BulkReads));
  return done >= op.number;
}

bool Races::ordered(const Access& a, const Touch& earlier, bool earlier_writes) const {
  if (earlier.who == 0) return true;
  if (earlier.is_operation()) {
    const std::uint32_t number = earlier.who & ~Touch::kOperation;
    if (number == a.operation) return true;
    if (is_foreign(earlier)) return order_.knows_group(a.thread.number, earlier.time);
    return has_ended(a, issued(number), earlier_writes);
  }
  const std::uint32_t number = earlier.who - 1;
  if (is_foreign(earlier)) return order_.knows_group(a.thread.number, 1 + number / stride_);
  const Agent other = number - first_thread_;
  // A copy that overwrites what was read ordinarily needs no fence: the reads are over.
  return a.proxy && earlier_writes ? order_.proxy_knows(a.thread.number, other, earlier.time)
                                   : order_.knows(a.thread.number, other, earlier.time);
}

// `unordered` gets one of the readers that the access does not come after.
bool Races::ordered(const Access& a, const Readers& earlier, Touch* unordered) const {
  if (earlier.who == 0) return true;
  if (earlier.who & Touch::kOperation) {
    *unordered = {earlier.who, earlier.time, earlier.site};
    return ordered(a, *unordered, false);
  }
  const std::uint32_t first = (earlier.who - 1) * kLanes;
  for (std::uint32_t lanes = earlier.lanes; lanes; lanes &= lanes - 1) {
    Touch one{first + static_cast<std::uint32_t>(std::countr_zero(lanes)) + 1, earlier.time, earlier.site};
    if (ordered(a, one, false)) continue;
    *unordered = one;
    return false;
  }
  return true;
}

void Races::check_write(const Access& a, Cell& cell, std::uint64_t pointer, std::int64_t bytes,
                        std::int64_t from_start) {
  const bool atomic = a.how == How::Atomic;
  if (!(atomic && cell.write.is_atomic()) && !ordered(a, cell.write, true)) {
    const bool equal =
        a.now && std::memcmp(a.old + from_start, a.now + from_start, static_cast<std::size_t>(bytes)) == 0;
    conflict(a, cell.write, true, pointer, bytes, equal);
  }
  auto hold = [&](const Readers& readers) {
    Touch one;
    if (atomic && readers.site & Touch::kAtomic) return;
    if (!ordered(a, readers, &one)) conflict(a, one, false, pointer, bytes, false);
  };
  hold(cell.read);
  if (cell.more) {
    for (const Readers& readers : shadow_.more(cell)) hold(readers);
  }
  shadow_.no_readers(cell);
  const Thread& t = a.thread;
  cell.write.who = a.operation ? a.operation | Touch::kOperation : first_thread_ + t.number + 1;
  cell.write.time = a.operation ? group_ : order_.now(t.number);
  cell.write.site = site_of(t) | (atomic ? Touch::kAtomic : 0);
}

void Races::check_read(const Access& a, Cell& cell, std::uint64_t pointer, std::int64_t bytes) {
  const Thread& t = a.thread;
  if (!a.operation) {  // the same read again
    const std::uint32_t number = first_thread_ + t.number;
    const Readers& r = cell.read;
    if (r.who == number / kLanes + 1 && r.time == order_.now(t.number) && r.lanes >> number % kLanes & 1) return;
  }
  if (!(a.how == How::Atomic && cell.write.is_atomic()) && !ordered(a, cell.write, true))
    conflict(a, cell.write, true, pointer, bytes, false);
  note_reader(a, cell);
}

void Races::note_reader(const Access& a, Cell& cell) {
  const Thread& t = a.thread;
  const std::uint32_t number = first_thread_ + t.number;
  Readers now{a.operation ? a.operation | Touch::kOperation : number / kLanes + 1,
              a.operation ? group_ : order_.now(t.number), a.operation ? 0 : 1u << number % kLanes,
              site_of(t) | (a.how == How::Atomic ? Touch::kAtomic : 0)};
  auto joins = [&](Readers& had) {
    if (a.operation || had.who != now.who || had.time != now.time) return false;
    if ((had.site ^ now.site) & Touch::kAtomic) return false;
    had.lanes |= now.lanes;
    return true;
  };
  if (cell.read.who == 0) {
    cell.read = now;
    return;
  }
  if (joins(cell.read)) return;
  // Whoever comes after this read also comes after those that this one comes after.
  auto covered = [&](const Readers& had) {
    Touch one;
    if (!a.operation && !(had.site & Touch::kAtomic) && (now.site & Touch::kAtomic)) return false;
    return !a.operation && ordered(a, had, &one);
  };
  if (!cell.more) {
    if (!covered(cell.read)) shadow_.more(cell).push_back(cell.read);
    cell.read = now;
    return;
  }
  std::vector<Readers>& more = shadow_.more(cell);
  for (Readers& had : more)
    if (joins(had)) return;
  std::erase_if(more, covered);
  if (!covered(cell.read)) more.push_back(cell.read);
  cell.read = now;
}

// ---- operations ----

std::uint32_t Races::issue(const Thread& t, Queue queue) {
  const Time number = queue == Queue::Counted ? 0 : ++strands_[t.number].issued[index_of(queue)];
  issued_.push_back({t.number, queue, number, 0});
  return operations_ + static_cast<std::uint32_t>(issued_.size());
}

void Races::commit(const Thread& t, Queue queue) {
  Strands& own = strands_[t.number];
  own.closed[index_of(queue)].push_back(own.issued[index_of(queue)]);
}

void Races::awaited(const Thread& t, Queue queue, std::uint64_t allowed, bool reads) {
  const std::vector<Time>& closed = strands_[t.number].closed[index_of(queue)];
  if (closed.size() <= allowed) return;
  order_.finish(t.number, reads ? Strand::BulkReads : strand_of(queue), closed[closed.size() - 1 - allowed]);
}

void Races::awaited_all(const Thread& t, Queue queue) {
  order_.finish(t.number, strand_of(queue), strands_[t.number].issued[index_of(queue)]);
}

void Races::counted(std::uint32_t operation, std::uint64_t barrier, std::uint64_t phase) {
  Issued& op = issued(operation);
  op.barrier = place(barrier).agent;
  op.number = static_cast<Time>(phase + 1);
}

void Races::counted_before(const Thread& t, Queue queue, Time last, std::uint64_t barrier) {
  Time& arrived = strands_[t.number].arrived[index_of(queue)];
  arrived = std::max(arrived, last);
  order_.finish(t.number, strand_of(queue), last, place(barrier).open);
}

Time Races::issued_so_far(const Thread& t, Queue queue) const { return strands_[t.number].issued[index_of(queue)]; }

// ---- synchronisation ----

void Races::meet(std::span<Thread* const> threads) {
  std::vector<Agent> agents;
  agents.reserve(threads.size());
  for (const Thread* t : threads) agents.push_back(t->number);
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
  shadow_.each(map >> kOffsetBits, offset_of(map), kMapBytes, [&](Cell& cell, std::int64_t, std::int64_t) {
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
  Published& at = published_[machine_.generic(pointer)];
  Gathering all;
  if (at.known && at.group == group_) Order::join(at.known, all);
  if (!relaxed) {
    order_.release(t.number, all);
  } else if (fenced_[t.number]) {
    Order::join(fenced_[t.number], all);
  }
  at = {group_, t.cta, scope, all.empty() ? nullptr : order_.close(all)};
}

void Races::acquire(const Thread& t, std::uint64_t pointer, intrinsics::Scope scope, bool relaxed) {
  auto found = published_.find(machine_.generic(pointer));
  if (found == published_.end()) return;
  const Published& from = found->second;
  const auto narrow = [](intrinsics::Scope s) { return s <= intrinsics::Scope::Cta; };
  if ((from.group != group_ || from.cta != t.cta) && (narrow(scope) || narrow(from.scope))) {
    missed_[t.number] = Missed::Scope;
  } else if (!from.known) {
    missed_[t.number] = Missed::Semantics;
  } else if (from.group != group_) {
    order_.acquire_group(t.number, from.group);
  } else if (relaxed) {
    missed_[t.number] = Missed::Semantics;
    heard_[t.number].push_back(from.known);
  } else {
    order_.acquire(t.number, from.known);
  }
}

void Races::fence(const Thread& t) {
  for (const Known& known : heard_[t.number]) order_.acquire(t.number, known);
  heard_[t.number].clear();
  Gathering own;
  order_.release(t.number, own);
  fenced_[t.number] = order_.close(own);
}

// ---- words ----

bool Races::is_foreign(const Touch& touch) const {
  return touch.is_operation() ? touch.time != group_ : touch.who - 1 < first_thread_;
}

std::string Races::name_of(const Touch& touch) const {
  if (is_foreign(touch)) return "a thread of another CTA of the grid";
  if (touch.is_operation()) {
    const Issued& op = issued(touch.who & ~Touch::kOperation);
    return std::string(words_of(op.queue)) + " of " + name_of({first_thread_ + op.thread + 1, 0, 0});
  }
  const Thread& t = machine_.thread(touch.who - 1 - first_thread_);
  std::string out = "thread " + std::to_string(t.linear);
  if (machine_.ctas() > 1) out += " of CTA " + std::to_string(t.cta) + " of the cluster";
  return out;
}

void Races::conflict(const Access& a, const Touch& earlier, bool earlier_writes, std::uint64_t pointer,
                     std::int64_t bytes, bool equal) {
  const Thread& t = a.thread;
  const Touch self{first_thread_ + t.number + 1, 0, 0};
  const bool operation = earlier.is_operation(), foreign = is_foreign(earlier);
  const Issued* op = operation && !foreign ? &issued(earlier.who & ~Touch::kOperation) : nullptr;
  const Thread* other = foreign ? nullptr : &machine_.thread(operation ? op->thread : earlier.who - 1 - first_thread_);

  std::string_view code = code::kRace;
  Severity severity = Severity::Error;
  std::string why = "nothing orders the two", hint;
  // A barrier of the CTA also orders lanes of one warp: the widest that some pair needs is the one to put there.
  const int weight = !other ? 3 : other->cta != t.cta ? 2 : other->linear / kLanes != t.linear / kLanes ? 1 : 0;
  auto by_place = [&]() -> std::string {
    if (!other) return "CTAs of a grid are not ordered: let one of them own each element, or use atomics";
    if (other->cta != t.cta) return "put T.cuda.cluster_sync() between them";
    if (other->linear / kLanes == t.linear / kLanes)
      return "put T.cuda.warp_sync() between them: lanes of a warp need not go on together";
    return "put T.cuda.cta_sync() between them, or another barrier that both threads reach";
  };
  if (op && !is_awaited(*op, earlier_writes)) {
    code = code::kUnawaited;
    why = "nobody has waited for it";
    hint = wait_for(op->queue, earlier_writes);
  } else if (op) {
    // Its end is known to others, and to nobody before this.
    hint = op->queue == Queue::Counted || op->queue == Queue::TensorCore ? "wait on its barrier in this thread, too"
                                                                         : by_place();
  } else if (a.proxy && earlier_writes && !foreign && order_.knows(t.number, other->number, earlier.time)) {
    code = code::kProxy;
    why = "no fence makes ordinary writes visible to asynchronous copies";
    hint = "put T.ptx.fence.proxy_async() behind the writes, before the barrier that orders them";
  } else if (equal) {
    code = code::kEqualStores;
    severity = Severity::Warning;
    why = "nothing orders the two; both store the same value here";
    hint = "let one thread write it";
  } else {
    hint = by_place();
    if (missed_[t.number] == Missed::Scope) {
      why = "the release or the acquire between them has the scope of one CTA";
      hint = "give both the scope cluster or gpu";
    } else if (missed_[t.number] == Missed::Semantics) {
      why = "what the thread has read in between is relaxed, and orders nothing";
      hint = "release on the side that writes and acquire on this one, or put T.cuda.thread_fence() before and behind";
    }
  }

  // Which of two unordered accesses comes first is luck: the finding is at the one that stands behind the other.
  const std::uint32_t here = site_of(t), there = earlier.site & ~Touch::kAtomic;
  const bool turned = (code == code::kRace || code == code::kEqualStores) && here < there;
  const std::string_view verb = a.writes ? "writes" : "reads", other_verb = earlier_writes ? "writes" : "reads";
  const std::string self_name =
      a.operation ? std::string(words_of(issued(a.operation).queue)) + " of " + name_of(self) : name_of(self);
  const std::string other_name = name_of(earlier);
  Finding f;
  f.code = code;
  f.severity = severity;
  f.message = (turned ? other_name : self_name) + " " + std::string(turned ? other_verb : verb) + " " +
              std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes") + " at byte " +
              std::to_string(offset_of(pointer)) + " of `" + std::string(machine_.block_name(pointer >> kOffsetBits)) +
              "`, which " + (turned ? self_name : other_name) + " " + std::string(turned ? verb : other_verb) + ": " +
              why;
  f.hint = std::move(hint);
  f.weight = weight;
  f.related.push_back({machine_.origin_numbered(turned ? here : there),
                       (turned ? a.writes : earlier_writes) ? "written here" : "read here"});
  machine_.report(std::move(f), turned && other ? other : &t, machine_.origin_numbered(turned ? there : here));
}

}  // namespace tilewright::simulate
