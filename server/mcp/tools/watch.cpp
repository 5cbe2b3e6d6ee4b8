// watch: what threads see on a line while the simulator runs the kernel.
#include "server/render/watch.h"

#include "server/mcp/execute.h"
#include "server/mcp/loaded.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"

namespace tilewright::mcp {
namespace {

Result watch(const Question& question) {
  work::RunRequest request;
  request.watches = question.arguments.texts("watch");
  if (request.watches.empty()) return std::unexpected("give at least one watch, such as \"tile[0, 0:8]@14\"");
  auto answer = executed(question, std::move(request));
  if (!answer) return std::unexpected(answer.error());
  Answer out;
  out.head = {{"path", question.script.shown},
              {"entry", answer->report.entry},
              {"verdict", std::string(answer->report.verdict())}};
  out.summary = answer->report.entry + " on the simulator, " + std::string(answer->report.verdict()) + "; " +
                counted(answer->report.watches.size(), "expression") + " watched";
  add_lines(out, "seen", render::watches_text(answer->report));
  out.next = {"pipeline",
              {{"path", question.script.shown}, {"entry", answer->report.entry}},
              "who fills and drains each buffer, and which barriers say when"};
  return out;
}

}  // namespace

Tool watch_tool() {
  return {.name = "watch",
          .title = "Watch values in a run",
          .words =
              "Runs a kernel on the simulator and shows what threads see: each watch is EXPRESSION@LINE, such as "
              "\"tile[0, 0:8]@14\" or \"i@18\", evaluated before the line is executed.",
          .parameters =
              {path_parameter(),
               {.name = "watch", .kind = Parameter::Kind::Texts, .words = "Each EXPRESSION@LINE", .required = true},
               entry_parameter(),
               seconds_parameter()},
          .output = R"({"properties": {"path": {"type": "string"}, "entry": {"type": "string"},
    "verdict": {"type": "string"}, "seen": {"type": "string", "description": "A table a watch, by CTA and thread"}},
    "required": ["path", "entry", "verdict", "seen"]})",
          .example = R"({"path": "example:vector_add", "watch": ["i@18"]})",
          .waits = true,
          .answer = watch};
}

}  // namespace tilewright::mcp
