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

// Each describes the options of its command, which is in the list below with what it does, and sets `run` when it is
// the one chosen: add_check in check.cpp and so on. A new command is its file and its line here.
// clang-format off
#define TILEWRIGHT_COMMANDS(X)                                                                   \
  X(check, "Report everything that is wrong with scripts")                                       \
  X(fix, "Apply the fixes of findings, each tried first")                                        \
  X(compile, "Compile the kernels of a script")                                                  \
  X(export, "Write kernels as a shared library that tvm_ffi.load_module takes")                  \
  X(explain, "Show the dispatch report of a file's tile primitives, or what a diagnostic means") \
  X(entries, "List the kernels of a script that can be compiled")                                \
  X(layout, "Evaluate a layout expression and show its mapping")                                 \
  X(view, "Write a page that shows a script beside the CUDA, PTX and SASS that its lines became")\
  X(run, "Run a kernel on a GPU or the simulator, verify what it leaves, and time it")           \
  X(build, "Compile and test scripts for CI, through a build server")                            \
  X(doctor, "Show what is installed, what is missing, and how to get it")                        \
  X(cache, "Show, trim or clear what is kept of compilations")                                   \
  X(remotes, "Show the health of remotes: GPUs, versions, slots, latency")                       \
  X(trust, "Agree to what a project's settings execute, connect to and send")                    \
  X(tune, "Find the fastest of a kernel's variants that is right")                               \
  X(migrate, "Move scripts to another release of the dialect")                                   \
  X(docs, "Print the manual and the language of this release")                                   \
  X(examples, "List the example scripts, or print one")                                          \
  X(new, "Begin a script in a folder of its own, from an example")                               \
  X(demo, "Compile every script of a folder and show what was chosen and where the results are")
// clang-format on

using Run = std::function<int()>;
#define TILEWRIGHT_COMMAND(NAME, ABOUT) void add_##NAME(CLI::App* c, Run& run);
TILEWRIGHT_COMMANDS(TILEWRIGHT_COMMAND)
#undef TILEWRIGHT_COMMAND
// Lists the others, those of other speakers as well: the last one.
void add_completions(CLI::App* c, Run& run);

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
