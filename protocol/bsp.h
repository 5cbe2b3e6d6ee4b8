// The messages of the Build Server Protocol that the server speaks, as plain structs (specification 2.2). JSON is read
// and written here and nowhere behind the door.
//
// Reading throws Json::exception for what does not fit; the door turns that into InvalidParams. Optional members that
// have nothing to say are left out. What `tilewright build`, a client, has to understand can be read as well. The
// schemas are those of schema/bsp.json.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/lsp.h"

namespace tilewright::protocol::bsp {

inline constexpr std::string_view kVersion = "2.2.0";

// ---- the session ----------------------------------------------------------------------------------------------------
struct InitializeParams {
  std::string client, version;            // for people
  std::string bsp_version;                // that the client speaks
  std::string root_uri;                   // of the workspace
  std::vector<std::string> language_ids;  // that the client understands; empty: it does not say
};
void from_json(const Json& json, InitializeParams& params);
void to_json(Json& json, const InitializeParams& params);

struct InitializeResult {
  std::string name, version;
  std::vector<std::string> language_ids;
};
void to_json(Json& json, const InitializeResult& result);

// ---- targets --------------------------------------------------------------------------------------------------------
struct Target {
  std::string uri, name;
  std::string base_directory;  // a URI
  std::vector<std::string> tags, language_ids;
  std::vector<std::string> dependencies;  // URIs of targets
  bool can_test = false;
  Json data;  // of kind "tilewright"
};
void to_json(Json& json, const Target& target);
void from_json(const Json& json, Target& target);

struct TargetsParams {
  std::vector<std::string> targets;  // URIs
};
void from_json(const Json& json, TargetsParams& params);

// Of compile and test, which have the same members.
struct BuildParams : TargetsParams {
  std::string origin;                  // empty: the client gave none
  std::vector<std::string> arguments;  // as the command line has them: --arch sm_90a
};
void from_json(const Json& json, BuildParams& params);
void to_json(Json& json, const BuildParams& params);

struct RunParams {
  std::string target, origin;
  std::vector<std::string> arguments;
  bool has_environment = false;  // environment or working directory were given
};
void from_json(const Json& json, RunParams& params);

enum class Status { Ok = 1, Error = 2, Cancelled = 3 };
// Of compile, test and run. `data` is left out where it is null.
struct BuildResult {
  Status status = Status::Ok;
  std::string origin;
  std::string data_kind;
  Json data;
};
void to_json(Json& json, const BuildResult& result);
void from_json(const Json& json, BuildResult& result);

struct Source {
  std::string uri;
  bool folder = false;
};
void to_json(Json& json, const Source& source);

// ---- what the server tells ------------------------------------------------------------------------------------------
struct TaskId {
  std::string id;
  std::vector<std::string> parents;
};
void to_json(Json& json, const TaskId& task);

// taskStart, taskProgress and taskFinish have most members in common.
struct Task {
  TaskId task;
  std::string origin, message;
  std::int64_t time = 0;                        // milliseconds since 1970
  std::optional<std::int64_t> total, progress;  // of taskProgress, in `unit`
  std::string unit;
  std::optional<Status> status;  // of taskFinish
  std::string data_kind;
  Json data;
};
void to_json(Json& json, const Task& task);
void from_json(const Json& json, Task& task);

struct PublishDiagnostics {
  std::string uri, target, origin;
  std::vector<Diagnostic> diagnostics;
  bool reset = true;  // those told before for this file and target do not hold any more
};
void to_json(Json& json, const PublishDiagnostics& published);
void from_json(const Json& json, PublishDiagnostics& published);

enum class MessageType { Error = 1, Warning = 2, Info = 3, Log = 4 };
struct LogMessage {
  MessageType type = MessageType::Info;
  std::string message, origin;
  std::optional<TaskId> task;
};
void to_json(Json& json, const LogMessage& message);
void from_json(const Json& json, LogMessage& message);

// How a test ended.
enum class TestStatus { Passed = 1, Failed = 2, Ignored = 3, Cancelled = 4, Skipped = 5 };
struct TestReport {
  std::string target, origin;
  std::int64_t passed = 0, failed = 0, ignored = 0, cancelled = 0, skipped = 0, milliseconds = 0;
};
void to_json(Json& json, const TestReport& report);

struct CompileReport {
  std::string target, origin;
  std::int64_t errors = 0, warnings = 0, milliseconds = 0;
  bool no_op = false;
};
void to_json(Json& json, const CompileReport& report);

Json identifier(const std::string& target);  // {uri}

}  // namespace tilewright::protocol::bsp
