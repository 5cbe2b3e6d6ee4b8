// Names that a CUDA source may not use for its own variables.
#pragma once
#include <span>
#include <string_view>

namespace tilewright::cuda {

// In alphabetical order.
std::span<const std::string_view> reserved_words();

}  // namespace tilewright::cuda
