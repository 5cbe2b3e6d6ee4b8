// What a profile says of a kernel beside the counts of its places.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "compiler/simulate/profile/machine_accesses.h"
#include "compiler/simulate/simulate.h"

namespace tilewright::simulate {

// A barrier of the whole CTA that passed data on between no two of its warps in this run: what one of them wrote before
// it, no other one accessed after it and before the next barrier, and the other way round.
struct SpareBarrier {
  ir::Origin origin;
  std::uint64_t times = 0;   // that CTAs passed it
  std::uint64_t rounds = 0;  // the most that one of them did
  bool of_warps = false;     // lanes of one warp exchange data there: a barrier of the warp would do
};

// Requests of warps at one place of the kernel's code, by what is odd about them.
struct OddRequests {
  ir::Origin origin;
  std::uint64_t scattered = 0, lanes = 0;  // in which idle lanes lie between those that access, and the latter
  std::uint64_t irregular = 0;             // to global memory, whose lanes are not equally far apart
  std::uint64_t repeated = 0;              // atomic accesses of the same lanes to the same addresses as just before
  std::uint64_t sent = 0, copies = 0;      // bytes that copies write to shared memory of another CTA, and those copies
};

struct ProfileDetails {
  std::optional<MachineAccesses> accesses;  // none: those of the script count as they are written
  // Until the run has ended, by place of the kernel's code: requests that are joined or left out, as the script writes
  // them and as they were joined; and the warps that ran.
  std::map<std::uint32_t, ProfiledPlace> as_written{}, as_joined{};
  std::uint64_t warps = 0;
  std::vector<SpareBarrier> barriers;  // empty too where something orders threads that is not followed
  std::map<std::uint32_t, OddRequests> odd;
};
// By kernel as it is launched.
using DetailsByKernel = std::map<const lower::LoweredKernel*, ProfileDetails>;

// Adds the requests that are joined or left out to the record: as they are joined where the machine code bears it out.
void settle(ProfileDetails& details, ProfileRecord& record);

// run() with a profile, which adds to `details` and counts accesses as they say. Clusters run one after the other.
Result run_profiled(const lower::LoweredKernel& kernel, const Inputs& inputs, const Options& options,
                    ProfileDetails& details);

}  // namespace tilewright::simulate
