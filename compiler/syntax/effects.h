// What running statements may do to the names around them, for what cannot run them: a loop over unknown values, a
// branch that is taken or not.
#pragma once
#include <vector>

#include "compiler/syntax/ast.h"

namespace tilewright::syntax {

struct Effects {
  std::vector<Name> bound;    // in the scope of the statements; in text order, a name may come more than once
  std::vector<Name> changed;  // names of objects that are assigned into, or whose methods are called
  bool stars = false;         // `from m import *`
  bool breaks = false;        // out of a loop around them
  bool continues = false;     // such a loop
  bool returns = false;       // from the function around them, or raises
};
// Of statements that stand in one body; bodies of functions and classes inside are left out.
Effects effects_of(Stmts body);
// Appends what an assignment to `target` binds.
void add_targets(const Node* target, std::vector<Name>& bound);

}  // namespace tilewright::syntax
