#include "protocol/worker.h"

#include "compiler/text/bounds.h"

namespace tilewright::protocol::worker {
namespace {

using text::check_bounds;
using text::check_count;

constexpr std::int64_t kMostCounted = std::int64_t{1} << 53;  // what every reader of JSON keeps exactly
constexpr int kMostWeight = 1 << 30;

// ---- ranges ----

template <class T>
void check(const T& /*message*/) {}

void check(const Limits& in) {
  check_bounds("job_seconds", in.job_seconds, 0, kMostSeconds);
  check_bounds("host_bytes", in.host_bytes, 0, kMostBytes);
  check_bounds("device_bytes", in.device_bytes, 0, kMostBytes);
  check_bounds("output_bytes", in.output_bytes, 0, kMostBytes);
  check_bounds("message_bytes", in.message_bytes, 0, kMostBytes);
  check_bounds("queued_jobs", in.queued_jobs, 0, kMostQueued);
}

void check(const InitializeResult& in) {
  check_bounds("slots", in.slots, 0, kMostSlots);
  check_count("devices", in.devices, kMostSlots);
}

void check(const StatusResult& in) {
  check_bounds("running", in.running, 0, kMostSlots);
  check_bounds("queued", in.queued, 0, 1'000 * kMostQueued);
  check_bounds("done", in.done, 0, kMostCounted);
  check_bounds("failed", in.failed, 0, kMostCounted);
  check_bounds("seconds", in.seconds, 0, kMostSeconds);
  check_bounds("held_bytes", in.held_bytes, 0, kMostBytes);
}

void check(const CompileParams& in) { check_count("options", in.options, 1000); }

void check(const CompileResult& in) {
  check_count("sizes", in.sizes, 3);
  for (std::int64_t size : in.sizes) check_bounds("a size", size, 0, kMostBytes);
}

void check(const ScriptImport& in) { check_bounds("level", in.level, 0, 1000); }

void check(const Script& in) {
  check_count("files", in.files, 10'000);
  check_count("imports", in.imports, 100'000);
  check_count("entries", in.entries, 64);
  check_count("values", in.values, 10'000);
}

void check(const JobOpenParams& in) {
  check_bounds("attempt", in.attempt, 1, kMostAttempts);
  check_count("cubins", in.cubins, 64);
  for (std::int64_t bytes : in.cubins) check_bounds("a cubin's bytes", bytes, 0, kMostBytes);
  check_bounds("deadline_seconds", in.deadline_seconds, 0, kMostSeconds);
}

void check(const JobParams& in) { check_bounds("attempt", in.attempt, 1, kMostAttempts); }

void check(const JobDataParams& in) {
  check_bounds("attempt", in.attempt, 1, kMostAttempts);
  check_bounds("index", in.index, 0, 100'000);
  check_bounds("offset", in.offset, 0, kMostBytes);
}

void check(const JobProgress& in) {
  check_bounds("ahead", in.ahead, 0, 1'000 * kMostQueued);
  check_bounds("all", in.all, 0, std::uint64_t{1} << 53);
  check_bounds("done", in.done, 0, in.all);
}

void check(const Place& in) { check_bounds("begin", in.begin, 0, in.end); }

void check(const Related& in) { check_count("places", in.places, 4096); }

void check(const Finding& in) {
  check_count("places", in.places, 4096);
  check_count("related places", in.related, 1024);
  check_count("numbers of a CTA", in.cta, 3);
  for (std::int64_t n : in.cta) check_bounds("a CTA's number", n, 0, (std::int64_t{1} << 31) - 1);
  check_bounds("thread", in.thread, -1, 1 << 20);
  check_bounds("times", in.times, 0, std::uint64_t{1} << 53);
  check_bounds("weight", in.weight, -kMostWeight, kMostWeight);
}

void check(const JobResult& in) { check_count("findings", in.findings, 4096); }

// Members that are absent keep what they have; those of a wrong type throw.
template <class T>
void take(const Json& json, const char* name, T& to) {
  if (auto at = json.find(name); at != json.end()) at->get_to(to);
}

// Both directions of a structure from one list of its members.
#define TILEWRIGHT_TAKE(member) take(json, #member, out.member);
#define TILEWRIGHT_PUT(member) json[#member] = in.member;
#define TILEWRIGHT_MESSAGE(type, ...)                                       \
  void from_json(const Json& json, type& out) {                             \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TILEWRIGHT_TAKE, __VA_ARGS__)) \
    check(out);                                                             \
  }                                                                         \
  void to_json(Json& json, const type& in) {                                \
    json = Json::object();                                                  \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(TILEWRIGHT_PUT, __VA_ARGS__))  \
  }

}  // namespace

// Parts of messages.
TILEWRIGHT_MESSAGE(Limits, job_seconds, host_bytes, device_bytes, output_bytes, message_bytes, queued_jobs)
TILEWRIGHT_MESSAGE(ScriptFile, path, text)
TILEWRIGHT_MESSAGE(ScriptImport, module, level, importer, path)
TILEWRIGHT_MESSAGE(Place, path, begin, end)
TILEWRIGHT_MESSAGE(Related, places, message)
TILEWRIGHT_MESSAGE(Finding, code, severity, message, hint, places, cta, thread, times, from_input, weight, related)

TILEWRIGHT_MESSAGE(InitializeParams, protocol, client, version, token)
TILEWRIGHT_MESSAGE(InitializeResult, protocol, version, host, executes, compiles, compiler, slots, devices, limits)
TILEWRIGHT_MESSAGE(StatusResult, running, queued, done, failed, seconds, held_bytes)
TILEWRIGHT_MESSAGE(CompileParams, source, arch, options, ptx, cubin, sass)
TILEWRIGHT_MESSAGE(CompileResult, failed, message, log, sass_missing, sizes)
TILEWRIGHT_MESSAGE(Script, files, imports, entries, target, dialect, steps, memory_bytes, depth, values,
                   simulator_steps, jobs)
TILEWRIGHT_MESSAGE(JobParams, key, attempt)
TILEWRIGHT_MESSAGE(JobDataParams, key, attempt, what, index, offset)
TILEWRIGHT_MESSAGE(JobProgress, key, state, ahead, done, all)
TILEWRIGHT_MESSAGE(JobResult, outcome, findings)

void from_json(const Json& json, JobOpenParams& out) {
  json.at("key").get_to(out.key);
  json.at("order").get_to(out.order);
  take(json, "attempt", out.attempt);
  take(json, "cubins", out.cubins);
  take(json, "deadline_seconds", out.deadline_seconds);
  if (auto at = json.find("script"); at != json.end() && !at->is_null()) out.script = at->get<Script>();
  check(out);
}
void to_json(Json& json, const JobOpenParams& in) {
  json = {{"key", in.key},
          {"attempt", in.attempt},
          {"order", in.order},
          {"cubins", in.cubins},
          {"deadline_seconds", in.deadline_seconds}};
  if (in.script) json["script"] = *in.script;
}

}  // namespace tilewright::protocol::worker
