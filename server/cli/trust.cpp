// tilewright trust: what a project's settings would execute, connect to and send, and the user's consent to it.
#include "server/project/trust.h"

#include <filesystem>

#include "server/cli/commands.h"
#include "server/cli/confirm.h"
#include "server/cli/interrupts.h"
#include "server/project/console.h"
#include "server/project/user.h"
#include "server/remote/consent.h"
#include "server/render/trust.h"

namespace tilewright::cli {
namespace {

namespace fs = std::filesystem;
using remote::Demand;
using render::Json;

struct TrustCommand {
  std::string path;
  bool yes = false, revoke = false, list = false, json = false;
};

void print(const Json& json) { project::emit(stdout, render::dump(json) + "\n"); }

// The settings that PATH means: the file itself, or the one that holds for a folder or a script.
std::expected<project::Config, std::string> settings_at(const std::string& path) {
  std::error_code ec;
  const fs::path at = path.empty() ? fs::current_path(ec) : fs::absolute(path, ec);
  if (!fs::exists(at, ec)) return std::unexpected("no such file: " + path);
  return project::find_config(fs::is_directory(at, ec) ? at / "any.py" : at);
}

int list(const TrustCommand& command) {
  const auto all = project::all_trusted();
  if (!all) return fail_usage(all.error());
  if (command.json) {
    print(render::trusted_json(*all));
    return kFine;
  }
  for (const project::Trusted& t : *all) {
    project::sayf(stdout, "%s\n", t.settings.c_str());
    project::say(stdout, t.shown);
  }
  if (all->empty()) project::sayf(stdout, "no settings of projects are trusted\n");
  return kFine;
}

int revoke(const TrustCommand& command, const fs::path& settings) {
  const auto gone = project::revoke(settings);
  if (!gone) return fail_usage(gone.error());
  if (command.json)
    print(render::revoked_json(settings.string(), *gone));
  else
    project::sayf(stdout, "%s: %s\n", settings.c_str(), *gone ? "no longer trusted" : "was not trusted");
  return kFine;
}

int report_trust(const TrustCommand& command, const project::Config& config, const Demand* demand, bool trusted) {
  const fs::path settings = project::place_of_file(config.file);
  if (command.json) {
    print(render::trust_json(settings.string(), trusted, demand));
  } else if (!demand) {
    project::sayf(stdout, "%s names no remotes: nothing of it needs trust\n", settings.c_str());
  } else if (trusted) {
    project::sayf(stdout, "%s is trusted\n", settings.c_str());
  }
  return trusted ? kFine : kErrors;
}

int ask_user(const TrustCommand& command, const project::Config& config, const Demand& demand) {
  const std::string shown = remote::words_of(demand.acts);
  if (!command.json) {
    project::sayf(stdout, "%s names remotes. A request that uses one\n", demand.settings.c_str());
    project::say(stdout, shown);
    std::fflush(stdout);
  }
  Interrupts interrupts;
  const bool agreed = command.yes || (!command.json && confirm("trust it?", interrupts.token()));
  if (!agreed) {
    if (!command.json) complain("tilewright: not trusted\n  tilewright trust --yes agrees without a question\n");
    return report_trust(command, config, &demand, false);
  }
  // The consent is to what was shown. What the file has become meanwhile is another thing.
  if (auto done = project::trust(demand.settings, demand.content, shown); !done) return fail_usage(done.error());
  auto now = settings_at(config.file.string());
  auto again = now ? remote::demand_of(*now) : std::unexpected(run::Failure{now.error(), {}});
  if (!again || !*again || (*again)->content != demand.content) {
    complain("tilewright: " + demand.settings.string() +
             " changed while it was shown; what it says now is not trusted\n");
    return kErrors;
  }
  return report_trust(command, config, &demand, true);
}

int run_trust(const TrustCommand& command) {
  if (command.list) return list(command);
  const auto config = settings_at(command.path);
  std::error_code ec;
  // Consents to a file that is gone, or that cannot be read any more, are taken back by its name.
  if (command.revoke && (!config || config->file.empty()) && !command.path.empty())
    return revoke(command, project::place_of_file(command.path));
  if (!config) return fail_usage(config.error());
  if (config->file.empty())
    return fail_usage("there is no tilewright.toml at " + (command.path.empty() ? "this folder" : command.path) +
                      " or above");
  if (command.revoke) return revoke(command, project::place_of_file(config->file));
  const auto demand = remote::demand_of(*config);
  if (!demand) return fail_usage(demand.error().message, demand.error().hint);
  if (!*demand) return report_trust(command, *config, nullptr, true);
  const auto trusted = project::is_trusted((*demand)->settings, (*demand)->content);
  if (!trusted) return fail_usage(trusted.error());
  return *trusted ? report_trust(command, *config, &**demand, true) : ask_user(command, *config, **demand);
}

}  // namespace

void add_trust(CLI::App* c, Run& run) {
  auto command = std::make_shared<TrustCommand>();
  c->add_option("path", command->path, "A tilewright.toml, or a folder or script that it holds for (default: here)");
  auto* yes = c->add_flag("--yes", command->yes, "Agree without a question");
  auto* revoke = c->add_flag("--revoke", command->revoke, "Take the consents to this file back");
  auto* list = c->add_flag("--list", command->list, "Show all that is trusted");
  c->add_flag("--json", command->json,
              "One JSON object; without --yes it only reports whether the settings are trusted");
  yes->excludes(revoke)->excludes(list);
  revoke->excludes(list);
  list->excludes("path");
  c->footer(
      "The remotes of a tilewright.toml come with a repository, so nothing uses them before you have seen what they do "
      "and agreed. A consent is to the content: to the [remotes] and [pools] of this file, and to the bytes of the "
      "programs, certificates and keys that they name in the checkout. When any of it changes, it is asked for again; "
      "other changes of the file do not matter. What such a program reads in turn (a Makefile, say) is not "
      "compared.\n\n"
      "Remotes of your own need no consent: they stand in config.toml below ~/.config/tilewright, or in the file of "
      "--remotes FILE.\n\nExit status: 0 trusted, 1 not trusted, 2 usage.\n\nExamples:\n  tilewright trust\n"
      "  tilewright trust kernels/tilewright.toml --yes\n  tilewright trust --revoke\n  tilewright trust --list");
  c->callback([command, &run] { run = [command] { return run_trust(*command); }; });
}

}  // namespace tilewright::cli
