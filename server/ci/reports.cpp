#include "server/ci/reports.h"

#include <algorithm>
#include <set>

#include "compiler/text/amounts.h"
#include "compiler/text/escape.h"
#include "compiler/text/words.h"
#include "protocol/uri.h"
#include "server/project/files.h"
#include "server/render/findings.h"
#include "server/render/json.h"
#include "server/render/junit.h"
#include "server/work/checked.h"

namespace tilewright::ci {
namespace {

namespace bsp = protocol::bsp;
using bsp::TestStatus;
using render::Json;

constexpr const char* kTestCode = "test-failed";
constexpr const char* kWorseCode = "regression";

std::string shown(const Report& report, const std::string& path) {
  const std::string folder = report.root.ends_with('/') ? report.root : report.root + "/";
  return path.starts_with(folder) ? path.substr(folder.size()) : path;
}
std::string script_of(const Report& report, const std::string& uri) { return shown(report, protocol::path_of(uri)); }

work::BuildFinding shown(const Report& report, work::BuildFinding finding) {
  finding.at.path = shown(report, finding.at.path);
  for (work::BuildFinding::Related& r : finding.related) r.at.path = shown(report, r.at.path);
  return finding;
}

// Where the function of a kernel is defined: its name behind `def`, else that of the function that its entry calls; the
// whole file where it cannot be read or has neither.
work::BuildPlace definition_of(const Report& report, const Measured& m) {
  work::BuildPlace out{m.script, {}, {}};
  const auto text = project::read_file(report.root + "/" + m.script);
  if (!text) return out;
  const std::string called = m.entry.substr(0, m.entry.find_first_of("([ "));
  for (const std::string& name : {m.kernel, called.substr(called.rfind('.') + 1)}) {
    if (name.empty()) continue;
    const std::string wanted = "def " + name + "(";
    for (std::size_t at = text->find(wanted); at != text->npos; at = text->find(wanted, at + 1)) {
      const std::size_t line = at ? text->rfind('\n', at - 1) + 1 : 0;  // npos + 1 is the first line
      if (text->find_first_not_of(" \t", line) != at) continue;
      const auto number = static_cast<std::uint32_t>(
          std::count(text->begin(), text->begin() + static_cast<std::ptrdiff_t>(line), '\n'));
      const auto column = static_cast<std::uint32_t>(at + 4 - line);
      out.begin = {number, column};
      out.end = {number, column + static_cast<std::uint32_t>(name.size())};
      return out;
    }
  }
  return out;
}

std::string name_of(const Measured& m) {
  std::string out = m.entry;
  if (!m.kernel.empty() && m.kernel != m.entry) out += " (" + m.kernel + ")";
  return out + " [" + m.arch + "]";
}

// Findings, and what stands at no line: tests that failed, kernels that became worse, scripts that cannot be read.
std::vector<work::BuildFinding> all_findings(const Report& report) {
  std::vector<work::BuildFinding> out;
  for (const work::BuildFinding& f : report.outcome.findings) out.push_back(shown(report, f));
  std::set<std::string> broken;  // one cause, one finding: what does not compile does not run either
  for (const bsp::CompiledScript& script : report.outcome.scripts)
    if (script.errors > 0) broken.insert(script.uri);
  for (const bsp::TestRun& test : report.outcome.tests)
    if (test.status == TestStatus::Failed && !broken.contains(test.uri))
      out.push_back({{script_of(report, test.uri), {}, {}},
                     text::Severity::Error,
                     kTestCode,
                     (test.entry.empty() ? std::string() : test.entry + ": ") + test.message,
                     {},
                     {}});
  for (const Change& change : report.changes)
    if (change.kind == Change::Kind::Worse)
      out.push_back({definition_of(report, change.what),
                     text::Severity::Error,
                     kWorseCode,
                     name_of(change.what) + ": " + change.words,
                     {},
                     {}});
  return out;
}

// Why the answer is less than what was asked for.
std::vector<std::string> failures(const Report& report) {
  std::vector<std::string> out = report.outcome.problems;
  std::map<std::string, std::size_t> unknown;
  for (const bsp::CompiledScript& script : report.outcome.scripts)
    for (const bsp::CompiledKernel& kernel : script.kernels)
      if (!kernel.unknown.empty() && !kernel.failed) ++unknown[kernel.unknown];
  for (const auto& [why, kernels] : unknown)
    out.push_back(std::to_string(kernels) + (kernels == 1 ? " kernel was" : " kernels were") + " not compiled: " + why);
  for (const bsp::CompiledScript& script : report.outcome.scripts)
    if (!script.unreadable.empty()) out.push_back(script.unreadable);
  return out;
}

std::size_t kernels_of(const Report& report) {
  std::size_t out = 0;
  for (const bsp::CompiledScript& script : report.outcome.scripts) out += script.kernels.size();
  return out;
}

// Kernels that no test ran to its end on the simulator, which checks synchronisation; nothing: none ran there.
std::optional<std::size_t> untried_of(const Report& report) {
  std::set<std::pair<std::string, std::string>> tried;
  for (const bsp::TestRun& test : report.outcome.tests) {
    if (!test.run.is_object() || !test.run.contains("device") || !test.run["device"].is_object()) continue;
    const bool simulated = test.run["device"].value("name", "") == "simulator";
    if (simulated && test.run.value("status", "") == "done") tried.emplace(test.uri, test.entry);
  }
  if (tried.empty()) return std::nullopt;
  const std::size_t kernels = kernels_of(report);
  return kernels - std::min(kernels, tried.size());
}

// ---- formats ----

std::string sarif(const Report& report) {
  Json results = Json::array(), notes = Json::array();
  std::set<std::string> codes;
  for (const work::BuildFinding& finding : all_findings(report)) {
    results.push_back(render::sarif_result(finding));
    if (!finding.code.empty()) codes.insert(finding.code);
  }
  if (const auto left_out = work::not_checked(kernels_of(report), untried_of(report)))
    notes.push_back(render::sarif_note("note", left_out->words));
  for (const Change& change : report.changes)
    if (change.kind == Change::Kind::NotCompared)
      notes.push_back(render::sarif_note("warning", name_of(change.what) + ": " + change.words));
  const std::vector<std::string> failed = failures(report);
  for (const std::string& why : failed) notes.push_back(render::sarif_note("error", why));
  return render::sarif_log(std::move(results), codes, notes, failed.empty());
}

std::string github(const Report& report) {
  std::string out;
  for (const work::BuildFinding& finding : all_findings(report)) out += render::github_line(finding);
  return out;
}

render::TestCase case_of(const bsp::TestRun& test, const std::string& script) {
  using enum render::TestCase::Outcome;
  render::TestCase out{.name = test.entry.empty() ? script : test.entry, .classname = script, .seconds = test.seconds};
  if (!test.where.empty()) out.out = "ran on " + test.where + "\n";
  out.message = test.message;
  switch (test.status) {
    case TestStatus::Passed: break;
    case TestStatus::Failed:
      out.outcome = Failed;
      out.type = "test";
      out.text = test.message;
      break;
    default: out.outcome = Skipped; break;
  }
  return out;
}

std::string junit(const Report& report) {
  using enum render::TestCase::Outcome;
  std::string body;
  render::TestCounts all;
  auto add_suite = [&](const std::string& name, const std::vector<render::TestCase>& cases,
                       const std::string& out = {}) {
    std::string text;
    render::TestCounts counts;
    for (const render::TestCase& one : cases) {
      counts.add(one);
      text += render::test_case(one);
    }
    all.add(counts);
    body += render::test_suite(name, counts, text, out);
  };
  const auto left_out = work::not_checked(kernels_of(report), untried_of(report));
  for (const bsp::CompiledScript& script : report.outcome.scripts) {
    const std::string path = script_of(report, script.uri);
    render::TestCase whole{.name = path, .classname = "tilewright.build"};
    for (const work::BuildFinding& f : report.outcome.findings)
      if (f.severity == text::Severity::Error && shown(report, f.at.path) == path)
        whole.text += path + ":" + std::to_string(f.at.begin.line + 1) + ": " + f.code + ": " + f.message + "\n";
    if (!script.unreadable.empty()) whole.text = script.unreadable + "\n";
    if (whole.text.empty() && script.errors > 0) whole.text = "errors in files that it imports\n";
    if (!whole.text.empty()) {
      whole.outcome = script.unreadable.empty() ? Failed : Error;
      whole.message = whole.text.substr(0, whole.text.find('\n'));
    }
    std::vector<render::TestCase> cases{whole};
    render::UniqueNames names;
    for (const bsp::CompiledKernel& kernel : script.kernels) {
      render::TestCase& one = cases.emplace_back(
          render::TestCase{.name = names.of(kernel.entry + " [" + kernel.arch + "]"), .classname = path});
      if (kernel.failed) {
        one.outcome = Failed;
        one.message = "the kernel has errors";
      }
      if (!kernel.unknown.empty() && !kernel.failed) {
        one.outcome = Error;
        one.message = kernel.unknown;
      }
    }
    add_suite("compile " + path, cases, left_out ? left_out->words : std::string());
  }
  std::map<std::string, std::vector<render::TestCase>> tests;
  std::map<std::string, render::UniqueNames> test_names;  // an entry may be run under several comments
  for (const bsp::TestRun& test : report.outcome.tests) {
    const std::string path = script_of(report, test.uri);
    render::TestCase& one = tests[path].emplace_back(case_of(test, path));
    one.name = test_names[path].of(one.name);
  }
  for (const auto& [path, cases] : tests) add_suite("test " + path, cases);
  std::vector<render::TestCase> changes;
  render::UniqueNames change_names;
  for (const Change& change : report.changes) {
    if (change.kind == Change::Kind::Better || change.kind == Change::Kind::New) continue;
    render::TestCase& one = changes.emplace_back(
        render::TestCase{.name = change_names.of(name_of(change.what)), .classname = change.what.script});
    one.outcome = change.kind == Change::Kind::Worse ? Failed : Skipped;
    one.type = kWorseCode;
    one.message = one.text = change.words;
  }
  if (report.compared) add_suite("baseline", changes);
  return render::test_document_head("tilewright build", all) + body + render::test_document_end();
}

Json place_json(const work::BuildPlace& at) {
  if (at.whole_file()) return {{"file", at.path}};
  return {{"file", at.path},
          {"start", {{"line", at.begin.line + 1}, {"column", at.begin.column + 1}}},
          {"end", {{"line", at.end.line + 1}, {"column", at.end.column + 1}}}};
}

Json finding_json(const work::BuildFinding& f) {
  Json out{{"code", f.code},
           {"severity", text::kSeverityWords[f.severity]},
           {"message", f.message},
           {"range", place_json(f.at)},
           {"related", Json::array()}};
  for (const work::BuildFinding::Related& r : f.related)
    out["related"].push_back({{"message", r.message}, {"range", place_json(r.at)}});
  return out;
}

Json change_json(const Change& change) {
  static constexpr auto kKinds = text::words_of<Change::Kind>({"worse", "better", "new", "gone", "not_compared"});
  Json out{{"kind", kKinds[change.kind]},
           {"script", change.what.script},
           {"entry", change.what.entry},
           {"arch", change.what.arch},
           {"message", change.words}};
  if (!change.what.kernel.empty()) out["kernel"] = change.what.kernel;
  if (!change.cost.empty()) {
    out["cost"] = change.cost;
    out["before"] = change.before;
    out["now"] = change.now;
  }
  return out;
}

std::string json(const Report& report) {
  static constexpr const char* kTests[] = {"passed", "failed", "ignored", "cancelled", "skipped"};
  Json out{{"status", status_of(report)},
           {"scripts", Json::array()},
           {"diagnostics", Json::array()},
           {"tests", Json::array()}};
  for (const bsp::CompiledScript& script : report.outcome.scripts) {
    Json one = Json(protocol::Json(script));
    one.erase("uri");
    one["file"] = script_of(report, script.uri);
    one["unchanged"] = script.no_op;
    one.erase("noOp");
    out["scripts"].push_back(std::move(one));
  }
  for (const work::BuildFinding& f : report.outcome.findings)
    out["diagnostics"].push_back(finding_json(shown(report, f)));
  for (const bsp::TestRun& test : report.outcome.tests) {
    Json one = Json(protocol::Json(test));
    one.erase("uri");
    one["file"] = script_of(report, test.uri);
    one["status"] = kTests[static_cast<int>(test.status) - 1];
    out["tests"].push_back(std::move(one));
  }
  if (report.compared) {
    out["baseline"] = Json::array();
    for (const Change& change : report.changes) out["baseline"].push_back(change_json(change));
  }
  if (const auto left_out = work::not_checked(kernels_of(report), untried_of(report)))
    out["not_checked"].push_back({{"what", left_out->what}, {"message", left_out->words}});
  for (const std::string& why : failures(report)) out["failures"].push_back({{"message", why}});
  return render::dump(out) + "\n";
}

template <class T, class Is>
std::size_t number_of(const std::vector<T>& among, Is is) {
  return static_cast<std::size_t>(std::ranges::count_if(among, is));
}

std::size_t number_of(const Report& report, Change::Kind kind) {
  return number_of(report.changes, [&](const Change& c) { return c.kind == kind; });
}
std::size_t number_of(const Report& report, TestStatus status) {
  return number_of(report.outcome.tests, [&](const bsp::TestRun& t) { return t.status == status; });
}

}  // namespace

int status_of(const Report& report) {
  if (!failures(report).empty()) return 2;
  const bool errors =
      std::ranges::any_of(report.outcome.scripts, [](const bsp::CompiledScript& s) { return s.errors > 0; });
  if (errors || number_of(report, TestStatus::Failed) || number_of(report, Change::Kind::Worse)) return 1;
  // The server says that tests went wrong, and tells of none: there was nothing to run on, say.
  return report.outcome.tests_failed ? 2 : 0;
}

std::string report_text(const Report& report, std::string_view format) {
  if (format == "sarif") return sarif(report);
  if (format == "github") return github(report);
  return format == "junit" ? junit(report) : json(report);
}

std::string for_people(const Report& report, const render::Colours& c) {
  std::string out;
  for (const work::BuildFinding& finding : all_findings(report)) out += render::finding_text(finding, c);
  for (const Change& change : report.changes) {
    if (change.kind == Change::Kind::Worse) continue;  // stands among the findings
    static constexpr auto kWords = text::words_of<Change::Kind>({"", "better: ", "", "gone: ", "not compared: "});
    if (change.kind != Change::Kind::New)
      out += text::visible(change.what.script + ": " + std::string(kWords[change.kind]) + name_of(change.what) + ": " +
                           change.words) +
             "\n";
  }
  return out;
}

std::string summary(const Report& report) {
  const auto& scripts = report.outcome.scripts;
  std::string out = text::counted(scripts.size(), "script");
  if (const auto same = number_of(scripts, [](const bsp::CompiledScript& s) { return s.no_op; }))
    out += " (" + std::to_string(same) + " unchanged)";
  const auto& findings = report.outcome.findings;
  auto severity = [&](text::Severity s) {
    return number_of(findings, [&](const work::BuildFinding& f) { return f.severity == s; });
  };
  out += ", " + text::counted(kernels_of(report), "kernel") + ": " +
         text::counted(severity(text::Severity::Error), "error") + ", " +
         text::counted(severity(text::Severity::Warning), "warning");
  if (const std::size_t tests = report.outcome.tests.size()) {
    out += "; " + text::counted(tests, "test") + ": " + std::to_string(number_of(report, TestStatus::Passed)) +
           " passed, " + std::to_string(number_of(report, TestStatus::Failed)) + " failed";
    if (const auto ignored = number_of(report, TestStatus::Ignored))
      out += ", " + std::to_string(ignored) + " without expected values";
    if (const auto skipped = number_of(report, TestStatus::Skipped)) out += ", " + std::to_string(skipped) + " skipped";
  }
  if (report.compared) {
    out += "; against the baseline: " + text::counted(number_of(report, Change::Kind::Worse), "regression");
    for (const auto& [kind, words] :
         {std::pair(Change::Kind::Better, " better"), std::pair(Change::Kind::New, " new"),
          std::pair(Change::Kind::Gone, " gone"), std::pair(Change::Kind::NotCompared, " not compared")})
      if (const auto n = number_of(report, kind)) out += ", " + std::to_string(n) + words;
  }
  if (const auto left_out = work::not_checked(kernels_of(report), untried_of(report))) out += "; " + left_out->words;
  out += "\n";
  for (const std::string& path : report.outcome.passed_over)
    out += "tilewright: " + text::visible(shown(report, path)) + " holds no kernels and is passed over\n";
  for (const std::string& why : failures(report)) out += "tilewright: " + text::visible(why) + "\n";
  return out;
}

}  // namespace tilewright::ci
