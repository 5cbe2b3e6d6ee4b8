#include "server/cli/layout_lines.h"

#include "server/cli/commands.h"
#include "server/ide/line_layouts.h"
#include "server/project/console.h"
#include "server/project/load.h"
#include "server/render/terminal.h"
#include "server/views/layout.h"

namespace tilewright::cli {
namespace {

// What `--summary` shows.
constexpr std::string_view kLayoutLinesSummary =
    "expression layouts.buffer layouts.dtype layouts.scope layouts.shape layouts.layout layouts.degree "
    "diagnostics.code diagnostics.message";

}  // namespace

int print_line_layouts(const std::string& file, const render::ScriptLines& lines, const layout::PictureOptions& picture,
                       const AnswerOptions& answer, bool json) {
  auto loaded = project::load(file);
  if (!loaded) return fail_usage(loaded.error());
  const session::Compiled compiled =
      project::compile(*loaded, project::options_for(project::one_architecture(*loaded), {}));
  // It is not edited: the snapshot stands for the script that was compiled, and is analysed no more.
  const auto script = std::make_shared<session::Snapshot>(loaded->tree, 0, std::make_shared<session::Settings>(),
                                                          nullptr, std::make_shared<session::KernelCache>());
  auto is_meant = [&](const text::Anchors::Place& at) {
    if (!at.source || (lines.file.empty() && at.source != loaded->source.get())) return false;
    return lines.covers(at.source->path(), at.source->position(at.begin).line + 1,
                        at.source->position(at.end).line + 1);
  };
  ide::LayoutAsked asked;
  asked.picture = picture;
  const std::vector<ide::LayoutAt> layouts = ide::line_layouts(script, compiled, is_meant, asked);
  const std::string place = file + ":" + std::to_string(lines.from) +
                            (lines.to == lines.from ? std::string() : ":" + std::to_string(lines.to));
  if (json) {
    if (!print_answer(views::layouts_json(place, layouts, compiled), answer, kLayoutLinesSummary)) return kUsage;
  } else {
    std::string out;
    for (const ide::LayoutAt& l : layouts) out += (out.empty() ? "" : "\n") + views::layout_text(l);
    project::say(stdout, out);
    for (const text::Diagnostic& d : compiled.diagnostics)
      if (d.severity == text::Severity::Error)
        complain(render::diagnostic_text(d, compiled.evaluation->anchors, render::colours(stderr)));
    if (layouts.empty()) complain("no statement of a kernel touches a buffer at " + place + "\n");
  }
  return compiled.has_errors() ? kErrors : kFine;
}

}  // namespace tilewright::cli
