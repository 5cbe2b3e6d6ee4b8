// This program, and the words of others.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace tilewright::process {

// This very binary, which other commands start again; by a name that lasts as long as the file.
std::filesystem::path this_program();
// What is written last in `text`, on one line: what a program says before it gives up. At most 300 letters.
std::string last_words(std::string_view text);

}  // namespace tilewright::process
