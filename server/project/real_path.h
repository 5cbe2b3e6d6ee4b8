// Paths without links.
#pragma once
#include <filesystem>
#include <system_error>

namespace tilewright::project {

// std::filesystem::weakly_canonical(), which looks at each folder of the way twice: of what exists the system says it
// in one walk.
std::filesystem::path real_path(const std::filesystem::path& path, std::error_code& ec);

}  // namespace tilewright::project
