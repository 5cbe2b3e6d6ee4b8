// Whether Python would take a script: what its `ast.parse` checks, and no more (what its compiler checks later, such as
// a `return` outside of a function, is no matter here). The grammar decides most of it. Here is the rest: rules that
// Python's parser has beside its grammar, each with a message of its own.
#pragma once
#include <tree_sitter/api.h>

#include <expected>
#include <string_view>
#include <vector>

#include "compiler/syntax/decoding.h"

namespace tilewright::syntax {

// The error nodes and missing nodes below `root`, in text order, worded for people; none inside another.
std::vector<Rejection> check_errors(TSNode root, std::string_view text);

// The rules beside the grammar that the tree below `root` breaks, in text order. Looks at no error node's inside.
std::vector<Rejection> check_rules(TSNode root, std::string_view text);

// The whole decision for the bytes of a file: decodes, parses, and gives the first rejection.
std::expected<void, Rejection> accept(std::string_view bytes);

}  // namespace tilewright::syntax
