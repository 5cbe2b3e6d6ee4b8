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
namespace python {
// Is it a field that == of a dataclass compares (dataclasses.cpp)?
bool is_compared_field(Interpreter& in, const Class* cls, std::string_view name);
// Does its text show the field?
bool is_shown_field(Interpreter& in, const Class* cls, std::string_view name);
}  // namespace python

// x // y and x % y of numbers of which y is not 0, as CPython computes them: 1.0 // 0.1 is 9.0.
double float_quotient(double x, double y);
double float_modulo(double x, double y);

}  // namespace tilewright::script
