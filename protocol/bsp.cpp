#include "protocol/bsp.h"

#include "compiler/text/bounds.h"

namespace tilewright::protocol::bsp {
namespace {

// Ranges of what a server says.
constexpr std::size_t kMostTargets = 100'000, kMostDiagnostics = 100'000, kMostRelated = 1'000;
constexpr std::int64_t kMostCounted = std::int64_t{1} << 53;

// One of the protocol's enumerations, which count from 1.
template <class Enum>
Enum one_of(const Json& json, const char* name, int most) {
  const int value = json.get<int>();
  text::check_bounds(name, value, 1, most);
  return static_cast<Enum>(value);
}

std::int64_t counted(const Json& json, const char* name) {
  const auto value = json.get<std::int64_t>();
  text::check_bounds(name, value, 0, kMostCounted);
  return value;
}

// A member that may be missing or null.
template <class T>
void take(const Json& json, const char* name, T& to) {
  if (auto at = json.find(name); at != json.end() && !at->is_null()) at->get_to(to);
}
void put(Json& json, const char* name, const std::string& text) {
  if (!text.empty()) json[name] = text;
}
template <class T>
void put(Json& json, const char* name, const std::optional<T>& value) {
  if (value) json[name] = *value;
}
// `data` and its kind, where there is one.
void put_data(Json& json, const std::string& kind, const Json& data) {
  if (data.is_null()) return;
  json["dataKind"] = kind;
  json["data"] = data;
}
std::vector<Json> identifiers(const std::vector<std::string>& uris) {
  std::vector<Json> out;
  for (const std::string& uri : uris) out.push_back(identifier(uri));
  return out;
}

Diagnostic read_diagnostic(const Json& json) {
  Diagnostic out;
  json.at("range").get_to(out.range);
  json.at("message").get_to(out.message);
  if (auto at = json.find("severity"); at != json.end()) out.severity = one_of<DiagnosticSeverity>(*at, "severity", 4);
  take(json, "code", out.code);
  if (auto at = json.find("relatedInformation"); at != json.end()) {
    text::check_count("related places", *at, kMostRelated);
    for (const Json& r : *at)
      out.related.push_back({{r.at("location").at("uri").get<std::string>(), r.at("location").at("range").get<Range>()},
                             r.at("message").get<std::string>()});
  }
  return out;
}

}  // namespace

Json identifier(const std::string& target) { return {{"uri", target}}; }

void from_json(const Json& json, InitializeParams& params) {
  take(json, "displayName", params.client);
  take(json, "version", params.version);
  take(json, "bspVersion", params.bsp_version);
  json.at("rootUri").get_to(params.root_uri);
  if (auto at = json.find("capabilities"); at != json.end() && at->is_object())
    take(*at, "languageIds", params.language_ids);
}

void to_json(Json& json, const InitializeParams& params) {
  json = {{"displayName", params.client},
          {"version", params.version},
          {"bspVersion", params.bsp_version},
          {"rootUri", params.root_uri},
          {"capabilities", {{"languageIds", params.language_ids}}}};
}

void to_json(Json& json, const InitializeResult& result) {
  const Json languages = {{"languageIds", result.language_ids}};
  json = {{"displayName", result.name},
          {"version", result.version},
          {"bspVersion", kVersion},
          {"capabilities",
           {{"compileProvider", languages},
            {"testProvider", languages},
            {"runProvider", languages},
            {"debugProvider", {{"languageIds", Json::array()}}},
            {"inverseSourcesProvider", true},
            {"dependencySourcesProvider", true},
            {"dependencyModulesProvider", true},
            {"resourcesProvider", true},
            {"outputPathsProvider", true},
            {"buildTargetChangedProvider", true},
            {"canReload", true}}}};
}

void to_json(Json& json, const Target& target) {
  json = {
      {"id", identifier(target.uri)},
      {"displayName", target.name},
      {"tags", target.tags},
      {"languageIds", target.language_ids},
      {"dependencies", identifiers(target.dependencies)},
      {"capabilities", {{"canCompile", true}, {"canTest", target.can_test}, {"canRun", true}, {"canDebug", false}}}};
  put(json, "baseDirectory", target.base_directory);
  put_data(json, "tilewright", target.data);
}

void from_json(const Json& json, Target& target) {
  json.at("id").at("uri").get_to(target.uri);
  take(json, "displayName", target.name);
  take(json, "baseDirectory", target.base_directory);
  take(json, "tags", target.tags);
  take(json, "languageIds", target.language_ids);
  text::check_count("dependencies", json.at("dependencies"), kMostTargets);
  for (const Json& other : json.at("dependencies")) target.dependencies.push_back(other.at("uri").get<std::string>());
  if (auto at = json.find("capabilities"); at != json.end()) take(*at, "canTest", target.can_test);
  if (auto at = json.find("data"); at != json.end()) target.data = *at;
}

void from_json(const Json& json, TargetsParams& params) {
  text::check_count("targets", json.at("targets"), kMostTargets);
  for (const Json& target : json.at("targets")) params.targets.push_back(target.at("uri").get<std::string>());
}

void from_json(const Json& json, BuildParams& params) {
  from_json(json, static_cast<TargetsParams&>(params));
  take(json, "originId", params.origin);
  take(json, "arguments", params.arguments);
}

void to_json(Json& json, const BuildParams& params) {
  json = {{"targets", identifiers(params.targets)}, {"arguments", params.arguments}};
  put(json, "originId", params.origin);
}

void from_json(const Json& json, RunParams& params) {
  json.at("target").at("uri").get_to(params.target);
  take(json, "originId", params.origin);
  take(json, "arguments", params.arguments);
  for (const char* name : {"environmentVariables", "workingDirectory"})
    if (auto at = json.find(name); at != json.end() && !at->empty()) params.has_environment = true;
}

void to_json(Json& json, const BuildResult& result) {
  json = {{"statusCode", result.status}};
  put(json, "originId", result.origin);
  put_data(json, result.data_kind, result.data);
}

void from_json(const Json& json, BuildResult& result) {
  result.status = one_of<Status>(json.at("statusCode"), "statusCode", 3);
  take(json, "originId", result.origin);
  take(json, "dataKind", result.data_kind);
  if (auto at = json.find("data"); at != json.end()) result.data = *at;
}

void to_json(Json& json, const Source& source) {
  json = {{"uri", source.uri}, {"kind", source.folder ? 2 : 1}, {"generated", false}};
}

void to_json(Json& json, const TaskId& task) {
  json = {{"id", task.id}};
  if (!task.parents.empty()) json["parents"] = task.parents;
}

void to_json(Json& json, const Task& task) {
  json = {{"taskId", task.task}, {"eventTime", task.time}};
  put(json, "originId", task.origin);
  put(json, "message", task.message);
  put(json, "total", task.total);
  put(json, "progress", task.progress);
  put(json, "unit", task.unit);
  put(json, "status", task.status);
  put_data(json, task.data_kind, task.data);
}

void from_json(const Json& json, Task& task) {
  json.at("taskId").at("id").get_to(task.task.id);
  take(json.at("taskId"), "parents", task.task.parents);
  take(json, "originId", task.origin);
  take(json, "message", task.message);
  if (auto at = json.find("eventTime"); at != json.end() && !at->is_null()) task.time = counted(*at, "eventTime");
  if (auto at = json.find("total"); at != json.end()) task.total = counted(*at, "total");
  if (auto at = json.find("progress"); at != json.end()) task.progress = counted(*at, "progress");
  take(json, "unit", task.unit);
  if (auto at = json.find("status"); at != json.end()) task.status = one_of<Status>(*at, "status", 3);
  take(json, "dataKind", task.data_kind);
  if (auto at = json.find("data"); at != json.end()) task.data = *at;
}

void to_json(Json& json, const PublishDiagnostics& published) {
  json = {{"textDocument", {{"uri", published.uri}}},
          {"buildTarget", identifier(published.target)},
          {"diagnostics", published.diagnostics},
          {"reset", published.reset}};
  put(json, "originId", published.origin);
}

void from_json(const Json& json, PublishDiagnostics& published) {
  json.at("textDocument").at("uri").get_to(published.uri);
  json.at("buildTarget").at("uri").get_to(published.target);
  take(json, "originId", published.origin);
  text::check_count("diagnostics of one file", json.at("diagnostics"), kMostDiagnostics);
  for (const Json& diagnostic : json.at("diagnostics")) published.diagnostics.push_back(read_diagnostic(diagnostic));
  json.at("reset").get_to(published.reset);
}

void from_json(const Json& json, LogMessage& message) {
  message.type = one_of<MessageType>(json.at("type"), "type", 4);
  json.at("message").get_to(message.message);
  take(json, "originId", message.origin);
}

void to_json(Json& json, const LogMessage& message) {
  json = {{"type", message.type}, {"message", message.message}};
  put(json, "originId", message.origin);
  put(json, "task", message.task);
}

void to_json(Json& json, const TestReport& report) {
  json = {{"target", identifier(report.target)}, {"passed", report.passed},       {"failed", report.failed},
          {"ignored", report.ignored},           {"cancelled", report.cancelled}, {"skipped", report.skipped},
          {"time", report.milliseconds}};
  put(json, "originId", report.origin);
}

void to_json(Json& json, const CompileReport& report) {
  json = {{"target", identifier(report.target)},
          {"errors", report.errors},
          {"warnings", report.warnings},
          {"time", report.milliseconds},
          {"noOp", report.no_op}};
  put(json, "originId", report.origin);
}

}  // namespace tilewright::protocol::bsp
