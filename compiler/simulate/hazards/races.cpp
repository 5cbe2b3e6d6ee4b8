#include "compiler/simulate/hazards/races.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "compiler/intrinsics/say.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

void Races::start_group(std::uint32_t number, std::size_t threads, std::uint64_t first_shared) {
  group_ = number + 1;
  // Warps of different clusters have different numbers.
  stride_ = (static_cast<std::uint32_t>(threads) + kLanes - 1) / kLanes * kLanes;
  first_thread_ = number * stride_;
  first_shared_ = first_shared;
  issued_.clear();
  shadow_.forget_from(first_shared);
  order_.start(threads, fences_apart_);
  strands_.resize(threads);
  for (Strands& s : strands_) s.forget();
  places_.clear();
  maps_.clear();
  missed_.assign(threads, Missed::Nothing);
  fenced_.assign(threads, {});
  remote_commits_.clear();
  relaxed_.clear();
  begun_.clear();
  behind_fence_.assign(threads, nullptr);
  fenced_warps_.clear();
  heard_.assign(threads, {});
  sequential_ = false;
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
  if (block >= first_shared_ && machine_.ctas() > 1) check_begun(access, pointer);
  if (block < first_shared_) access.space = ProxySpace::Global;
  bool fits = shadow_at(pointer).each(block, first, bytes, [&](Cell& cell, std::int64_t at, std::int64_t width) {
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

// Distributed shared memory exists once its CTA has begun (CUDA programming guide, "distributed shared memory"): the
// thread has heard from it, or has passed the cluster's barrier.
void Races::check_begun(const Access& a, std::uint64_t pointer) {
  const std::optional<std::uint32_t> rank = machine_.rank_of(pointer);
  const Thread& t = a.thread;
  if (!rank || *rank == t.cta) return;
  begun_.resize(std::size_t{machine_.ctas()} * machine_.ctas());
  auto known = begun_.begin() + static_cast<std::ptrdiff_t>(t.cta * machine_.ctas() + *rank);
  if (*known) return;
  *known = true;  // or said once
  const std::size_t first = t.number - t.linear + (std::size_t{*rank} - t.cta) * machine_.cta_size();
  for (std::size_t n = first; n < first + machine_.cta_size(); ++n)
    if (order_.known_time(t.number, static_cast<Agent>(n)) > 0) return;
  Finding f;
  f.code = code::kRace;
  f.message = name_of({first_thread_ + t.number + 1, 0, 0}) + (a.writes ? " writes" : " reads") +
              " shared memory of CTA " + std::to_string(*rank) +
              " of the cluster, which may not have begun: nothing orders this after its start";
  f.hint = "put {cluster_sync}() before it"_row_text;
  f.weight = static_cast<int>(Reach::Cluster);
  machine_.report(std::move(f), &t, machine_.origin_numbered(site_of(t)));
}

void Races::read(const Thread& t, std::uint64_t pointer, std::int64_t bytes, How how, std::string_view view) {
  touch({.thread = t, .how = how, .view = view}, pointer, bytes);
}

void Races::write(const Thread& t, std::uint64_t pointer, std::int64_t bytes, const std::byte* old,
                  const std::byte* now, How how, std::string_view view) {
  touch({.thread = t, .writes = true, .how = how, .old = old, .now = now, .view = view}, pointer, bytes);
}

void Races::access(const Thread& t, const Accessed& what) {
  const bool proxy = !what.is_map && !what.generic && is_proxy(issued(what.operation).queue);
  touch({.thread = t, .operation = what.operation, .writes = what.writes, .proxy = proxy, .how = what.how},
        what.pointer, what.bytes);
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
    if (is_foreign(earlier)) return order_.knows_group(a.thread.number, earlier.time);
    if (number == a.operation) return true;
    const Issued& op = issued(number);
    return is_on_tensor_memory(a, op) ? tensor_order(a, op) == Tensor::Ordered : has_ended(a, op, earlier_writes);
  }
  const std::uint32_t number = earlier.who - 1;
  if (is_foreign(earlier)) {
    const std::uint32_t group = 1 + number / stride_, other = number % stride_;
    return a.proxy && earlier_writes ? order_.proxy_knows_other(a.thread.number, group, other, earlier.time, a.space)
                                     : order_.knows_other(a.thread.number, group, other, earlier.time);
  }
  const Agent other = number - first_thread_;
  // A copy that overwrites what was read ordinarily needs no fence: the reads are over.
  return a.proxy && earlier_writes ? order_.proxy_knows(a.thread.number, other, earlier.time, a.space)
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
  if (atomic) check_replaced(a, cell, pointer, bytes);
  if (!(atomic && cell.write.is_atomic()) && !ordered(a, cell.write, true)) {
    const bool equal = a.now && common::equals(a.old + from_start, a.now + from_start, static_cast<std::size_t>(bytes));
    if (!(equal && is_one_store(a, cell.write))) conflict(a, cell.write, true, pointer, bytes, equal);
  }
  auto hold = [&](const Readers& readers) {
    Touch one;
    if (atomic && readers.site & Touch::kAtomic) return;
    if (!ordered(a, readers, &one)) conflict(a, one, false, pointer, bytes, false);
  };
  hold(cell.read);
  if (cell.more) {
    for (const Readers& readers : shadow_at(pointer).more(cell)) hold(readers);
  }
  shadow_at(pointer).no_readers(cell);
  const Thread& t = a.thread;
  auto& replaced = shadow_at(pointer).replaced;
  if (!atomic && !replaced.empty()) replaced.erase(pointer);
  if (atomic && cell.write.who && !cell.write.is_atomic()) replaced[pointer] = cell.write;
  cell.write.who = a.operation ? a.operation | Touch::kOperation : first_thread_ + t.number + 1;
  cell.write.time = a.operation ? group_ : order_.now(t.number);
  cell.write.site = site_of(t) | (atomic ? Touch::kAtomic : 0);
}

// Atomic accesses are not held against each other, but each against the ordinary write that the first of them came
// after.
void Races::check_replaced(const Access& a, const Cell& cell, std::uint64_t pointer, std::int64_t bytes) {
  const auto& replaced = shadow_at(pointer).replaced;
  if (!cell.write.is_atomic() || replaced.empty()) return;
  const auto write = replaced.find(pointer);
  if (write != replaced.end() && !ordered(a, write->second, true))
    conflict(a, write->second, true, pointer, bytes, false);
}

void Races::check_read(const Access& a, Cell& cell, std::uint64_t pointer, std::int64_t bytes) {
  const Thread& t = a.thread;
  if (!a.operation) {  // the same read again
    const std::uint32_t number = first_thread_ + t.number;
    const Readers& r = cell.read;
    if (r.who == number / kLanes + 1 && r.time == order_.now(t.number) && r.lanes >> number % kLanes & 1) return;
  }
  if (a.how == How::Atomic) check_replaced(a, cell, pointer, bytes);
  if (!(a.how == How::Atomic && cell.write.is_atomic()) && !ordered(a, cell.write, true))
    conflict(a, cell.write, true, pointer, bytes, false);
  note_reader(a, cell, pointer);
}

void Races::note_reader(const Access& a, Cell& cell, std::uint64_t pointer) {
  const Thread& t = a.thread;
  const std::uint32_t number = first_thread_ + t.number;
  Readers now{a.operation ? a.operation | Touch::kOperation : number / kLanes + 1,
              a.operation ? group_ : order_.now(t.number), a.operation ? 0 : 1u << number % kLanes,
              site_of(t) | (a.how == How::Atomic ? Touch::kAtomic : 0)};
  auto joins = [&](Readers& had) {
    // Of those that end in their order the last one is enough.
    if (a.operation && had.who & Touch::kOperation && is_same_pipeline(a.operation, had.who & ~Touch::kOperation)) {
      had = now;
      return true;
    }
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
  // What comes after this read also comes after those that this one comes after.
  auto covered = [&](const Readers& had) {
    Touch one;
    if (!a.operation && !(had.site & Touch::kAtomic) && (now.site & Touch::kAtomic)) return false;
    return !a.operation && ordered(a, had, &one);
  };
  if (!cell.more) {
    if (!covered(cell.read)) shadow_at(pointer).more(cell).push_back(cell.read);
    cell.read = now;
    return;
  }
  std::vector<Readers>& more = shadow_at(pointer).more(cell);
  for (Readers& had : more)
    if (joins(had)) return;
  std::erase_if(more, covered);
  if (!covered(cell.read)) more.push_back(cell.read);
  cell.read = now;
}

// ---- operations ----

void Races::issue(const Thread& t, std::uint32_t operation, Queue queue, Kind kind) {
  const Time number = queue == Queue::Counted ? 0 : ++strands_[t.number].issued[index_of(queue)];
  issued_.resize(operation);
  issued(operation) = {t.number, queue, number, 0, kind, order_.now(t.number)};
}

// Lanes of one warp that store one value by one instruction: one of them does it (CUDA programming guide, "SIMT
// architecture"), and it does not matter which.
bool Races::is_one_store(const Access& a, const Touch& earlier) const {
  if (a.operation || earlier.is_operation()) return false;
  const std::uint32_t own = first_thread_ + a.thread.number;
  return (earlier.who - 1) / kLanes == own / kLanes && (earlier.site & ~Touch::kAtomic) == site_of(a.thread);
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

void Races::awaited_by(std::span<const Thread> threads, Queue queue, std::uint64_t allowed) {
  const Thread& first = threads[0];
  const std::vector<Time>& closed = strands_[first.number].closed[index_of(queue)];
  if (closed.size() <= allowed) return;
  const Time last = closed[closed.size() - 1 - allowed];
  if (last <= order_.finished(first.number, strand_of(queue))) return;
  order_.finish(first.number, strand_of(queue), last);
  Gathering over;
  order_.finish(first.number, strand_of(queue), last, over);
  const Known known = order_.close(over);
  for (const Thread& t : threads) order_.acquire(t.number, known);
}

void Races::counted(std::uint32_t operation, std::uint64_t barrier, std::uint64_t phase) {
  Issued& op = issued(operation);
  op.barrier = place(barrier).agent;
  op.number = static_cast<Time>(phase + 1);
}

void Races::counted_before(const Thread& t, Queue queue, const SoFar& so_far, std::uint64_t barrier) {
  Time& arrived = strands_[t.number].arrived[index_of(queue)];
  arrived = std::max(arrived, so_far.last);
  Gathering& open = place(barrier).open;
  order_.finish(t.number, strand_of(queue), so_far.last, open);
  Order::join(so_far.known, open);
}

Races::SoFar Races::so_far(const Thread& t, Queue queue) const {
  return {strands_[t.number].issued[index_of(queue)], order_.known(t.number)};
}

}  // namespace tilewright::simulate
