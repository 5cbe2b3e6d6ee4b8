// Values of host expressions: extents, scalars and tensor-map fields, once the symbols in them are known.
#pragma once
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>

#include "compiler/expr/expr.h"
#include "compiler/inputs/number.h"

namespace tilewright::run {

using inputs::Number;
using inputs::parse_number;

using Symbols = std::function<std::expected<Number, std::string>(const ir::Var*)>;

// The error names what has no value: a symbol, an operation that hosts do not have, a division by zero.
std::expected<Number, std::string> evaluate(ir::Expr e, const Symbols& symbols);
// The same for what has to be an integer.
std::expected<std::int64_t, std::string> evaluate_integer(ir::Expr e, const Symbols& symbols);

// The bytes of a value as a kernel takes it. The error: the type holds no such value.
std::expected<std::string, std::string> scalar_bytes(ir::DataType dtype, Number value);

}  // namespace tilewright::run
