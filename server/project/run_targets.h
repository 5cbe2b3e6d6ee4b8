// Where `tilewright run` can execute a kernel: the values of --on.
#pragma once
#include <array>
#include <string_view>

namespace tilewright::project {

inline constexpr std::array<std::string_view, 2> kRunTargets = {"sim", "gpu"};

}  // namespace tilewright::project
