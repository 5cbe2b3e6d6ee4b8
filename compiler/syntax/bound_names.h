// What a broken statement would bind, guessed from its letters. `x = f(` cannot be evaluated, but code that uses `x`
// below should not hear that it is undefined.
#pragma once
#include <string_view>
#include <vector>

#include "compiler/syntax/ast.h"

namespace tilewright::syntax {

// The names in text[at] that the statement there seems to bind, in text order. Looks at its first line only, and at all
// lines of an import.
std::vector<Extent> bound_names(std::string_view text, Extent at);

}  // namespace tilewright::syntax
