// Words for what the parser could not read: one error a line, at its cause.
#pragma once
#include <string_view>
#include <vector>

#include "compiler/syntax/parser.h"
#include "compiler/syntax/tree.h"

namespace tilewright::syntax {

// The errors of `tree`, the tree of `text`, in text order. `parser` reads single lines again to find out what they
// lack.
std::vector<SyntaxError> read_errors(const TSTree* tree, std::string_view text, Parser& parser);

}  // namespace tilewright::syntax
