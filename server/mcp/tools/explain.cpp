// explain: what the tile primitives of a script became, and what a diagnostic means.
#include <algorithm>

#include "compiler/dispatch/dispatched.h"
#include "server/ide/look.h"
#include "server/mcp/calls.h"
#include "server/mcp/pages.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"
#include "server/project/codes.h"

namespace tilewright::mcp {
namespace {

Result explain_code(const std::string& code) {
  const text::CodeInfo* info = project::code_info(code);
  if (!info) return std::unexpected("there is no diagnostic '" + clipped(code, 40) + "'; codes look like TW3104");
  Answer out;
  out.head = {{"code", info->code}, {"title", info->title}, {"explanation", info->explanation}};
  out.summary = std::string(info->code) + ": " + std::string(info->title) + "\n" + std::string(info->explanation);
  out.next.why = "edit the script as the explanation says, then call check";
  return out;
}

Result explain(const Question& question) {
  const Arguments& asked = question.arguments;
  if (asked.has("code")) return explain_code(asked.text("code"));
  if (!asked.has("path")) return std::unexpected("give path (and line), or code");
  auto calls = calls_at(question);
  if (!calls) return std::unexpected(calls.error());
  Answer out;
  out.head = {{"path", question.script.shown}};
  const bool at_line = asked.has("line");
  for (const FoundCall& call : calls->list) out.items.push_back(call_item(call, at_line));
  out.summary = question.script.shown + (at_line ? ":" + std::to_string(*asked.number("line")) : "") + ": " +
                counted(out.items.size(), "tile primitive") + (out.items.empty() ? calls->why_none : "");
  out.list = "calls";
  out.quotes = {"calls"};
  if (out.items.empty()) {
    out.next = {"check", {{"path", question.script.shown}}, "says what is wrong with the script"};
  } else if (!at_line) {
    out.next = {"explain",
                {{"path", question.script.shown}, {"line", out.items.front().json["line"]}},
                "a line gives operands, facts and the reason of each variant"};
  } else {
    out.next = {"lower",
                {{"path", question.script.shown}, {"to", "cuda"}, {"lines", std::to_string(*asked.number("line"))}},
                "shows the code that this line became"};
  }
  return out;
}

}  // namespace

Tool explain_tool() {
  static const std::string kOutput = R"({"properties": {"path": {"type": "string"}, "code": {"type": "string"},
    "title": {"type": "string"}, "explanation": {"type": "string"}, "calls": {"type": "array", "items": )" +
                                     std::string(call_schema()) + R"(}}, "required": []})";
  return {.name = "explain",
          .title = "Explain tile primitives or a code",
          .words =
              "What each tile primitive of a script became: the variant that serves it, its facts (width, issues, "
              "bytes), and with a line its operands and why the other variants do not serve it. Or what a "
              "diagnostic code means.",
          .parameters = {{.name = "path", .words = "A script of the workspace, or example:NAME"},
                         {.name = "line", .kind = Parameter::Kind::Number, .words = "Line of the script, from 1"},
                         entry_parameter(),
                         arch_parameter(),
                         {.name = "code", .words = "A diagnostic such as TW3104, instead of a script"}},
          .output = kOutput,
          .example = R"({"path": "example:async_ldgsts", "line": 20})",
          .answer = explain};
}

}  // namespace tilewright::mcp
