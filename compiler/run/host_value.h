// Values of host expressions: extents, scalars and tensor-map fields, once the symbols in them are known.
#pragma once
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>

#include "compiler/expr/expr.h"

namespace tilewright::run {

// A number as the host part computes it: an integer of at most 64 bits (bool is 0 or 1), or a double.
struct Number {
  bool real = false;
  std::int64_t integer = 0;
  double floating = 0;

  static Number of(std::int64_t v) { return {false, v, static_cast<double>(v)}; }
  static Number of(double v) { return {true, static_cast<std::int64_t>(0), v}; }
  double as_double() const { return real ? floating : static_cast<double>(integer); }
};

// "128", "-3", "0x40", "1.5", "true".
std::optional<Number> parse_number(std::string_view text);

using Symbols = std::function<std::expected<Number, std::string>(const ir::Var*)>;

// The error names what has no value: a symbol, an operation that hosts do not have, a division by zero.
std::expected<Number, std::string> evaluate(ir::Expr e, const Symbols& symbols);
// The same for what has to be an integer.
std::expected<std::int64_t, std::string> evaluate_integer(ir::Expr e, const Symbols& symbols);

// The bytes of a value as a kernel takes it. The error: the type holds no such value.
std::expected<std::string, std::string> scalar_bytes(ir::DataType dtype, Number value);

}  // namespace tilewright::run
