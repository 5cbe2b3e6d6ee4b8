// The search for hazards: races, other orders of execution, and the mistakes that lead to either, as one observer of
// the machine (machine/observer.h).
#pragma once
#include <memory>
#include <unordered_map>

#include "compiler/simulate/hazards/causes.h"
#include "compiler/simulate/hazards/interleavings.h"
#include "compiler/simulate/hazards/races.h"
#include "compiler/simulate/machine/observer.h"

namespace tilewright::simulate {

class Hazards final : public Observer {
 public:
  Hazards(Machine& machine, std::shared_ptr<History> history);

  Races& races() { return races_; }
  Interleavings& interleavings() { return interleavings_; }
  const std::shared_ptr<History>& history() const { return history_; }
  void use(std::shared_ptr<History> history);
  // Puts the causes that were found in the cluster that has run among the findings.
  void take_causes();

  void start_group(const Group&) override;
  void end_cta(std::span<const Thread>, std::uint64_t first_block, std::size_t blocks) override;
  void read(const Thread&, std::uint64_t pointer, std::int64_t bytes, How, std::string_view view) override;
  void write(const Thread&, std::uint64_t pointer, std::int64_t bytes, const std::byte* old, const std::byte* now, How,
             std::string_view view) override;
  void access(const Thread&, const Accessed&) override;
  void use_map(const Thread&, std::uint64_t map) override;
  void release_columns(const Thread&, std::int64_t first, std::int64_t columns, std::uint32_t peer) override;
  void issue(const Thread&, std::uint32_t operation, Queue, TensorWork) override;
  void start(const Thread&, const Operation&) override;
  void land(const Thread&, const Operation&) override;
  void commit(const Thread&, Queue) override;
  void init_barrier(const Thread&, std::uint64_t barrier, std::string_view name) override;
  void end_barrier(const Thread&, std::uint64_t barrier) override;
  void use_barrier(const Thread&, std::uint64_t barrier) override;
  void announce(const Thread&, std::uint64_t barrier, std::int64_t bytes) override;
  void count(const Thread&, std::uint64_t barrier, std::uint64_t phase, const Operation* by) override;
  void count_operation(std::uint32_t operation, std::uint64_t barrier, std::uint64_t phase) override;
  void arrive(const Thread&, std::uint64_t place, bool relaxed) override;
  void arrive_after(const Thread&, const Operation&, std::uint64_t barrier) override;
  void promise(const Thread&, std::uint64_t barrier) override;
  void come(const Thread&, std::uint64_t place, std::string_view name) override;
  void close(std::uint64_t place) override;
  void phase_over(std::uint64_t barrier, std::uint64_t phase) override;
  void come_to_wait(const Thread&, std::uint64_t barrier, std::int64_t phase) override;
  void leave(const Thread&, std::uint64_t place) override;
  void wait(std::span<const Thread>, Queue, std::optional<std::uint64_t> allowed, bool reads) override;
  void meet(std::span<const Thread* const>) override;
  void meet_named(std::span<const Thread* const>, std::uint64_t place) override;
  void pass(std::span<const Thread* const>, std::uint64_t place, std::string_view name) override;
  void fence(const Thread&, const Fence&) override;
  void release(const Thread&, std::uint64_t pointer, intrinsics::Scope, bool relaxed) override;
  void acquire(const Thread&, std::uint64_t pointer, intrinsics::Scope, bool relaxed) override;
  void publish(const Thread&, std::uint64_t pointer) override;
  void hear(const Thread&, std::uint64_t pointer) override;

 private:
  // What was known at the issue of an operation that signals barriers.
  struct Promise {
    Interleavings::Past past;
    Races::SoFar so_far, reads;  // reads: of a commit, what products have read of A
    Time number = 0;             // of a commit: among those of the thread
  };

  Machine& machine_;
  std::shared_ptr<History> history_;
  Races races_;
  Interleavings interleavings_;
  Causes causes_;
  std::unordered_map<std::uint64_t, Promise> promises_;  // by Operation::sequence, until it has landed
};

}  // namespace tilewright::simulate
