// tilewright entries: what a file offers to compile, and what needs arguments; of a folder, what is registered in it.
#include "server/render/entries.h"

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <vector>

#include "server/cli/answer.h"
#include "server/cli/commands.h"
#include "server/project/console.h"
#include "server/render/terminal.h"

namespace tilewright::cli {
namespace {

// "NAME  CATEGORY  sm_100a sm_103a".
std::string words(const session::Registered& as) {
  std::string out = as.name;
  if (!as.category.empty()) out += "  " + as.category;
  for (std::size_t i = 0; i < as.architectures.size(); ++i) out += (i == 0 ? "  " : " ") + as.architectures[i];
  return out;
}

// The registered modules of a folder, by category and name. The rest of a script is not looked at.
int list_registered(const std::string& folder, bool json) {
  std::vector<render::RegisteredFile> modules;
  for (const std::string& path : project::expand({folder}).files) {
    auto script = project::read_script(path);
    if (!script || script->text.find("KERNEL_META") == std::string::npos) continue;
    auto tree = syntax::Tree::parse(std::make_shared<text::Source>(path, std::move(script->text)));
    if (auto as = session::registered(*tree)) modules.push_back({path, std::move(*as)});
  }
  std::ranges::sort(modules, {},
                    [](const render::RegisteredFile& m) { return std::tie(m.as.category, m.as.name, m.file); });
  if (json) {
    print_json(render::registered_json(modules));
    return kFine;
  }
  for (const render::RegisteredFile& m : modules)
    project::sayf(stdout, "%s  %s\n", words(m.as).c_str(), m.file.c_str());
  if (modules.empty())
    project::sayf(stderr, "%s has no registered kernels: no script in it binds KERNEL_META\n", folder.c_str());
  return kFine;
}

int run_entries(const std::string& path, const DialectOption& dialect, bool json) {
  std::error_code ec;
  if (std::filesystem::is_directory(path, ec)) return list_registered(path, json);
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
  if (auto as = session::registered(*e.tree)) project::sayf(stdout, "%-12s %s\n", "registered", words(*as).c_str());
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

void add_entries(CLI::App* c, Run& run) {
  auto path = std::make_shared<std::string>();
  auto dialect = std::make_shared<DialectOption>();
  auto json = std::make_shared<bool>(false);
  c->add_option("file", *path,
                "The script, or - for standard input; a folder: lists its registered modules (KERNEL_META)")
      ->required();
  dialect->add(*c);
  c->add_flag("--json", *json, "As JSON");
  c->footer("Examples:\n  tilewright entries gemm.py\n  tilewright entries site-packages/tirx_kernels");
  c->callback(
      [path, dialect, json, &run] { run = [path, dialect, json] { return run_entries(*path, *dialect, *json); }; });
}

}  // namespace tilewright::cli
