// The registers of wgmma: accumulators and fragments of A, which belong to the instruction until a wait gives them back
// (PTX ISA, "wgmma.mma_async", "wgmma.fence").
//
// Whatever this run's timing is, threads may not touch accumulators, nor write fragments of A, between the issue and
// the wait; and what they have written reaches a wgmma only behind a wgmma.fence of their warpgroup. Programs name
// these registers, so only accesses to arrays that some wgmma uses are looked at.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/ir/stmt.h"
#include "compiler/simulate/machine/memory.h"

namespace tilewright::simulate {

class Machine;
struct Thread;

// Registers that lie side by side in a thread's own memory; the same pointers in all threads.
struct Run {
  std::uint64_t pointer = 0;
  std::int64_t bytes = 0;
  bool meets(std::uint64_t at, std::int64_t n) const { return share_bytes(pointer, bytes, at, n); }
};

// The bytes become part of the last run where they follow it.
void extend(std::vector<Run>& runs, std::uint64_t pointer, std::int64_t bytes);

class Warpgroups {
 public:
  static constexpr std::uint32_t kThreads = 128;

  // `block` threads a CTA.
  void start(std::size_t threads, std::uint32_t block);

  // A thread touches a register of an array that a wgmma uses, or several.
  void touch(Machine& m, const Thread& t, std::uint64_t pointer, std::int64_t bytes, bool writes);
  // While it lives, it is the wgmma itself that does.
  class Moving {
   public:
    explicit Moving(Warpgroups& all) : all_(all) { ++all_.moving_; }
    ~Moving() { --all_.moving_; }
    Moving(const Moving&) = delete;
    Moving& operator=(const Moving&) = delete;

   private:
    Warpgroups& all_;
  };

  // By the threads of one warpgroup.
  void fence(std::span<const Thread> lanes);
  void commit(const Thread& first);
  void wait(const Thread& first, std::uint64_t allowed);
  // A wgmma starts; `fragments` are those of A.
  void issue(Machine& m, std::span<const Thread> lanes, std::span<const Run> accumulators,
             std::span<const Run> fragments);
  // Will some wgmma under way write this register?
  bool writes(const Thread& first, std::uint64_t pointer) const;
  // The threads of a CTA have all ended.
  void leave(Machine& m, std::span<const Thread> threads);

 private:
  struct InFlight {
    Run run;
    bool accumulates = false;  // else a fragment of A
    std::uint64_t group = 0;
    ir::Origin origin;
  };
  struct Group {
    bool fenced = false;  // ever
    std::uint64_t open = 0;
    std::vector<InFlight> in_flight;
  };
  struct Written {
    Run run;
    std::uint32_t origin = 0;
  };
  Group& group_of(const Thread& t);
  const Group& group_of(const Thread& t) const;
  void unfenced(Machine& m, std::span<const Thread> lanes, std::span<const Run> runs);

  std::uint32_t block_ = 1, per_block_ = 1;
  int moving_ = 0;
  std::vector<Group> groups_;
  std::vector<std::vector<Written>> written_;  // by thread, since its warpgroup's last fence
};

}  // namespace tilewright::simulate
