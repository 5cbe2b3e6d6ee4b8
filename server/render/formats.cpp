#include "server/render/formats.h"

#include <cctype>
#include <set>

#include "compiler/text/escape.h"
#include "server/project/codes.h"
#include "server/render/json.h"

namespace tilewright::render {
namespace {

std::string json_format(const std::vector<ide::CheckedFile>& files) {
  Json out{{"files", Json::array()}, {"diagnostics", Json::array()}};
  for (const ide::CheckedFile& f : files) {
    out["files"].push_back(f.path);
    for (const session::Finding& found : ide::findings(f))
      out["diagnostics"].push_back(diagnostic_json(*found.diagnostic, *found.anchors));
  }
  return dump(out) + "\n";
}

// A path as the reference of a URI: relative ones stay relative to where the check ran.
std::string uri(std::string_view path) {
  std::string out = path.starts_with('/') ? "file://" : "";
  text::append_uri_path(out, path);
  return out;
}

Json sarif_location(text::Span span, const text::Anchors& anchors) {
  text::Anchors::Place place = anchors.resolve(span);
  if (!place.source) return nullptr;
  text::LineColumn from = place.source->position(place.begin, text::Encoding::Utf16);
  text::LineColumn to = place.source->position(place.end, text::Encoding::Utf16);
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", uri(place.source->path())}}},
            {"region",
             {{"startLine", from.line + 1},
              {"startColumn", from.column + 1},
              {"endLine", to.line + 1},
              {"endColumn", to.column + 1}}}}}};
}

std::string sarif_format(const std::vector<ide::CheckedFile>& files) {
  Json results = Json::array(), rules = Json::array();
  std::set<std::string_view> used;
  for (const ide::CheckedFile& f : files) {
    for (const auto& [diagnostic, anchors, target] : ide::findings(f)) {
      const text::Diagnostic& d = *diagnostic;
      used.insert(d.code);
      static constexpr const char* kLevels[] = {"error", "warning", "note", "note"};
      Json result{{"ruleId", d.code},
                  {"level", kLevels[static_cast<int>(d.severity)]},
                  {"message", {{"text", d.hint.empty() ? d.message : d.message + "\nhint: " + d.hint}}}};
      Json where = sarif_location(d.span, *anchors);
      if (!where.is_null()) result["locations"] = {where};
      Json related = Json::array();
      for (const text::Related& r : d.related) {
        Json at = sarif_location(r.span, *anchors);
        if (at.is_null()) continue;
        at["message"] = {{"text", r.message}};
        related.push_back(at);
      }
      if (!related.empty()) result["relatedLocations"] = related;
      results.push_back(result);
    }
  }
  for (std::string_view code : used) {
    Json rule{{"id", code}};
    if (const text::CodeInfo* info = project::code_info(code)) {
      rule["shortDescription"] = {{"text", info->title}};
      rule["fullDescription"] = {{"text", info->explanation}};
    }
    rules.push_back(rule);
  }
  Json out{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
           {"version", "2.1.0"},
           {"runs",
            {{{"tool", {{"driver", {{"name", "tilewright"}, {"version", TILEWRIGHT_VERSION}, {"rules", rules}}}}},
              {"columnKind", "utf16CodeUnits"},
              {"results", results}}}}};
  return dump(out) + "\n";
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

std::string github_format(const std::vector<ide::CheckedFile>& files) {
  std::string out;
  for (const ide::CheckedFile& f : files) {
    for (const auto& [diagnostic, anchors, target] : ide::findings(f)) {
      const text::Diagnostic& d = *diagnostic;
      static constexpr const char* kLevels[] = {"error", "warning", "notice", "notice"};
      text::Anchors::Place place = anchors->resolve(d.span);
      out += "::" + std::string(kLevels[static_cast<int>(d.severity)]);
      if (place.source) {
        text::LineColumn from = place.source->position(place.begin), to = place.source->position(place.end);
        out += " file=" + github_escape(place.source->path(), true) + ",line=" + std::to_string(from.line + 1) +
               ",endLine=" + std::to_string(to.line + 1) + ",col=" + std::to_string(from.column + 1) +
               ",title=" + github_escape(d.code, true);
      }
      out += "::" + github_escape(d.hint.empty() ? d.message : d.message + "\nhint: " + d.hint, false) + "\n";
    }
  }
  return out;
}

// XML knows no control characters but tab and the line ends, and JUnit readers want valid UTF-8.
std::string xml_escape(std::string_view raw) {
  std::string text = Json(std::string(raw)).dump(-1, ' ', false, Json::error_handler_t::replace);
  text = Json::parse(text).get<std::string>();
  std::string out;
  for (char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      case '\t': out += "&#9;"; break;
      default:
        if (static_cast<unsigned char>(c) >= 0x20) out += c;
    }
  }
  return out;
}

// One test case a kernel, and one a file for what belongs to none.
std::string junit_format(const std::vector<ide::CheckedFile>& files) {
  std::string body;
  std::size_t all_tests = 0, all_failures = 0;
  for (const ide::CheckedFile& f : files) {
    std::string cases;
    std::size_t failures = 0, tests = 1;
    std::string text;
    for (const auto& [diagnostic, anchors, target] : ide::findings(f)) {
      const text::Diagnostic& d = *diagnostic;
      if (d.severity != text::Severity::Error) continue;
      text::Anchors::Place place = anchors->resolve(d.span);
      std::string line = place.source ? std::to_string(place.source->position(place.begin).line + 1) : "?";
      text += f.path + ":" + line + ": " + std::string(d.code) + ": " + d.message + "\n";
    }
    cases += "    <testcase name=\"" + xml_escape(f.path) + "\" classname=\"tilewright.check\"";
    if (text.empty()) {
      cases += "/>\n";
    } else {
      ++failures;
      cases += ">\n      <failure message=\"" + xml_escape(text.substr(0, text.find('\n'))) + "\">" + xml_escape(text) +
               "</failure>\n    </testcase>\n";
    }
    for (const session::Compiled& c : f.compiled)
      for (const session::CompiledKernel& k : c.kernels) {
        ++tests;
        std::string name = k.entry->expression + (f.compiled.size() > 1 ? " [" + c.target.name() + "]" : "");
        cases += "    <testcase name=\"" + xml_escape(name) + "\" classname=\"" + xml_escape(f.path) + "\"";
        if (!k.failed) {
          cases += "/>\n";
          continue;
        }
        ++failures;
        cases += ">\n      <failure message=\"the kernel has errors\"/>\n    </testcase>\n";
      }
    body += "  <testsuite name=\"" + xml_escape(f.path) + "\" tests=\"" + std::to_string(tests) + "\" failures=\"" +
            std::to_string(failures) + "\" errors=\"0\">\n" + cases + "  </testsuite>\n";
    all_tests += tests;
    all_failures += failures;
  }
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tilewright check\" tests=\"" +
         std::to_string(all_tests) + "\" failures=\"" + std::to_string(all_failures) + "\">\n" + body +
         "</testsuites>\n";
}

}  // namespace

std::string formatted(const std::vector<ide::CheckedFile>& files, std::string_view format) {
  if (format == "sarif") return sarif_format(files);
  if (format == "github") return github_format(files);
  if (format == "junit") return junit_format(files);
  return json_format(files);
}

}  // namespace tilewright::render
