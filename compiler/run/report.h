// What became of an experiment, as plain values; server/render writes it for people and as JSON.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/run/bind.h"
#include "compiler/run/element.h"
#include "compiler/run/statistics.h"
#include "compiler/simulate/machine/watch.h"
#include "compiler/text/diagnostic.h"
#include "compiler/text/source.h"

namespace tilewright::run {

struct TensorReport {
  std::string source;         // "random", a file, "poison"
  std::string digest;         // SHA-256 of its contents after the run; empty: it was not run, or not asked for
  std::string expected_from;  // "reference EXPR on the host", a file; empty: nothing was expected
  Tolerance tolerance;
  bool zeros = false;  // is nothing but zeros expected?
  std::optional<Comparison> comparison;
  std::optional<Comparison> later;     // of what a timed round left otherwise
  std::optional<Comparison> alone;     // of a timed launch on other inputs with the same kernels loaded again
  std::optional<Comparison> schedule;  // likewise of another schedule of the simulator: the worst of them
  // Of a mismatch: the statement that wrote its first element, as the simulator finds it; nothing: it does not know, or
  // nothing wrote it.
  std::optional<simulate::Producer> producer;
  std::string file;  // that it was written to
};

// Microseconds; what was measured is in the outcome.
struct Timing {
  Spread cold, hot;        // with the L2 cache emptied, and right after another round
  std::int64_t bytes = 0;  // that have to move: inputs read, outputs written
  double floor = 0;        // that moving them takes at least; 0: not known
  bool suspect = false;    // faster than that
  // The driver's copy within the device, of half as many bytes, each read and written.
  std::optional<Spread> copy;
  double fraction = 0;  // of the speed of that copy
  // Others that were measured beside it.
  struct Rival {
    Spread cold, hot;
    std::optional<Contest> by_cold, by_hot;  // nothing: too few rounds to say
  };
  std::optional<Rival> rival;
};

struct Report {
  std::string kernel, entry, arch;  // of several kernels: each, with " then " between them
  DeviceInfo device;
  Bound bound;
  std::uint64_t seed = 0;
  bool secret_seed = false;  // drawn for this run
  Outcome outcome;
  std::vector<TensorReport> tensors;  // one a buffer of the job
  std::optional<Timing> timing;
  // Watches, and where they look; what they saw is in the outcome.
  struct Watching {
    std::string expression;
    int line = 0;
  };
  std::vector<Watching> watches;
  std::vector<simulate::WatchPoint> watch_points;
  std::string rival;  // what it was measured against
  // Findings of the simulator that the script or its settings silence, taken out of the outcome, each with why.
  struct Silenced {
    simulate::Finding finding;
    std::string reason;
  };
  std::vector<Silenced> silenced;
  std::vector<std::string> problems;        // each makes the run fail
  std::vector<std::string> rival_problems;  // those among them that are the rival's
  std::vector<std::string> notes;           // worth knowing, no failure
  text::Span fault;                         // the script's line of a fault, where one is known
  std::string fault_reason;

  bool own_reference = false;  // what is expected was computed by the same code

  bool verified() const;  // something was expected of every output, and all of it came
  // True if all inputs, at least one, and all that is expected are zeros: a kernel that writes zeros is right.
  bool only_zeros() const;
  // "failed"; "incomplete": it is not known; "review": the simulator warns of something; "silenced":
  // it would, or worse, and the script says why that is right; "verified", "partial":
  // the same of a part of the CTAs, "unverified".
  std::string_view verdict() const;
};

// A finding of the simulator at its place in the script, with the thread that showed it.
// With its places in the author's files: what stands in the prelude is told at the call that led there.
text::Diagnostic diagnostic_of(const simulate::Finding& finding, const text::Anchors& anchors);
// Of a run that was timed.
Timing timing_of(const Report& report);
// Fills `problems`, `rival_problems` and `notes` from the outcome and the comparisons.
void judge(Report& report);
// The index of the element that lies there in the storage; empty: none does, or the layout is not that simple.
std::vector<std::int64_t> index_of(const BoundTensor& tensor, std::int64_t number);
// The same as "[3, 17]"; "element 40 of its storage" where there is no index.
std::string coordinate(const BoundTensor& tensor, std::int64_t number);

}  // namespace tilewright::run
