// The names that a statement mentions, whatever they mean.
#pragma once
#include "compiler/expr/arena.h"
#include "compiler/syntax/ast.h"

namespace tilewright::syntax {

// Each name that stands in `statement` as an expression (read or assigned) or after `global` and `nonlocal`, once,
// sorted by hash and letters. What a function may see of its surroundings is among them.
std::span<const Name> names_in(Stmt statement, Arena& arena);
// The same of names that were collected, each any number of times.
std::span<const Name> each_name(std::span<const Name> mentioned, Arena& arena);

}  // namespace tilewright::syntax
