#include "server/render/findings.h"

#include "compiler/text/escape.h"
#include "server/project/codes.h"

namespace tilewright::render {
namespace {

std::string words_of(const ide::BuildFinding& f) {
  return f.hint.empty() ? f.message : f.message + "\nhint: " + f.hint;
}

Json sarif_location(const ide::BuildPlace& at) {
  Json physical = {{"artifactLocation", {{"uri", uri_reference(at.path)}}}};
  if (!at.whole_file())
    physical["region"] = {{"startLine", at.begin.line + 1},
                          {"startColumn", at.begin.column + 1},
                          {"endLine", at.end.line + 1},
                          {"endColumn", at.end.column + 1}};
  return {{"physicalLocation", physical}};
}

// Workflow commands escape what would end them.
std::string github_escape(std::string_view text, bool property) {
  std::string out;
  for (char c : text) {
    if (c == '%')
      out += "%25";
    else if (c == '\r')
      out += "%0D";
    else if (c == '\n')
      out += "%0A";
    else if (property && c == ':')
      out += "%3A";
    else if (property && c == ',')
      out += "%2C";
    else
      out += c;
  }
  return out;
}

std::string place_text(const ide::BuildPlace& at) {
  return harmless(at.path) + ":" + std::to_string(at.begin.line + 1) + ":" + std::to_string(at.begin.column + 1);
}

}  // namespace

std::string uri_reference(std::string_view path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  text::append_uri_path(out, path);
  return out;
}

std::string finding_text(const ide::BuildFinding& f, const Colours& c) {
  const std::string_view mark = f.severity == text::Severity::Error     ? c.red
                                : f.severity == text::Severity::Warning ? c.yellow
                                                                        : c.blue;
  std::string message = harmless(f.message), rest;
  // What follows the first line belongs below it.
  for (std::size_t end = message.find('\n'); end != message.npos; end = message.find('\n', end + 1)) {
    message.insert(end + 1, "   ");
    end += 3;
  }
  if (const auto end = message.find('\n'); end != message.npos) {
    rest = message.substr(end);
    message.resize(end);
  }
  std::string out =
      std::string(c.bold) + place_text(f.at) + ": " + std::string(mark) + std::string(severity_name(f.severity));
  if (!f.code.empty()) out += "[" + harmless(f.code) + "]";
  out += std::string(c.plain) + std::string(c.bold) + ": " + message + std::string(c.plain) + rest + "\n";
  for (const ide::BuildFinding::Related& r : f.related)
    out += "   " + place_text(r.at) + ": " + harmless(r.message) + "\n";
  if (!f.hint.empty()) out += std::string(c.green) + "   hint: " + std::string(c.plain) + harmless(f.hint) + "\n";
  return out;
}

std::string github_line(const ide::BuildFinding& f) {
  static constexpr const char* kLevels[] = {"error", "warning", "notice", "notice"};
  std::string out = "::" + std::string(kLevels[static_cast<int>(f.severity)]);
  out += " file=" + github_escape(f.at.path, true);
  if (!f.at.whole_file())
    out += ",line=" + std::to_string(f.at.begin.line + 1) + ",endLine=" + std::to_string(f.at.end.line + 1) +
           ",col=" + std::to_string(f.at.begin.column + 1);
  if (!f.code.empty()) out += ",title=" + github_escape(f.code, true);
  return out + "::" + github_escape(words_of(f), false) + "\n";
}

Json sarif_result(const ide::BuildFinding& f) {
  static constexpr const char* kLevels[] = {"error", "warning", "note", "note"};
  Json result;
  if (!f.code.empty()) result["ruleId"] = f.code;
  result["level"] = kLevels[static_cast<int>(f.severity)];
  result["message"] = {{"text", words_of(f)}};
  result["locations"] = Json::array({sarif_location(f.at)});
  for (const ide::BuildFinding::Related& r : f.related) {
    Json at = sarif_location(r.at);
    at["message"] = {{"text", r.message}};
    result["relatedLocations"].push_back(std::move(at));
  }
  return result;
}

Json sarif_note(std::string_view level, std::string_view message) {
  return {{"level", level}, {"message", {{"text", message}}}};
}

std::string sarif_log(Json results, const std::set<std::string>& codes, const Json& notes, bool successful) {
  Json rules = Json::array();
  for (const std::string& code : codes) {
    Json rule{{"id", code}};
    if (const text::CodeInfo* info = project::code_info(code)) {
      rule["shortDescription"] = {{"text", info->title}};
      rule["fullDescription"] = {{"text", info->explanation}};
    }
    rules.push_back(rule);
  }
  Json run{{"tool", {{"driver", {{"name", "tilewright"}, {"version", TILEWRIGHT_VERSION}, {"rules", rules}}}}},
           {"columnKind", "utf16CodeUnits"},
           {"results", std::move(results)}};
  if (!notes.empty())
    run["invocations"] = {{{"executionSuccessful", successful}, {"toolExecutionNotifications", notes}}};
  Json out{
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
  return dump(out) + "\n";
}

}  // namespace tilewright::render
