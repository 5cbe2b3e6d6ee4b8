// The search for data races: every access to shared and global memory is held against the last ones to its bytes.
//
// Two accesses race when one of them writes, not both are atomic, and no chain of synchronisation leads from the end of
// the earlier one to the start of the later one (order.h). An asynchronous operation begins where it is issued and ends
// where a wait for it has ended, whenever this run happened to carry it out: a race is found in every order of
// execution in which both accesses are made, not only in an unlucky one.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "compiler/intrinsics/effect.h"
#include "compiler/simulate/hazards/order.h"
#include "compiler/simulate/hazards/shadow.h"
#include "compiler/simulate/machine/engine.h"
#include "compiler/simulate/machine/memory.h"
#include "compiler/simulate/machine/observer.h"

namespace tilewright::simulate {

class Machine;
struct Thread;

// How far a barrier reaches.
enum class Reach : std::uint8_t { Warp, Cta, Cluster, Grid };

// What clusters know of one another: who touched global memory last, and what was released there.
struct History {
  // What was released at a place by the threads of each cluster.
  struct Published {
    std::uint32_t group = 0, cta = 0;  // of the last
    intrinsics::Scope scope{};
    std::vector<OtherGroup> known;       // none: by a relaxed store without a fence before it
    std::vector<OtherGroup> sequential;  // of fence.sc that come before the stores, by whichever thread
  };

  Shadow memory;
  std::unordered_map<std::uint64_t, Published> published;  // by pointer

  // Takes in what a cluster did that has run beside the others. False: it has touched what another one writes, or the
  // other way round, so that its order counts.
  bool take_in(const History& other);
};

class Races {
 public:
  Races(Machine& machine, std::shared_ptr<History> history);

  // The cluster of this number begins: its threads know nothing of others. Blocks from `first_shared` on are its own.
  void start_group(std::uint32_t number, std::size_t threads, std::uint64_t first_shared);
  void use(std::shared_ptr<History> history) { history_ = std::move(history); }
  bool is_full() const { return full_; }
  // All threads of all clusters meet: what this one releases, and what the others have released.
  OtherGroup meet_grid() { return {group_, order_.meet_all()}; }
  void leave_grid(std::span<const OtherGroup> others) { order_.acquire_groups(others); }

  // Accesses, before they happen. Stores of equal values are told apart.
  void read(const Thread& t, std::uint64_t pointer, std::int64_t bytes, How how, std::string_view view);
  void write(const Thread& t, std::uint64_t pointer, std::int64_t bytes, const std::byte* old, const std::byte* now,
             How how, std::string_view view);
  void access(const Thread& t, const Accessed& what);

  // ---- operations that threads issue ----
  using Kind = TensorWork;
  void issue(const Thread& t, std::uint32_t operation, Queue queue, Kind kind);
  // The newest operation of a queue, and what the thread knows: all of its operations so far come behind that.
  struct SoFar {
    Time last = 0;
    Known known;
  };
  SoFar so_far(const Thread& t, Queue queue) const;
  // The open group of a queue is closed.
  void commit(const Thread& t, Queue queue);
  // The thread has waited for all but its newest `allowed` groups of a queue, or for all of them; `reads`: as far as
  // their sources are concerned.
  void awaited(const Thread& t, Queue queue, std::uint64_t allowed, bool reads);
  void awaited_all(const Thread& t, Queue queue);
  // The same of several threads that wait together for what the first of them has issued.
  void awaited_by(std::span<const Thread> threads, Queue queue, std::uint64_t allowed);
  // A warp has waited for its loads or stores of tensor memory, which its first lane stands for.
  void awaited_by_warp(std::span<const Thread> lanes, Queue queue);
  // A barrier counts an operation that has ended; or an arrival says it of all of a queue up to that one.
  void counted(std::uint32_t operation, std::uint64_t barrier, std::uint64_t phase);
  void counted_before(const Thread& t, Queue queue, const SoFar& so_far, std::uint64_t barrier);
  // A tcgen05.commit that will arrive at these barriers, by its number among those of the thread; and it has arrived.
  Time commits(const Thread& t, std::span<const std::uint64_t> barriers);
  void committed(const Thread& t, Time number, std::uint64_t barrier);

  // ---- synchronisation ----
  void meet(std::span<const Thread* const> threads);
  void fence_proxy(const Thread& t, ProxySpace space);
  // tcgen05.fence before and after threads synchronise.
  void fence_tensor_before(const Thread& t);
  void fence_tensor_after(const Thread& t);
  // Columns of tensor memory are given back: what touched them has to be over, and is forgotten.
  // `peer`: the CTA that gives them back together with this one; that of the thread: none does.
  void release_columns(const Thread& t, std::int64_t first, std::int64_t columns, std::uint32_t peer);
  // At barriers of hardware, by a number that the caller chooses; and at mbarriers, by their pointer.
  void arrive(const Thread& t, std::uint64_t place);
  // A relaxed arrival at the cluster's barrier: releases what fences of the thread have released before it.
  void arrive_relaxed(const Thread& t);
  void leave_cluster(const Thread& t);
  void leave(const Thread& t, std::uint64_t place);  // has waited: what arrived there is known
  void close(std::uint64_t place);                   // all have come; the next ones belong to the next phase
  void init_barrier(const Thread& t, std::uint64_t barrier);
  void end_barrier(const Thread& t, std::uint64_t barrier);
  void use_barrier(const Thread& t, std::uint64_t barrier);
  void fence_init(const Thread& t);                             // fence.mbarrier_init
  void phase_over(std::uint64_t barrier, std::uint64_t phase);  // the number of the one that is over
  // The threads of a CTA of a cluster have all ended: what others do in its shared memory has to be over.
  void end_cta(std::span<const Thread> threads, std::uint64_t first_block, std::size_t blocks);
  // A fence that makes the tensor map behind the pointer known as it is now to copies behind it; and such a copy.
  void acquire_map(const Thread& t, std::uint64_t map);
  void use_map(const Thread& t, std::uint64_t map);
  // Atomic accesses that release or acquire, and fences.
  // `relaxed`: only together with a fence of the thread, before or behind it.
  void release(const Thread& t, std::uint64_t pointer, intrinsics::Scope scope, bool relaxed);
  void acquire(const Thread& t, std::uint64_t pointer, intrinsics::Scope scope, bool relaxed);
  void fence(const Thread& t, intrinsics::Scope scope);

 private:
  struct Issued {
    std::uint32_t thread = 0;
    Queue queue{};
    Time number = 0;    // in its strand; of what a barrier counts: one more than the phase, 0 before it has ended
    Agent barrier = 0;  // that counts it
    Kind kind{};
    Time at = 0;  // on the clock of the thread, when it was issued
  };
  // The operations of a thread that end in their order.
  struct Strands {
    std::array<Time, kStrands> issued{}, arrived{};  // how many; how many an arrival has told the end of
    std::array<std::vector<Time>, kStrands> closed;  // the last one of each group

    /// As it began, with its memory kept: a group of CTAs begins for each thread.
    void forget() {
      issued = arrived = {};
      for (std::vector<Time>& groups : closed) groups.clear();
    }
  };
  struct Place {
    Agent agent = 0;
    Gathering open;
    Known over;
    Touch init;
    Agent initialised = 0;                   // whose time 1 is the initialisation, as fence.mbarrier_init releases it
    std::vector<Touch> remote;               // the last arrival of each thread of other CTAs
    std::unordered_map<Agent, Touch> users;  // the last use by each thread; kept where the kernel has mbarrier.inval
  };
  // A tensor map as a fence has seen it: who has written each part of it last.
  struct FencedMap {
    Agent thread = 0;
    Time time = 0;
    std::vector<std::pair<std::uint32_t, Time>> writes;
  };
  // Why what a thread has read from others does not order it behind them. OwnSemantics: in memory that no other cluster
  // reaches. Unreleased: it acquires, and the store that it reads releases nothing.
  enum class Missed : std::uint8_t { Nothing, Scope, Semantics, OwnSemantics, Unreleased };
  // What is compared with the memory's history.
  struct Access {
    const Thread& thread;
    std::uint32_t operation = 0;  // 0: the thread itself
    bool writes = false, proxy = false;
    ProxySpace space = ProxySpace::Shared;
    How how = How::Plain;
    const std::byte *old = nullptr, *now = nullptr;
    std::string_view view{};
  };

  void touch(Access access, std::uint64_t pointer, std::int64_t bytes);
  void check_write(const Access& a, Cell& cell, std::uint64_t pointer, std::int64_t bytes, std::int64_t from_start);
  void check_begun(const Access& a, std::uint64_t pointer);
  void check_read(const Access& a, Cell& cell, std::uint64_t pointer, std::int64_t bytes);
  void check_replaced(const Access& a, const Cell& cell, std::uint64_t pointer, std::int64_t bytes);
  void note_reader(const Access& a, Cell& cell, std::uint64_t pointer);
  bool ordered(const Access& a, const Touch& earlier, bool earlier_writes) const;
  bool ordered(const Access& a, const Readers& earlier, Touch* unordered) const;
  bool has_ended(const Access& a, const Issued& op, bool writing) const;
  // Of a copy whose bytes an mbarrier of another CTA counts, and whose end the CTA of these blocks does not know: that
  // barrier. 0 of every other operation.
  std::uint64_t sent_unknown_to(const Issued& op, const Known& known, std::uint64_t first_block, std::size_t blocks);
  bool is_one_store(const Access& a, const Touch& earlier) const;
  // Of operations on tensor memory: how far the access comes behind an earlier one.
  enum class Tensor : std::uint8_t { Ordered, Unordered, NotFencedBefore, NotFencedAfter };
  bool is_on_tensor_memory(const Access& a, const Issued& op) const;
  Tensor tensor_order(const Access& a, const Issued& op) const;
  bool is_pipelined(const Access& a, const Issued& op) const;
  Agent warp_of(const Thread& t) const;                   // its first lane
  bool is_awaited(const Issued& op, bool writing) const;  // by any thread
  // Why nothing orders an access behind an earlier one, and what would.
  static std::string_view wait_for(Queue queue, bool writes);
  struct Cause {
    std::string_view code;
    Severity severity;
    std::string_view why, way_out;
    Finding::Kind kind = Finding::Kind::Other;  // of the way out
  };
  struct WayOut {
    std::string_view words;
    Finding::Kind kind = Finding::Kind::Other;
  };
  Cause cause_of(const Access& a, const Touch& earlier, bool earlier_writes, bool equal) const;
  // Of an access of another cluster: true if another thread of this CTA comes after it.
  bool is_known_beside(const Thread& t, const Touch& earlier) const;
  Cause missed_from(const Thread& t, const Touch& earlier, WayOut barrier) const;
  Cause missed_between(const Thread& t, const Thread* other, bool foreign, WayOut barrier) const;
  const Thread* thread_of(const Touch& touch) const;
  static Reach reach_of(const Thread& t, const Thread* other);
  bool is_released_by_another(const Thread& t, const Thread& other) const;
  WayOut barrier_between(const Thread& t, const Thread* other) const;
  void conflict(const Access& a, const Touch& earlier, bool earlier_writes, std::uint64_t pointer, std::int64_t bytes,
                bool equal);
  std::string name_of(const Touch& touch) const;
  std::vector<std::pair<std::uint32_t, Time>> writers_of(const Thread& self, std::uint64_t map, Touch* last);
  Place& place(std::uint64_t at);
  Issued& issued(std::uint32_t operation) { return issued_[operation - 1]; }
  const Issued& issued(std::uint32_t operation) const { return issued_[operation - 1]; }
  bool is_foreign(const Touch& touch) const;  // of another cluster
  Shadow& shadow_at(std::uint64_t pointer) {
    return pointer >> kOffsetBits < first_shared_ ? history_->memory : shadow_;
  }
  bool is_same_pipeline(std::uint32_t operation, std::uint32_t other) const;
  std::string place_of(std::uint64_t pointer, std::int64_t bytes, std::string_view view) const;
  std::uint32_t site_of(const Thread& t) const;
  static bool is_proxy(Queue queue) { return queue != Queue::Copy && queue != Queue::Processors; }
  // The strand of a queue's operations; of bulk copies the one in which their writes end.
  static Strand strand_of(Queue queue) {
    switch (queue) {
      case Queue::Bulk: return Strand::BulkWrites;
      case Queue::TensorCore: return Strand::TensorWork;
      case Queue::TmemLoad: return Strand::TensorLoads;
      case Queue::TmemStore: return Strand::TensorStores;
      case Queue::Wgmma: return Strand::Wgmma;
      case Queue::Processors: return Strand::Transfers;
      case Queue::FactorRead: return Strand::FactorReads;
      default: return Strand::Copies;
    }
  }
  static bool is_tensor(Queue queue) {
    return queue == Queue::TensorCore || queue == Queue::TmemLoad || queue == Queue::TmemStore;
  }
  static std::size_t index_of(Queue queue) { return static_cast<std::size_t>(strand_of(queue)); }
  static constexpr std::uint32_t kLanes = 32;
  static constexpr std::int64_t kMapBytes = 128;

  Machine& machine_;
  bool tensor_fences_;  // the kernel puts tcgen05 fences on both sides of barriers, and is held to them
  bool fences_apart_;   // it has fences of the async proxy for one state space
  bool ends_barriers_;  // it has mbarrier.inval
  Order order_;
  std::shared_ptr<History> history_;
  Shadow shadow_;  // of the cluster's own memory
  std::uint64_t first_shared_ = 0;
  bool full_ = false;
  std::uint32_t group_ = 0;         // number of the cluster
  std::vector<bool> begun_;         // by CTA and CTA of the cluster: the first knows that the second has begun
  std::uint32_t first_thread_ = 0;  // of the cluster, among those of the grid
  std::uint32_t stride_ = 0;        // from one cluster's first thread to the next one's: whole warps
  std::vector<Issued> issued_;      // of this one; in memory an operation's time is its cluster
  std::vector<Strands> strands_;    // by thread
  std::unordered_map<std::uint64_t, Place> places_;
  std::unordered_map<std::uint64_t, std::vector<FencedMap>> maps_;  // by pointer
  std::vector<Missed> missed_;                                      // by thread
  // By thread: what its last fence releases, to the CTA and to the cluster or wider.
  struct Fenced {
    Known cta, cluster;
    Known sequential;             // at the last fence.sc of its own, or of one that it has met since
    std::vector<Agent> barriers;  // that it has initialised before a fence.mbarrier_init
  };
  std::vector<Fenced> fenced_;
  // Arrivals of tcgen05.commit in other CTAs.
  struct RemoteCommit {
    Agent thread;
    Time number, time;  // among the thread's commits, and on its clock
    std::uint64_t barrier;
    std::uint32_t site;
  };
  std::vector<RemoteCommit> remote_commits_;
  Gathering relaxed_;  // what threads knew at their relaxed arrivals
  // What a warp's last tcgen05.fence.before told of its loads and stores.
  struct FencedWarp {
    Time loads = 0, stores = 0;
    Known known;
  };
  std::unordered_map<Agent, FencedWarp> fenced_warps_;  // by first lane
  std::vector<Known> behind_fence_;                     // by thread: known at its last tcgen05.fence.after
  // By thread: what the next fence acquires, of this cluster and of others.
  struct Heard {
    std::vector<Known> own;
    std::vector<OtherGroup> others;
    std::vector<OtherGroup> sequential;  // also of threads that it has met
  };
  void meet_sequential(std::span<const Agent> agents);
  void hear(const Thread& t, intrinsics::Scope scope);
  static void add_once(std::vector<OtherGroup>& list, const OtherGroup& other);
  std::vector<Heard> heard_;
  bool sequential_ = false;  // there has been a fence.sc
};

}  // namespace tilewright::simulate
