// Where a kernel can be run: the values of --on that are names.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "server/project/config.h"

namespace tilewright::project {

// This machine's.
inline constexpr std::array<std::string_view, 2> kRunTargets = {"sim", "gpu"};
bool is_local_target(std::string_view name);
// Those, and what the settings name: remotes and pools. They are only named: nothing of them is looked at.
std::vector<std::string> run_targets(const Config& config);

}  // namespace tilewright::project
