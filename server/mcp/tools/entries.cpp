// entries: the kernels of a script.
#include "compiler/session/registered.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"

namespace tilewright::mcp {
namespace {

Result entries(const Question& question) {
  const ide::Query& q = question.script.query;
  auto analysis = q.analysis();
  if (!analysis) return std::unexpected(kStopped);
  Answer out;
  const script::Evaluation& evaluation = *analysis->first().evaluation;
  std::string first;
  for (const session::Compiled& c : analysis->compiled) {
    for (const session::CompiledKernel& k : c.kernels) {
      const text::Anchors::Place at = c.evaluation->anchors.resolve(k.value->kernel.span);
      Json one{{"entry", k.entry->expression},
               {"kernel", k.value->kernel.name},
               {"arch", k.target.name()},
               {"kind", script::entry_kind_name(k.entry->kind)},
               {"failed", k.failed}};
      if (at.source && at.source->path() == question.script.path) one["line"] = place_in(*at.source, at.begin).line;
      out.items.push_back(
          {std::move(one), k.entry->expression + " for " + k.target.name() + (k.failed ? ", failed" : "")});
      if (first.empty() && !k.failed) first = k.entry->expression;
    }
  }
  for (const script::Entry& e : analysis->others())
    out.items.push_back({{{"entry", e.expression}, {"kind", script::entry_kind_name(e.kind)}}, e.expression});
  for (const script::Factory& f : evaluation.open_factories)
    out.items.push_back({{{"needs_arguments", f.signature}}, f.signature + " needs arguments"});
  out.head = {{"path", question.script.shown}, {"dialect", text::dialect_name(evaluation.dialect.dialect)}};
  out.summary = question.script.shown + ", dialect " + evaluation.dialect.words() + ": " +
                counted(out.items.size() - evaluation.open_factories.size(), "kernel");
  if (auto as = session::registered(*evaluation.tree)) {
    out.head["registered"] = as->name;
    out.summary += ", registered as " + as->name;
  }
  if (!evaluation.open_factories.empty())
    out.summary += ", " + counted(evaluation.open_factories.size(), "function") + " to call with arguments";
  out.list = "entries";
  out.quotes = {"entries"};
  if (first.empty()) {
    out.next = {"check", {{"path", question.script.shown}}, "says why no kernel was made"};
  } else {
    out.next = {"run", {{"path", question.script.shown}, {"entry", first}}, "executes the kernel on the simulator"};
  }
  return out;
}

}  // namespace

Tool entries_tool() {
  return {.name = "entries",
          .title = "List the kernels of a script",
          .words =
              "The kernels of a script, with the architecture of each, and the factories that need arguments (a "
              "comment `# tilewright: entry make(64)` gives them).",
          .parameters = {path_parameter()},
          .output = R"({"properties": {"path": {"type": "string"}, "dialect": {"type": "string"},
    "registered": {"type": "string", "description": "The name that its KERNEL_META gives"},
    "entries": {"type": "array", "items": {"type": "object", "properties": {"entry": {"type": "string"},
      "kernel": {"type": "string"}, "arch": {"type": "string"}, "kind": {"type": "string"},
      "failed": {"type": "boolean"}, "line": {"type": "integer"}, "needs_arguments": {"type": "string"}}}}},
    "required": ["path", "dialect", "entries"]})",
          .example = R"({"path": "example:softmax_rows"})",
          .answer = entries};
}

}  // namespace tilewright::mcp
