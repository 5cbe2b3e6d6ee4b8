// Names that a CUDA source may not use for its own variables.
#pragma once
#include <string_view>
#include <unordered_set>

namespace tilewright::cuda {

const std::unordered_set<std::string_view>& reserved_words();

}  // namespace tilewright::cuda
