// The messages between a client and a worker, which compiles and runs kernels for it (JSON-RPC, frame.h). Arrays,
// cubins and compiled texts travel as payloads of at most kPiece bytes, as they lie in memory.
//
//   initialize      first of all; who speaks, and what the worker is
//   ping, status    is it there, and what it does
//   compile         CUDA source in; PTX, cubin and SASS as one payload
//   job/open        a job without its bytes: refused here, before anything is sent, when it is too large
//   job/data        (notification, client) a piece of a cubin, or of what a buffer holds at first
//   job/run         answered when the job has ended; cancelled with $/cancelRequest
//   job/progress    (notification, worker) how far it is
//   job/result      (notification, worker) a piece of what a buffer held afterwards; all come before the answer
//   job/close       (notification, client) forget it, whatever it does
//   log             (notification, worker) a line for people
//
// A job has a key that its client draws, and an attempt. A client that has lost the connection sends the job again with
// the next attempt; a worker ends the earlier one, and answers the latest alone.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/text/words.h"
#include "protocol/rpc.h"

namespace tilewright::protocol::worker {

inline constexpr int kVersion = 1;
inline constexpr std::size_t kPiece = 1u << 20;
inline constexpr std::size_t kLongestKey = 64;

// Ranges of what either side says; the others stand beside the members in worker.cpp. A number outside of its range,
// and a list that is longer, are errors of the message.
inline constexpr int kMostSlots = 4096;
inline constexpr int kMostQueued = 1'000'000;                      // jobs that wait
inline constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;  // of memory, tensors and messages
inline constexpr double kMostSeconds = 1e9;
inline constexpr int kMostAttempts = 1'000'000;

// Refusals that pass by themselves; clients wait and ask again.
inline constexpr ErrorCode kBusy{-32010};
// A later attempt of the same job is known.
inline constexpr ErrorCode kSuperseded{-32011};

struct InitializeParams {
  int protocol = 0;
  std::string client, version;
  std::string token;  // where the worker asks for one
};

// What one job and one client may take; more is refused.
struct Limits {
  double job_seconds = 0;         // from its start
  std::int64_t host_bytes = 0;    // of this machine's memory, for the arrays of one job
  std::int64_t device_bytes = 0;  // of a GPU's memory, for the arrays of one job
  std::int64_t output_bytes = 0;  // of one job's arrays that come back
  std::int64_t message_bytes = 0;
  int queued_jobs = 0;
};

enum class Executes : std::uint8_t { Gpu, Simulator, Nothing };
inline constexpr auto kExecutesWords = text::words_of<Executes>({"gpu", "sim", "none"});

struct InitializeResult {
  int protocol = 0;
  std::string version, host;
  std::string executes;  // one of kExecutesWords; a later release may have more
  bool compiles = false;
  std::string compiler;       // where CUDA lies there, or why there is no compiler
  int slots = 0;              // jobs at once
  std::vector<Json> devices;  // what run::device_to_json() says, one a GPU
  Limits limits;
};

struct StatusResult {
  int running = 0, queued = 0;
  std::int64_t done = 0, failed = 0;  // jobs that ended well, and not
  double seconds = 0;                 // since it began
  std::int64_t held_bytes = 0;        // of arrays
};

struct CompileParams {
  std::string source, arch;
  std::vector<std::string> options;
  bool ptx = false, cubin = true, sass = false;
};
struct CompileResult {
  std::string failed;  // empty, or one of toolchain::kErrorWords
  std::string message, log, sass_missing;
  std::vector<std::int64_t> sizes;  // of PTX, cubin and SASS in the payload
};

// A script with what its evaluation reads, where the kernels are to be made from it.
struct ScriptFile {
  std::string path, text;
};
struct ScriptImport {
  std::string module;
  int level = 0;
  std::string importer, path;
};
struct Script {
  std::vector<ScriptFile> files;
  std::vector<ScriptImport> imports;
  std::vector<std::string> entries;
  std::string target, dialect;
  std::uint64_t steps = 0, memory_bytes = 0;
  std::uint32_t depth = 0;
  std::map<std::string, Json> values;  // scalars and symbolic extents by name
  std::uint64_t simulator_steps = 0;   // 0: as many as it takes by itself
  unsigned jobs = 1;                   // cores
};

struct JobOpenParams {
  std::string key;
  int attempt = 1;
  Json order;                        // what run::order_to_json() says
  std::vector<std::int64_t> cubins;  // bytes of each, of the launches and then of the rivals
  std::optional<Script> script;      // instead of cubins
  double deadline_seconds = 0;       // of the kernels; 0: the worker's
};
struct JobParams {
  std::string key;
  int attempt = 1;
};
struct JobDataParams {
  std::string key;
  int attempt = 1;
  std::string what;  // "cubin", "buffer"; of a result "contents", "later", "timed", "alone"
  int index = 0;
  std::int64_t offset = 0;
};
struct JobProgress {
  std::string key;
  std::string state;                // "queued", "running", "sending"
  int ahead = 0;                    // jobs that come first
  std::uint64_t done = 0, all = 0;  // clusters of a simulated launch; 0: not known
};

// Bytes of one of the script's files.
struct Place {
  std::string path;
  std::uint32_t begin = 0, end = 0;
};
struct Related {
  std::vector<Place> places;
  std::string message;
};
// What the simulator found; `places` from the statement outwards through the calls that led to it.
struct Finding {
  std::string code, severity, message, hint;
  std::vector<Place> places;
  std::vector<std::int64_t> cta;
  std::int64_t thread = -1;
  std::uint64_t times = 1;
  bool from_input = false;
  int weight = 0;
  std::vector<Related> related;
};
struct JobResult {
  Json outcome;  // what run::outcome_json() says
  std::vector<Finding> findings;
};

// Reading throws Json::exception for what does not fit; members that are missing have their defaults.
void from_json(const Json& json, InitializeParams& out);
void to_json(Json& json, const InitializeParams& in);
void from_json(const Json& json, InitializeResult& out);
void to_json(Json& json, const InitializeResult& in);
void from_json(const Json& json, StatusResult& out);
void to_json(Json& json, const StatusResult& in);
void from_json(const Json& json, CompileParams& out);
void to_json(Json& json, const CompileParams& in);
void from_json(const Json& json, CompileResult& out);
void to_json(Json& json, const CompileResult& in);
void from_json(const Json& json, Script& out);
void to_json(Json& json, const Script& in);
void from_json(const Json& json, JobOpenParams& out);
void to_json(Json& json, const JobOpenParams& in);
void from_json(const Json& json, JobParams& out);
void to_json(Json& json, const JobParams& in);
void from_json(const Json& json, JobDataParams& out);
void to_json(Json& json, const JobDataParams& in);
void from_json(const Json& json, JobProgress& out);
void to_json(Json& json, const JobProgress& in);
void from_json(const Json& json, JobResult& out);
void to_json(Json& json, const JobResult& in);

}  // namespace tilewright::protocol::worker
