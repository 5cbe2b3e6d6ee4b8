// The names that a top-level statement takes from elsewhere, and those that it gives to the module: what is needed to
// say that a name is bound nowhere. It is read off the syntax by Python's rules of scope, without evaluating.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/syntax/ast.h"

namespace tilewright::syntax {

// A name that no scope within its statement binds.
struct FreeName {
  Name name;
  const FunctionDef* function = nullptr;  // the innermost around it; null: code of the module or of a class in it
  std::uint32_t scope = 0;                // FreeNames::scopes that it stands in
  bool conditional = false;               // only some runs come here, or a `try` around it waits for the error
};

struct FreeNames {
  struct Scope {
    std::uint32_t parent = 0;
    std::vector<std::string_view> names;  // of functions and comprehensions, not of classes
  };
  std::vector<FreeName> free;   // in text order, the first of each name
  std::vector<Name> bound;      // in the module, `global` in a function included
  std::vector<Scope> scopes;    // the first is the module's, without names
  bool stars = false;           // `from m import *`
  bool writes_globals = false;  // exec, globals, locals or vars stand in it: any name may be bound
  bool future_annotations = false;
};

FreeNames free_names_of(Stmt statement);

}  // namespace tilewright::syntax
