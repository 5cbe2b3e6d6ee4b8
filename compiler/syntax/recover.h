// Reads a statement that the parser cannot read as a whole.
#pragma once
#include <string_view>
#include <vector>

#include "compiler/expr/arena.h"
#include "compiler/syntax/parser.h"
#include "compiler/syntax/tree.h"

namespace tilewright::syntax {

// The nodes of all that can be read in `text`, with Broken and BrokenStmt for the rest. Adds at least one error.
Stmt recover(std::string_view text, Arena& arena, Parser& parser, std::vector<SyntaxError>& errors);

}  // namespace tilewright::syntax
