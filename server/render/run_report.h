// The result of `tilewright run`, for people and as JSON (protocol/schema/run.json).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/run/bind.h"
#include "compiler/run/element.h"
#include "compiler/text/source.h"
#include "server/render/json.h"

namespace tilewright::render {

struct TensorReport {
  std::string source;         // "random", a file, "poison"
  std::string digest;         // SHA-256 of its contents after the run; empty: it was not run
  std::string expected_from;  // "reference EXPR on the host", a file; empty: nothing was expected
  run::Tolerance tolerance;
  std::optional<run::Comparison> comparison;
  std::string file;  // written with -o
};

struct Timing {
  double median = 0, least = 0, most = 0;  // microseconds
  std::int64_t bytes = 0;                  // that have to move: inputs read, outputs written
  double floor = 0;                        // microseconds that moving them takes at least; 0: not known
  bool suspect = false;                    // faster than that
};

struct RunReport {
  std::string kernel, entry, arch;
  run::DeviceInfo device;
  run::Bound bound;
  std::uint64_t seed = 0;
  run::Outcome outcome;
  std::vector<TensorReport> tensors;  // one a buffer of the job
  std::optional<Timing> timing;
  std::vector<std::string> problems;  // each makes the run fail
  std::vector<std::string> notes;     // worth knowing, no failure
  text::Span fault;                   // the script's line of a fault, where one is known
  std::string fault_reason;

  bool verified() const;             // something was expected of every output, and all of it came
  std::string_view verdict() const;  // "verified", "unverified", "failed"
};

Timing timing_of(const RunReport& report);
// Fills `problems` and `notes` from the outcome and the comparisons.
void judge(RunReport& report);

Json run_json(const RunReport& report, const text::Anchors& anchors);
std::string run_text(const RunReport& report, const text::Anchors& anchors);

}  // namespace tilewright::render
