// The scripts that a script imports, as far as its text tells: their names count for its release (dialect.h).
#pragma once
#include <memory>
#include <vector>

#include "compiler/script/loader.h"
#include "compiler/syntax/tree.h"

namespace tilewright::script {

// Each once, with those that they import, nearest first; no more than a few hundred. Imports in functions and classes
// do not count.
std::vector<std::shared_ptr<const syntax::Tree>> imported_scripts(const syntax::Tree& tree, Loader& loader);

}  // namespace tilewright::script
