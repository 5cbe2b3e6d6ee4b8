// Where warps were when a GPU's program counters were sampled, and what each of them waited for. Plain numbers: what
// they say about a script is server/work/sampled.h.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::run {

// Warps that were found at one instruction with one reason.
struct Sampled {
  std::uint32_t launch = 0;  // of the job
  std::uint32_t offset = 0;  // of the instruction, in bytes from the kernel's first
  std::uint32_t reason = 0;  // index into Samples::reasons
  std::uint64_t count = 0;
};

struct Samples {
  std::string absent;                // why there are none, for people; empty: they were taken
  std::vector<std::string> reasons;  // as CUPTI names them, without what all of them begin with
  std::vector<Sampled> places;
  std::uint64_t taken = 0;      // by the hardware: those of the job's kernels, of others, and those that were dropped
  std::uint64_t dropped = 0;    // the hardware's buffer was full
  std::uint64_t elsewhere = 0;  // in code that is none of the job's
  int rounds = 0;               // of all launches
  double seconds = 0;           // that those took, on the host's clock
  int period = 0;               // clocks between two samples of one SM: 2 to the power of this; 0: not told
};

}  // namespace tilewright::run
