// tilewright.toml: a project's settings, found in the nearest folder above a script.
//
//   extend = "../shared.toml"    # settings that hold where this file says nothing; below the checkout
//   dialect = "0.25"             # release of the dialect, of scripts that do not say
//   arch = "sm_90a"              # architecture, of scripts that do not say; or a list of them
//   [limits]
//   steps = 20000000             # evaluated nodes a file
//   memory_mb = 256
//   depth = 1000
//   [severity]
//   TW3106 = "error"             # error, warning, information, hint or off
//   [remotes.lab]                # machines elsewhere, and pools of them (remotes.h)
//   at = "ssh://gpu1"
//   [pools]
//   hopper = ["lab", "ssh://gpu2"]
//
// [tool.tilewright] of a pyproject.toml holds the same, where its folder has no tilewright.toml.
//
// The user's own file (user.h) has the same form and holds [limits], [remotes] and [pools]. Its limits hold where a
// project says none and bound what a project may say; its remotes come before a project's of the same name. --remotes
// FILE (of CI) stands for all remotes of other files.
#pragma once
#include <expected>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/target.h"
#include "compiler/script/dialect_choice.h"
#include "compiler/text/context.h"
#include "server/project/remotes.h"

namespace tilewright::project {

struct Config {
  std::filesystem::path file;                // empty: there is none
  std::vector<std::filesystem::path> bases;  // that it extends, the nearest first
  text::Limits limits;
  script::DialectHints dialect;     // of scripts that do not say; find_config adds what stands around the script
  std::vector<ir::Target> targets;  // of scripts that do not say; empty: found out
  std::map<std::string, std::optional<text::Severity>, std::less<>> severity;  // nothing: off
  Remotes remotes;
  Pools pools;  // each member is a remote or has the form of an address
};

// Whose settings a file holds, which decides what may stand in it.
enum class Owner : std::uint8_t { Project, User, Remotes };
// A project may raise a limit to so many times the default; the user may say more.
inline constexpr std::uint64_t kMostLimitFactor = 4;

// Parses the text of a settings file. The error names the line and what is wrong; unknown keys are errors, because a
// misspelt setting would silently do nothing. `user`: what holds where a project says nothing.
std::expected<Config, std::string> parse_config(std::string_view text, const std::string& name,
                                                Owner owner = Owner::Project, const Config& user = {});
// The user's own settings, with what the command line says; the defaults where there is no file.
std::expected<Config, std::string> user_config();
// The file with the settings for a script, tilewright.toml or pyproject.toml in the nearest folder above it; empty:
// there is none.
std::filesystem::path config_file(const std::filesystem::path& script);
// The settings for a script: those of its file over the user's, and the remotes of --remotes instead of both.
std::expected<Config, std::string> find_config(const std::filesystem::path& script);
// The same for many scripts of one command, which finds the settings of a folder once and keeps them while it lives.
class KnownConfigs {
 public:
  std::expected<Config, std::string> find(const std::filesystem::path& script);  // by any thread

 private:
  std::mutex mutex_;
  std::map<std::filesystem::path, std::expected<Config, std::string>> by_folder_;  // the real one of a script
};
// Applies the severities; diagnostics that are off are removed. What fails stays an error whatever the settings say.
void apply_severity(const Config& config, std::vector<text::Diagnostic>& diagnostics);

}  // namespace tilewright::project
