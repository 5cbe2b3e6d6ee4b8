// What the model of a CTA's time says of a run (pace.h makes it): cycles of an SM, modelled and not measured.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "compiler/simulate/simulate.h"

namespace tilewright::simulate {

struct ProfileDetails;

// What a warp waits for. Result: of its own loads and long operations. Copy: an operation beside the threads that an
// mbarrier or a wait_group counts. Arrival: of other threads, on an mbarrier. Product: of wgmma. Meeting: of the warps
// of a CTA at a barrier of the hardware.
enum class WaitFor : std::uint8_t { Result, Copy, Arrival, Product, Meeting };

// Waits at one place for what another place does.
struct PacedWait {
  ir::Origin waits, blamed;
  WaitFor what = WaitFor::Result;
  std::uint64_t times = 0;    // of warps, that they waited at least a cycle
  double cycles = 0;          // of all warps together
  double most = 0;            // of one wait
  std::vector<double> steps;  // by how often the warp had come there before: cycles, the first kMostSteps of them
  static constexpr std::size_t kMostSteps = 64;
};

// Instructions of lanes, as the simulator's program has them: before NVIDIA's compiler shares, hoists and joins them.
enum class InstructionClass : std::uint8_t { Integer, Float, Double, Special, Conversion, Memory, Control, Call };
inline constexpr std::size_t kInstructionClasses = 8;

// An `if` whose two arms lanes of one warp take.
struct PacedBranch {
  ir::Origin origin;
  std::uint32_t last = 0;    // place of the last instruction of its arms
  std::uint64_t passes = 0;  // of warps
  std::uint64_t splits = 0;  // among them: by lanes that take the first arm and lanes that take the second
  double lost = 0;           // what warps execute in the arm that costs less, of those: as PaceRecord::work
};

struct PacedPlace {
  ir::Origin origin;
  std::array<std::uint64_t, kInstructionClasses> instructions{};  // counted, of all lanes
  std::uint64_t fused = 0;    // products that the next instruction adds to something; among those of Float
  std::uint64_t doubles = 0;  // that compute with float64, of all classes
  // Cycles of warps that issue, that wait for results of their own, and for others.
  double busy = 0, stalled = 0, waited = 0;
  double critical = 0;  // cycles of the longest path through each CTA
};

struct PaceRecord {
  std::map<std::uint32_t, PacedPlace> places;                                    // by place of the kernel's code
  std::map<std::tuple<std::uint32_t, std::uint32_t, WaitFor>, PacedWait> waits;  // by places of the kernel's code
  std::map<std::uint32_t, PacedBranch> branches;                                 // by place of the kernel's code
  double work = 0;  // instructions of all warps, each with the share of a cycle of the SM's that it takes, roughly
  std::uint64_t ctas = 0;
  double cycles = 0, longest = 0;  // of CTAs that have an SM for themselves: all together, and of the longest
  // Where a profile of the run adds what it finds beside its counts, and which says how it counts; null: left out.
  ProfileDetails* details = nullptr;
  bool is_modelled = true;  // false: `details` alone are wanted
};

// run() with a profile, and what the model says of it beside; clusters run one after the other. Details are not
// settled: several such runs can be of one launch.
Result run_paced(const lower::LoweredKernel& kernel, const Inputs& inputs, const Options& options, PaceRecord& pace);

}  // namespace tilewright::simulate
