// tilewright migrate: moves scripts to another release of the dialect, and proves that they do the same.
#include "server/work/migrate.h"

#include <algorithm>
#include <filesystem>

#include "server/cli/answer.h"
#include "server/cli/commands.h"
#include "server/cli/interrupts.h"
#include "server/ide/diff.h"
#include "server/project/console.h"
#include "server/project/files.h"
#include "server/render/json.h"
#include "server/render/migrate.h"

namespace tilewright::cli {
namespace {

struct MigrateOptions {
  std::vector<std::string> paths;
  std::string to;
  DialectOption from;
  bool write = false, check = true, json = false;
};

std::string canonical(const std::string& path) {
  std::error_code ec;
  return std::filesystem::weakly_canonical(path, ec).string();
}

// What is wrong with a file after all: something to decide, other bytes, or no known release.
bool is_open(const render::MigratedPart& part) {
  return !part.file->wrong.empty() || !part.file->result.complete() ||
         std::ranges::any_of(part.checks, [](const work::MigrationCheck& c) {
           return c.result == work::MigrationCheck::Result::Differs;
         });
}

int migrate(const MigrateOptions& options) {
  const auto to = migrate::target_named(options.to);
  if (!to) return fail_usage(to.error());
  std::optional<text::Dialect> from;
  if (!options.from.read(&from)) return kUsage;
  const project::Expansion files = project::expand(options.paths);
  std::vector<render::Failure> failures;
  for (const std::string& path : files.missing) failures.push_back({path, "no such file: " + path});
  for (const std::string& path : files.outside) failures.push_back({path, outside_words(path)});
  std::vector<work::MigratedFile> all;
  std::map<std::string, std::string> texts;  // by canonical path
  for (const std::string& path : files.files) {
    auto made = path == "-" ? std::unexpected(std::string("migrate reads files, not standard input"))
                            : work::migrate_file(path, from, *to);
    if (!made) {
      failures.push_back({path, made.error()});
      continue;
    }
    if (!made->result.text.empty()) texts[canonical(path)] = made->result.text;
    all.push_back(std::move(*made));
  }
  Interrupts interrupts(Interrupts::Way::WindDown);
  bool open = false;
  render::Json parts = render::Json::array();
  for (work::MigratedFile& file : all) {
    render::MigratedPart part{&file, {}};
    const bool changed = !file.result.text.empty();
    if (changed && options.check) part.checks = work::check_migration(file, *to, texts, interrupts.token());
    if (interrupts.token().stop_requested()) return interrupted();
    open = open || is_open(part);
    if (options.json) {
      parts.push_back(render::migrated_json(part, *to));
    } else {
      if (changed && !options.write) {
        const std::string old(file.original.source->text());
        project::say(stdout, ide::unified_diff(old, file.result.text, file.path, file.path));
      }
      project::say(stdout, render::migrated_text(part, *to));
    }
    if (!changed || !options.write) continue;
    if (auto written = project::write_file(file.path, file.result.text); !written)
      failures.push_back({file.path, written.error()});
  }
  for (const render::Failure& f : failures) tell(f.message);
  if (options.json) print_json(render::files_json(std::move(parts), failures));
  return !failures.empty() ? kUsage : open ? kErrors : kFine;
}

}  // namespace

void add_migrate(CLI::App* c, Run& run) {
  auto options = std::make_shared<MigrateOptions>();
  c->add_option("paths", options->paths, "Files and folders")->required();
  c->add_option("--to", options->to,
                "The release that they are to be written in, or tvm_tirx, the package that follows 0.27")
      ->required();
  options->from.add(*c);
  c->add_flag("--write", options->write, "Change the files (default: show what would change)");
  c->add_flag("--check,!--no-check", options->check,
              "Run each kernel before and after on the simulator and compare the bytes (default: yes)");
  c->add_flag("--json", options->json, "As JSON, with the migrated texts");
  c->footer(
      "Examples:\n  tilewright migrate gemm.py --to 0.26              what would change, and the proof\n"
      "  tilewright migrate kernels/ --to 0.27 --write     change all tile scripts below it");
  c->callback([options, &run] { run = [options] { return migrate(*options); }; });
}

}  // namespace tilewright::cli
