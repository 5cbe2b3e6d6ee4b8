// Which of many variants of a kernel is the fastest that is right: candidates from a space, refused one after the other
// by the compiler, by the simulator's search for races and by what they leave, the rest measured in turns.
//
//   0. The model of time (time.h) says the order in which candidates are compiled and measured, where the architecture
//      has one and a candidate has a time: the fastest first, then those without, in the order of the space.
//   1. Each candidate is compiled, on all cores but one. One with errors, or that NVIDIA's compiler refuses, is out.
//   2. The simulator looks for hazards in it, within a budget (compiler/run/trial.h). One with an error is out; what
//      was not looked at is kept as a note.
//   3. Rounds of measurements: each survivor runs on inputs drawn for that round and has to leave what is expected;
//      the fastest quarter stays, and the next round measures twice as often. The first round measures what is compiled
//      while the rest still is. What is expected is computed once a round.
//   4. The last few are measured against the fastest in pairs, one launch after the other (compiler/run/statistics.h).
//
// A candidate that hangs, faults or crashes ends alone. Nothing is called fast that was not verified. What is known so
// far can be saved after each measurement, and a later call goes on from there.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "compiler/inputs/space.h"
#include "compiler/run/executor.h"
#include "compiler/run/statistics.h"
#include "compiler/toolchain/toolchain.h"
#include "server/project/load.h"
#include "server/work/run.h"

namespace tilewright::work {

struct TuneRequest {
  // An expression with a `*` among its arguments, in whose place each point of the space is written:
  // gemm(4096, 4096, 4096, *). Without one: the name of a factory, whose entries in the file are the candidates.
  std::string entry;
  std::string space;      // as inputs::parse_space has it; empty: what the file's comment `# tilewright: tune` says
  std::string small;      // with a `*`: the same at a size that the search for races can run whole; empty: `entry`
  std::string reference;  // these as RunRequest has them
  std::string python;
  run::Wanted wanted;       // but for seed, warmups and repeats
  int repeats = 3;          // timed launches in the first round
  unsigned jobs = 1;        // cores that compile and search
  bool search = true;       // for races
  bool exhaustive = false;  // every candidate is measured as often as the last few
};

struct Candidate {
  enum class Fate : std::uint8_t {
    Open,     // not measured yet
    Refused,  // it does not compile, or the device does not launch it
    Hazard,   // the simulator found an error
    Wrong,    // it left something else than expected
    Broke,    // it faulted or did not end
    Slower,   // measured and left behind
    Level,    // measured against the best, and no difference is seen
    Best,
  };
  std::string entry, kernel;        // the kernel's name; empty: not compiled
  std::vector<std::string> values;  // of the space's axes
  Fate fate = Fate::Open;
  std::string reason;                  // why it is out
  std::vector<std::string> notes;      // what the search for hazards did not look at
  int registers = 0;                   // a thread; 0: not known
  std::optional<double> modelled{};    // microseconds, by the model of time; nothing: it has none
  int rounds = 0;                      // that it was measured in
  int turn = 0;                        // in which it was measured first, from 1; 0: it was not
  std::optional<run::Spread> cold;     // of its last round, with the L2 cache emptied; microseconds
  std::vector<double> samples;         // of that round
  std::string cubin_digest;            // SHA-256; empty: not compiled
  run::Conditions conditions{};        // of that round
  std::optional<run::Contest> behind;  // the best against it: above 1, the best is faster
};
std::string_view fate_name(Candidate::Fate fate);  // "open", "refused", "hazard", ...

struct TuneAnswer {
  std::optional<run::Failure> failure;  // nothing could be tuned
  bool stopped = false;
  bool finished = false;  // it is the earlier answer, which was whole: nothing was measured
  std::string entry;      // that was asked for
  std::vector<inputs::Space::Axis> axes;
  std::vector<Candidate> candidates;  // the best first, then by how far they came
  std::vector<std::uint64_t> seeds;   // of the rounds
  std::size_t cuts = 0;               // rounds after which the slower ones were left
  std::size_t launches = 0;           // timed
  run::DeviceInfo device;
  std::string arch, where;
  bool searched = false;          // for hazards
  std::string script_digest;      // SHA-256 of the file's text
  const Candidate* best() const;  // null: none is right
};

// How the caller hears what goes on; each may be empty, and is called by one thread at a time.
struct TuneHooks {
  struct Progress {
    std::string what;  // "compiling", "measuring"
    std::size_t done = 0, all = 0;
  };
  std::function<void(const Progress&)> progress;
  std::function<void(const TuneAnswer&)> save;  // after each step: the answer so far
};

// On `executors`, at least one; those that have another device than the first are left out. `earlier`: the saved
// answer of a call that was stopped, to go on from (one that is whole comes back as it is); null: from the start.
TuneAnswer tune(const project::LoadedFile& file, const TuneRequest& request,
                const std::vector<run::Executor*>& executors, toolchain::Toolchain& tools, const std::stop_token& stop,
                const TuneHooks& hooks = {}, const TuneAnswer* earlier = nullptr);

// The candidates' entries, and the values that make them; the error says why there are none.
struct TunePoints {
  std::vector<inputs::Space::Axis> axes;
  std::vector<Candidate> candidates;
  std::vector<std::string> small;  // one each; empty: the entry itself
};
std::expected<TunePoints, run::Failure> tune_points(const project::LoadedFile& file, const TuneRequest& request,
                                                    const std::stop_token& stop);

}  // namespace tilewright::work
