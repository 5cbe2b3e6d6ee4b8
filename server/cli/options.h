// Options that several commands have, each with one help.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tilewright::cli {

// `--name VALUE`, which may be given again.
void add_many(CLI::App& command, const char* name, std::vector<std::string>& into, const char* help);
// `--arch`: architectures to compile for.
void add_archs(CLI::App& command, std::vector<std::string>& into);
// `--entry`: expressions whose kernels are meant; what that is for differs.
void add_entries(CLI::App& command, std::vector<std::string>& into, const char* help);

}  // namespace tilewright::cli
