// Comments within what an edit replaces.
#pragma once
#include <string_view>
#include <vector>

#include "compiler/migrate/migrate.h"

namespace tilewright::migrate {

// The edits, and before the line at which one begins each comment that it would drop, on a line of its own.
std::vector<Edit> with_comments(std::string_view text, std::vector<Edit> edits);

}  // namespace tilewright::migrate
