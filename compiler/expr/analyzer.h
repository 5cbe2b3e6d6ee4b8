// Integer reasoning: bounds, normal forms, and what can be proved about an index.
//
// Index expressions are kept as sums of coefficient times product of atoms; floor division and remainder by a constant
// split such a sum into the part that divides and the part whose bounds are below the divisor. Ranges come with the
// variables themselves (Var::range). "Not provable" is an ordinary answer and counts as false everywhere.
#pragma once
#include <cstdint>

#include "compiler/expr/expr.h"

namespace tilewright::expr {

// What `e` is known to lie in.
Interval bounds(Expr e);

// An equal expression in the normal form: constants folded, like terms merged, `(x//c)*c + x%c` joined, `//` and `%`
// by constants resolved where bounds and divisibility allow, casts between integer widths dropped where harmless.
Expr simplify(Expr e);

bool provably_equal(Expr a, Expr b);
bool provably_divisible(Expr e, std::int64_t divisor);
bool provably_less(Expr a, Expr b);
// Bit `bit` of the non-negative `e` is 0 for every value of its variables (dispatch.md 7.9 rule 5).
bool provably_zero_bit(Expr e, int bit);

}  // namespace tilewright::expr
