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

// A stretch of parsed text that stands somewhere in the text of the statement. Between stretches stands what was put
// there to make the text readable: it counts as the end of the stretch before.
struct Stretch {
  std::uint32_t parsed = 0;  // first byte in the parsed text
  std::uint32_t begin = 0;   // the same byte in the statement's text
  std::uint32_t end = 0;
};

// A block that was read on its own. In the parsed text a placeholder stands for it.
struct Body {
  std::uint32_t parsed = 0;  // first byte of the placeholder
  Stmts statements;
  bool yields = false;
};

// How a parsed text relates to the statement that it is part of.
struct Placement {
  std::vector<Stretch> stretches;  // empty: the parsed text is the statement's text
  std::vector<Body> bodies;
  bool wrapped = false;  // the parsed text is the block of an `if` that was put before it
  unsigned depth = 0;    // of the blocks around it

  std::uint32_t begin_of(std::uint32_t parsed) const;
  std::uint32_t end_of(std::uint32_t parsed) const;
};

struct Converted {
  Stmt statement = nullptr;  // null: the text holds no statement
  bool alone = true;         // false: more statements, or broken text, stand beside it
  bool yields = false;       // a yield of the function around it is among them
  // A rule beside the grammar may be broken: check_rules (acceptance.h) has to look. False: none of them is.
  bool suspect = false;
};

// Converts the first statement of `tree`. Nodes go to `arena` and may view `text`, the statement's text, so both must
// stay together; positions are those of `text`. What the tree does not say is wrong is added to `errors`.
Converted convert(const TSTree* tree, std::string_view text, const Placement& placement, Arena& arena,
                  std::vector<SyntaxError>& errors);

// The expressions of `tree` that could be read.
Exprs convert_parts(const TSTree* tree, std::string_view text, const Placement& placement, Arena& arena);

// A BrokenStmt for text[at], with the names that it seems to bind.
Stmt broken_statement(std::string_view text, Extent at, Exprs parts, Arena& arena);

}  // namespace tilewright::syntax
