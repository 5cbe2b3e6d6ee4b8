// A unified diff of two texts, for comparing views.
#pragma once
#include <string>
#include <string_view>

namespace tilewright::ide {

// Empty where the texts are the same. Texts that differ nearly everywhere are shown as one replaced by the other.
std::string unified_diff(std::string_view left, std::string_view right, std::string_view left_name,
                         std::string_view right_name);

}  // namespace tilewright::ide
