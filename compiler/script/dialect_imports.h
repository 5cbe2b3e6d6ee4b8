// The scripts that a script imports, as far as its text tells: their names count for its release (dialect.h).
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "compiler/script/loader.h"
#include "compiler/syntax/tree.h"

namespace tilewright::script {

// Packages that work on the host and hold no scripts, torch and numpy among them. They are never read from their files,
// even where these lie beside the script: a checkout of a package lies in a folder of all packages.
bool is_host_package(std::string_view module);

// Each once, with those that they import, nearest first; no more than a few hundred. Imports in functions and classes
// do not count.
std::vector<std::shared_ptr<const syntax::Tree>> imported_scripts(const syntax::Tree& tree, Loader& loader);

}  // namespace tilewright::script
