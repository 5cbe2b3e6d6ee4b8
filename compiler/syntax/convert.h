// Turns the parser's tree of one statement into the nodes of ast.h.
#pragma once
#include <string_view>
#include <vector>

#include "compiler/expr/arena.h"
#include "compiler/syntax/ast.h"
#include "compiler/syntax/tree.h"

struct TSTree;

namespace tilewright::syntax {

// Expressions and blocks nested deeper than this become Broken: everyone who walks the nodes may recurse.
inline constexpr unsigned kMaxDepth = 1000;

struct Converted {
  Stmt statement = nullptr;  // null: the text holds no statement
  bool alone = true;         // false: more statements, or broken text, stand beside it
};

// Converts the first statement of `tree`, the tree of `text`. Nodes go to `arena` and may view `text`, so both must
// stay together; positions are those of `text`. What the tree does not say is wrong is added to `errors`.
Converted convert(const TSTree* tree, std::string_view text, Arena& arena, std::vector<SyntaxError>& errors);

// A BrokenStmt for all of `text`, with the names that it seems to bind.
Stmt broken_statement(std::string_view text, Arena& arena);

}  // namespace tilewright::syntax
