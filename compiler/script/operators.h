// What arithmetic and comparisons share. Interpreter::unary and binary are in operators.cpp, compare in
// comparisons.cpp.
#pragma once
#include "compiler/script/interpreter.h"

namespace tilewright::script {

// Of an operator with two sides, the kind of expression that it makes at run time.
ir::ExprKind expr_kind(syntax::Operator op);
// The method of its left side that a class gives it: "__add__".
const char* dunder(syntax::Operator op);
// Fails: neither side knows what to do with the other.
Value undefined_between(Interpreter& in, syntax::Operator op, Value a, Value b, text::Span span);

}  // namespace tilewright::script
