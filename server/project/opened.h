// Files that are opened to be read: plain files alone, without waiting for a writer.
#pragma once
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>

#include "compiler/process/fd.h"

namespace tilewright::project {

// A plain file, /dev/null, or a descriptor of this process by its name (/dev/fd/63, /dev/stdin). What else has the
// name, a pipe, a device or a socket, is refused without waiting for it. The error names the file and the reason.
std::expected<process::Fd, std::string> open_file(const std::filesystem::path& path);

// The file that `name` means to a client that is only believed about what lies below `root`: relative to `folder`,
// without `..`, and below the root after links are followed. The error says which of these it is not.
std::expected<std::filesystem::path, std::string> file_below(const std::filesystem::path& root,
                                                             const std::filesystem::path& folder,
                                                             std::string_view name);

}  // namespace tilewright::project
