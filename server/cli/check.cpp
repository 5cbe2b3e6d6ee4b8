// tilewright check: all diagnostics, in the formats that people, editors and CI systems read.
#include <algorithm>

#include "server/cli/commands.h"
#include "server/project/codes.h"
#include "server/project/files.h"
#include "server/render/formats.h"
#include "server/render/terminal.h"

namespace tilewright::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> paths;
  std::string format = "text";
  bool json = false;
  std::string stdin_filename;
  std::vector<std::string> entries;
  std::vector<std::string> archs;
  std::vector<std::string> deny;
};

int check(const CheckOptions& o) {
  for (const std::string& arch : o.archs) {
    if (!target_option(arch)) return kUsage;
  }
  for (const std::string& code : o.deny) {
    if (code != "fallback" && !project::code_info(code))
      return fail_usage("there is no diagnostic " + code + " to deny");
  }
  project::Expansion files = project::expand(o.paths);
  std::string format = o.json ? "json" : o.format;
  session::CompileOptions options;
  options.entries = o.entries;
  options.deny_fallback = std::find(o.deny.begin(), o.deny.end(), "fallback") != o.deny.end();
  std::vector<ide::CheckedFile> checked;
  ide::Summary summary{.passed_over = files.passed_over};
  bool errors = false, environment = !files.missing.empty();
  for (const std::string& path : files.missing) std::fprintf(stderr, "tilewright: no such file: %s\n", path.c_str());
  for (const std::string& path : files.files) {
    auto file = project::load(path, path == "-" ? o.stdin_filename : "");
    if (!file) {
      std::fprintf(stderr, "tilewright: %s\n", file.error().c_str());
      environment = true;
      continue;
    }
    ide::CheckedFile c;
    c.path = file->source->path();
    for (const std::string& arch : project::architectures(*file, o.archs)) {
      auto target = target_option(arch);
      if (!target) {
        environment = true;
        continue;
      }
      options.target = *target;
      session::Compiled& compiled = c.compiled.emplace_back(project::compile(*file, options));
      for (text::Diagnostic& d : compiled.diagnostics) {
        if (std::find(o.deny.begin(), o.deny.end(), d.code) != o.deny.end()) d.severity = text::Severity::Error;
      }
      errors = errors || compiled.has_errors();
    }
    if (format == "text") {  // as it goes, so that a large folder shows progress
      for (const session::Finding& f : ide::findings(c))
        std::fputs(render::diagnostic_text(*f.diagnostic, *f.anchors, render::colours(stdout)).c_str(), stdout);
      summary.add(c);
    } else {
      checked.push_back(std::move(c));
    }
  }
  if (format == "text")
    std::fputs(summary.text().c_str(), stderr);
  else
    std::fputs(render::formatted(checked, format).c_str(), stdout);
  return environment ? kUsage : errors ? kErrors : kFine;
}

}  // namespace

void add_check(CLI::App& app, Run& run) {
  auto o = std::make_shared<CheckOptions>();
  CLI::App* c = app.add_subcommand("check", "Report everything that is wrong with scripts");
  c->add_option("paths", o->paths, "Files, folders, or - for standard input")->required();
  c->add_option("--format", o->format, "How to report")
      ->check(CLI::IsMember({"text", "json", "sarif", "github", "junit"}))
      ->capture_default_str();
  c->add_flag("--json", o->json, "The same as --format json");
  c->add_option("--stdin-filename", o->stdin_filename, "The name that standard input stands for");
  c->add_option("--entry", o->entries, "Check this expression's kernel instead of all entries found")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  c->add_option("--arch", o->archs,
                "Architecture (default: those of the file's '# tilewright: arch ...', else sm_90a); repeatable")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  c->add_option("--deny", o->deny, "Treat this code as an error; 'fallback' for scalar fallbacks")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  c->footer(
      "Examples:\n  tilewright check kernels/                     all tile scripts below it\n  tilewright check "
      "copy.py --deny fallback\n"
      "  cat copy.py | tilewright check - --stdin-filename copy.py --format sarif");
  c->callback([o, &run] { run = [o] { return check(*o); }; });
}

}  // namespace tilewright::cli
