// The command that starts the language server.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace tilewright::lsp {

// Describes the options of `lsp`, and sets `run` when it is the one chosen; `run` gives the exit status.
void add_lsp(CLI::App* c, std::function<int()>& run);

}  // namespace tilewright::lsp
