// What a run asks of the hardware, by place in the script: counted, not timed (profile.h counts).
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
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
  std::uint64_t lanes = 0;     // that ask
  // Of global memory: units beyond `ideal` of requests whose bytes follow each other, so that only where they begin
  // makes more; and all places where such bytes begin, or-ed, which says to what they are aligned.
  std::uint64_t shifted = 0, begins = 0;

  // Bytes, a power of two up to `most`, of which every stretch of bytes begins at a multiple.
  std::uint64_t aligned(std::uint64_t most) const {
    while (begins % most != 0) most /= 2;
    return most;
  }
  void add(const Traffic& more) {
    requests += more.requests;
    units += more.units;
    ideal += more.ideal;
    bytes += more.bytes;
    worst = std::max(worst, more.worst);
    lanes += more.lanes;
    shifted += more.shifted;
    begins |= more.begins;
  }
};

struct ProfiledPlace {
  ir::Origin origin;
  Traffic global_read, global_write;  // by threads, copies by cp.async among them
  Traffic shared_read, shared_write;  // the same, and ldmatrix and stmatrix
  std::uint64_t atomics = 0;          // of lanes; not in the traffic
  // Read-modify-writes among them: `units` are the turns of a warp that they take if one address is served once a turn,
  // `ideal` a turn each.
  Traffic combined;
  // Operations that run beside the threads, but for cp.async: bulk and tensor copies, tensor cores, tensor memory.
  std::uint64_t operations = 0;
  std::uint64_t copied_global = 0, copied_shared = 0;  // bytes that they read and write there
  std::uint64_t copied_sectors = 0;                    // of global memory
  // Their accesses to shared memory, a request each operation: `units` are the wavefronts that its banks make needed
  // (engine_requests.h), which is modelled. `unfigured` are bytes for which there is no such number.
  Traffic engine;
  std::uint64_t unfigured = 0;
  std::uint64_t multiplied = 0;  // operations of tensor cores: 2 m n k each
  std::uint64_t waits = 0;       // of threads, on mbarriers
  std::uint64_t meetings = 0;    // of warps, at barriers of the hardware
  std::uint64_t uncounted = 0;   // accesses of lanes for which there was no room (profile.h)
  // Of its shared memory: whose request was the worst, of the reads and of the writes. Null: of no known buffer.
  const ir::Buffer *conflicted_read = nullptr, *conflicted_write = nullptr;

  void add(const ProfiledPlace& more) {
    global_read.add(more.global_read);
    global_write.add(more.global_write);
    shared_read.add(more.shared_read);
    shared_write.add(more.shared_write);
    atomics += more.atomics;
    combined.add(more.combined);
    operations += more.operations;
    copied_global += more.copied_global;
    copied_shared += more.copied_shared;
    copied_sectors += more.copied_sectors;
    engine.add(more.engine);
    unfigured += more.unfigured;
    multiplied += more.multiplied;
    waits += more.waits;
    meetings += more.meetings;
    uncounted += more.uncounted;
    if (!conflicted_read) conflicted_read = more.conflicted_read;
    if (!conflicted_write) conflicted_write = more.conflicted_write;
  }
};

// Another way to lay a buffer of rows out in shared memory.
struct OtherRows {
  enum class Kind : std::uint8_t { Longer, Swizzled } kind = Kind::Longer;
  std::int64_t bytes = 0;  // more in each row; or of the swizzle: 32, 64, 128

  // Where the byte at `offset` of the buffer comes to lie.
  std::int64_t moved(std::int64_t offset, std::int64_t row_bytes) const {
    if (kind == Kind::Longer) return offset + offset / row_bytes * bytes;
    return offset ^ (offset >> 7 & (bytes / 16 - 1)) << 4;
  }
};
inline constexpr OtherRows kOtherRows[] = {{OtherRows::Kind::Longer, 4},    {OtherRows::Kind::Longer, 8},
                                           {OtherRows::Kind::Longer, 16},   {OtherRows::Kind::Longer, 32},
                                           {OtherRows::Kind::Longer, 64},   {OtherRows::Kind::Swizzled, 32},
                                           {OtherRows::Kind::Swizzled, 64}, {OtherRows::Kind::Swizzled, 128}};

// A buffer of shared memory in row-major order, and what the requests of threads to it would take with other rows.
struct ProfiledRows {
  std::int64_t row_bytes = 0, rows = 0, element_bytes = 0;
  std::int64_t widest = 0;  // bytes that a lane accesses at once, which its rows stay aligned to
  bool is_copied = false;   // operations beside the threads use it: its rows cannot be longer
  std::uint64_t wavefronts = 0, ideal = 0;
  std::array<std::uint64_t, std::size(kOtherRows)> others{};  // wavefronts with each of kOtherRows

  void add(const ProfiledRows& more) {
    is_copied |= more.is_copied;
    widest = std::max(widest, more.widest);
    wavefronts += more.wavefronts;
    ideal += more.ideal;
    for (std::size_t i = 0; i < others.size(); ++i) others[i] += more.others[i];
  }
};

struct ProfileRecord {
  std::map<std::uint32_t, ProfiledPlace> places;  // by place of the kernel's code
  std::map<const ir::Buffer*, ProfiledRows> rows;
  bool empty() const { return places.empty(); }
};

}  // namespace tilewright::simulate
