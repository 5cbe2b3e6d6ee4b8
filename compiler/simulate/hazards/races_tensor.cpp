// Tensor memory in the search for races (PTX ISA, "memory consistency model for tensor core operations").
//
// Its operations are all asynchronous. Some pairs of a tensor core's operations follow each other as they were issued
// (kPipelined): those of one thread in their order, those of several when a fence on either side goes with the barrier
// between them. Anything else has to wait for the end of what it follows: for a commit's barrier, or for the waits of
// loads and stores, which a warp makes together. From one thread to another the fences have to be there, too; a commit
// stands for the first of them.
#include <algorithm>
#include <utility>

#include "compiler/intrinsics/say.h"
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/hazards/races.h"
#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

namespace {

bool fences_both_sides(std::span<const Site> sites) {
  bool before = false, after = false;
  for (const Site& site : sites)
    if (site.call && site.call->meaning == Meaning::TmemFence) (site.flag ? before : after) = true;
  return before && after;
}

bool has(std::span<const Site> sites, Meaning meaning, bool narrow) {
  return std::ranges::any_of(sites, [&](const Site& site) {
    return site.call && site.call->meaning == meaning && (!narrow || site.code != 0);
  });
}

}  // namespace

Races::Races(Machine& machine, std::shared_ptr<History> history)
    : machine_(machine),
      tensor_fences_(fences_both_sides(machine.sites())),
      fences_apart_(has(machine.sites(), Meaning::FenceProxyAsync, true)),
      ends_barriers_(has(machine.sites(), Meaning::MbarrierInval, false)),
      history_(std::move(history)) {}

Agent Races::warp_of(const Thread& t) const { return t.number - t.linear % kLanes; }

bool Races::is_on_tensor_memory(const Access& a, const Issued& op) const {
  return is_tensor(op.queue) && a.operation && is_tensor(issued(a.operation).queue);
}

bool Races::is_same_pipeline(std::uint32_t operation, std::uint32_t other) const {
  if (other > issued_.size()) return false;  // of another cluster
  const Issued &a = issued(operation), &b = issued(other);
  return a.queue == b.queue && a.thread == b.thread && is_tensor(a.queue);
}

// PTX ISA 9.7.16.6.2, "Pipelined tcgen05 instructions": the pairs that execute in the order of their issue, within one
// cta_group. tcgen05.mma after tcgen05.mma is promised for one accumulator and shape; others are taken as ordered, too:
// kernels lean on that, and no GPU is known on which they are not.
//
//   | first       | then                   |
//   |-------------|------------------------|
//   | tcgen05.mma | tcgen05.mma            |
//   | tcgen05.cp  | tcgen05.mma            |
//   | tcgen05.shift | tcgen05.mma          |
//   | tcgen05.shift | tcgen05.cp.4x256b    |
//   | tcgen05.mma | tcgen05.shift          |
//
// In particular a tcgen05.cp may overwrite what a tcgen05.mma before it still reads (scale factors, say).
bool Races::is_pipelined(const Access& a, const Issued& op) const {
  using enum Kind;
  constexpr std::pair<Kind, Kind> kPipelined[] = {{Product, Product}, {MatrixCopy, Product}, {LaneCopy, Product},
                                                  {Shift, Product},   {Shift, LaneCopy},     {Product, Shift}};
  return std::ranges::find(kPipelined, std::pair(op.kind, issued(a.operation).kind)) != std::end(kPipelined);
}

Races::Tensor Races::tensor_order(const Access& a, const Issued& op) const {
  const Agent self = a.thread.number;
  const Known& behind = behind_fence_[self];
  auto known = [&](Strand strand) { return order_.knows(self, op.thread, strand, op.number); };
  auto fenced = [&](Strand strand) {
    return tensor_fences_ ? behind && order_.holds(behind, op.thread, strand, op.number) : known(strand);
  };
  if (op.queue == Queue::TensorCore) {
    if (issued(a.operation).queue == Queue::TensorCore && is_pipelined(a, op)) {
      if (op.thread == self || fenced(Strand::FencedWork) || fenced(Strand::TensorWork)) return Tensor::Ordered;
      return known(Strand::FencedWork) || known(Strand::TensorWork) ? Tensor::NotFencedAfter : Tensor::Unordered;
    }
    if (!known(Strand::TensorWork)) return Tensor::Unordered;
    // The thread has waited itself: nothing has to be fenced between its own operations.
    if (op.thread == self && issued(a.operation).queue == Queue::TensorCore) return Tensor::Ordered;
    return fenced(Strand::TensorWork) ? Tensor::Ordered : Tensor::NotFencedAfter;
  }
  const bool loads = op.queue == Queue::TmemLoad;
  if (!known(loads ? Strand::TensorLoads : Strand::TensorStores)) return Tensor::Unordered;
  if (op.thread == warp_of(a.thread)) return Tensor::Ordered;
  if (!tensor_fences_) return Tensor::Ordered;
  const Strand strand = loads ? Strand::FencedLoads : Strand::FencedStores;
  if (!known(strand)) return Tensor::NotFencedBefore;
  return fenced(strand) ? Tensor::Ordered : Tensor::NotFencedAfter;
}

void Races::awaited_by_warp(std::span<const Thread> lanes, Queue queue) {
  const Agent first = lanes[0].number;
  const Time number = strands_[first].issued[index_of(queue)];
  if (number == 0) return;
  order_.finish(first, strand_of(queue), number);
  Gathering told;
  order_.finish(first, strand_of(queue), number, told);
  const Known known = order_.close(told);
  for (const Thread& t : lanes.subspan(1)) order_.acquire(t.number, known);
}

void Races::fence_tensor_before(const Thread& t) {
  if (const Time work = strands_[t.number].issued[index_of(Queue::TensorCore)])
    order_.finish(t.number, Strand::FencedWork, work);
  const Agent first = warp_of(t);
  const Time loads = order_.finished(first, Strand::TensorLoads), stores = order_.finished(first, Strand::TensorStores);
  if (loads == 0 && stores == 0) return;
  // All lanes of the warp tell the same.
  FencedWarp& warp = fenced_warps_[first];
  if (!warp.known || warp.loads != loads || warp.stores != stores) {
    Gathering told;
    order_.finish(first, Strand::FencedLoads, loads, told);
    order_.finish(first, Strand::FencedStores, stores, told);
    warp = {loads, stores, order_.close(told)};
  }
  order_.acquire(t.number, warp.known);
}

void Races::fence_tensor_after(const Thread& t) { behind_fence_[t.number] = order_.known(t.number); }

// A pair gives back the columns of both its CTAs in one operation that a warp of each performs (PTX ISA 9.7.16.5, table
// of the issue granularity; 9.7.16.7.1): nothing says that it waits for what the peer still reads.
void Races::release_columns(const Thread& t, std::int64_t first, std::int64_t columns, std::uint32_t peer) {
  const Access release{.thread = t, .writes = true};
  Touch left;
  auto look = [&](const Touch& touch) {
    if (left.who != 0 || ordered(release, touch, true)) return;
    left = touch;
  };
  auto look_readers = [&](const Readers& r) {
    if (r.who) look({r.who, r.time, r.site});
  };
  const std::int64_t from = first * TensorMemory::kLanes, end = (first + columns) * TensorMemory::kLanes;
  auto each = [&](std::uint32_t cta, auto&& f) {
    shadow_.each_touched(kTensorBlocks + cta, [&](Cell& cell, std::int64_t at) {
      if (at >= from && at < end) f(cell);
    });
  };
  auto look_at = [&](Cell& cell) {
    look(cell.write);
    look_readers(cell.read);
    if (cell.more) std::ranges::for_each(shadow_.more(cell), look_readers);
  };
  auto forget = [&](Cell& cell) {
    shadow_.no_readers(cell);
    cell.write = {};
  };
  each(t.cta, look_at);
  const bool of_pair = left.who == 0 && peer != t.cta;
  if (of_pair) each(peer, look_at);
  // What the peer is still to give back is looked at by that, too.
  const bool is_last = peer == t.cta || machine_.tensor_memory(peer).columns_from(first) == 0;
  if (is_last) each(t.cta, forget);
  if (is_last && peer != t.cta) each(peer, forget);
  if (left.who == 0) return;
  const Issued& op = issued(left.who & ~Touch::kOperation);
  Finding f;
  const bool awaited = is_awaited(op, true);
  f.kind = Finding::Kind::GivesBack;
  f.code = awaited ? code::kRace : code::kUnawaited;
  if (of_pair) f.severity = Severity::Warning;
  f.message = "thread " + std::to_string(t.linear) + " gives back columns of tensor memory that " + name_of(left) +
              " touches: " + (awaited ? "nothing orders the two" : "no wait covers it");
  f.hint = awaited ? "put {cta_sync}() before tcgen05.dealloc, or another barrier that both threads reach"_row_text
                   : wait_for(op.queue, true);
  if (of_pair)
    f.hint = "a pair gives back the columns of both CTAs: put {cluster_sync}() before tcgen05.dealloc"_row_text;
  f.related.push_back({machine_.origin_numbered(left.site & ~Touch::kAtomic), "touched here"});
  machine_.report(std::move(f), &t);
}

}  // namespace tilewright::simulate
