// tilewright entries: what a file offers to compile, and what needs arguments.
#include "server/render/entries.h"

#include "server/cli/answer.h"
#include "server/cli/commands.h"
#include "server/project/console.h"
#include "server/render/terminal.h"

namespace tilewright::cli {
namespace {

int run_entries(const std::string& path, const DialectOption& dialect, bool json) {
  auto file = project::load(path);
  if (!file) {
    if (json) print_json(render::no_entries_json(path, file.error()));
    return fail_usage(file.error());
  }
  if (!dialect.read(&file->dialect)) return kUsage;
  session::CompileOptions options;
  options.stage = session::Stage::Evaluate;
  session::Compiled c = project::compile(*file, options);
  const script::Evaluation& e = *c.evaluation;
  // Of a script in a release that is not read there is nothing to list.
  for (const text::Diagnostic& d : c.diagnostics) {
    if (d.code != script::code::kDialect) continue;
    project::say(stderr, render::diagnostic_text(d, e.anchors, render::colours(stderr)));
    return kErrors;
  }
  if (json) {
    print_json(render::entries_json(e));
    return kFine;
  }
  for (const script::Entry& entry : e.entries) {
    std::string names;
    for (const script::KernelValue* k : entry.kernels)
      names += (names.empty() ? "" : ", ") + std::string(k->kernel.name);
    project::sayf(stdout, "%-12s %s%s\n", std::string(script::entry_kind_name(entry.kind)).c_str(),
                  entry.expression.c_str(), names == entry.expression ? "" : ("  → " + names).c_str());
  }
  for (const script::Factory& f : e.open_factories)
    project::sayf(stdout, "%-12s %s\n", "needs args", f.signature.c_str());
  if (e.entries.empty() && e.open_factories.empty()) project::sayf(stderr, "%s has no kernels\n", path.c_str());
  return kFine;
}

}  // namespace

void add_entries(CLI::App& app, Run& run) {
  auto path = std::make_shared<std::string>();
  auto dialect = std::make_shared<DialectOption>();
  auto json = std::make_shared<bool>(false);
  CLI::App* c = app.add_subcommand("entries", "List the kernels of a script that can be compiled");
  c->add_option("file", *path, "The script, or - for standard input")->required();
  dialect->add(*c);
  c->add_flag("--json", *json, "As JSON");
  c->footer("Example:\n  tilewright entries gemm.py");
  c->callback(
      [path, dialect, json, &run] { run = [path, dialect, json] { return run_entries(*path, *dialect, *json); }; });
}

}  // namespace tilewright::cli
