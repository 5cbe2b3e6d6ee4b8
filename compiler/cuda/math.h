// Names of mathematical functions by operand type (intrinsics.md 5.7).
#pragma once
#include <string_view>

#include "compiler/expr/dtype.h"

namespace tilewright::cuda {

struct MathFunction {
  std::string_view name;       // empty: no such function
  bool through_float = false;  // 16-bit types: computed in float
};
MathFunction math_function(std::string_view script_name, ir::DataType result, ir::DataType operand);

}  // namespace tilewright::cuda
