#include "compiler/cuda/math.h"

namespace tilewright::cuda {
namespace {

struct Row {
  std::string_view script, f64, f32, f16;  // f16 empty: through float
};
constexpr Row kFloat[] = {
    {"exp", "exp", "expf", "hexp"},
    {"exp2", "exp2", "exp2f", "hexp2"},
    {"exp10", "exp10", "exp10f", "hexp10"},
    {"log", "log", "logf", "hlog"},
    {"log2", "log2", "log2f", "hlog2"},
    {"log10", "log10", "log10f", "hlog10"},
    {"log1p", "log1p", "log1pf", ""},
    {"sqrt", "sqrt", "sqrtf", "hsqrt"},
    {"rsqrt", "rsqrt", "rsqrtf", "hrsqrt"},
    {"sin", "sin", "sinf", "hsin"},
    {"cos", "cos", "cosf", "hcos"},
    {"tan", "tan", "tanf", ""},
    {"sinh", "sinh", "sinhf", ""},
    {"cosh", "cosh", "coshf", ""},
    {"tanh", "tanh", "tanhf", ""},
    {"asin", "asin", "asinf", ""},
    {"acos", "acos", "acosf", ""},
    {"atan", "atan", "atanf", ""},
    {"asinh", "asinh", "asinhf", ""},
    {"acosh", "acosh", "acoshf", ""},
    {"atanh", "atanh", "atanhf", ""},
    {"atan2", "atan2", "atan2f", ""},
    {"erf", "erf", "erff", ""},
    {"pow", "pow", "powf", ""},
    {"fmod", "fmod", "fmodf", ""},
    {"floor", "floor", "floorf", "hfloor"},
    {"ceil", "ceil", "ceilf", "hceil"},
    {"trunc", "trunc", "truncf", "htrunc"},
    {"round", "nearbyint", "nearbyintf", "hrint"},
    {"nearbyint", "nearbyint", "nearbyintf", "hrint"},
    {"fabs", "fabs", "fabsf", "__habs"},
    {"abs", "fabs", "fabsf", "__habs"},
    {"hypot", "hypot", "hypotf", ""},
    {"copysign", "copysign", "copysignf", ""},
    {"nextafter", "nextafter", "nextafterf", ""},
    {"fma", "fma", "fmaf", "__hfma"},
    {"ldexp", "ldexp", "ldexpf", ""},
    {"isnan", "isnan", "isnan", "__hisnan"},
    {"isinf", "isinf", "isinf", ""},
    {"isfinite", "isfinite", "isfinite", ""},
};

}  // namespace

MathFunction math_function(std::string_view name, ir::DataType result, ir::DataType operand) {
  if (name.starts_with("tirx.")) name.remove_prefix(5);
  if (operand.is_integral()) {
    if (name == "abs") return {operand.bits == 64 ? "llabs" : "abs"};
    if (name == "popcount") return {operand.bits == 64 ? "__popcll" : "__popc"};
    if (name == "clz") return {operand.bits == 64 ? "__clzll" : "__clz"};
    return {};
  }
  for (const Row& row : kFloat) {
    if (row.script != name) continue;
    if (operand.is_float() && operand.bits == 64) return {row.f64};
    if (operand.is_float() && operand.bits == 32) return {row.f32};
    if (!row.f16.empty()) return {row.f16};
    return {row.f32, result.is_floating()};
  }
  return {};
}

}  // namespace tilewright::cuda
