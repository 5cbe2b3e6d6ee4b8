// The command that starts the language server.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace tilewright::lsp {

// Adds `lsp` to the application, and sets `run` when it is the one chosen; `run` gives the exit status.
void add_lsp(CLI::App& app, std::function<int()>& run);

}  // namespace tilewright::lsp
