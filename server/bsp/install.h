// `.bsp/tilewright.json`: where clients of the Build Server Protocol look for what to start.
#pragma once
#include <expected>
#include <filesystem>
#include <string>

namespace tilewright::bsp {

// Writes it below `workspace`, with `program` as the command. The path of the file; the error says why it is not there.
std::expected<std::filesystem::path, std::string> install(const std::filesystem::path& workspace,
                                                          const std::filesystem::path& program);

}  // namespace tilewright::bsp
