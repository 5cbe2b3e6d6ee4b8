// lower: what a kernel, or some lines of it, becomes: IR, CUDA, PTX, SASS.
#include <algorithm>

#include "server/mcp/loaded.h"
#include "server/mcp/machine.h"
#include "server/mcp/tools.h"
#include "server/mcp/words.h"
#include "server/views/document.h"

namespace tilewright::mcp {
namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    out.push_back(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(text.size(), out.back().size() + 1));
  }
  return out;
}

// Those of the document that came from lines of the script.
std::string part_of(const ide::OpenedView& opened, const views::Document& document, ide::Stretch bytes) {
  const std::vector<std::string_view> lines = split(document.text);
  std::string out;
  for (auto [from, to] : ide::lines_from(opened, document.lines, static_cast<std::uint32_t>(lines.size()), bytes)) {
    for (std::uint32_t i = from; i < std::min<std::size_t>(to, lines.size()); ++i) out.append(lines[i]) += '\n';
  }
  return out;
}

Result lower(const Question& question) {
  const Arguments& asked = question.arguments;
  const std::string to = asked.has("to") ? asked.text("to") : "cuda";
  const ide::ViewKind kind = *ide::parse_view_kind(to);
  auto chosen = chosen_kernel(question.script, asked);
  if (!chosen) return std::unexpected(chosen.error());
  const session::CompiledKernel& kernel = *chosen->kernel;
  if (!ide::has_stage(kind, kernel))
    return std::unexpected("the kernel has errors, so it does not get as far: call check");
  std::shared_ptr<const ide::Made> made;
  if (ide::made_by_tools(kind)) {
    const bool sass = kind == ide::ViewKind::Sass;
    if (question.script.query.progress) question.script.query.progress("compiling with NVRTC", -1);
    auto done = made_by_tools(kernel, sass, question.stop());
    if (!done) return std::unexpected(done.error());
    if (sass && (*done)->sass.empty()) return std::unexpected("no SASS: " + (*done)->sass_missing);
    made = std::move(*done);
  }
  ide::OpenedView opened{question.script.query.snapshot, chosen->analysis, {}};
  opened.view.name = ide::view_of(kind, kernel, question.script.path);
  opened.view.compiled = chosen->compiled;
  opened.view.kernel = &kernel;
  opened.view.made = made;
  const views::Document document = views::document(opened.view);
  Answer out;
  out.head = {{"path", question.script.shown},
              {"entry", kernel.entry->expression},
              {"arch", kernel.target.name()},
              {"to", to},
              {"whole_lines", std::ranges::count(document.text, '\n')}};
  out.summary = to + " of " + kernel.entry->expression + " for " + kernel.target.name() + ", " +
                counted(static_cast<std::size_t>(std::ranges::count(document.text, '\n')), "line");
  Json next{{"path", question.script.shown}, {"entry", kernel.entry->expression}};
  if (asked.has("lines")) {
    auto lines = read_lines(asked.text("lines"));
    if (!lines) return std::unexpected(lines.error());
    const text::Source& source = question.script.query.snapshot->source();
    if (lines->first > source.line_count())
      return std::unexpected("the script has " + counted(source.line_count(), "line"));
    add_lines(out, "text", part_of(opened, document, bytes_of(source, *lines)));
    out.head["lines"] = asked.text("lines");
    out.summary +=
        "; " + std::to_string(out.items.size()) + " of them come from the script's lines " + asked.text("lines");
    next["lines"] = asked.text("lines");
  } else {
    add_lines(out, "text", document.text);
  }
  next["to"] = to == "tirx" ? "lowered" : to == "lowered" ? "cuda" : to == "cuda" ? "ptx" : "sass";
  if (to == "sass")
    out.next = {"run", {{"path", question.script.shown}, {"entry", kernel.entry->expression}}, "executes the kernel"};
  else
    out.next = {"lower", std::move(next), "the next form of the same"};
  return out;
}

}  // namespace

Tool lower_tool() {
  return {
      .name = "lower",
      .title = "What a kernel becomes",
      .words =
          "The kernel as IR (tirx, lowered), CUDA, PTX, SASS, launch plan or dispatch report; with lines only what "
          "these lines of the script became. PTX and SASS need NVIDIA's compiler.",
      .parameters = {path_parameter(),
                     {.name = "to",
                      .words = "Default: cuda",
                      .choices = {"tirx", "lowered", "cuda", "ptx", "sass", "plan", "report"}},
                     {.name = "lines", .words = "Lines of the script: 20 or 20:30"},
                     entry_parameter(),
                     arch_parameter()},
      .output = R"({"properties": {"path": {"type": "string"}, "entry": {"type": "string"}, "arch": {"type": "string"},
    "to": {"type": "string"}, "lines": {"type": "string"},
    "whole_lines": {"type": "integer", "description": "Lines of the whole text"}, "text": {"type": "string"}},
    "required": ["path", "entry", "arch", "to", "whole_lines", "text"]})",
      .example = R"({"path": "example:async_ldgsts", "to": "cuda", "lines": "20"})",
      .waits = true,
      .answer = lower};
}

}  // namespace tilewright::mcp
