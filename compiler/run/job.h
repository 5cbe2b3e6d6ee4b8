// One execution of a kernel, or of several in turn, in plain numbers: what goes to the process that holds the GPU, and
// what comes back.
//
// A job knows no script and no expressions; bind.h makes one from a launch plan. Its plan can be written as JSON, so
// that prepared executions travel to a machine that has neither the script nor a compiler.
#pragma once
#include <array>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/lower/map_place.h"
#include "compiler/process/fd.h"
#include "compiler/run/conditions.h"
#include "compiler/run/contents.h"
#include "compiler/run/marks.h"
#include "compiler/run/samples.h"
#include "compiler/simulate/simulate.h"
#include "compiler/text/words.h"
#include "compiler/toolchain/record.h"

namespace tilewright::run {

// What the kernels together do with a buffer, as far as the script shows.
//   Input: read only. It must be unchanged after the launch.
//   Output: written only. Poisoned before each launch.
//   InOut: both, or not known. Given its contents again before each launch.
enum class Role : std::uint8_t { Input, Output, InOut };
inline constexpr auto kRoleWords = text::words_of<Role>({"input", "output", "inout"});

struct JobBuffer {
  std::string name;
  std::int64_t bytes = 0;
  Role role = Role::InOut;
  Contents contents{};  // of an Input and an InOut: exactly `bytes` long; of an Output empty
  // Timed launches may find the contents rotated by a multiple of so many bytes; 0: always as they are.
  std::int64_t turn = 0;
};

// Arguments of cuTensorMapEncodeTiled: innermost first, strides in bytes and one fewer than dims, the driver's enums.
struct JobTensorMap {
  // How the kernel finds it: by value as a parameter, in the module's __constant__ variable `symbol`, or behind a
  // pointer to global memory that is written before each launch.
  lower::MapPlace place = lower::MapPlace::Parameter;
  std::string symbol{};
  int buffer = 0;
  std::int64_t byte_offset = 0;
  int dtype = 0;
  std::vector<std::uint64_t> dims, strides;
  std::vector<std::uint32_t> box, element_strides;
  int interleave = 0, swizzle = 0, l2_promotion = 0, oob_fill = 0;
};

struct JobParam {
  enum class Kind : std::uint8_t { Pointer, Scalar, TensorMap } kind = Kind::Pointer;
  int index = 0;  // of the buffer or tensor map
  std::int64_t byte_offset = 0;
  std::string scalar{};  // its bytes as the kernel takes them
};

// One kernel of a job.
struct JobLaunch {
  std::string symbol;
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  std::optional<std::array<std::int64_t, 3>> preferred_cluster;
  std::int64_t dynamic_shared_bytes = 0;
  bool cooperative = false;                    // all CTAs resident at once
  bool programmatic_dependent_launch = false;  // may start before the kernel ahead of it in the stream has ended
  std::vector<JobParam> params;                // in the order of the kernel's signature; indices into the job's buffers
  std::vector<JobTensorMap> tensor_maps;
  std::string cubin;
};

// Timed launches whose results are checked, of a job's kernels and of its rivals each.
inline constexpr int kMostChecks = 64;

struct Job {
  std::vector<JobBuffer> buffers;
  std::vector<JobLaunch> launches;  // at least one; in order, in one stream, without anything between them
  // Others on the same buffers, whose time is held against that of `launches`: after each round of the ones a round of
  // the others, or before it, in turn. Empty: of none.
  std::vector<JobLaunch> rivals;
  // The launches once more, with marks in them (marks.h): run after everything else. Empty: no marks are wanted.
  std::vector<JobLaunch> marked{};
  // Rounds of all launches: two to verify, each over another poison, then `warmups` and `repeats` timed ones; 0
  // repeats: not timed. A timed round is measured twice: right after another one of the same launches, and with the L2
  // cache emptied. What timed launches leave is compared after all of them (turns.h).
  int warmups = 3;
  int repeats = 0;
  // How many bytes the driver copies within the device, in each timed round: what the kernel's speed is held against.
  // 0: none.
  std::int64_t copy_bytes = 0;
  int schedules = 0;     // that the simulator tries; 0: as many as it does by itself
  bool samples = false;  // program counters are sampled in further rounds, after those that are timed

  std::int64_t bytes() const;  // of all buffers
  std::int64_t host_bytes()
      const;  // of this machine's memory: what is given, and what comes back of all that is written
};

// Half of what this machine, or the container around this process, has: what tensors may take of it unless said.
std::int64_t default_memory_limit();

// The plan alone: neither contents nor cubins. One launch stands in the plan itself, several in its list "launches".
// Errors name the member that is missing or out of range.
std::string plan_to_json(const Job& job);
std::expected<Job, std::string> plan_from_json(std::string_view json);

// The same with the rounds and the rivals: all that is not bytes (job_json.h has it as JSON).
std::string order_to_json(const Job& job);
std::expected<Job, std::string> order_from_json(std::string_view json);

struct DeviceInfo {
  std::string name;
  int major = 0, minor = 0;
  int driver_version = 0;  // 13000: CUDA 13.0
  int multiprocessors = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t shared_bytes_per_block = 0;
  double bandwidth = 0;  // peak, bytes a second; 0: the driver does not say
  int devices = 1;       // that its driver has, this one among them

  // "sm_90a": the most specific architecture that runs there.
  std::string arch() const;
};

// What one buffer held afterwards.
struct BufferOutcome {
  Contents contents;              // after the first verifying launch
  std::int64_t guard_damage = 0;  // bytes changed in the guard zones around it
  std::int64_t guard_first = 0;   // where the first lies: negative before the buffer, from `bytes` on behind it
  std::int64_t unwritten = 0;     // Output: bytes that kept the poison in both verifying launches
  std::int64_t changed = 0;       // Input: bytes that differ from what was uploaded
  std::int64_t unstable = 0;      // bytes that differ between launches although written in both
  // After a timed launch that left something else: what it left. Empty: all that were checked left the same.
  Contents later{};
  // After a timed launch on other inputs than the first: what it left, and what the same kernels leave of these inputs
  // when they are loaded again. Empty: all that were checked left the same.
  Contents timed{}, alone{};
  bool of_rival = false;                // `timed` and `alone` are of the rivals
  std::vector<Contents> schedules{};    // what other schedules of the simulator left, where it differs
  std::vector<std::uint8_t> written{};  // where a part of the CTAs ran: 1 for each byte that they wrote; empty: all ran
};

// Times of the timed rounds, in order, in microseconds.
struct Measured {
  std::vector<double> cold, hot;  // of the launches: with the L2 cache emptied, and right after another round
  std::vector<double> rival_cold, rival_hot;  // of the rivals, beside those
  std::vector<double> copy;                   // of the driver's copy, with the L2 cache emptied
  int checked = 0;                            // launches whose results were compared, the timed ones and one after them
  int turned = 0;                             // tensors whose contents changed from timed launch to timed launch
  int otherwise = 0, rival_otherwise = 0;     // checked timed launches that left other bytes than loaded again,
                                              // where two such loads left the same
  int mixed = 0;                              // launches of replaced elements, of the kernels and of the rivals each
  int mixed_otherwise = 0, rival_mixed_otherwise = 0;  // those that left other bytes than loaded again, many times
  double beyond = 0;               // microseconds that the device worked after the end of a launch, in three of four
  std::int64_t persisting = 0;     // bytes of L2 that the context sets aside for accesses that persist
  std::int64_t rival_differs = 0;  // bytes of outputs that the rivals leave otherwise
  Conditions conditions;
};

enum class Status : std::uint8_t {
  Done,
  NoDriver,     // no CUDA driver, or no device
  NotLaunched,  // the driver refused the module, the memory, a tensor map or the launch
  Fault,        // the kernel was ended by the device: illegal address, misaligned access, trap
  Timeout,      // over the deadline; the process was killed
  Stopped,      // the caller no longer waits for it
  Lost,         // the process that held the GPU ended by itself
  Incomplete,   // the simulator does not model something, or a limit was reached: not known
};
std::string_view status_name(Status status);  // "done", "no_driver", "not_launched", ...

struct Outcome {
  Status status = Status::Done;
  std::string part{};   // "clusters 0 to 1 of 8": nothing else was run; empty: all of it was
  std::string message;  // unless done: what went wrong, with the driver's words
  std::string error;    // the driver's name for it: "CUDA_ERROR_ILLEGAL_ADDRESS"; empty when it is not the driver's
  std::vector<BufferOutcome> buffers;
  Measured measured;
  std::string printed;             // what the kernel's printf wrote in the first launch
  std::optional<Samples> samples;  // of a GPU, where they were asked for
  MarkRecord marks{};              // the same
  // Of the simulator: who wrote the bytes that its options asked for.
  std::vector<std::optional<simulate::Producer>> produced;
  simulate::TimelineRecord timeline;  // of the simulator, where one was asked for: of all launches, one after the other
  std::vector<simulate::ProfiledPlace> profile;  // the same, by place; of all launches
  std::map<const ir::Buffer*, simulate::ProfiledRows> profiled_rows;
  std::vector<simulate::Seen> seen;  // of the simulator: what watches saw
  std::uint64_t unseen = 0;          // and how often more they would have
  // Of the simulator: each thing that went wrong, once, in the order in which they showed. Their places are the
  // kernels', and live as long.
  std::vector<simulate::Finding> findings;
};

// What came of a job in another process, but for contents and places (job_json.h has it as JSON). Of each buffer it
// says which contents there are: `contents` are there unless it is an input that stayed as it was, `later` where a
// timed round left something else.
std::string outcome_to_json(const Outcome& outcome);
std::expected<Outcome, std::string> outcome_from_json(std::string_view json, const Job& job,
                                                      std::span<const Contents> results);

// A job on its way to another process: contents travel as descriptors, and so does the memory into which that process
// writes what the buffers held afterwards: `results`, one a buffer and as long, and after those as many for each
// of `later`, `timed` and `alone` of BufferOutcome, which are empty for a job without timed rounds. The descriptors
// stay the caller's.
inline constexpr std::size_t kResultsPerBuffer = 4;
std::vector<Contents> results_for(const Job& job);
struct Message {
  toolchain::Record record;
  std::vector<int> descriptors;
};
Message encode(const Job& job, std::span<const Contents> results);

struct ReceivedJob {
  Job job;
  std::vector<Contents> results;  // kResultsPerBuffer of each buffer, as above
};
std::expected<ReceivedJob, std::string> decode_job(const toolchain::Record& record, std::span<const process::Fd> files);
// Without contents: they are in the results; only a buffer of which `contents` is empty holds what the job gave it.
toolchain::Record encode(const Outcome& outcome);
std::expected<Outcome, std::string> decode_outcome(toolchain::Record record, const Job& job,
                                                   std::span<const Contents> results);
toolchain::Record encode(const DeviceInfo& device);
std::expected<DeviceInfo, std::string> decode_device(const toolchain::Record& record);

}  // namespace tilewright::run
