// tilewright fix: applies the fixes of findings to files, each tried before it is taken.
#include <algorithm>
#include <set>

#include "server/cli/answer.h"
#include "server/cli/commands.h"
#include "server/cli/interrupts.h"
#include "server/cli/options.h"
#include "server/ide/diff.h"
#include "server/ide/script_fixes.h"
#include "server/project/codes.h"
#include "server/project/console.h"
#include "server/project/files.h"
#include "server/render/fixes.h"
#include "server/render/json.h"

namespace tilewright::cli {
namespace {

struct FixCommand {
  std::vector<std::string> paths;
  ide::FixOptions how;
  DialectOption dialect;
  bool diff = false, json = false;
};

int fix(const FixCommand& command) {
  for (const std::string& arch : command.how.archs) {
    if (!target_option(arch)) return kUsage;
  }
  for (const std::string& code : command.how.codes) {
    if (!project::code_info(code)) return fail_usage("there is no diagnostic " + code + " to fix");
  }
  std::optional<text::Dialect> dialect;
  if (!command.dialect.read(&dialect)) return kUsage;
  const project::Expansion files = project::expand(command.paths);
  std::vector<render::Failure> failures;
  for (const std::string& path : files.missing) failures.push_back({path, "no such file: " + path});
  for (const std::string& path : files.outside) failures.push_back({path, outside_words(path)});
  Interrupts interrupts(Interrupts::Way::WindDown);
  bool errors = false;
  render::Json parts = render::Json::array();
  for (const std::string& path : files.files) {
    auto file =
        path == "-" ? std::unexpected(std::string("fix changes files, not standard input")) : project::load(path);
    if (file && file->undecodable) file = std::unexpected(path + ": " + file->undecodable->message);
    if (!file) {
      failures.push_back({path, file.error()});
      continue;
    }
    file->dialect = dialect;
    const work::FixedScript fixed = ide::fix_script(*file, command.how, interrupts.token());
    if (fixed.stopped) return interrupted();
    errors = errors || fixed.after.errors > 0;
    if (command.json) {
      parts.push_back(render::fixed_json(path, fixed));
    } else {
      if (command.diff) project::say(stdout, ide::unified_diff(file->source->text(), fixed.text, path, path));
      project::say(command.diff ? stderr : stdout, render::fixed_text(path, fixed));
    }
    if (command.diff || fixed.applied.empty()) continue;
    if (auto written = project::write_file(path, fixed.text); !written) failures.push_back({path, written.error()});
  }
  for (const render::Failure& f : failures) tell(f.message);
  if (command.json) print_json(render::files_json(std::move(parts), failures));
  return !failures.empty() ? kUsage : errors ? kErrors : kFine;
}

}  // namespace

void add_fix(CLI::App* c, Run& run) {
  auto command = std::make_shared<FixCommand>();
  c->add_option("paths", command->paths, "Files and folders")->required();
  c->add_flag("--diff", command->diff, "Show what would change, and change nothing");
  add_many(*c, "--code", command->how.codes, "Fix findings with this code only (default: all errors and warnings)");
  c->add_flag("--simulate", command->how.simulate,
              "Fix what the simulator finds, too: races, missing waits, deadlocks; each fix is simulated first");
  add_entries(*c, command->how.entries, "Look at this expression's kernel instead of all entries found");
  add_archs(*c, command->how.archs);
  command->dialect.add(*c);
  c->add_flag("--json", command->json, "As JSON, with the fixed texts");
  c->footer(
      "A fix is applied if its finding is gone afterwards and no more findings are left than before.\n\n"
      "Examples:\n  tilewright fix gemm.py --diff                 what would change\n"
      "  tilewright fix kernels/ --code TW2002         misspelt names alone\n"
      "  tilewright fix gemm.py --simulate             missing waits and barriers, too");
  c->callback([command, &run] { run = [command] { return fix(*command); }; });
}

}  // namespace tilewright::cli
