// The model of a kernel's time by line of the script, and what waits for what (compiler/run/time_model.h).
//
// What a number says: instructions, times and visits are counted by the simulator; cycles and microseconds are modelled
// with constants that were measured on the device that TimeModel::rates names. Nothing is measured on this kernel.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/run/time_model.h"
#include "compiler/session/compile.h"

namespace tilewright::work {

// Where a number comes from.
enum class From : std::uint8_t { Counted, Modelled, Measured, NotAvailable };
std::string_view from_words(From from);  // "counted", "modelled", "measured", "not available"

struct ScriptLine {
  std::string path, text;  // of the script, without blanks around it
  std::uint32_t line = 0;  // from 0
};

struct TimedLine {
  ScriptLine at;
  double share = 0;          // of the longest path through the CTAs: 0 to 1
  simulate::PacedPlace sum;  // of all places of the line
};

// Waits of one line for another: the places are of the script, and may be the same.
struct TimedWait {
  ScriptLine waits, blamed;
  simulate::WaitFor what = simulate::WaitFor::Result;
  std::uint64_t times = 0;
  double cycles = 0, most = 0;
  std::vector<double> steps;  // by visit of the line
};

struct TimeAnswer {
  run::TimeModel model;
  std::vector<TimedLine> lines;  // the largest share of the path first
  std::vector<TimedWait> waits;  // the longest first
  // Findings of severity Hint, codes TW7004 and on.
  std::vector<text::Diagnostic> advice;

  // Operations of tensor cores for each byte of sectors of global memory; the roofline's ridge on the same device.
  double intensity() const;
  double ridge() const;
};

TimeAnswer time_of(const session::CompiledKernel& kernel, const session::Compiled& compiled,
                   const run::TimeRequest& request, const std::stop_token& stop = {});

// "a copy that line 57 starts", "the arrival in line 61".
std::string blamed_words(const TimedWait& wait);
// Visits in which warps waited a tenth of the longest wait or more: "0 to 3, 7".
std::string starved_words(const TimedWait& wait);

}  // namespace tilewright::work
