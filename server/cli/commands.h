// The commands of the command line; each is one file. They return the exit status: 0 fine, 1 the script has errors or a
// check failed, 2 usage or environment.
#pragma once
#include <CLI/CLI.hpp>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "compiler/toolchain/toolchain.h"
#include "server/project/environment.h"
#include "server/project/load.h"

namespace tilewright::cli {

inline constexpr int kFine = 0, kErrors = 1, kUsage = 2;

// Each adds its subcommand to the application and sets `run` when it is the one chosen: add_check in check.cpp and so
// on. A new command is its file and its line here.
// clang-format off
#define TILEWRIGHT_COMMANDS(X) \
  X(check)                     \
  X(fix)                       \
  X(compile)                   \
  X(export)                    \
  X(explain)                   \
  X(entries)                   \
  X(layout)                    \
  X(view)                      \
  X(run)                       \
  X(build)                     \
  X(doctor)                    \
  X(cache)                     \
  X(remotes)                   \
  X(trust)                     \
  X(tune)                      \
  X(migrate)                   \
  X(docs)                      \
  X(examples)                  \
  X(new)                       \
  X(demo)
// clang-format on

using Run = std::function<int()>;
#define TILEWRIGHT_COMMAND(NAME) void add_##NAME(CLI::App& app, Run& run);
TILEWRIGHT_COMMANDS(TILEWRIGHT_COMMAND)
#undef TILEWRIGHT_COMMAND
// Lists the others, those of other speakers as well: the last one.
void add_completions(CLI::App& app, Run& run);

// ---- shared by the commands -----------------------------------------------------------------------------------

// "sm_90a" or an error message on stderr.
std::optional<ir::Target> target_option(const std::string& text);
// The same for threads, which do not print: the message as it would stand there.
std::expected<ir::Target, std::string> read_target(const std::string& text);
// `--jobs N`: how many threads a command uses.
void add_jobs(CLI::App& command, unsigned& jobs);
// `--remotes` and `--limit`, which hold over settings files (project/user.h).
void add_settings_options(CLI::App& command);
// `--dialect`: which release the scripts are written in.
struct DialectOption {
  std::string text = "auto";
  void add(CLI::App& command);
  // Nothing for "auto"; false, with a message on stderr: there is no such release.
  bool read(std::optional<text::Dialect>* into) const;
};
// To standard error, behind everything that was printed so far: a pipe that both go into keeps the order.
void complain(const std::string& text);
// One message there: "tilewright: …".
void tell(const std::string& message);
int fail_usage(const std::string& message, const std::string& remedy = {});

// Why a script that was found in a folder is not looked at (project::Expansion::outside).
std::string outside_words(const std::string& path);

// The dispatch report of one call, for people.
std::string call_report(const dispatch::CallReport& call, const text::Anchors& anchors);

}  // namespace tilewright::cli
