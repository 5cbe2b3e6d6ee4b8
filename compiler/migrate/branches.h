// Branches that were blocks of their own.
#pragma once
#include <vector>

#include "compiler/migrate/migrate.h"
#include "compiler/migrate/names.h"

namespace tilewright::migrate {

// Other names for what a kernel of 0.25 declares below an `if` on a Python value and again after it. From 0.26 on such
// a branch is no block, and the second declaration would be an error.
std::vector<Edit> renamed_in_branches(const syntax::Tree& tree, const Names& names);

}  // namespace tilewright::migrate
