// Where a command that writes files for scripts and their entries puts them.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace tilewright::cli {

// What a script's files are called after below a folder: its path without extension, and without what leads out of it.
std::filesystem::path script_words(const std::string& script);
// What the files of a kernel are called after: its symbol, where that is long the beginning of it and a number.
std::string file_name(const std::string& symbol);
// An entry as part of a file's name: "make(3, 3, 3)" is "make_3_3_3".
std::string file_words(std::string_view expression);

}  // namespace tilewright::cli
