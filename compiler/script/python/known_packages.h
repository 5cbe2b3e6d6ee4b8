// Packages by name: is an import misspelt, or of something that is merely not here?
#pragma once
#include <string_view>

namespace tilewright::script::python {

// A module of Python's library or a package that many install.
bool is_known_package(std::string_view name);
// For a name that is none of those: what tile scripts import and is one edit away; empty: nothing is.
std::string_view nearest_package(std::string_view name);
// The name of a module of Python's library that was meant by one that it lacks; empty: it has it, nothing is near, or
// the module's names are not known.
std::string_view nearest_in_library(std::string_view module, std::string_view name);

}  // namespace tilewright::script::python
