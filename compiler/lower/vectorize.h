// `T.vectorized` loops as vector statements.
#pragma once
#include "compiler/ir/stmt.h"

namespace tilewright::lower {

// The body of `for var in vectorized(first, first + count)` as one statement without `var`, when the body is a store of
// elementwise work on evenly running addresses whose vectors are 2 to 16 aligned bytes wide. Null: keep a scalar loop.
const ir::Stmt* vectorized(const ir::Var* var, std::int64_t first, std::int64_t count, const ir::Stmt* body);

}  // namespace tilewright::lower
