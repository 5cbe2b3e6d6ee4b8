// The languages of our targets, as clients name them: tile scripts are Python to most editors.
#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace tilewright::bsp {

inline constexpr std::array<std::string_view, 2> kLanguages = {"tilescript", "python"};
inline bool is_ours(const std::string& language) { return std::ranges::find(kLanguages, language) != kLanguages.end(); }

}  // namespace tilewright::bsp
