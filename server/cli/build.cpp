// tilewright build: what the build server offers, from a shell: every target compiled and, where asked for, tried, with
// reports for CI systems.
#include <algorithm>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>

#include "compiler/text/escape.h"
#include "compiler/threads/pause.h"
#include "compiler/toolchain/digest.h"
#include "protocol/uri.h"
#include "server/ci/reports.h"
#include "server/ci/server.h"
#include "server/cli/commands.h"
#include "server/cli/interrupts.h"
#include "server/cli/options.h"
#include "server/project/console.h"
#include "server/project/files.h"
#include "server/render/status_line.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;
using ci::Change;
using ci::Outcome;

constexpr std::chrono::milliseconds kPause{500};  // before the second try; twice that before the third
constexpr int kMeasurings = 3;                    // of an entry that seems slower

struct BuildCommand {
  std::vector<std::string> targets, archs, entries, deny, reports, noises;
  std::string workspace, on, baseline, write_baseline;
  ci::ServerWords server;
  bool test = false, json = false, require_all = false;
  int retries = 2, greeting = 60, give_up = 600;
  std::optional<double> deadline;
  bool tests() const { return test || !on.empty(); }
};

struct Wanted {
  std::string format, file;  // no file: standard output
};

struct Prepared {
  std::string root;  // that paths are shown relative to
  ci::Asked asked;
  std::vector<Wanted> reports;
  ci::Noise noise;
  std::optional<ci::Baseline> baseline;
  remote::Reach way;
};

std::expected<std::vector<Wanted>, std::string> wanted_reports(const BuildCommand& command) {
  std::vector<Wanted> out;
  if (command.json) out.push_back({"json", {}});
  for (const std::string& words : command.reports) {
    const auto equals = words.find('=');
    Wanted one{words.substr(0, equals), equals == words.npos ? std::string() : words.substr(equals + 1)};
    if (one.file == "-") one.file.clear();
    static const std::set<std::string> kFormats = {"sarif", "github", "junit", "json"};
    if (!kFormats.contains(one.format))
      return std::unexpected("'" + words +
                             "' is no report: FORMAT or FORMAT=FILE, where FORMAT is sarif, github, junit "
                             "or json");
    out.push_back(std::move(one));
  }
  if (std::ranges::count_if(out, [](const Wanted& w) { return w.file.empty(); }) > 1)
    return std::unexpected("one report goes to standard output; the others need a file: --report FORMAT=FILE");
  return out;
}

// Finds the script of a record of tune, whose measurements are of its text and of no other.
std::expected<void, std::string> place_tuned(const std::string& root, ci::Baseline& baseline) {
  std::error_code ec;
  const fs::path path = fs::canonical(baseline.tuned_script, ec);
  if (ec) return std::unexpected("the tuned script " + baseline.tuned_script + " is not there");
  const auto text = project::read_script(path);
  if (!text) return std::unexpected(text.error());
  if (toolchain::hex(toolchain::sha256(text->text)) != baseline.tuned_sha256)
    return std::unexpected(baseline.tuned_script + " has another text than the one that was tuned: tune it again");
  const fs::path relative = path.lexically_relative(root);
  for (auto* all : {&baseline.kernels, &baseline.runs})
    for (ci::Measured& m : *all) m.script = relative.string();
  return {};
}

// What the baseline says of other targets, entries and architectures than those asked for was not built: it is not
// gone.
void keep_asked(const BuildCommand& command, const Prepared& p, ci::Baseline& baseline) {
  auto is_other = [&](const ci::Measured& m) {
    const std::string path = (fs::path(p.root) / m.script).string();
    auto holds = [&](const std::string& target) { return path == target || path.starts_with(target + "/"); };
    const bool target = p.asked.targets.empty() || std::ranges::any_of(p.asked.targets, holds);
    const bool arch = command.archs.empty() || std::ranges::find(command.archs, m.arch) != command.archs.end();
    const bool entry =
        command.entries.empty() || std::ranges::find(command.entries, ci::entry_of(m)) != command.entries.end();
    return !(target && arch && entry);
  };
  std::erase_if(baseline.kernels, is_other);
  std::erase_if(baseline.runs, is_other);
}

// The folder that holds all of these.
fs::path common_folder(const std::vector<std::string>& paths) {
  std::error_code ec;
  fs::path out = fs::is_directory(paths.front(), ec) ? fs::path(paths.front()) : fs::path(paths.front()).parent_path();
  for (const std::string& path : paths)
    while (out.has_relative_path() && path != out.string() && !path.starts_with(out.string() + "/"))
      out = out.parent_path();
  return out;
}

// The workspace, and what of it is to be built. Where no workspace is named, a server looks through no more than
// the folder that holds all targets; paths are shown as seen from here all the same.
std::expected<void, std::string> find_targets(const BuildCommand& command, Prepared& out) {
  std::error_code ec;
  for (const std::string& target : command.targets) {
    const fs::path path = fs::canonical(target, ec);
    if (ec) return std::unexpected("no such file: " + target);
    out.asked.targets.push_back(path.string());
  }
  out.root = fs::canonical(command.workspace.empty() ? "." : command.workspace, ec).string();
  if (ec || !fs::is_directory(out.root, ec)) return std::unexpected("no such folder: " + command.workspace);
  out.asked.root =
      command.workspace.empty() && !command.targets.empty() ? common_folder(out.asked.targets).string() : out.root;
  auto outside = [&](const std::string& path) {
    return out.root != "/" && path != out.root && !path.starts_with(out.root + "/");
  };
  if (!command.workspace.empty() && std::ranges::any_of(out.asked.targets, outside))
    return std::unexpected("there are targets outside of the workspace " + out.root);
  return {};
}

// Arguments of a test request that say where, and how long. To a server that others run, a name alone: it takes no
// addresses from clients. One of our own is started with it.
void add_places(const BuildCommand& command, std::vector<std::string>& to) {
  if (!command.on.empty() && !command.server.address.empty()) to.insert(to.end(), {"--on", command.on});
  if (command.require_all) to.push_back("--require-all");
  if (command.deadline) to.insert(to.end(), {"--deadline", std::to_string(*command.deadline)});
}

std::expected<Prepared, run::Failure> prepare(const BuildCommand& command) {
  Prepared out;
  auto wrong = [](const std::string& why) { return std::unexpected(run::Failure{why, {}}); };
  auto reports = wanted_reports(command);
  if (!reports) return wrong(reports.error());
  out.reports = std::move(*reports);
  for (const std::string& noise : command.noises)
    if (auto ok = ci::read_noise(noise, out.noise); !ok) return wrong(ok.error());
  if (auto ok = find_targets(command, out); !ok) return wrong(ok.error());
  for (const std::string& arch : command.archs) {
    if (auto ok = read_target(arch); !ok) return wrong("unknown architecture '" + arch + "'");
    out.asked.compiling.insert(out.asked.compiling.end(), {"--arch", arch});
  }
  for (const std::string& entry : command.entries)
    out.asked.compiling.insert(out.asked.compiling.end(), {"--entry", entry});
  for (const std::string& what : command.deny) out.asked.compiling.insert(out.asked.compiling.end(), {"--deny", what});
  if (command.tests()) {
    out.asked.testing = out.asked.compiling;
    add_places(command, *out.asked.testing);
  }
  out.asked.greeting = std::chrono::seconds(command.greeting);
  out.asked.silence = std::chrono::seconds(command.give_up);
  if (!command.baseline.empty() || !command.write_baseline.empty()) out.asked.compiling.emplace_back("--instructions");
  if (!command.baseline.empty()) {
    auto text = project::read_file(command.baseline);
    if (!text) return std::unexpected(run::Failure{text.error(), "--write-baseline FILE makes one"});
    auto baseline = ci::read_baseline(*text);
    if (!baseline) return wrong(command.baseline + ": " + baseline.error());
    if (!baseline->tuned_script.empty())
      if (auto same = place_tuned(out.root, *baseline); !same) return wrong(command.baseline + ": " + same.error());
    keep_asked(command, out, *baseline);
    out.baseline = std::move(*baseline);
  }
  ci::ServerWords server = command.server;
  server.on = command.on;
  auto way = ci::way_to_server(server);
  if (!way) return std::unexpected(way.error());
  out.way = std::move(*way);
  return out;
}

// Tried again only where the way to the server failed: what a server has answered stays its answer.
Outcome ask(const BuildCommand& command, const Prepared& p, const ci::Asked& asked, const std::stop_token& stop) {
  render::StatusLine line;
  ci::Watcher watcher;
  watcher.progress = [&](const std::string& text) { line.show(text); };
  watcher.said = [&](const std::string& text) {
    line.clear();
    tell(text);
  };
  for (int attempt = 0;; ++attempt) {
    Outcome out;
    auto reached = p.way(stop);
    if (reached)
      out = ci::build(std::move(*reached), asked, watcher, stop);
    else
      out.why = reached.error().message + (reached.error().hint.empty() ? "" : "\n  " + reached.error().hint);
    line.clear();
    if (stop.stop_requested()) out.end = Outcome::End::Cancelled;
    if (out.end != Outcome::End::Lost || attempt == command.retries) return out;
    complain("tilewright: " + text::visible_message(out.why) + "\n  trying again (" + std::to_string(attempt + 2) +
             " of " + std::to_string(command.retries + 1) + ")\n");
    if (!threads::pause(kPause * (1 << std::min(attempt, 6)), stop)) {
      out.end = Outcome::End::Cancelled;
      return out;
    }
  }
}

// Kernels of a script with errors are not gone: nothing is known of them.
std::vector<ci::Change> changes_in(const Prepared& p, const ci::Baseline& now, const Outcome& outcome, bool tested) {
  std::vector<ci::Change> changes = ci::compare(*p.baseline, now, p.noise, tested);
  for (ci::Change& change : changes) {
    const std::string path = (fs::path(p.root) / change.what.script).string();
    const bool fails = std::ranges::any_of(
        outcome.scripts, [&](const auto& s) { return s.errors > 0 && protocol::path_of(s.uri) == path; });
    if (change.kind != ci::Change::Kind::Gone || !fails) continue;
    change.kind = ci::Change::Kind::NotCompared;
    change.words = "its script has errors";
  }
  return changes;
}

// What seems slower is measured again before that is believed.
void compare(const BuildCommand& command, const Prepared& p, ci::Baseline& now, ci::Report& report,
             const std::stop_token& stop) {
  report.compared = true;
  report.changes = changes_in(p, now, report.outcome, command.tests());
  for (int measuring = 1; measuring < kMeasurings; ++measuring) {
    ci::Asked again{.root = p.asked.root,
                    .targets = {},
                    .compiling = {},
                    .compile = false,
                    .testing = {},
                    .greeting = p.asked.greeting,
                    .silence = p.asked.silence};
    std::set<std::string> scripts, entries;
    for (const Change& change : report.changes)
      if (change.kind == Change::Kind::Worse && change.cost == "time") {
        scripts.insert((fs::path(p.root) / change.what.script).string());
        entries.insert(ci::entry_of(change.what));
      }
    if (scripts.empty() || stop.stop_requested()) return;
    again.targets.assign(scripts.begin(), scripts.end());
    again.testing.emplace();
    for (const std::string& arch : command.archs) again.testing->insert(again.testing->end(), {"--arch", arch});
    for (const std::string& entry : entries) again.testing->insert(again.testing->end(), {"--entry", entry});
    add_places(command, *again.testing);
    const Outcome outcome = ask(command, p, again, stop);
    if (outcome.end != Outcome::End::Done) return;
    ci::take_faster(now, ci::measured({}, outcome.tests, p.root));
    report.changes = changes_in(p, now, report.outcome, command.tests());
  }
}

// False, with a message: a file could not be written.
bool write_reports(const Prepared& p, const ci::Report& report) {
  bool whole = true;
  for (const Wanted& wanted : p.reports) {
    const std::string text = ci::report_text(report, wanted.format);
    if (wanted.file.empty()) {
      project::emit(stdout, text);
    } else if (auto ok = project::write_file(wanted.file, text); !ok) {
      tell(ok.error());
      whole = false;
    }
  }
  return whole;
}

int build(const BuildCommand& command) {
  Interrupts interrupts;  // before other threads
  const std::stop_token stop = interrupts.token();
  auto prepared = prepare(command);
  if (!prepared) return fail_usage(prepared.error().message, prepared.error().hint);
  const Prepared& p = *prepared;
  ci::Report report{.root = p.root, .outcome = ask(command, p, p.asked, stop), .changes = {}};
  if (report.outcome.end == Outcome::End::Cancelled) return interrupted();
  const bool done = report.outcome.end == Outcome::End::Done;
  if (!done) report.outcome.problems.push_back(report.outcome.why);
  ci::Baseline now = ci::measured(report.outcome.scripts, report.outcome.tests, p.root);
  if (done && p.baseline) compare(command, p, now, report, stop);
  if (stop.stop_requested()) return interrupted();

  const bool to_output = std::ranges::any_of(p.reports, [](const Wanted& w) { return w.file.empty(); });
  std::FILE* people = to_output ? stderr : stdout;
  project::say(people, ci::for_people(report, render::colours(people)));
  bool whole = write_reports(p, report);
  complain(ci::summary(report));
  const int status = ci::status_of(report);
  if (!command.write_baseline.empty()) {
    // A script with errors is left out and named; what could not be looked at at all leaves nothing to hold on to.
    for (const auto& script : report.outcome.scripts) {
      if (script.errors == 0) continue;
      const std::string path = protocol::path_of(script.uri);
      auto is_of = [&](const ci::Measured& m) { return (fs::path(p.root) / m.script).string() == path; };
      std::erase_if(now.kernels, is_of);
      std::erase_if(now.runs, is_of);
      tell(path + " has errors and is not in " + command.write_baseline);
    }
    const bool sound = std::ranges::all_of(report.outcome.scripts, [](const auto& s) { return s.errors == 0; });
    const bool some = sound || !now.kernels.empty();
    auto ok = !done || status == kUsage || !some
                  ? std::unexpected(command.write_baseline + " was not written because the build failed")
                  : project::write_file(command.write_baseline, ci::write_baseline(now));
    if (!ok) tell(ok.error());
    whole = whole && (ok || !some);  // errors of scripts are status 1
  }
  return whole ? status : std::max(status, kUsage);
}

}  // namespace

void add_build(CLI::App* c, Run& run) {
  auto command = std::make_shared<BuildCommand>();
  c->add_option("targets", command->targets, "Scripts and folders (default: the whole workspace)");
  c->add_option("--workspace", command->workspace, "The workspace's folder (default: this one)");
  c->add_option(
      "--server", command->server.address,
      "A build server that runs: unix:PATH, unix:, HOST:PORT, tls://HOST:PORT?ca=FILE or exec:COMMAND (default: one "
      "of our own). It reads the workspace by its path");
  c->add_option("--token-file", command->server.token_file,
                "A file of yours alone with the token that the server asks for");
  c->add_option("--retries", command->retries, "How often a lost connection is made again")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  c->add_option("--patience", command->greeting, "Seconds that the server may take to answer build/initialize")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  c->add_option("--give-up", command->give_up,
                "Seconds of silence after which a server with an open request is given up; ours reports every minute")
      ->check(CLI::Range(1, 30 * 86400))
      ->capture_default_str();
  c->add_flag("--test", command->test, "Run every entry, too, and compare its outputs with its reference");
  c->add_option("--on", command->on, "Where tests run: sim, gpu, a remote or a pool; implies --test");
  c->add_flag("--require-all", command->require_all,
              "With --test: an entry that the device's architecture cannot run fails, instead of being skipped");
  c->add_option("--deadline", command->deadline,
                "Seconds that a test's kernel may take (default: 10 on a GPU, 3600 on the simulator)")
      ->check(CLI::Range(0.001, 86400.0));
  add_archs(*c, command->archs);
  add_entries(*c, command->entries, "Only this expression's kernel; repeatable");
  add_many(*c, "--deny", command->deny, "'fallback': a scalar fallback is an error");
  add_many(*c, "--report", command->reports,
           "FORMAT=FILE, or FORMAT for standard output: sarif, github (annotations), junit, json; repeatable");
  c->add_flag("--json", command->json, "The same as --report json");
  c->add_option("--baseline", command->baseline,
                "Fail where kernels have become worse than in this file: registers, spills, shared memory, "
                "instructions, and with --test times");
  c->add_option("--write-baseline", command->write_baseline, "Write what this build measured to this file");
  add_many(*c, "--noise", command->noises,
           "COST=PERCENT: a cost may be worse by this much (default: time=5, all others 0); repeatable");
  add_jobs(*c, command->server.jobs);
  c->footer(
      "Exit status: 0 fine; 1 errors, failed tests or regressions; 2 usage, or something could not be looked at; 130 "
      "interrupted. An entry with a reference is a test; one without runs, and counts as skipped.\n\n"
      "Examples:\n  tilewright build\n  tilewright build kernels/ --test --on sim --report junit=tests.xml\n"
      "  tilewright build --on lab --report sarif=tilewright.sarif --report github\n"
      "  tilewright build --write-baseline baseline.json\n"
      "  tilewright build --baseline baseline.json --noise instructions=1");
  c->callback([command, &run] { run = [command] { return build(*command); }; });
}

}  // namespace tilewright::cli
