// What goes on beside the threads: copies that were started and have not landed, and the arrivals that follow them.
//
// An operation first takes its source, then lands: writes its destination and signals its barrier. Between the issue
// and the moment that the script can rely on, the hardware does either whenever it likes. `Timing` chooses: `Latest`
// does nothing before a thread has to wait for it, so a missing wait shows as old data; `Earliest` lands at once, so a
// slot that is filled too early shows as new data; `Random` does both at seeded moments.
//
// Operations of one thread stand in the order of their issue. Group waits finish those of a queue up to a group; an
// arrival that follows copies finishes them first.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compiler/ir/stmt.h"
#include "compiler/simulate/simulate.h"

namespace tilewright::simulate {

class Machine;
struct Thread;

// A CTA ends while a copy out of its shared memory into another CTA's is not known to be over. Its place is the copy.
// `barrier`: counts its bytes.
Finding sent_unknown(const Machine& m, std::uint64_t barrier);

enum class Queue : std::uint8_t {
  Copy,        // cp.async
  Bulk,        // bulk copies out of shared memory, in bulk groups
  Counted,     // copies whose bytes a barrier counts
  TmemLoad,    // tcgen05.ld
  TmemStore,   // tcgen05.st
  TensorCore,  // tcgen05.mma, cp and shift: one after the other in each CTA, or pair of CTAs
  Wgmma,       // of a warpgroup; its first thread has it
  Processors,  // transfers of NVSHMEM
  Arrival,     // on a barrier, behind copies of this thread
  Commit,      // tcgen05.commit: on barriers, behind the tensor core's operations of this thread
  FactorRead,  // a name for a part of a product: what it reads of A in shared memory
};

class Operation {
 public:
  explicit Operation(Queue queue) : queue(queue) {}
  virtual ~Operation() = default;
  // Takes the source. False: a finding was made and the run ends.
  virtual bool take(Machine&, Thread&) { return true; }
  virtual bool land(Machine&, Thread&) = 0;
  // Of a commit: does it arrive as soon as the products before it have read A in shared memory?
  virtual bool follows_reads() const { return false; }
  // The barriers that count its end.
  virtual std::span<const std::uint64_t> signals() const { return {&barrier, barrier ? std::size_t{1} : 0}; }
  // The bytes that each of them counts; 0: it is an arrival, or nothing that is announced.
  virtual std::int64_t counted_bytes() const { return 0; }
  // Where a copy reads from; 0: what it writes was taken at the issue, or is no copy.
  virtual std::uint64_t reads_from() const { return 0; }
  // Does it write one of these bytes when it lands?
  virtual bool covers(std::uint64_t /*pointer*/, std::int64_t /*bytes*/) const { return false; }

  Queue queue;
  bool taken = false;
  std::uint64_t group = 0;     // of its queue and thread
  std::uint64_t barrier = 0;   // pointer to the barrier that it signals; 0: none
  std::uint64_t sequence = 0;  // order of issue among all threads
  std::uint32_t shown = 0;     // its number in the timeline; 0: there is none
  // Its numbers among those that observers are told, one for each destination.
  std::vector<std::uint32_t> numbers;
  ir::Origin origin;
};

class Engine {
 public:
  void start(std::size_t threads, Timing timing, std::uint64_t seed);

  // Starts an operation of the thread. False: the run ends.
  bool issue(Machine& m, Thread& t, std::unique_ptr<Operation> op);
  // Closes the open group of a queue.
  void commit(const Thread& t, Queue queue);
  // Finishes the thread's operations of a queue: those of all but its newest `allowed` closed groups (and not of the
  // open one), or with `all` every one. `take_only`: only as far as their source is concerned.
  bool finish(Machine& m, Thread& t, Queue queue, std::uint64_t allowed, bool take_only = false);
  // Those that were issued before `sequence`.
  bool finish_before(Machine& m, Thread& t, Queue queue, std::uint64_t sequence, bool take_only = false);
  bool finish_everywhere(Machine& m, Queue queue);  // of all threads
  // Lands the thread's loads of tensor memory into these registers.
  bool finish_loads(Machine& m, Thread& t, std::uint64_t pointer, std::int64_t bytes);
  bool finish_all(Machine& m, Thread& t, Queue queue) { return finish_before(m, t, queue, ~std::uint64_t{0}); }

  // No thread can run: lands operations that are waited for, the oldest first, until a thread can. False: there are
  // none.
  bool step(Machine& m);
  // Between two threads' turns: does something or nothing. Random timing only.
  bool chance(Machine& m);
  // What is still under way when a CTA has ended.
  bool leave(Machine& m, std::uint32_t cta);
  bool land_everything(Machine& m);

  bool covers(std::uint64_t pointer) const;  // some operation under way will write this byte
  std::uint64_t random(std::uint64_t below);
  Timing timing() const { return timing_; }

 private:
  struct Lane {
    std::vector<std::unique_ptr<Operation>> pending;
    std::uint64_t copy_group = 0, bulk_group = 0, wgmma_group = 0;  // the open ones
    std::uint64_t& open(Queue queue) {
      return queue == Queue::Bulk ? bulk_group : queue == Queue::Wgmma ? wgmma_group : copy_group;
    }
  };
  Lane& lane_of(const Thread& t);
  bool take(Machine& m, Thread& t, Operation& op);
  // Lands the tensor core's operations that were issued before this one.
  bool finish_pipeline(Machine& m, std::uint32_t cta, std::uint64_t sequence);
  // Lands pending[index] of the lane and forgets it.
  bool land(Machine& m, Thread& t, std::size_t index);

  std::vector<Lane> lanes_;
  Timing timing_ = Timing::Latest;
  std::uint64_t state_ = 1, sequence_ = 0;
  std::size_t under_way_ = 0;
  // The tensor core's operations under way, in the order of their issue.
  struct Issued {
    std::uint64_t sequence;
    std::size_t thread;
  };
  std::vector<Issued> pipeline_;
};

}  // namespace tilewright::simulate
