// Words for what could not be read.
#pragma once
#include <optional>
#include <string_view>

#include "compiler/syntax/lines.h"
#include "compiler/syntax/parser.h"
#include "compiler/syntax/tree.h"

namespace tilewright::syntax {

// What the scanner of lines found. `text` is the text that was scanned.
SyntaxError fault_error(const Fault& fault, std::string_view text);

// The first error of `tree`, the tree of `text`: what is missing, or the token that cannot stand where it does.
std::optional<SyntaxError> first_error(const TSTree* tree, std::string_view text);

}  // namespace tilewright::syntax
