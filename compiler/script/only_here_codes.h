// The code of what Tilewright compiles and the reference refuses.
#pragma once
#include <string_view>

namespace tilewright::script::code {

inline constexpr std::string_view kOnlyHere = "TW2122";

}  // namespace tilewright::script::code
