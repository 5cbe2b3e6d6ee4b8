// `tilewright serve`.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace tilewright::build {

void add_serve(CLI::App& app, std::function<int()>& run);

}  // namespace tilewright::build
