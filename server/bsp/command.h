// `tilewright serve`.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace tilewright::bsp {

void add_serve(CLI::App* c, std::function<int()>& run);

}  // namespace tilewright::bsp
