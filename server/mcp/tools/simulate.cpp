// simulate: whether the synchronisation of kernels is right, as far as the simulator can tell.
#include <algorithm>

#include "compiler/simulate/codes.h"
#include "server/ide/trials.h"
#include "server/mcp/loaded.h"
#include "server/mcp/pages.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"

namespace tilewright::mcp {
namespace {

bool is_of_simulator(std::string_view code) { return code.starts_with("TW5"); }

Result simulate(const Question& question) {
  const Arguments& asked = question.arguments;
  auto file = loaded(question.script);
  if (!file) return std::unexpected(file.error());
  std::vector<std::string> entries;
  if (asked.has("entry")) entries = {asked.text("entry")};
  const session::NamedTargets named = project::one_architecture(*file);
  session::Compiled compiled = project::compile(*file, project::options_for(named, entries), question.stop());
  if (compiled.stopped) return std::unexpected(kStopped);
  if (question.script.query.progress)
    question.script.query.progress("simulating " + counted(compiled.kernels.size(), "kernel"), -1);
  const bool failed = compiled.has_errors();
  constexpr unsigned kJobs = 2;
  const std::size_t untried = ide::try_out_all(compiled, *file, kJobs, question.stop());
  if (question.stop().stop_requested()) return std::unexpected(kStopped);
  Answer out;
  std::size_t errors = 0, warnings = 0;
  Json notes = Json::array();
  constexpr std::size_t kMostNotes = 4, kMostNote = 240;
  for (const text::Diagnostic& d : compiled.diagnostics) {
    if (d.code == simulate::code::kUntried) {
      if (notes.size() < kMostNotes) notes.push_back(clipped(d.message, kMostNote));
      continue;
    }
    if (!is_of_simulator(d.code)) continue;
    errors += d.severity == text::Severity::Error;
    warnings += d.severity == text::Severity::Warning;
    out.items.push_back(finding_item(question, d, compiled.evaluation->anchors));
  }
  const std::string verdict = !out.items.empty() ? "findings" : untried > 0 || failed ? "incomplete" : "clean";
  out.head = {{"path", question.script.shown},       {"verdict", verdict}, {"kernels", compiled.kernels.size()},
              {"not_wholly_checked", untried},       {"errors", errors},   {"warnings", warnings},
              {"silenced", compiled.silenced.size()}};
  out.summary =
      question.script.shown + ": synchronisation " + verdict + " in " + counted(compiled.kernels.size(), "kernel");
  if (untried > 0) out.summary += "; " + counted(untried, "kernel") + " not, or not wholly, checked";
  if (!compiled.silenced.empty()) out.summary += "; " + counted(compiled.silenced.size(), "finding") + " silenced";
  if (failed) out.summary += "; the script has errors";
  out.list = "findings";
  out.quotes = {"findings"};
  if (!notes.empty()) {
    out.head["notes"] = std::move(notes);
    out.quotes.push_back("notes");
  }
  const Json path{{"path", question.script.shown}};
  if (failed)
    out.next = {"check", path, "the script has errors"};
  else if (!out.items.empty())
    out.next = {"fix", {{"path", question.script.shown}, {"simulate", true}}, "tries barriers, fences and waits"};
  else
    out.next = {"run", path, "executes the kernel and compares with its reference"};
  return out;
}

}  // namespace

Tool simulate_tool() {
  static const std::string kOutput =
      R"({"properties": {"path": {"type": "string"}, "verdict": {"type": "string", "enum": ["clean", "findings", "incomplete"]},
      "kernels": {"type": "integer"}, "not_wholly_checked": {"type": "integer"}, "errors": {"type": "integer"},
      "warnings": {"type": "integer"}, "silenced": {"type": "integer"},
      "notes": {"type": "array", "items": {"type": "string"}, "description": "What was not looked at, and at which values"},
      "findings": {"type": "array", "items": )" +
      std::string(finding_schema()) +
      R"(}}, "required": ["path", "verdict", "kernels", "not_wholly_checked", "findings"]})";
  return {.name = "simulate",
          .title = "Look for races and deadlocks",
          .words =
              "Tries each kernel out on the simulator, without a GPU: races, missing waits and fences, wrong phases of "
              "barriers, deadlocks. Says what could not be looked at. Takes seconds.",
          .parameters = {path_parameter(), entry_parameter()},
          .output = kOutput,
          .example = R"({"path": "example:async_ldgsts"})",
          .waits = true,
          .answer = simulate};
}

}  // namespace tilewright::mcp
