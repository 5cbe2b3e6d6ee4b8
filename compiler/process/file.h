// Whole files by their descriptor.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tilewright::process {

// Reads from the start of a file, at most `limit` bytes. False on a read error or when the file is larger.
bool read_all(int fd, std::string& bytes, std::size_t limit);
// Writes everything at the current position. False (and errno) when the device takes no more.
bool write_all(int fd, std::string_view bytes);

}  // namespace tilewright::process
