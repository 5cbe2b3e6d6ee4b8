// What several commands need.
#include <algorithm>
#include <cstdio>

#include "compiler/script/surface.h"
#include "compiler/text/escape.h"
#include "server/cli/commands.h"
#include "server/project/console.h"
#include "server/render/report.h"

namespace tilewright::cli {

std::expected<ir::Target, std::string> read_target(const std::string& name) {
  if (auto target = ir::parse_target(name)) return *target;
  return std::unexpected("tilewright: unknown architecture '" + text::visible(name) +
                         "'\n  for example sm_80, sm_90a, sm_100a, sm_103a, sm_120a\n");
}

std::optional<ir::Target> target_option(const std::string& text) {
  auto target = read_target(text);
  if (target) return *target;
  complain(target.error());
  return std::nullopt;
}

void add_jobs(CLI::App& command, unsigned& jobs) {
  command.add_option("-j,--jobs", jobs, "Threads to work on (default: one a core; 1: one thing after the other)")
      ->check(CLI::Range(1u, 1024u));
}

void DialectOption::add(CLI::App& command) {
  command
      .add_option("--dialect", text,
                  "Release of the dialect (default: what the file says in '# tilewright: dialect ...', else "
                  "tilewright.toml, a pin of apache-tvm, the names of the file; the newest that has them all)")
      ->capture_default_str();
}

bool DialectOption::read(std::optional<text::Dialect>* into) const {
  if (text == "auto") return true;
  auto dialect = script::known_dialect(text);
  if (!dialect) {
    fail_usage(dialect.error());
    return false;
  }
  *into = *dialect;
  return true;
}

void complain(const std::string& text) {
  if (text.empty()) return;
  std::fflush(stdout);
  project::say(stderr, text);
}

void tell(const std::string& message) { complain("tilewright: " + text::visible_message(message) + "\n"); }

int fail_usage(const std::string& message, const std::string& remedy) {
  tell(message);
  if (!remedy.empty()) complain("  " + text::visible_message(remedy) + "\n");
  return kUsage;
}

std::string outside_words(const std::string& path) {
  return path + " is a link that leads out of its checkout: it is not looked at unless it is named itself";
}

std::string call_report(const dispatch::CallReport& call, const text::Anchors& anchors) {
  return render::call_report(call, anchors, render::colours(stdout));
}

}  // namespace tilewright::cli
