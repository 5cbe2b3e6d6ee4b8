// A kernel's CUDA text with marks in it: each warp of a few CTAs writes the clock before and after each tile primitive
// and each wait, into memory of its own. A build for the timeline of a run, which no other result uses.
//
// Marks are statements between the lines of the text, so that everything else compiles as it does without them. In a
// large grid the text stands there twice, with marks for the CTAs that record and without for the others.
//
// A warp's memory is kMarkHeader words and `events` words of 64 bits, those of the recording CTA c and its warp w at
// c * warps + w. Marks fill it from its begin; a loop's round that finds it nearly full begins it again:
//
//   0, 1   the device's timer (nanoseconds) and the SM's clock as the warp begins      2, 3   the same as it ends
//   4      marks since it was begun last, 16 bits; of the filling before, behind them, 16; of all fillings before
//   5      the SM's number + 1, and the CTA's above
//   6, 7   of the very first warp: the timer as the first CTA of all began (inverted), and as the last of all ended, as
//          far as the CTAs say that begin first and last
//   8...   marks: the clock's lower half below, `word` above
//
// A mark's `word` is 2 * its place in `marks`, + 1 at its end, and in the upper half the stage of what is waited for;
// kMarkCloses is set where it is a begin that ends the one before, too.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/cuda/cuda.h"

namespace tilewright::cuda {

inline constexpr std::uint32_t kMarkHeader = 8, kMarkCloses = 1 << 15;

struct Mark {
  std::string name;     // "gemm_async -> wgmma", "wait ring_full"
  bool waits = false;   // else a tile primitive
  bool staged = false;  // what is waited for is an element of a ring
  ir::Origin origin;
};

struct MarkedSource {
  std::string text;
  std::vector<Mark> marks;
  std::uint32_t ctas = 0, warps = 0, events = 0;
  std::uint32_t left_out = 0;  // tile primitives that a mark could not be laid around

  std::uint32_t words() const { return ctas * warps * (kMarkHeader + events); }
};

// For a launch of so many CTAs. Nothing: the block has no constant number of threads.
std::optional<MarkedSource> with_marks(const CudaSource& source, const lower::LoweredKernel& kernel,
                                       std::uint64_t ctas);

}  // namespace tilewright::cuda
