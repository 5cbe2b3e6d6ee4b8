// Mathematical functions as the simulator computes them, CUDA's approximations among them.
#include <cmath>

#include "compiler/simulate/machine/program.h"

namespace tilewright::simulate {
namespace {

#define UNARY(name, fn) {name, [](float x, float) { return std::fn(x); }, [](double x, double) { return std::fn(x); }}
#define BINARY(name, fn) \
  {name, [](float x, float y) { return std::fn(x, y); }, [](double x, double y) { return std::fn(x, y); }}

// What the approximations do with subnormal numbers. They are within two units of the last place of the exact value,
// which is what these give.
float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

constexpr MathRow kMathRows[] = {
    UNARY("exp", exp),
    UNARY("exp2", exp2),
    UNARY("log", log),
    UNARY("log2", log2),
    UNARY("log10", log10),
    UNARY("log1p", log1p),
    UNARY("sqrt", sqrt),
    UNARY("sin", sin),
    UNARY("cos", cos),
    UNARY("tan", tan),
    UNARY("sinh", sinh),
    UNARY("cosh", cosh),
    UNARY("tanh", tanh),
    UNARY("asin", asin),
    UNARY("acos", acos),
    UNARY("atan", atan),
    UNARY("asinh", asinh),
    UNARY("acosh", acosh),
    UNARY("atanh", atanh),
    UNARY("erf", erf),
    UNARY("floor", floor),
    UNARY("ceil", ceil),
    UNARY("trunc", trunc),
    UNARY("round", nearbyint),
    UNARY("nearbyint", nearbyint),
    UNARY("fabs", fabs),
    UNARY("abs", fabs),
    BINARY("atan2", atan2),
    BINARY("pow", pow),
    BINARY("fmod", fmod),
    BINARY("hypot", hypot),
    BINARY("copysign", copysign),
    BINARY("nextafter", nextafter),
    {"rsqrt", [](float x, float) { return 1.0f / std::sqrt(x); }, [](double x, double) { return 1.0 / std::sqrt(x); }},
    {"exp10", [](float x, float) { return std::pow(10.0f, x); }, [](double x, double) { return std::pow(10.0, x); }},
    {"ex2.approx.ftz", [](float x, float) { return flushed(std::exp2(flushed(x))); }, nullptr},
    // For divisors from 2^126 on the hardware's reciprocal is 0.
    {"fdividef",
     [](float x, float y) {
       const bool vast = std::isfinite(y) && std::fabs(y) > 0x1p126f;
       return !vast ? x / y : std::isinf(x) ? std::nanf("") : std::copysign(0.0f, x * (y < 0 ? -1.0f : 1.0f));
     },
     nullptr},
    {"rcp.approx.ftz", [](float x, float) { return flushed(1.0f / flushed(x)); }, nullptr},
    {"isnan", [](float x, float) { return std::isnan(x) ? 1.0f : 0.0f; },
     [](double x, double) { return std::isnan(x) ? 1.0 : 0.0; }},
    {"isinf", [](float x, float) { return std::isinf(x) ? 1.0f : 0.0f; },
     [](double x, double) { return std::isinf(x) ? 1.0 : 0.0; }},
};

#undef UNARY
#undef BINARY

}  // namespace

std::span<const MathRow> math_rows() { return kMathRows; }

}  // namespace tilewright::simulate
