// The commands of this speaker.
#pragma once
#include <CLI/CLI.hpp>
#include <functional>

namespace tilewright::worker {

void add_worker(CLI::App* c, std::function<int()>& run);

}  // namespace tilewright::worker
