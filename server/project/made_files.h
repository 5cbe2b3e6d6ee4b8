// Files below a folder that the user named, whose own names a script says, or we: a checkout may hold a link under such
// a name, and the user has not asked for what it leads to.
#pragma once
#include <expected>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tilewright::project {

struct MadeFiles {
  std::filesystem::path folder;  // as the user named it, a link, perhaps
  std::filesystem::path script;  // that the files are made of
};

// As write_file (files.h), of a path below `made.folder`. A link on the way from there that leads out of the checkouts
// (user.h) of the folder and of the script is an error, and nothing is written.
std::expected<void, std::string> write_made(const MadeFiles& made, const std::filesystem::path& path,
                                            std::initializer_list<std::string_view> parts);

}  // namespace tilewright::project
