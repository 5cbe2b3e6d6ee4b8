#include "compiler/simulate/hazards/hazards.h"

#include <algorithm>
#include <utility>

#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

Hazards::Hazards(Machine& machine, std::shared_ptr<History> history)
    : machine_(machine), history_(std::move(history)), races_(machine, history_), interleavings_(machine) {}

void Hazards::use(std::shared_ptr<History> history) {
  history_ = std::move(history);
  races_.use(history_);
}

// Only what is wrong makes them findings: put_causes_first() says of what.
void Hazards::take_causes() {
  std::vector<Finding>& findings = machine_.result().findings;
  for (Finding& f : causes_.take(machine_)) {
    const bool known =
        std::ranges::any_of(findings, [&](const Finding& had) { return had.weight == kCause && had.code == f.code; });
    if (!known) findings.push_back(std::move(f));
  }
  causes_.start();
}

void Hazards::start_group(const Group& group) {
  races_.start_group(static_cast<std::uint32_t>(group.cluster), group.threads, group.first_shared);
  interleavings_.start_group(group.ctas, group.warps);
  take_causes();
  promises_.clear();
}

void Hazards::end_cta(std::span<const Thread> threads, std::uint64_t first_block, std::size_t blocks) {
  if (machine_.ctas() > 1) races_.end_cta(threads, first_block, blocks);
}

// ---- access ----

void Hazards::read(const Thread& t, std::uint64_t pointer, std::int64_t bytes, How how, std::string_view view) {
  races_.read(t, pointer, bytes, how, view);
}

void Hazards::write(const Thread& t, std::uint64_t pointer, std::int64_t bytes, const std::byte* old,
                    const std::byte* now, How how, std::string_view view) {
  races_.write(t, pointer, bytes, old, now, how, view);
}

void Hazards::access(const Thread& t, const Accessed& what) { races_.access(t, what); }

void Hazards::use_map(const Thread& t, std::uint64_t map) { races_.use_map(t, map); }

void Hazards::release_columns(const Thread& t, std::int64_t first, std::int64_t columns, std::uint32_t peer) {
  races_.release_columns(t, first, columns, peer);
}

// ---- issue ----

void Hazards::issue(const Thread& t, std::uint32_t operation, Queue queue, TensorWork work) {
  races_.issue(t, operation, queue, work);
}

void Hazards::start(const Thread& t, const Operation& op) {
  const std::span<const std::uint64_t> barriers = op.signals();
  if (barriers.empty()) return;
  Promise& promise = promises_[op.sequence];
  promise.past = interleavings_.past(t);
  if (op.queue == Queue::Arrival) promise.so_far = races_.so_far(t, Queue::Copy);
  if (op.queue == Queue::Commit) {
    promise.so_far = races_.so_far(t, Queue::TensorCore);
    promise.reads = races_.so_far(t, Queue::FactorRead);
    if (!op.follows_reads()) promise.number = races_.commits(t, barriers);
  }
  for (std::uint64_t barrier : barriers) {
    if (op.counted_bytes()) causes_.copies(machine_, t, barrier, op.counted_bytes());
    if (op.queue == Queue::Commit) causes_.arrives(machine_, t, barrier);
  }
}

void Hazards::land(const Thread&, const Operation& op) {
  if (!op.signals().empty()) promises_.erase(op.sequence);
}

void Hazards::commit(const Thread& t, Queue queue) { races_.commit(t, queue); }

// ---- arrive ----

void Hazards::init_barrier(const Thread& t, std::uint64_t barrier, std::string_view name) {
  races_.init_barrier(t, barrier);
  interleavings_.init(barrier, name);
}

void Hazards::end_barrier(const Thread& t, std::uint64_t barrier) {
  races_.end_barrier(t, barrier);
  interleavings_.end(barrier);
}

void Hazards::use_barrier(const Thread& t, std::uint64_t barrier) { races_.use_barrier(t, barrier); }

void Hazards::announce(const Thread& t, std::uint64_t barrier, std::int64_t bytes) {
  causes_.announces(machine_, t, barrier, bytes);
}

void Hazards::count(const Thread& t, std::uint64_t barrier, std::uint64_t phase, const Operation* by) {
  const auto promise = by ? promises_.find(by->sequence) : promises_.end();
  interleavings_.counts(t, barrier, phase, promise != promises_.end() ? promise->second.past : nullptr);
}

void Hazards::count_operation(std::uint32_t operation, std::uint64_t barrier, std::uint64_t phase) {
  races_.counted(operation, barrier, phase);
}

void Hazards::arrive(const Thread& t, std::uint64_t place, bool relaxed) {
  if (place > kOffsetMask) causes_.arrives(machine_, t, place);
  if (relaxed) {
    races_.arrive_relaxed(t);
  } else {
    races_.arrive(t, place);
  }
}

void Hazards::arrive_after(const Thread& t, const Operation& op, std::uint64_t barrier) {
  const Promise& promise = promises_[op.sequence];
  const bool is_commit = op.queue == Queue::Commit;
  if (is_commit) races_.counted_before(t, Queue::FactorRead, promise.reads, barrier);
  if (op.follows_reads()) return;
  races_.counted_before(t, is_commit ? Queue::TensorCore : Queue::Copy, promise.so_far, barrier);
  if (is_commit) races_.committed(t, promise.number, barrier);
}

void Hazards::promise(const Thread& t, std::uint64_t barrier) { causes_.arrives(machine_, t, barrier); }

void Hazards::come(const Thread& t, std::uint64_t place, std::string_view name) {
  interleavings_.comes(t, place, name);
}

void Hazards::close(std::uint64_t place) {
  races_.close(place);
  interleavings_.closes(place);
}

void Hazards::phase_over(std::uint64_t barrier, std::uint64_t phase) {
  races_.phase_over(barrier, phase);
  interleavings_.phase_over(barrier, phase);
}

// ---- wait ----

void Hazards::come_to_wait(const Thread& t, std::uint64_t barrier, std::int64_t phase) {
  interleavings_.comes_to_wait(t, barrier, phase);
  causes_.comes(machine_, t, barrier, phase);
}

void Hazards::leave(const Thread& t, std::uint64_t place) {
  if (place == kClusterPlace) {
    races_.leave_cluster(t);
    interleavings_.leaves(t, place);
  } else {
    races_.leave(t, place);
    interleavings_.waited(t, place);
    causes_.leaves(t, place);
  }
}

void Hazards::wait(std::span<const Thread> threads, Queue queue, std::optional<std::uint64_t> allowed, bool reads) {
  if (queue == Queue::Wgmma) {
    races_.awaited_by(threads, queue, allowed.value_or(0));
  } else if (queue == Queue::TmemLoad || queue == Queue::TmemStore) {
    races_.awaited_by_warp(threads, queue);
  } else if (allowed) {
    races_.awaited(threads[0], queue, *allowed, reads);
  } else {
    races_.awaited_all(threads[0], queue);
  }
}

// ---- meet ----

void Hazards::meet(std::span<const Thread* const> threads) { races_.meet(threads); }

void Hazards::meet_named(std::span<const Thread* const> threads, std::uint64_t place) {
  for (const Thread* t : threads) races_.arrive(*t, place);
  races_.close(place);
  for (const Thread* t : threads) races_.leave(*t, place);
}

void Hazards::pass(std::span<const Thread* const> threads, std::uint64_t place, std::string_view name) {
  std::vector<const Thread*> warps;
  for (const Thread* t : threads)
    if (warps.empty() || warps.back()->linear / 32 != t->linear / 32) warps.push_back(t);
  for (const Thread* t : warps) interleavings_.comes(*t, place, name);
  interleavings_.closes(place);
  for (const Thread* t : warps) interleavings_.leaves(*t, place);
}

// ---- fence ----

void Hazards::fence(const Thread& t, const Fence& fence) {
  switch (fence.kind) {
    case Fence::Kind::Memory: return races_.fence(t, fence.scope);
    case Fence::Kind::Proxy: return races_.fence_proxy(t, fence.space);
    case Fence::Kind::BarrierInit: return races_.fence_init(t);
    case Fence::Kind::TensorMap: return races_.acquire_map(t, fence.map);
    case Fence::Kind::TensorBefore: return races_.fence_tensor_before(t);
    case Fence::Kind::TensorAfter: return races_.fence_tensor_after(t);
  }
}

void Hazards::release(const Thread& t, std::uint64_t pointer, intrinsics::Scope scope, bool relaxed) {
  races_.release(t, pointer, scope, relaxed);
}

void Hazards::acquire(const Thread& t, std::uint64_t pointer, intrinsics::Scope scope, bool relaxed) {
  races_.acquire(t, pointer, scope, relaxed);
}

void Hazards::publish(const Thread& t, std::uint64_t pointer) { interleavings_.publishes(t, pointer); }

void Hazards::hear(const Thread& t, std::uint64_t pointer) { interleavings_.hears(t, pointer); }

}  // namespace tilewright::simulate
