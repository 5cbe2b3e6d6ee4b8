// pipeline: the buffers and barriers of a kernel, with who fills, drains, arrives and waits.
#include "server/ide/pipeline.h"

#include "server/mcp/loaded.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"
#include "server/views/layout.h"

namespace tilewright::mcp {
namespace {

Result pipeline(const Question& question) {
  auto chosen = chosen_kernel(question.script, question.arguments);
  if (!chosen) return std::unexpected(chosen.error());
  if (!ide::has_stage(ide::ViewKind::Tirx, *chosen->kernel))
    return std::unexpected("the kernel was not evaluated: call check");
  const ide::Pipeline p =
      ide::pipeline_of(question.script.query.snapshot, chosen->analysis, *chosen->compiled, *chosen->kernel);
  Answer out;
  out.head = {{"path", question.script.shown},
              {"entry", p.entry},
              {"arch", p.architecture},
              {"buffers", p.buffers.size()},
              {"barriers", p.barriers.size()}};
  out.summary = p.entry + " for " + p.architecture + ": " + counted(p.buffers.size(), "buffer") + ", " +
                counted(p.barriers.size(), "barrier");
  add_lines(out, "pipeline", views::pipeline_text(p));
  out.next = {"simulate",
              {{"path", question.script.shown}, {"entry", p.entry}},
              "looks whether the barriers order these accesses"};
  return out;
}

}  // namespace

Tool pipeline_tool() {
  return {
      .name = "pipeline",
      .title = "How data flows through a kernel",
      .words =
          "The buffers of a kernel with who fills and who drains them, its barriers with who arrives and who waits, "
          "and where threads meet, each with its line.",
      .parameters = {path_parameter(), entry_parameter(), arch_parameter()},
      .output = R"({"properties": {"path": {"type": "string"}, "entry": {"type": "string"}, "arch": {"type": "string"},
    "buffers": {"type": "integer"}, "barriers": {"type": "integer"}, "pipeline": {"type": "string"}},
    "required": ["path", "entry", "arch", "pipeline"]})",
      .example = R"({"path": "example:tma_pipeline"})",
      .answer = pipeline};
}

}  // namespace tilewright::mcp
