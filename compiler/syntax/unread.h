// Names that a function gives and never looks at.
//
// This is the cheap half of finding what a kernel does not use: it looks at the text alone, once a statement, and
// nearly always finds nothing, so that a kernel's statements need not be read for it (session/unused.h).
#pragma once
#include "compiler/expr/arena.h"
#include "compiler/syntax/ast.h"

namespace tilewright::syntax {

// An order of names for tables: by hash, then by text.
inline bool before(const Name& a, const Name& b) { return a.hash != b.hash ? a.hash < b.hash : a.text < b.text; }

struct UnreadName {
  Name name;
  Extent statement;  // the assignment that gives it
};

// Each assignment in `statement` of one name alone (`x = ...`, `x: T = ...`; no tuples, loops or `with`) where nothing
// below the function around it reads the name, nested functions included; in the order of the text. A `_` at the
// beginning of a name says that this is meant. Nothing of a function with a syntax error in it: what could not be read
// may be what reads the name.
std::span<const UnreadName> unread_names(Stmt statement, Arena& arena);

}  // namespace tilewright::syntax
