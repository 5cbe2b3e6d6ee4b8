// Where `tilewright run` can execute a kernel: the values of --on.
#pragma once
#include <array>
#include <string_view>

namespace tilewright::project {

inline constexpr std::array<std::string_view, 1> kRunTargets = {"gpu"};

}  // namespace tilewright::project
