// Reads a statement straight from its text, many times faster than by the parser's tree: most statements of most
// scripts are read here, and none is judged.
//
// The grammar is grammar/grammar.js; this knows the greater part of it by heart and takes only what it is certain of.
// Whatever else stands in the text (an error, `match`, `async`, tabs that indent, a name beyond ASCII) is left to the
// parser, which reads the statement from its first byte. So the nodes are those of convert.h, to the last extent, and
// what is wrong with a text is said by one voice. `tests/unit/syntax_direct.cpp` compares the two.
#pragma once
#include <string>
#include <vector>

#include "compiler/expr/arena.h"
#include "compiler/syntax/ast.h"

namespace tilewright::syntax {

// The one statement that is all of `text`; null: that is for the parser to say. Nodes go to `arena` and may view
// `text`, so both must stay together. `mentioned` receives the names that names_in() would find, each as often as it
// stands there.
Stmt read_directly(const std::string& text, Arena& arena, std::vector<Name>* mentioned = nullptr);

}  // namespace tilewright::syntax
