// What the model of a CTA's time says of a run (pace.h makes it): cycles of an SM, modelled and not measured.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "compiler/simulate/simulate.h"

namespace tilewright::simulate {

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

struct PacedPlace {
  ir::Origin origin;
  std::array<std::uint64_t, kInstructionClasses> instructions{};  // counted, of all lanes
  std::uint64_t fused = 0;  // products that the next instruction adds to something; among those of Float
  // Cycles of warps that issue, that wait for results of their own, and for others.
  double busy = 0, stalled = 0, waited = 0;
  double critical = 0;  // cycles of the longest path through each CTA
};

struct PaceRecord {
  std::map<std::uint32_t, PacedPlace> places;                                    // by place of the kernel's code
  std::map<std::tuple<std::uint32_t, std::uint32_t, WaitFor>, PacedWait> waits;  // by places of the kernel's code
  std::uint64_t ctas = 0;
  double cycles = 0, longest = 0;  // of CTAs that have an SM for themselves: all together, and of the longest
};

// run(), and what the model says of it beside; clusters run one after the other.
Result run_paced(const lower::LoweredKernel& kernel, const Inputs& inputs, const Options& options, PaceRecord& pace);

}  // namespace tilewright::simulate
