// fix: the fixes of findings, tried, as a diff or written into the script.
#include "server/ide/diff.h"
#include "server/ide/script_fixes.h"
#include "server/mcp/loaded.h"
#include "server/mcp/pages.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"
#include "server/project/codes.h"
#include "server/project/files.h"
#include "server/work/checked.h"

namespace tilewright::mcp {
namespace {

// Writes the text, unless the file has changed. Gives what is wrong; empty: nothing.
std::string write(const Question& question, const std::string& before, const std::string& after) {
  const std::string& path = question.script.path;
  if (!project::is_file(path)) return "an example is not changed: copy it into the workspace first";
  const auto now = project::read_file(path, project::kMostScriptBytes);
  if (!now) return now.error();
  if (*now != before) return "the file has changed meanwhile: call fix again";
  const auto written = project::write_file(path, after);
  return written ? std::string() : written.error();
}

Result fix(const Question& question) {
  const Arguments& asked = question.arguments;
  ide::FixOptions options;
  options.codes = asked.texts("codes");
  options.simulate = asked.flag("simulate");
  for (const std::string& code : options.codes)
    if (!project::code_info(code)) return std::unexpected("there is no diagnostic '" + clipped(code, 40) + "' to fix");
  auto file = loaded(question.script);
  if (!file) return std::unexpected(file.error());
  const work::FixedScript fixed = ide::fix_script(*file, options, question.stop());
  if (fixed.stopped) return std::unexpected(kStopped);
  const std::string before(file->source->text());
  const bool apply = asked.flag("apply") && !fixed.applied.empty();
  if (apply)
    if (std::string wrong = write(question, before, fixed.text); !wrong.empty()) return std::unexpected(wrong);
  Answer out;
  Json applied = Json::array();
  constexpr std::size_t kMostListed = 10;
  for (const work::AppliedFix& a : fixed.applied) {
    if (applied.size() == kMostListed) break;
    applied.push_back({{"line", a.line}, {"code", a.code}, {"title", clipped(a.title, 120)}});
  }
  out.head = {{"path", question.script.shown},
              {"fixes", fixed.applied.size()},
              {"written", apply},
              {"errors_before", fixed.before.errors},
              {"errors_after", fixed.after.errors},
              {"warnings_before", fixed.before.warnings},
              {"warnings_after", fixed.after.warnings},
              {"applied", std::move(applied)}};
  out.summary = question.script.shown + ": " +
                (fixed.applied.size() == 1 ? "1 fix" : std::to_string(fixed.applied.size()) + " fixes") +
                (apply                   ? ", written"
                 : fixed.applied.empty() ? ""
                                         : ", not written") +
                "; " + counted(fixed.before.errors, "error") + " and " + counted(fixed.before.warnings, "warning") +
                " before, " + std::to_string(fixed.after.errors) + " and " + std::to_string(fixed.after.warnings) +
                " after" + (fixed.untried ? "; " + work::untried_words(fixed.untried) : "");
  add_lines(out, "diff", ide::unified_diff(before, fixed.text, question.script.shown, question.script.shown));
  out.quotes = {"diff", "applied"};
  const Json path{{"path", question.script.shown}};
  if (!fixed.applied.empty() && !apply) {
    Json again = path;
    if (!options.codes.empty()) again["codes"] = options.codes;
    if (options.simulate) again["simulate"] = true;
    again["apply"] = true;
    out.next = {"fix", std::move(again), "writes these edits into the script"};
  } else if (fixed.after.errors > 0) {
    out.next = {"check", path, "says what is left, with hints for edits by hand"};
  } else {
    out.next = {"simulate", path, "looks for races and deadlocks"};
  }
  return out;
}

}  // namespace

Tool fix_tool() {
  return {.name = "fix",
          .title = "Fix findings",
          .words =
              "Edits that fix what check finds, as a diff, or with apply written into the script. Each was tried: its "
              "finding is gone afterwards, and no more findings are left than before. With simulate also races and "
              "missing waits.",
          .parameters = {path_parameter(),
                         {.name = "codes", .kind = Parameter::Kind::Texts, .words = "Only findings of these codes"},
                         {.name = "simulate", .kind = Parameter::Kind::Flag, .words = "Findings of the simulator, too"},
                         {.name = "apply",
                          .kind = Parameter::Kind::Flag,
                          .words = "Write the script; default: show a diff"}},
          .output = R"({"properties": {"path": {"type": "string"}, "fixes": {"type": "integer"},
    "written": {"type": "boolean"}, "errors_before": {"type": "integer"}, "errors_after": {"type": "integer"},
    "warnings_before": {"type": "integer"}, "warnings_after": {"type": "integer"},
    "applied": {"type": "array", "description": "The first ten", "items": {"type": "object", "properties": {
      "line": {"type": "integer"}, "code": {"type": "string"}, "title": {"type": "string"}}}},
    "diff": {"type": "string"}}, "required": ["path", "fixes", "written", "errors_after", "warnings_after", "diff"]})",
          .example = R"({"path": "example:softmax_rows"})",
          .waits = true,
          .writes = true,
          .answer = fix};
}

}  // namespace tilewright::mcp
