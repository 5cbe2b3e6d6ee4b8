// The commands of the command line; each is one file. They return the exit status: 0 fine, 1 the script has errors or a
// check failed, 2 usage or environment.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "compiler/toolchain/toolchain.h"
#include "server/project/environment.h"
#include "server/project/load.h"

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
void add_completions(CLI::App& app, Run& run);

// ---- shared by the commands -----------------------------------------------------------------------------------

// "sm_90a" or an error message on stderr.
std::optional<ir::Target> target_option(const std::string& text);
int fail_usage(const std::string& message, const std::string& remedy = {});

// The dispatch report of one call, for people.
std::string call_report(const dispatch::CallReport& call, const text::Anchors& anchors);

}  // namespace tilewright::cli
