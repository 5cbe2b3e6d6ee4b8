// A name and all its places, in every script that means it, under another name.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/ide/query.h"

namespace tilewright::ide {

// The name at a place, if it can be changed. Names of the language, of its library and of whole scripts are not changed
// by editing scripts.
std::optional<Stretch> renamable(const Query& q, std::uint32_t offset);

// What changes in one script: each place gets the new name.
struct RenamedScript {
  Script script;
  bool open = false;  // an open document, whose version counts
  std::vector<Stretch> places;
};
// Refused where the new name would change what a script means, or where it is not known what belongs to the old one.
Answer<std::vector<RenamedScript>> rename(const Query& q, std::uint32_t offset, const std::string& new_name);

}  // namespace tilewright::ide
