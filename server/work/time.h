// The model of a kernel's time by line of the script, and what waits for what (compiler/run/time_model.h).
//
// What a number says: instructions, times and visits are counted by the simulator; cycles and microseconds are modelled
// with constants that were measured on the device that TimeModel::rates names. Nothing is measured on this kernel.
#pragma once
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/run/time_model.h"
#include "compiler/session/compile.h"
#include "server/work/figure.h"
#include "server/work/machine_code.h"
#include "server/work/occupancy.h"
#include "server/work/profile.h"

namespace tilewright::work {

struct ScriptLine {
  std::string path, text;  // of the script, without blanks around it
  std::uint32_t line = 0;  // from 0
  text::Span span{};       // that stands there
};

struct TimedLine {
  ScriptLine at;
  std::string primitive, variant;  // of the tile call that the most of it is of; empty: of none
  double share = 0;                // of the longest path through the CTAs: 0 to 1
  simulate::PacedPlace sum;        // of all places of the line
};

// Waits of one line for another: the places are of the script, and may be the same.
struct TimedWait {
  ScriptLine waits, blamed;
  simulate::WaitFor what = simulate::WaitFor::Result;
  std::uint64_t times = 0;
  double cycles = 0, most = 0;
  std::vector<double> steps;  // by visit of the line
};

// What the device that the model is of could do with the operations and bytes of a kernel.
struct Roofline {
  bool tensor = false;         // operations of tensor cores; else of lanes with floating numbers
  bool beyond_cache = false;   // bytes of the device's memory; else of its L2 cache, where all tensors fit
  Figure operations, bytes;    // of the whole grid
  Figure intensity, ridge;     // operations per byte: of the kernel, and from which on the bytes do not bound it
  Figure roof, reached;        // operations per second that the device could do, and that the kernel does
  bool memory_bounds = false;  // its intensity is below the ridge
  std::string_view device;
};

struct TimeAnswer {
  run::TimeModel model;              // its places are taken away: they are in the lines
  std::vector<TimedLine> lines;      // the largest share of the path first: it bounds the path
  std::vector<TimedWait> waits;      // the longest first
  std::optional<Roofline> roofline;  // nothing: it computes nothing
  // Findings of severity Hint, codes TW7004 and on.
  std::vector<text::Diagnostic> advice;

  // Operations of tensor cores for each byte of sectors of global memory.
  double intensity() const;
  // What warps wait for at most in the line that bounds the path; null: it is its own instructions.
  const TimedWait* bounding_wait() const;
};

// All that is known of a kernel's speed without a run on a GPU.
struct KernelTime {
  std::string name, entry;
  std::optional<Occupancy> occupancy;  // nothing: not known
  TimeAnswer answer;
  // Of the CTAs that were simulated; empty where the model says why.
  ProfileAnswer profile;
};

struct TimeAsked {
  std::map<std::string, run::Number, std::less<>> values{};  // over what the script's run comments say
  MachineCode code{};                                        // what it does not know counts as written
  std::uint64_t steps = 400'000'000, ctas = 4;               // as run::TimeRequest has them
};

// Of "NAME=VALUE" each; the error names the one that is none.
std::expected<std::map<std::string, run::Number, std::less<>>, std::string> values_of(
    const std::vector<std::string>& settings);

// The one way to a kernel's time, for all speakers.
KernelTime time_of(const session::CompiledKernel& kernel, const session::Compiled& compiled, const syntax::Tree& tree,
                   const TimeAsked& asked, const std::stop_token& stop = {});

// Lines again where they stand after edits elsewhere in the script.
void follow(KernelTime& time, const text::Anchors& anchors);

// Those of the kernels of a run, each once, in the order of their launches and with the run's extents. `values`: of
// scalars and extents that the caller gave.
std::vector<KernelTime> times_of(const RunAnswer& answer, const syntax::Tree& tree,
                                 const std::map<std::string, run::Number, std::less<>>& values,
                                 const std::stop_token& stop);

}  // namespace tilewright::work
