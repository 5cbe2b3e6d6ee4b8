// What a run does, as events of six kinds: accesses to memory, the issue of asynchronous operations, arrivals, waits,
// meetings of threads, and fences.
//
// An observer sees them in the order of execution and changes nothing of the run; what it finds it reports to the
// machine. The search for hazards is one (hazards/hazards.h). Without observers an event costs one comparison.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/intrinsics/effect.h"

namespace tilewright::simulate {

class Operation;
struct Thread;
enum class Queue : std::uint8_t;

enum class How : std::uint8_t { Plain, Atomic };

// An access of an asynchronous operation that a thread issues.
struct Accessed {
  std::uint32_t operation = 0;  // by its number
  std::uint64_t pointer = 0;
  std::int64_t bytes = 0;
  bool writes = false;
  How how = How::Plain;
  bool is_map = false;  // a tensor map, which copies read through a proxy of its own
  // By the generic proxy although a barrier counts it: of asynchronous operations only cp{.reduce}.async.bulk are
  // performed in the async proxy (PTX ISA 9.7.9.25.2), a weak st.async or a relaxed red.async is not (9.7.9.12).
  bool generic = false;
};

// What an operation of the tensor core does; those of a kind are ordered among each other (races_tensor.cpp).
enum class TensorWork : std::uint8_t { None, Product, MatrixCopy, LaneCopy, Shift };

// The state spaces that a fence of the async proxy is for.
enum class ProxySpace : std::uint8_t { Both, Shared, Global };

struct Fence {
  enum class Kind : std::uint8_t {
    Memory,        // fence, membar: of `scope`
    Proxy,         // fence.proxy.async: of `space`
    BarrierInit,   // fence.mbarrier_init
    TensorMap,     // fence.proxy.tensormap::generic.acquire: of the map at `map`
    TensorBefore,  // tcgen05.fence::before_thread_sync
    TensorAfter,   // tcgen05.fence::after_thread_sync
  } kind{};
  intrinsics::Scope scope{};
  ProxySpace space = ProxySpace::Both;
  std::uint64_t map = 0;
};

// The threads that run together from now on.
struct Group {
  std::uint64_t cluster = 0;  // its number in the grid
  std::size_t threads = 0;
  std::uint32_t ctas = 0, warps = 0;  // warps of a CTA
  std::uint64_t first_shared = 0;     // blocks from here on belong to the group
};

// A `place` is where threads meet or arrive: the pointer of an mbarrier, or the number of a barrier of the hardware
// (machine.h).
class Observer {
 public:
  virtual ~Observer() = default;

  // ---- the group ----
  virtual void start_group(const Group&) {}
  // All threads of a CTA have ended; its shared memory is in these blocks.
  virtual void end_cta(std::span<const Thread> /*threads*/, std::uint64_t /*first_block*/, std::size_t /*blocks*/) {}

  // ---- access: before it happens ----
  // By a thread. `view` is what the script calls the memory there; empty: not known.
  virtual void read(const Thread&, std::uint64_t /*pointer*/, std::int64_t /*bytes*/, How, std::string_view /*view*/) {}
  // `old` are the bytes there, `now` the new ones. Null: not known.
  virtual void write(const Thread&, std::uint64_t /*pointer*/, std::int64_t /*bytes*/, const std::byte* /*old*/,
                     const std::byte* /*now*/, How, std::string_view /*view*/) {}
  virtual void access(const Thread&, const Accessed&) {}
  // A copy uses a tensor map, after its access to it.
  virtual void use_map(const Thread&, std::uint64_t /*map*/) {}
  // Columns of tensor memory are given back, by `peer` together with the thread's CTA.
  virtual void release_columns(const Thread&, std::int64_t /*first*/, std::int64_t /*columns*/,
                               std::uint32_t /*peer*/) {}

  // Tensor cores are about to do so many operations for the thread's warp, warpgroup or CTA: 2 m n k of each product.
  virtual void multiply(const Thread&, std::uint64_t /*operations*/) {}

  // ---- issue ----
  // An operation gets its number, from 1 in each group; its accesses follow.
  virtual void issue(const Thread&, std::uint32_t /*operation*/, Queue, TensorWork) {}
  // It is under way, and it has ended. An operation may have several numbers, or none.
  virtual void start(const Thread&, const Operation&) {}
  virtual void land(const Thread&, const Operation&) {}
  // The open group of a queue is closed.
  virtual void commit(const Thread&, Queue) {}

  // ---- arrive ----
  virtual void init_barrier(const Thread&, std::uint64_t /*barrier*/, std::string_view /*name*/) {}
  virtual void end_barrier(const Thread&, std::uint64_t /*barrier*/) {}
  virtual void use_barrier(const Thread&, std::uint64_t /*barrier*/) {}
  // expect_tx.
  virtual void announce(const Thread&, std::uint64_t /*barrier*/, std::int64_t /*bytes*/) {}
  // An mbarrier is about to count something in this phase, for the thread or for an operation that it has issued.
  virtual void count(const Thread&, std::uint64_t /*barrier*/, std::uint64_t /*phase*/, const Operation* /*by*/) {}
  // The end of the operation of this number, as its bytes are counted.
  virtual void count_operation(std::uint32_t /*operation*/, std::uint64_t /*barrier*/, std::uint64_t /*phase*/) {}
  // The thread arrives. A relaxed arrival orders only what fences before it have released.
  virtual void arrive(const Thread&, std::uint64_t /*place*/, bool /*relaxed*/) {}
  // An arrival that follows earlier operations of the thread, and its promise at the issue.
  virtual void arrive_after(const Thread&, const Operation&, std::uint64_t /*barrier*/) {}
  virtual void promise(const Thread&, std::uint64_t /*barrier*/) {}
  // One lane stands for its warp, which comes to a barrier of the hardware.
  virtual void come(const Thread&, std::uint64_t /*place*/, std::string_view /*name*/) {}
  // All have come to a barrier of the hardware: what comes next belongs to its next phase.
  virtual void close(std::uint64_t /*place*/) {}
  virtual void phase_over(std::uint64_t /*barrier*/, std::uint64_t /*phase*/) {}

  // ---- wait ----
  // A wait by parity that means this phase begins; -1: the one before the first.
  virtual void come_to_wait(const Thread&, std::uint64_t /*barrier*/, std::int64_t /*phase*/) {}
  // The thread has waited at the place and goes on.
  virtual void leave(const Thread&, std::uint64_t /*place*/) {}
  // Threads have waited for operations of a queue that the first of them has issued: for all but the newest `allowed`
  // groups, or for every one. `reads`: as far as their sources are concerned.
  virtual void wait(std::span<const Thread> /*threads*/, Queue, std::optional<std::uint64_t> /*allowed*/,
                    bool /*reads*/) {}

  // ---- meet ----
  // What each has done before, all know afterwards.
  virtual void meet(std::span<const Thread* const>) {}
  // They meet at a named barrier, together with the threads that have arrived there.
  virtual void meet_named(std::span<const Thread* const>, std::uint64_t /*place*/) {}
  // Their warps come to a barrier of the hardware, which is then over, and go on.
  virtual void pass(std::span<const Thread* const>, std::uint64_t /*place*/, std::string_view /*name*/) {}

  // ---- fence ----
  virtual void fence(const Thread&, const Fence&) {}
  // Atomic accesses that release or acquire. `relaxed`: only together with a fence of the thread.
  virtual void release(const Thread&, std::uint64_t /*pointer*/, intrinsics::Scope, bool /*relaxed*/) {}
  virtual void acquire(const Thread&, std::uint64_t /*pointer*/, intrinsics::Scope, bool /*relaxed*/) {}
  // Memory by which threads tell each other something, written and read.
  virtual void publish(const Thread&, std::uint64_t /*pointer*/) {}
  virtual void hear(const Thread&, std::uint64_t /*pointer*/) {}
};

// The observers of a machine. Most runs have one, which accesses reach without a loop.
class Observers {
 public:
  void add(std::unique_ptr<Observer> one) {
    told_.push_back(one.get());
    only_ = told_.size() == 1 ? one.get() : nullptr;
    all_.push_back(std::move(one));
  }
  // They live on and see nothing more: what follows is no part of the run.
  void silence() {
    told_.clear();
    only_ = nullptr;
  }

  explicit operator bool() const { return !told_.empty(); }
  template <class... P, class... A>
  void tell(void (Observer::*event)(P...), A&&... of) const {
    for (Observer* one : told_) (one->*event)(of...);
  }

  // Accesses of a thread, and of an operation.
  void read(const Thread& t, std::uint64_t pointer, std::int64_t bytes, How how = How::Plain,
            std::string_view view = {}) const {
    if (only_) return only_->read(t, pointer, bytes, how, view);
    for (Observer* one : told_) one->read(t, pointer, bytes, how, view);
  }
  void write(const Thread& t, std::uint64_t pointer, std::int64_t bytes, const std::byte* old = nullptr,
             const std::byte* now = nullptr, How how = How::Plain, std::string_view view = {}) const {
    if (only_) return only_->write(t, pointer, bytes, old, now, how, view);
    for (Observer* one : told_) one->write(t, pointer, bytes, old, now, how, view);
  }
  void read(const Thread& t, std::uint32_t operation, std::uint64_t pointer, std::int64_t bytes) const {
    access(t, {.operation = operation, .pointer = pointer, .bytes = bytes});
  }
  void write(const Thread& t, std::uint32_t operation, std::uint64_t pointer, std::int64_t bytes,
             How how = How::Plain) const {
    access(t, {.operation = operation, .pointer = pointer, .bytes = bytes, .writes = true, .how = how});
  }
  void access(const Thread& t, const Accessed& what) const {
    if (only_) return only_->access(t, what);
    for (Observer* one : told_) one->access(t, what);
  }

 private:
  std::vector<std::unique_ptr<Observer>> all_;
  std::vector<Observer*> told_;
  Observer* only_ = nullptr;  // of `told_`; null: there are several, or none
};

}  // namespace tilewright::simulate
