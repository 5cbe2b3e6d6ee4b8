// --remotes and --limit, of every command that reads settings.
#include "server/cli/commands.h"
#include "server/project/user.h"

namespace tilewright::cli {

void add_settings_options(CLI::App& command) {
  command
      .add_option_function<std::string>(
          "--remotes", [](const std::string& file) { project::set_remotes(file); },
          "A file with [remotes] and [pools] that replaces those of all settings; outside of the checkout (default: "
          "TILEWRIGHT_REMOTES)")
      ->type_name("FILE");
  command
      .add_option_function<std::vector<std::string>>(
          "--limit",
          [](const std::vector<std::string>& all) {
            for (const std::string& one : all) {
              if (auto ok = project::set_limit(one); !ok) throw CLI::ValidationError(ok.error());
            }
          },
          "steps=N, memory_mb=N or depth=N: a limit of evaluation, instead of that of settings; repeatable")
      ->type_name("NAME=N")
      ->expected(1)
      ->take_all();
}

}  // namespace tilewright::cli
