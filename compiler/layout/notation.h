// How a release writes layouts in a script.
#pragma once
#include <string>

#include "compiler/layout/layout.h"

namespace tilewright::layout {

// From 0.26 on a swizzle is a part of ComposeLayout, which holds a tile always.
std::string to_combined_string(const Layout& l);
// A swizzle alone, as such a release has it: over the identity of one period.
Layout over_identity(const Layout& l);

}  // namespace tilewright::layout
