// The command that starts the Model Context Protocol server.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace tilewright::mcp {

// Adds `mcp` to the application, and sets `run` when it is the one chosen; `run` gives the exit status.
void add_mcp(CLI::App& app, std::function<int()>& run);

}  // namespace tilewright::mcp
