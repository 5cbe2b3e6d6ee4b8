#include "server/render/formats.h"

#include <algorithm>
#include <set>
#include <utility>

#include "server/render/findings.h"
#include "server/render/fixes.h"
#include "server/render/json.h"
#include "server/render/terminal.h"

namespace tilewright::render {
namespace {

std::optional<work::NotChecked> not_checked(const std::vector<FilePart>& files) {
  std::size_t kernels = 0;
  std::optional<std::size_t> untried;
  for (const FilePart& f : files) {
    kernels += f.kernels;
    if (f.untried) untried = untried.value_or(0) + *f.untried;
  }
  return work::not_checked(kernels, untried);
}

// With its fixes.
Json finding_json(const session::Finding& found, const work::CheckedFile& file) {
  Json out = diagnostic_json(*found.diagnostic, *found.anchors);
  Json fixes = fixes_json(found, file);
  if (!fixes.empty()) out["fixes"] = std::move(fixes);
  if (has_untried(found, file)) out["fixes_not_tried"] = true;
  return out;
}

void json_part(const work::CheckedFile& file, FilePart& part) {
  if (!file.compiled.empty()) part.dialect = dialect_json(file.compiled.front().evaluation->dialect);
  for (const session::Finding& found : work::findings(file)) part.results.push_back(finding_json(found, file));
  for (const auto& [silenced, found] : work::silenced_findings(file)) {
    Json one = diagnostic_json(*found.diagnostic, *found.anchors);
    one["reason"] = silenced->reason;
    part.silenced.push_back(std::move(one));
  }
}

// How many files, kernels and findings there are.
Json counts_json(const std::vector<FilePart>& files, const std::vector<Failure>& failures) {
  Json out{{"files", files.size()}, {"kernels", 0},  {"errors", 0},    {"warnings", 0},
           {"fixable", 0},          {"silenced", 0}, {"unchecked", 0}, {"failures", failures.size()},
           {"fixes_not_tried", 0}};
  auto add = [&](const char* what, std::size_t n) { out[what] = out[what].get<std::size_t>() + n; };
  for (const FilePart& f : files) {
    add("kernels", f.kernels);
    add("silenced", f.silenced.size());
    add("unchecked", f.unchecked.size());
    for (const Json& d : f.results) {
      if (d["severity"] == "error") add("errors", 1);
      if (d["severity"] == "warning") add("warnings", 1);
      add("fixable", d.contains("fixes"));
      add("fixes_not_tried", d.contains("fixes_not_tried"));
    }
  }
  return out;
}

std::string json_format(std::vector<FilePart> files, const std::vector<Failure>& failures) {
  Json out{{"files", Json::array()}, {"diagnostics", Json::array()}, {"counts", counts_json(files, failures)}};
  for (FilePart& f : files) {
    if (!f.dialect.is_null()) {
      f.dialect["file"] = f.path;
      out["dialects"].push_back(std::move(f.dialect));
    }
    out["files"].push_back(std::move(f.path));
    for (Json& result : f.results) out["diagnostics"].push_back(std::move(result));
  }
  for (FilePart& f : files)
    for (Json& one : f.silenced) out["silenced"].push_back(std::move(one));
  if (auto left_out = not_checked(files))
    out["not_checked"].push_back({{"what", left_out->what}, {"message", left_out->words}});
  for (const FilePart& f : files) {
    for (const script::Unchecked& u : f.unchecked) {
      out["not_checked"].push_back({{"what", "function"}, {"message", u.name + ": " + u.why}});
    }
  }
  for (const Failure& f : failures) out["failures"].push_back({{"file", f.file}, {"message", f.message}});
  return dump_for_output(out) + "\n";
}

void sarif_part(const work::CheckedFile& file, FilePart& part) {
  for (const session::Finding& found : work::findings(file)) {
    part.codes.emplace(found.diagnostic->code);
    work::BuildFinding finding = work::build_finding(found, file.path);
    finding.fixes = fixes_of(found, file);
    part.results.push_back(sarif_result(finding));
  }
  for (const auto& [silenced, found] : work::silenced_findings(file)) {
    part.codes.emplace(found.diagnostic->code);
    Json result = sarif_result(work::build_finding(found, file.path));
    result["suppressions"] =
        Json::array({{{"kind", silenced->by_comment ? "inSource" : "external"}, {"justification", silenced->reason}}});
    part.results.push_back(std::move(result));
  }
}

std::string sarif_format(std::vector<FilePart> files, const std::vector<Failure>& failures) {
  Json results = Json::array(), notes = Json::array();
  std::set<std::string> codes;
  for (FilePart& f : files) {
    codes.merge(f.codes);
    for (Json& result : f.results) results.push_back(std::move(result));
  }
  if (auto left_out = not_checked(files)) notes.push_back(sarif_note("note", left_out->words));
  std::size_t unchecked = 0, untried = 0;
  for (const FilePart& f : files) {
    unchecked += f.unchecked.size();
    untried += f.untried_fixes;
  }
  if (untried) notes.push_back(sarif_note("note", work::untried_words(untried)));
  if (unchecked) notes.push_back(sarif_note("note", work::unchecked_words(unchecked)));
  for (const Failure& f : failures) notes.push_back(sarif_note("error", f.message));
  return sarif_log(std::move(results), codes, notes, failures.empty());
}

void github_part(const work::CheckedFile& file, FilePart& part) {
  for (const session::Finding& found : work::findings(file))
    part.text += github_line(work::build_finding(found, file.path));
}

// One test case a kernel, and one a file for what belongs to none. Each has a name of its own.
void junit_part(const work::CheckedFile& file, FilePart& part) {
  using enum TestCase::Outcome;
  std::string text;
  for (const auto& [diagnostic, anchors, target] : work::findings(file)) {
    const text::Diagnostic& d = *diagnostic;
    if (d.severity != text::Severity::Error) continue;
    text::Anchors::Place place = anchors->resolve(d.span);
    std::string line = place.source ? std::to_string(place.source->position(place.begin).line + 1) : "?";
    text += file.path + ":" + line + ": " + std::string(d.code) + ": " + d.message + "\n";
  }
  TestCase whole{.name = file.path, .classname = "tilewright.check"};
  if (!text.empty()) {
    whole.outcome = Failed;
    whole.message = text.substr(0, text.find('\n'));
    whole.text = text;
  }
  std::string cases = test_case(whole);
  UniqueNames names;
  part.tests.tests = 1;
  part.tests.failures = !text.empty();
  for (const session::Compiled& c : file.compiled)
    for (const session::CompiledKernel& k : c.kernels) {
      TestCase test{.name = k.entry->expression, .classname = file.path};
      if (file.compiled.size() > 1) test.name += " [" + k.target.name() + "]";
      test.name = names.of(test.name);
      if (k.failed) {
        test.outcome = Failed;
        test.message = "the kernel has errors";
      }
      ++part.tests.tests;
      part.tests.failures += k.failed;
      cases += test_case(test);
    }
  const auto left_out = work::not_checked(part.kernels, part.untried);
  std::string said = left_out ? left_out->words : std::string();
  if (const std::size_t silenced = work::silenced_findings(file).size())
    said += (said.empty() ? "" : "; ") + work::silenced_words(silenced);
  part.text = test_suite(file.path, part.tests, cases, said);
}

std::string junit_format(const std::vector<FilePart>& files) {
  std::string body;
  TestCounts all;
  for (const FilePart& f : files) {
    body += f.text;
    all.add(f.tests);
  }
  return test_document_head("tilewright check", all) + body + test_document_end();
}

void text_part(const work::CheckedFile& file, FilePart& part) {
  for (const session::Finding& found : work::findings(file))
    part.text += diagnostic_text(*found.diagnostic, *found.anchors, colours(stdout));
}

std::string concatenated(const std::vector<FilePart>& files) {
  std::string out;
  for (const FilePart& f : files) out += f.text;
  return out;
}

}  // namespace

FilePart file_part(const work::CheckedFile& file, std::string_view format) {
  FilePart part;
  part.path = file.path;
  part.kernels = file.compiled.empty() ? 0 : file.compiled.front().kernels.size();
  part.untried = file.untried;
  part.untried_fixes = file.fixes.untried.size();
  part.unchecked = work::unchecked_functions(file);
  if (format == "text") text_part(file, part);
  if (format == "json") json_part(file, part);
  if (format == "sarif") sarif_part(file, part);
  if (format == "github") github_part(file, part);
  if (format == "junit") junit_part(file, part);
  return part;
}

std::string joined(std::vector<FilePart> files, std::string_view format, const std::vector<Failure>& failures) {
  if (format == "sarif") return sarif_format(std::move(files), failures);
  if (format == "junit") return junit_format(files);
  if (format == "json") return json_format(std::move(files), failures);
  return concatenated(files);
}

Json files_json(Json files, const std::vector<Failure>& failures) {
  Json out{{"files", std::move(files)}};
  for (const Failure& f : failures) out["failures"].push_back({{"file", f.file}, {"message", f.message}});
  return out;
}

}  // namespace tilewright::render
