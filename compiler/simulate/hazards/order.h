// Happens-before: what each thread of a run knows of the others (PTX ISA, memory consistency model).
//
// A thread's time moves on whenever it releases something, so "thread 3 at time 5" names a stretch of its program. A
// thread knows of that stretch when a chain of releases and acquires leads from its end to where the thread is now.
// What is known is a vector of times, one for each agent. Threads are agents, and so are mbarriers: their time is the
// phases that are over, which stands for the asynchronous operations that were counted in them. So are the strands of a
// thread: its operations of one kind, which can only be waited for in their order.
//
// Ordinary writes reach asynchronous copies only behind a fence of the async proxy; a second vector says up to which
// time of each thread that has happened on the way here. A fence may be for one state space only (PTX ISA 9.7.13.4,
// fence.proxy.async): in kernels with such fences a third vector says the same of global memory, and the second is of
// shared memory.
//
// Threads that know the same share one immutable vector, so that a barrier of a whole CTA costs one vector and not one
// for each thread.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "compiler/simulate/machine/observer.h"

namespace tilewright::simulate {

using Agent = std::uint32_t;
using Time = std::uint32_t;

// Asynchronous operations of one thread, numbered from 1.
// Fenced ones are told by tcgen05.fence.before_thread_sync: work that was issued, loads and stores that have ended.
enum class Strand : std::uint8_t {
  Copies,
  BulkReads,
  BulkWrites,
  TensorWork,
  TensorLoads,
  TensorStores,
  FencedWork,
  FencedLoads,
  FencedStores,
  Wgmma,
  Transfers,
  FactorReads,
  Commits  // arrivals of tcgen05.commit
};
inline constexpr std::size_t kStrands = 13;

struct Knowledge;
using Known = std::shared_ptr<const Knowledge>;

// What is known of another cluster: something that one of its threads has released.
struct OtherGroup {
  std::uint32_t group;
  Known known;
};

struct Knowledge {
  std::uint64_t serial = 0;
  std::vector<Time> seen;             // by agent; what is missing at the end is 0
  std::vector<Time> proxied;          // by agent: behind a fence of the async proxy
  std::vector<Time> proxied_global;   // the same of global memory, where fences tell the spaces apart
  std::vector<OtherGroup> groups;     // by their numbers
  std::vector<std::uint64_t> within;  // serials of what was joined into this one
};

// What several agents release at one place, until it is acquired.
class Gathering {
 public:
  bool empty() const { return tips_.empty() && bases_.empty(); }
  void clear() {
    tips_.clear();
    bases_.clear();
  }

 private:
  friend class Order;
  struct Tip {
    Agent agent;
    Time seen, proxied, proxied_global;
  };
  std::vector<Known> bases_;  // different ones
  std::vector<Tip> tips_;
};

class Order {
 public:
  // `apart`: fences tell global memory and shared memory apart.
  void start(std::size_t threads, bool apart = false);
  // The next agent that is no thread.
  Agent add_agent() { return next_agent_++; }

  Time now(Agent thread) const { return threads_[thread].time; }
  // Does the thread know that the agent has come to the end of this time?
  bool knows(Agent thread, Agent other, Time time) const {
    return thread == other || at(threads_[thread].base->seen, other) >= time;
  }
  // Up to which time.
  Time known_time(Agent thread, Agent other) const { return at(threads_[thread].base->seen, other); }
  using Space = ProxySpace;
  // The same of asynchronous operations that the thread starts now, and of what the other one wrote ordinarily there.
  bool proxy_knows(Agent thread, Agent other, Time time, Space space) const {
    const Own& own = threads_[thread];
    if (space == Space::Global && apart_)
      return (thread == other ? own.proxied_global : at(own.base->proxied_global, other)) >= time;
    return (thread == other ? own.proxied : at(own.base->proxied, other)) >= time;
  }
  // The same of a thread of another cluster; of its operations: does it know anything of that cluster?
  bool knows_other(Agent thread, std::uint32_t group, Agent other, Time time) const;
  bool proxy_knows_other(Agent thread, std::uint32_t group, Agent other, Time time, Space space) const;
  bool knows_group(Agent thread, std::uint32_t group) const;
  // What it knows now, to be held against later.
  const Known& known(Agent thread) const { return threads_[thread].base; }
  // Does it know that the other one's operations up to this one have ended?
  bool knows(Agent thread, Agent other, Strand strand, Time number) const;
  // The thread has waited for its own up to this one.
  void finish(Agent thread, Strand strand, Time number);
  // An arrival says that they have ended; the thread itself need not know.
  void finish(Agent thread, Strand strand, Time number, Gathering& into);
  Time finished(Agent thread, Strand strand) const { return threads_[thread].done[static_cast<std::size_t>(strand)]; }

  // The thread's part of a release; its time moves on.
  void release(Agent thread, Gathering& into);
  // An agent that is no thread has come to the end of this time; `into` carries that along.
  static void mark(Agent agent, Time time, Gathering& into) { into.tips_.push_back({agent, time, time, 0}); }
  static void join(const Known& known, Gathering& into);
  Known close(const Gathering& gathering);
  // What is known of the other one's operations, as `knows` has it.
  bool holds(const Known& known, Agent other, Time time) const { return at(known->seen, other) >= time; }
  bool holds(const Known& known, Agent other, Strand strand, Time number) const {
    const Agent agent = threads_[other].strands[static_cast<std::size_t>(strand)];
    return agent != 0 && at(known->seen, agent) >= number;
  }
  void acquire(Agent thread, const Known& known);
  // What a thread of another cluster has released.
  void acquire_group(Agent thread, const OtherGroup& other);
  // All threads meet: what they know is released to other clusters; and what those have released is acquired.
  Known meet_all();
  void acquire_groups(std::span<const OtherGroup> others);
  // All of them meet: each knows afterwards what any of them knew.
  void meet(std::span<const Agent> threads);
  // A fence between the proxies: what the thread knows of is also known to asynchronous operations behind it.
  void fence_proxy(Agent thread, Space space);

 private:
  struct Own {
    Known base;
    Time time = 1, proxied = 0, proxied_global = 0;
    std::array<Agent, kStrands> strands{};  // 0: none was waited for yet
    std::uint32_t used = 0;                 // bits of the strands that have ended to some point
    std::array<Time, kStrands> done{};
  };
  Agent strand_of(Own& own, Strand strand);
  static Time at(const std::vector<Time>& times, Agent agent) { return agent < times.size() ? times[agent] : 0; }
  std::shared_ptr<Knowledge> copy_of(const Knowledge& known);
  Known both(const Known& a, const Known& b);

  // The last joins and fences: neighbours do the same.
  struct Memo {
    std::uint64_t a = 0, b = 0;
    Known result;
  };
  Known* remembered(std::uint64_t a, std::uint64_t b);  // where the answer is, or is to be kept when it is null
  std::array<Memo, 64> memo_;

  std::vector<Own> threads_;
  Agent next_agent_ = 0;
  bool apart_ = false;
  std::uint64_t serial_ = 0;
};

}  // namespace tilewright::simulate
