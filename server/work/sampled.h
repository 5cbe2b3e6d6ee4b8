// Samples of a GPU's program counters by line of the script: where the warps were, and what they waited for.
//
// Counted by the GPU at instructions (compiler/run/samples.h). An instruction is a line's by the compiler's line table,
// the one that `compile --emit sass` shows; the line's share of all samples is its share of the warps' time.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "server/work/run.h"

namespace tilewright::work {

struct Waited {
  std::string reason;  // as the hardware names it; stall_reason() has its words
  std::uint64_t count = 0;
};

struct SampledInstruction {
  std::size_t launch = 0;
  std::uint32_t offset = 0;  // in the kernel's code
  std::string text;          // its SASS
  std::uint64_t count = 0;
};

struct SampledLine {
  std::string path;
  std::uint32_t line = 0;  // from 0
  std::string text;        // of the script, without blanks around it
  std::vector<text::Span>
      callers;                     // calls of inlined functions of the script that led to the line, the outermost first
  std::vector<text::Span> chain;   // calls from the line to where it is done, the innermost last; empty: it is here
  std::string primitive, variant;  // of the tile call that the instructions are of; empty: of none
  std::uint64_t count = 0;
  std::vector<Waited> waits;                     // the most first
  std::vector<SampledInstruction> instructions;  // the same
};

struct SampledAnswer {
  std::string missing;             // why no sample is a line's; empty: they are
  std::vector<SampledLine> lines;  // the most samples first
  std::uint64_t samples = 0;       // at instructions of the kernels
  std::uint64_t attributed = 0;    // of those, at lines of the script
  std::vector<Waited> waits;       // of all, the most first
};

// RunAnswer::report.outcome.samples is there.
SampledAnswer sampled_of(const RunAnswer& answer);

}  // namespace tilewright::work
