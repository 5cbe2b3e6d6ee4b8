// The infix operators of script text.
#pragma once
#include <string_view>

#include "compiler/expr/expr.h"

namespace tilewright::expr {

// Python's, loosest first. Comparisons chain in Python, so both of their sides ask for something tighter.
enum Precedence { kOr = 1, kAnd, kNot, kCompare, kSum, kProduct, kUnary, kPrimary };

struct Infix {
  std::string_view text;  // with its spaces
  int precedence = 0;     // 0: no infix operator
};
Infix infix(ExprKind kind);

}  // namespace tilewright::expr
