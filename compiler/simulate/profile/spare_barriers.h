// Finds barriers of the whole CTA that order nothing, as an observer of the machine.
//
// Barriers part what a CTA does into segments. A barrier is needed if an access in one segment and an access of another
// warp in a later one touch the same four bytes, one of them writes, and no other barrier lies between the two
// segments; of a barrier in a loop all of its rounds count together, since all of them would go. It is enough to know
// of each warp the last access: where an earlier one is parted from now by this barrier alone, so is the last one.
//
// Threads are ordered by more than barriers: mbarriers, named barriers, waits for copies. What these order counts as if
// nothing did, so that a barrier beside them is called needed rather than not. With fences, clusters, or tensor memory
// nothing is said at all: who waits for whom there is not visible in a CTA's own accesses.
#pragma once
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "compiler/simulate/machine/observer.h"
#include "compiler/simulate/profile/details.h"

namespace tilewright::simulate {

class Machine;

class SpareBarriers final : public Observer {
 public:
  SpareBarriers(const Machine& machine, ProfileDetails& out) : machine_(machine), out_(out) {}

  void start_group(const Group& group) override { gave_up_ |= group.ctas > 1; }
  void end_cta(std::span<const Thread> threads, std::uint64_t first_block, std::size_t blocks) override;
  void read(const Thread& t, std::uint64_t pointer, std::int64_t bytes, How, std::string_view) override {
    touch(t, pointer, bytes, false);
  }
  void write(const Thread& t, std::uint64_t pointer, std::int64_t bytes, const std::byte*, const std::byte*, How,
             std::string_view) override {
    touch(t, pointer, bytes, true);
  }
  void access(const Thread& t, const Accessed& what) override {
    if (!what.is_map) touch(t, what.pointer, what.bytes, what.writes);
  }
  void issue(const Thread&, std::uint32_t, Queue, TensorWork work) override { gave_up_ |= work != TensorWork::None; }
  void announce(const Thread& t, std::uint64_t barrier, std::int64_t) override { touch(t, barrier, kBarrier, false); }
  void arrive(const Thread& t, std::uint64_t place, bool) override;
  void come_to_wait(const Thread& t, std::uint64_t barrier, std::int64_t) override {
    touch(t, barrier, kBarrier, false);
  }
  void fence(const Thread&, const Fence& fence) override { gave_up_ |= fence.kind == Fence::Kind::Memory; }
  void release(const Thread&, std::uint64_t, intrinsics::Scope, bool) override { gave_up_ = true; }
  void acquire(const Thread&, std::uint64_t, intrinsics::Scope, bool) override { gave_up_ = true; }
  void pass(std::span<const Thread* const> threads, std::uint64_t place, std::string_view name) override;

 private:
  static constexpr std::int64_t kBarrier = 8, kWord = 4;
  static constexpr std::size_t kMostWords = std::size_t{1} << 20;  // of a CTA that are followed: some 64 MB

  // The last access of a warp, by segment, from 1; 0: none. `thread`: which of it; kMany: several in that segment.
  struct Last {
    std::uint32_t warp = 0, read = 0, write = 0, reader = 0, writer = 0;
  };
  static constexpr std::uint32_t kMany = ~0u;
  struct Site {
    SpareBarrier barrier;
    std::uint64_t rounds = 0;  // of the CTA that runs
    bool needed = false;
    std::set<std::uint32_t> before{};  // sites of the barriers that came before it
  };

  void touch(const Thread& t, std::uint64_t pointer, std::int64_t bytes, bool writes);
  void touch_word(const Thread& t, std::uint64_t word, bool writes);
  void meets(const Last& other, std::uint32_t segment, std::uint32_t thread, const Thread& t);
  void list();

  const Machine& machine_;
  ProfileDetails& out_;
  bool gave_up_ = false;
  std::map<std::uint32_t, Site> sites_;  // by place of the kernel's code
  // Of the CTA that runs: the segment now, the first one that only one site's barriers part from it, and that site.
  std::uint32_t segment_ = 1, since_ = 1, site_ = kMany;
  std::unordered_map<std::uint64_t, std::vector<Last>> words_;
};

}  // namespace tilewright::simulate
