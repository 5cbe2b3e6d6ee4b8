// Counts what a run asks of the hardware, by place in the script, as an observer of the machine.
//
// Sectors and wavefronts follow from the addresses of a warp's lanes: a request to global memory takes the sectors of
// 32 bytes that its lanes touch, one to shared memory the wavefronts of layout::bank_conflicts(). Both are counted
// before caches, and as the script's accesses stand; with the machine code at hand (machine_accesses.h), as NVIDIA's
// compiler joins them into wider ones, and without those that it keeps in registers. What operations beside the threads
// ask of shared memory is bounded, not counted (engine_requests.h). No number is a time.
#pragma once
#include <map>
#include <unordered_map>
#include <utility>

#include "compiler/simulate/machine/element_names.h"
#include "compiler/simulate/machine/observer.h"
#include "compiler/simulate/profile/details.h"
#include "compiler/simulate/profile/engine_requests.h"
#include "compiler/simulate/profile/joined_requests.h"
#include "compiler/simulate/profile/record.h"
#include "compiler/simulate/profile/warp_requests.h"

namespace tilewright::simulate {

class Machine;

class Profile final : public Observer {
 public:
  // Adds to `out`, which several machines of one run share. `details`: what it finds beside; null: that is left
  // out.
  Profile(const Machine& machine, ProfileRecord& out, ProfileDetails* details);

  void end_cta(std::span<const Thread> threads, std::uint64_t first_block, std::size_t blocks) override;
  void read(const Thread&, std::uint64_t pointer, std::int64_t bytes, How, std::string_view view) override;
  void write(const Thread&, std::uint64_t pointer, std::int64_t bytes, const std::byte* old, const std::byte* now, How,
             std::string_view view) override;
  void access(const Thread&, const Accessed&) override;
  void issue(const Thread&, std::uint32_t operation, Queue, TensorWork) override;
  void multiply(const Thread&, std::uint64_t operations) override;
  void come_to_wait(const Thread&, std::uint64_t barrier, std::int64_t phase) override;
  void pass(std::span<const Thread* const>, std::uint64_t place, std::string_view name) override;

 private:
  enum class Memory : std::uint8_t { Global, Shared, Other };
  Memory memory_of(std::uint64_t pointer) const;
  ProfiledPlace& place_of(const Thread& t);
  ProfiledPlace& place_at(std::uint32_t pc);
  OddRequests& odd_at(std::uint32_t pc, const ir::Origin& origin);
  std::uint32_t lanes_of(const Thread& t) const;
  std::uint32_t warp_of(const Thread& t) const;
  void by_lane(const Thread& t, std::uint64_t pointer, std::int64_t bytes, bool writes, std::string_view view);
  void combine(const Thread& t, std::uint64_t pointer, std::int64_t bytes);
  void by_engine(const Thread& t, const Accessed& what);
  void close_engine();
  void account(const Stream& stream, const WarpRequest& request);
  void keep(const Stream& stream, const WarpRequest& request);
  void count_joined(std::uint32_t pc, std::uint32_t kind, const WarpRequest& request);
  void count_request(std::uint32_t pc, std::uint32_t kind, const WarpRequest& request, ProfiledPlace& place);
  MachineAccesses::Kind* made_at(std::uint32_t pc, std::uint32_t kind, bool* is_clear);
  Traffic shared_traffic(const WarpRequest& request) const;
  Traffic shared_traffic(const WarpRequest& request, std::string_view view, const ir::Buffer** buffer);
  ProfiledRows& rows_at(const ElementNames::Rows& rows);

  const Machine& machine_;
  ProfileRecord& out_;
  WarpRequests requests_;
  ProfileDetails own_;  // where the caller wants none
  ProfileDetails& details_;
  std::unordered_map<std::uint32_t, MachineAccesses::Place*> made_;  // by place of the kernel's code
  JoinedRequests joined_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, WarpRequest> combined_;  // the last one, by instruction and warp
  std::unordered_map<std::uint32_t, std::string_view> views_;  // what the script calls the memory, by instruction
  std::uint32_t by_threads_ = 0;                               // the operation issued last, if it is a cp.async
  // The atomic read before a write of the same thread there: both are one access.
  struct AtomicRead {
    std::uint64_t pointer = 0;
    std::uint32_t pc = 0, linear = 0, cta = 0;
    friend bool operator==(const AtomicRead&, const AtomicRead&) = default;
  } atomic_read_;
  EngineRequest engine_;    // of the operation issued last, if it is none
  std::uint32_t sent_ = 0;  // the last operation that has written to another CTA
};

}  // namespace tilewright::simulate
