// The commands for coding agents.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace tilewright::mcp {

// Describes the options of `mcp`, and sets `run` when it is the one chosen; `run` gives the exit status.
void add_mcp(CLI::App* c, std::function<int()>& run);
// The same of `skills`, which wants the other commands to be there: their help is part of what it writes.
void add_skills(CLI::App* c, std::function<int()>& run);

}  // namespace tilewright::mcp
