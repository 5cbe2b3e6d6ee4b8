#include "protocol/worker.h"

namespace tilewright::protocol::worker {
namespace {

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
