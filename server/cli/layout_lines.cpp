#include "server/cli/layout_lines.h"

#include "server/cli/commands.h"
#include "server/ide/line_layouts.h"
#include "server/project/console.h"
#include "server/project/load.h"
#include "server/render/json.h"
#include "server/render/terminal.h"
#include "server/views/layout.h"

namespace tilewright::cli {
using render::Json;
namespace {

// What `--summary` shows.
constexpr std::string_view kLayoutLinesSummary =
    "expression layouts.buffer layouts.dtype layouts.scope layouts.shape layouts.layout layouts.degree "
    "diagnostics.code diagnostics.message";

Json extent_json(const ide::Extent& e) { return e.number ? Json(*e.number) : Json(e.text); }

Json layout_json(const ide::LayoutAt& l) {
  Json shape = Json::array(), accesses = Json::array();
  for (const ide::Extent& e : l.shape) shape.push_back(extent_json(e));
  int worst = 0;
  for (const ide::LayoutAt::Access& a : l.accesses) {
    Json one{{"what", a.what},
             {"reads", a.reads},
             {"writes", a.writes},
             {"words", views::access_words(a)},
             {"range", render::place_json(a.place)}};
    if (a.worst) one["degree"] = a.worst->report.degree;
    if (a.worst) worst = std::max(worst, a.worst->report.degree);
    accesses.push_back(std::move(one));
  }
  Json out{{"buffer", l.name},
           {"dtype", l.dtype},
           {"scope", l.scope},
           {"shape", std::move(shape)},
           {"layout", l.short_form},
           {"printed", l.printed},
           {"entry", l.entry},
           {"architecture", l.architecture},
           {"accesses", std::move(accesses)}};
  if (l.bytes) out["bytes"] = *l.bytes;
  if (worst > 0) out["degree"] = worst;
  if (l.accesses_left_out > 0) out["accesses_left_out"] = l.accesses_left_out;
  return out;
}

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
    Json list = Json::array(), diagnostics = Json::array();
    for (const ide::LayoutAt& l : layouts) list.push_back(layout_json(l));
    for (const text::Diagnostic& d : compiled.diagnostics)
      diagnostics.push_back(render::diagnostic_json(d, compiled.evaluation->anchors));
    const Json all{{"expression", place}, {"layouts", std::move(list)}, {"diagnostics", std::move(diagnostics)}};
    if (!print_answer(all, answer, kLayoutLinesSummary)) return kUsage;
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
