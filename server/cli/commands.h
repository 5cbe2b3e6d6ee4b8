// The commands of the command line; each is one file. They return the exit status: 0 fine, 1 the script has errors or a
// check failed, 2 usage or environment.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "compiler/session/compile.h"
#include "compiler/syntax/acceptance.h"
#include "compiler/toolchain/toolchain.h"
#include "server/cli/config.h"

namespace tilewright::cli {

inline constexpr int kFine = 0, kErrors = 1, kUsage = 2;

// Each adds its subcommand to the application and sets `run` when it is the one chosen.
using Run = std::function<int()>;
void add_check(CLI::App& app, Run& run);
void add_compile(CLI::App& app, Run& run);
void add_explain(CLI::App& app, Run& run);
void add_entries(CLI::App& app, Run& run);
void add_layout(CLI::App& app, Run& run);
void add_run(CLI::App& app, Run& run);
void add_doctor(CLI::App& app, Run& run);
void add_demo(CLI::App& app, Run& run);
void add_lsp(CLI::App& app, Run& run);
void add_completions(CLI::App& app, Run& run);

// ---- shared by the commands -----------------------------------------------------------------------------------

// Reads and compiles one file ("-" is standard input, shown as `shown_name`).
struct LoadedFile {
  std::shared_ptr<const text::Source> source;
  std::shared_ptr<const syntax::Tree> tree;
  std::unique_ptr<script::Loader> loader;
  Config config;
  std::optional<syntax::Rejection> undecodable;  // why its bytes are no text; nothing else is said about it
};
std::expected<LoadedFile, std::string> load(const std::string& path, const std::string& shown_name = {});
session::Compiled compile(const LoadedFile& file, const session::CompileOptions& options);

// The architectures to look at: those asked for, else those that the file names in `# tilewright: arch sm_80 sm_90a`,
// else sm_90a. Where one has to do, `one_architecture` takes sm_90a if it is among them, else the first.
std::vector<std::string> architectures(const LoadedFile& file, const std::vector<std::string>& asked);
std::string one_architecture(const LoadedFile& file);

// "sm_90a" or an error message on stderr.
std::optional<ir::Target> target_option(const std::string& text);
int fail_usage(const std::string& message, const std::string& remedy = {});

// CUDA from --cuda, CUDA_HOME, beside the binary, /usr/local/cuda; cache under XDG_CACHE_HOME.
toolchain::Options toolchain_options();

// The dispatch report of one call, for people.
std::string call_report(const dispatch::CallReport& call, const text::Anchors& anchors);

}  // namespace tilewright::cli
