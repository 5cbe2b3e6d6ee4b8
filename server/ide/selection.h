// What a selection grows to: from the word to its expression, its statement, its block, its function, the file.
#pragma once
#include <vector>

#include "server/ide/query.h"

namespace tilewright::ide {

// Each within the one before, beginning with the whole file; at most 256 of them, of deeper code the innermost ones.
std::vector<Stretch> selections(const session::Snapshot& script, std::uint32_t offset);

}  // namespace tilewright::ide
