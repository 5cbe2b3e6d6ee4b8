// tilewright layout: what a layout expression maps where.
#include "server/cli/commands.h"
#include "server/cli/json.h"
#include "server/cli/terminal.h"

namespace tilewright::cli {
namespace {

struct LayoutCommand {
  std::string expression, access;
  std::string shape;
  int bits = 32;
  bool svg = false, json = false;
};

int run_layout(const LayoutCommand& o) {
  script::ExpressionResult r = script::evaluate_expression(o.expression, {});
  script::Evaluation& e = *r.evaluation;
  ArenaScope arena(e.arena());
  bool failed = false;
  for (const text::Diagnostic& d : e.diagnostics) {
    if (d.severity != text::Severity::Error) continue;
    std::fputs(diagnostic_text(d, e.anchors, colours(stderr)).c_str(), stderr);
    failed = true;
  }
  if (failed) return kErrors;
  auto layout = e.interpreter().as_layout(r.value, {});
  if (!layout) {
    std::string text = e.interpreter().repr(r.value);
    std::fputs((o.json ? dump(Json{{"value", text}}) : text).c_str(), stdout);
    std::fputc('\n', stdout);
    return kFine;
  }
  auto canonical = layout::canonicalize(*layout);
  if (o.json) {
    Json out{{"layout", layout::to_short_string(*layout)}, {"printed", layout::to_string(*layout)},
             {"size", layout::to_string(layout::size(*layout))}, {"span", layout::to_string(layout::span(*layout))}};
    if (canonical) out["canonical"] = layout::to_short_string(*canonical);
    std::fputs((dump(out) + "\n").c_str(), stdout);
    return kFine;
  }
  std::printf("%s\n  size %s, span %s\n", layout::to_short_string(*layout).c_str(), layout::to_string(layout::size(*layout)).c_str(),
              layout::to_string(layout::span(*layout)).c_str());
  if (canonical) std::printf("  canonical %s\n", layout::to_short_string(*canonical).c_str());
  return kFine;
}

}  // namespace

void add_layout(CLI::App& app, Run& run) {
  auto o = std::make_shared<LayoutCommand>();
  CLI::App* c = app.add_subcommand("layout", "Evaluate a layout expression and show its mapping");
  c->add_option("expression", o->expression, "For example 'TileLayout(S[(8, 4) : (4 @ laneid, 1)])'")->required();
  c->add_flag("--json", o->json, "As JSON");
  c->callback([o, &run] { run = [o] { return run_layout(*o); }; });
}

}  // namespace tilewright::cli
