#include "server/render/findings.h"

#include <map>

#include "compiler/text/escape.h"
#include "compiler/text/words.h"
#include "server/project/codes.h"

namespace tilewright::render {
namespace {

std::string words_of(const work::BuildFinding& f) {
  return f.hint.empty() ? f.message : f.message + "\nhint: " + f.hint;
}

constexpr auto kSarifLevels = text::words_of<text::Severity>({"error", "warning", "note", "note"});

Json sarif_region(const work::BuildPlace& at) {
  return {{"startLine", at.begin.line + 1},
          {"startColumn", at.begin.column + 1},
          {"endLine", at.end.line + 1},
          {"endColumn", at.end.column + 1}};
}

Json sarif_location(const work::BuildPlace& at) {
  Json physical = {{"artifactLocation", {{"uri", uri_reference(at.path)}}}};
  if (!at.whole_file()) physical["region"] = sarif_region(at);
  return {{"physicalLocation", physical}};
}

// [{description, artifactChanges: [{artifactLocation, replacements}]}]
Json sarif_fixes(const work::BuildFinding& f) {
  Json out = Json::array();
  for (const work::BuildFinding::Fix& fix : f.fixes) {
    Json replacement{{"deletedRegion", sarif_region(fix.at)}, {"insertedContent", {{"text", fix.text}}}};
    Json change{{"artifactLocation", {{"uri", uri_reference(fix.at.path)}}},
                {"replacements", Json::array({std::move(replacement)})}};
    out.push_back({{"description", {{"text", fix.title}}}, {"artifactChanges", Json::array({std::move(change)})}});
  }
  return out;
}

// Workflow commands escape what would end them; what steers or hides is shown as in all text for people.
std::string github_escape(std::string_view raw, bool property) {
  std::string text, out;
  std::size_t from = 0;
  for (text::Hidden h = text::find_hidden(raw); h; h = text::find_hidden(raw, from)) {
    text += raw.substr(from, h.at - from);
    if (h.code == '\n' || h.code == '\r' || h.code == '\t') {
      text += raw[h.at];
    } else {
      text::append_escaped(text, h, text::Escape::Python);
    }
    from = h.at + h.size;
  }
  text += raw.substr(from);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (std::string_view(text).substr(i).starts_with("##"))  // the older commands, obeyed anywhere in a line
      out += "\\x23";
    else if (c == '%')
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

std::string place_text(const work::BuildPlace& at) {
  return text::visible(at.path) + ":" + std::to_string(at.begin.line + 1) + ":" + std::to_string(at.begin.column + 1);
}

}  // namespace

std::string uri_reference(std::string_view path) {
  while (path.starts_with("./")) path.remove_prefix(2);
  std::string out = path.starts_with('/') ? "file://" : "";
  text::append_uri_path(out, path);
  return out;
}

std::string finding_text(const work::BuildFinding& f, const Colours& c) {
  const std::string_view mark = f.severity == text::Severity::Error     ? c.red
                                : f.severity == text::Severity::Warning ? c.yellow
                                                                        : c.blue;
  std::string out =
      std::string(c.bold) + place_text(f.at) + ": " + std::string(mark) + std::string(text::kSeverityWords[f.severity]);
  if (!f.code.empty()) out += "[" + text::visible(f.code) + "]";
  out += std::string(c.plain) + std::string(c.bold) + ": " + std::string(c.plain);
  append_message(out, f.code, f.message, c);
  for (const work::BuildFinding::Related& r : f.related)
    out += "   " + place_text(r.at) + ": " + text::visible(r.message) + "\n";
  if (!f.hint.empty()) out += std::string(c.green) + "   hint: " + std::string(c.plain) + text::visible(f.hint) + "\n";
  return out;
}

std::string github_line(const work::BuildFinding& f) {
  static constexpr auto kLevels = text::words_of<text::Severity>({"error", "warning", "notice", "notice"});
  std::string out = "::" + std::string(kLevels[f.severity]);
  out += " file=" + github_escape(f.at.path, true);
  if (!f.at.whole_file())
    out += ",line=" + std::to_string(f.at.begin.line + 1) + ",endLine=" + std::to_string(f.at.end.line + 1) +
           ",col=" + std::to_string(f.at.begin.column + 1);
  if (!f.code.empty()) out += ",title=" + github_escape(f.code, true);
  return out + "::" + github_escape(words_of(f), false) + "\n";
}

Json sarif_result(const work::BuildFinding& f) {
  Json result;
  if (!f.code.empty()) result["ruleId"] = f.code;
  result["level"] = kSarifLevels[f.severity];
  if (!f.fixes.empty()) result["fixes"] = sarif_fixes(f);
  result["message"] = {{"text", words_of(f)}};
  result["locations"] = Json::array({sarif_location(f.at)});
  for (const work::BuildFinding::Related& r : f.related) {
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
  std::map<std::string, std::string>
      levels;  // that a rule has most often here: its own, unless the project says another
  for (const Json& result : results) {
    if (result.contains("ruleId")) levels.try_emplace(result["ruleId"], result["level"]);
  }
  for (const std::string& code : codes) {
    Json rule{{"id", code}};
    if (auto level = levels.find(code); level != levels.end())
      rule["defaultConfiguration"] = {{"level", level->second}};
    if (const text::CodeInfo* info = project::code_info(code)) {
      rule["shortDescription"] = {{"text", info->title}};
      rule["fullDescription"] = {{"text", info->explanation}};
      rule["help"] = {
          {"text", std::string(info->explanation) + "\n\n`tilewright explain " + code + "` says the same."}};
      rule["helpUri"] = "urn:tilewright:diagnostic:" + code;
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
