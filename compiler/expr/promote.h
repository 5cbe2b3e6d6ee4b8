// Operand types of the script's operators (surface.md 6.2-6.4).
#pragma once
#include <expected>
#include <string>

#include "compiler/expr/expr.h"

namespace tilewright::expr {

// A Python literal keeps being one until it meets a typed operand: this is what it is alone.
Expr literal(std::int64_t value);  // int32, or int64 when out of range
Expr literal(double value);        // float32, or float64 beyond its range

// Applies an operator of the script; the error is the message for the author.
// `literal_a` / `literal_b`: the operand was written as a bare Python number, which comparisons retype to the other
// side. `script_mode`: comparisons demand equal types (script mode) or promote (builder mode).
std::expected<Expr, std::string> apply_operator(ExprKind kind, Expr a, Expr b, bool literal_a = false,
                                                bool literal_b = false, bool script_mode = true);
std::expected<Expr, std::string> negate(Expr a);
std::expected<Expr, std::string> apply_not(Expr a);     // `not`: bool scalar
std::expected<Expr, std::string> apply_invert(Expr a);  // `~`
// Brings two operands to one type, as arithmetic does.
std::expected<DataType, std::string> promoted_type(DataType a, DataType b);
// `T.float16(v)`, stores, annotations: range-checked for constants, otherwise a Cast node.
std::expected<Expr, std::string> convert(DataType to, Expr value);

}  // namespace tilewright::expr
