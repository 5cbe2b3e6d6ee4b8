// The one way in which files are written: whole or not at all, and never elsewhere than asked.
#pragma once
#include <expected>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace tilewright::toolchain {

// Writes the parts, one after the other, to what `path` means. The error is a sentence: the path and the reason.
//
// A regular file, or one that does not exist yet, is replaced at once by a temporary (mkostemp) of the same folder: a
// reader never sees half a file, and after an error the old one is as it was and the temporary is gone. A file keeps
// its mode and, where that is allowed, its group; a new one has 0666 less the umask. Links are followed to their target
// once, and that is replaced, so that a link put there meanwhile is not followed.
//
// What exists and is no regular file (/dev/null, a terminal, a named pipe) is opened and written. A descriptor of this
// process (/dev/fd/3, /dev/stdout) is written where it stands, whatever it leads to.
std::expected<void, std::string> write_output(const std::filesystem::path& path,
                                              std::span<const std::string_view> parts);

}  // namespace tilewright::toolchain
