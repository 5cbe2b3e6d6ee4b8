// The names of all dtypes, as a list.
#pragma once
#include <span>
#include <string_view>

namespace tilewright::expr {

// Without lanes; aliases included.
std::span<const std::string_view> dtype_names();

}  // namespace tilewright::expr
