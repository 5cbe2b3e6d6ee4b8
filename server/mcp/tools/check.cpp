// check: what is wrong with a script.
#include <algorithm>

#include "server/ide/diagnostics.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"
#include "server/work/checked.h"

namespace tilewright::mcp {
namespace {

// What a reader of the findings does next.
Next next_of(const Question& question, const std::vector<Item>& findings, std::size_t kernels) {
  const Json path{{"path", question.script.shown}};
  if (findings.empty()) {
    if (kernels == 0)
      return {"docs", {{"topic", "writing"}}, "the script has no kernel yet; this page says how to write one"};
    return {"simulate", path, "the script has no findings; synchronisation is not checked yet"};
  }
  const Json& first = findings.front().json;
  if (first.contains("fix")) {
    Json arguments = path;
    arguments["line"] = first["line"];
    return {"fix", std::move(arguments), "the first finding has a fix"};
  }
  const std::string code = first["code"].get<std::string>();
  const bool of_words = code.starts_with("TW20") || code.starts_with("TW21") || code.starts_with("TW22");
  if (of_words && first.contains("hint")) return {"fix", path, "shows the edits that hold where they are tried"};
  if (code.starts_with("TW31") && first.contains("line")) {
    Json arguments = path;
    arguments["line"] = first["line"];
    return {"explain", std::move(arguments), "says why the variants do not serve this call"};
  }
  return {"explain", {{"code", code}}, "says what " + code + " means and what to do"};
}

Result check(const Question& question) {
  const ide::Query& q = question.script.query;
  auto analysis = q.analysis();
  if (!analysis) return std::unexpected(kStopped);
  const ide::Diagnostics found = ide::diagnostics(*q.snapshot, analysis, nullptr);
  Answer out;
  std::size_t errors = 0, warnings = 0, kernels = 0;
  for (const session::Compiled& c : analysis->compiled) kernels = std::max(kernels, c.kernels.size());
  // Errors first: of many findings a reader sees those of the first page.
  for (const text::Severity severity :
       {text::Severity::Error, text::Severity::Warning, text::Severity::Information, text::Severity::Hint}) {
    for (const ide::Diagnostic& d : found.list) {
      if (d.said->severity != severity) continue;
      errors += severity == text::Severity::Error;
      warnings += severity == text::Severity::Warning;
      out.items.push_back(finding_item(question, d));
    }
  }
  const std::size_t left_out = analysis->others().size();
  out.head = {{"path", question.script.shown}, {"errors", errors}, {"warnings", warnings}, {"kernels", kernels}};
  out.summary = question.script.shown + ": " + counted(errors, "error") + ", " + counted(warnings, "warning") + " in " +
                counted(kernels, "kernel");
  if (left_out > 0) {
    out.head["entries_left_out"] = left_out;
    out.summary += "; " + counted(left_out, "more argument list") + " of the same factories not checked";
  }
  if (const auto not_checked = work::not_checked(kernels, std::nullopt)) {
    out.head["not_checked"] = not_checked->what;
    out.summary += "; " + not_checked->words;
  }
  out.next = next_of(question, out.items, kernels);
  out.list = "findings";
  out.quotes = {"findings"};
  return out;
}

}  // namespace

Tool check_tool() {
  static const std::string kOutput =
      R"({"properties": {"path": {"type": "string"}, "errors": {"type": "integer"}, "warnings": {"type": "integer"},
      "kernels": {"type": "integer"}, "entries_left_out": {"type": "integer"},
      "not_checked": {"type": "string", "description": "What this answer does not cover"},
      "findings": {"type": "array", "items": )" +
      std::string(finding_schema()) + R"(}}, "required": ["path", "errors", "warnings", "kernels", "findings"]})";
  return {
      .name = "check",
      .title = "Check a script",
      .words =
          "Everything that is wrong with a tile script, at its line, with what to write instead. Call it after each "
          "edit: unchanged kernels are not evaluated again. Synchronisation is the tool simulate's.",
      .parameters = {path_parameter()},
      .output = kOutput,
      .example = R"({"path": "example:async_ldgsts"})",
      .answer = check};
}

}  // namespace tilewright::mcp
