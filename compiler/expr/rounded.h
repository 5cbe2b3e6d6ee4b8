// One floating-point operation of the processor, rounded in the direction that an instruction asks for.
#pragma once
#include <cfenv>
#include <cmath>
#include <cstdint>

namespace tilewright::expr {

enum class RoundedOp : std::uint8_t { Add, Sub, Mul, Fma, Div, Sqrt };

// `direction`: one of <cfenv>'s, FE_TOWARDZERO. Operands that the operation does not take are ignored. Not inlined, and
// through volatile: nothing may be moved out of the changed rounding.
template <class F>
[[gnu::noinline]] F rounded_to(RoundedOp op, int direction, F a, F b, F c) {
  volatile F x = a, y = b, z = c, r = 0;
  std::fesetround(direction);
  switch (op) {
    case RoundedOp::Add: r = x + y; break;
    case RoundedOp::Sub: r = x - y; break;
    case RoundedOp::Mul: r = x * y; break;
    case RoundedOp::Fma: r = std::fma(x, y, z); break;
    case RoundedOp::Div: r = x / y; break;
    case RoundedOp::Sqrt: r = std::sqrt(x); break;
  }
  std::fesetround(FE_TONEAREST);
  return r;
}

}  // namespace tilewright::expr
