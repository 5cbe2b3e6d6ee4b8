// Runs a lowered kernel on the CPU: slow next to a GPU, but it sees everything.
//
// The lowered body is compiled to a small register program (program.h). Every GPU thread is a resumable interpreter
// over its own registers: it runs until it has to meet others (a barrier, a shuffle, a matrix load) and then waits; the
// scheduler lets the next one run, completes meetings when all have come, and knows a deadlock when none can.
// The order of threads is fixed, or drawn from a seed, so a run is reproducible. CTAs that do not share a cluster run
// one after another, or as if they did; together where one waits for another (grid.h). Asynchronous copies go on beside
// the threads (engine.h).
//
// Memory is blocks of bytes with a shadow that says which bytes were ever written. Accesses are checked for bounds,
// alignment and reading unwritten bytes. With tracing each byte also carries where it originally came from, through
// loads, stores and copies of any width: tests use that to say "exactly these elements moved there", for every dtype.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/lower/lowered.h"
#include "compiler/simulate/machine/timeline_event.h"
#include "compiler/simulate/profile/record.h"
#include "compiler/text/words.h"

namespace tilewright::simulate {

struct Tensor {
  std::vector<std::byte> bytes;
  // Instead of bytes, where only findings are looked at: so many of them, and what they are made of (pages.h). Costs
  // the memory that the run touches, and does not come back in the result.
  std::int64_t made_up = 0;
  std::span<const std::byte> pattern;
  std::vector<std::int64_t> shape;  // binds symbolic extents; may stay empty when the kernel has none
  bool defined = true;              // false: only storage for an output; reading it before writing is a finding
  bool written = true;              // false: the kernel only reads it, so there is nothing that could race
  bool by_kernel = false;           // an earlier kernel has written it, and not only the host
  // Where it lies, from 1: a pointer that one run leaves in memory leads to the same tensor in the next. 0: anywhere.
  std::uint32_t place = 0;
};

using Scalar = std::variant<std::int64_t, double>;

// By parameter: a tensor's name (or its data variable's), a scalar's name.
struct Inputs {
  std::map<std::string, Tensor, std::less<>> tensors;
  std::map<std::string, Scalar, std::less<>> scalars;
  // Tensors that the kernel does not name and may have pointers to, each at a place of its own.
  std::map<std::string, Tensor, std::less<>> others;
};

// When asynchronous operations happen between their issue and the moment that the script can rely on them; engine.h.
enum class Timing : std::uint8_t { Latest, Earliest, Random };

// A byte of a tensor, of which the last writer is asked for.
struct Asked {
  std::string tensor;
  std::int64_t byte = 0;
};

struct Options {
  std::uint64_t max_steps = 500'000'000;  // executed instructions of all threads together
  std::uint64_t max_ctas = 1u << 16;
  // The clusters that are run, by number (x of the grid first); a cluster is a CTA where there are none.
  struct Part {
    std::uint64_t begin = 0, end = ~std::uint64_t{0}, step = 1;
    bool is_all() const { return begin == 0 && end == ~std::uint64_t{0} && step == 1; }
  };
  Part clusters{};
  std::vector<std::uint64_t> chosen{};             // these alone are run, and that is no finding; empty: `clusters`
  std::int64_t max_bytes = std::int64_t{4} << 30;  // of tensors, and of a cluster's threads with their memory
  std::size_t max_findings = 16;
  bool uninitialised_reads = true;
  bool races = false;  // search for accesses that nothing orders
  bool trace = false;
  // Results of calls that are not modelled and are scalars of scalars: the run goes on, and is incomplete where one
  // decides something. What reaches the tensors is then not right: for those who only look at findings.
  bool goes_on_unknown = false;
  Timing timing = Timing::Latest;
  std::uint64_t seed = 1;  // of Timing::Random, which also draws the order of the warps
  std::vector<Asked> blame{};
  std::size_t max_seen = 0;  // what watches keep; 0: there are none
  std::size_t timeline = 0;  // events of a timeline, at most; 0: there is none
  bool profile = false;      // what the run asks of the hardware is counted (profile/profile.h)
  unsigned jobs = 1;         // cores that clusters run on beside one another; needs `races`, and changes no answer
  // Told now and then how many clusters have ended, of how many; by the thread that calls run().
  std::function<void(std::uint64_t, std::uint64_t)> progress{};
  std::stop_token stop{};  // asked every few milliseconds; a stopped run is incomplete
};

enum class Severity : std::uint8_t { Warning, Error, Incomplete };
inline constexpr auto kSeverityWords = text::words_of<Severity>({"warning", "error", "incomplete"});

// One thing that went wrong, on the exact statement. Repeats at the same statement are counted, not listed.
struct Finding {
  std::string_view code;  // TW50xx
  Severity severity = Severity::Error;
  std::string message;
  ir::Origin origin;
  std::array<std::int64_t, 3> cta{};
  std::int64_t thread = -1;  // linear in its CTA; -1: no single one
  std::uint64_t times = 1;
  std::string hint;         // the way out, when one is known
  bool from_input = false;  // the contents that the run was given made it so
  int weight = 0;           // of several with one cause, the weightiest is told
  struct Related {
    ir::Origin origin;
    std::string message;
  };
  std::vector<Related> related;  // other places that belong to it
  int more = 0;                  // findings that belong to it and stand at none of them

  // What its words say, for code that asks.
  enum class Kind : std::uint8_t {
    Other,
    MissingBarrier,  // a race that a barrier between the two accesses would order
    ReleasedForAll,  // one thread gives memory back that others of its warpgroup may still use
    SplitWarp,       // lanes of one warp wait at different barriers
    LateWait,        // a wait may begin only when the next phase is over, too
    TooFewArrivals,  // more threads arrive at a barrier than it is initialised for
    OtherParity,     // a wait that returns at once
    LaterRound,      // a copy that is not waited for, or one into a place that others still read
    NeverWaited,     // an operation whose barrier no thread waits on
    UnorderedInit,   // a use of a barrier that nothing orders after its initialisation
    NotInitialised,  // a use of memory as a barrier that is none
    MixedTimes,      // a named barrier that warps may come to for two different times
    AtNamedBarrier,  // all who wait for ever do so at named barriers
    OtherBytes,      // a phase that has its arrivals and other bytes than expect_tx announces
    EarlyWait,       // a wait that may mean a phase long before
    EarlyPart,       // a thread that counts in a phase may do so in the one before
    GivesBack,       // tensor memory that is given back while it is used
  };
  Kind kind = Kind::Other;
  // The buffer that it is of, as messages name it; empty: not known. `arriving`: a copy into it is under way.
  struct Memory {
    std::string name;
    const ir::Var* data = nullptr;  // null: registers, tensor memory, not known
    bool arriving = false;
  } memory;
  int queue = 0;                      // of an operation that is not waited for: 1 + Queue (machine/engine.h)
  std::vector<std::string> barriers;  // mbarriers that it is of, as messages name them: `full[0]`
};

// The other places with their words; the last one counts those that are left out: " (and 5 more)".
std::vector<Finding::Related> related_as_told(const Finding& f);

// Do both tell of one cause at one place, or, of races, between the same two places? Which of two unordered accesses
// came first, and whether another had waited before, is luck.
bool tell_the_same(const Finding& a, const Finding& b);

// clean: ran to the end without findings; review: only warnings; incomplete: something is not modelled, or a limit was
// reached; error: a finding that a GPU run would suffer from.
enum class Verdict : std::uint8_t { Clean, Review, Incomplete, Error };

// Who wrote a byte last: the statement, and of an asynchronous operation the one that issued it.
struct Producer {
  ir::Origin origin;
  std::array<std::int64_t, 3> cta{};
  std::int64_t thread = 0;
};

// What a watch (watch.h) saw when a thread came past.
struct Seen {
  std::uint32_t point = 0;
  std::array<std::int64_t, 3> cta{};
  std::int64_t thread = 0;
  std::vector<std::int64_t> loops;  // values of the point's loop variables
  struct Value {
    std::uint64_t bits = 0;  // of the element
    enum class State : std::uint8_t { Known, Unwritten, Outside } state = State::Known;
    friend bool operator==(const Value&, const Value&) = default;
  };
  std::vector<Value> values;
};

struct Result {
  Verdict verdict = Verdict::Clean;
  std::vector<Finding> findings;
  std::map<std::string, Tensor, std::less<>> tensors;  // every tensor after the run
  // With tracing: for each byte, 1 + its index among the bytes of all input tensors in the order of their names; 0:
  // computed, or never written.
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> traces;
  std::vector<std::optional<Producer>> produced;  // for each of Options::blame; nothing: never written
  std::vector<Seen> seen;                         // what watches saw, in the order of execution
  TimelineRecord timeline;
  ProfileRecord profile;
  std::uint64_t unseen = 0;  // and how often more, after Options::max_seen
  // Of a part of the clusters: 1 for each byte of a tensor that they have written. Needs Options::races.
  std::map<std::string, std::vector<std::uint8_t>, std::less<>> written;
  std::string printed;  // what T.cuda.printf wrote
  std::uint64_t steps = 0;
  bool finished = false;  // ran to its end, whatever was found on the way
};

Result run(const lower::LoweredKernel& kernel, const Inputs& inputs, const Options& options = {});

}  // namespace tilewright::simulate
