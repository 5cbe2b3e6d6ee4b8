// What a run asks of the hardware, by place in the script: counted, not timed (profile.h counts).
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>

#include "compiler/ir/stmt.h"

namespace tilewright::simulate {

// Requests of warps to one memory. A unit is a sector of 32 bytes of global memory, or a wavefront of shared memory.
struct Traffic {
  std::uint64_t requests = 0;  // one a warp and instruction
  std::uint64_t units = 0;     // that serve them
  std::uint64_t ideal = 0;     // that would do: as few as hold the bytes; for wavefronts, without bank conflicts
  std::uint64_t bytes = 0;     // that lanes ask for, each for itself
  std::uint64_t worst = 0;     // most units of one request

  void add(const Traffic& more) {
    requests += more.requests;
    units += more.units;
    ideal += more.ideal;
    bytes += more.bytes;
    worst = std::max(worst, more.worst);
  }
};

struct ProfiledPlace {
  ir::Origin origin;
  Traffic global_read, global_write;  // by threads, copies by cp.async among them
  Traffic shared_read, shared_write;  // the same, and ldmatrix and stmatrix
  std::uint64_t atomics = 0;          // of lanes; not in the traffic
  // Operations that run beside the threads, but for cp.async: bulk and tensor copies, tensor cores, tensor memory.
  std::uint64_t operations = 0;
  std::uint64_t copied_global = 0, copied_shared = 0;  // bytes that they read and write there
  std::uint64_t copied_sectors = 0;                    // of global memory
  std::uint64_t multiplied = 0;                        // operations of tensor cores: 2 m n k each
  std::uint64_t waits = 0;                             // of threads, on mbarriers
  std::uint64_t meetings = 0;                          // of warps, at barriers of the hardware
  std::uint64_t uncounted = 0;                         // accesses of lanes for which there was no room (profile.h)

  void add(const ProfiledPlace& more) {
    global_read.add(more.global_read);
    global_write.add(more.global_write);
    shared_read.add(more.shared_read);
    shared_write.add(more.shared_write);
    atomics += more.atomics;
    operations += more.operations;
    copied_global += more.copied_global;
    copied_shared += more.copied_shared;
    copied_sectors += more.copied_sectors;
    multiplied += more.multiplied;
    waits += more.waits;
    meetings += more.meetings;
    uncounted += more.uncounted;
  }
};

// By place of the kernel's code.
using ProfileRecord = std::map<std::uint32_t, ProfiledPlace>;

}  // namespace tilewright::simulate
