// Addresses under a swizzle, one a round, without the XOR in every round (dispatch.md 7.9).
//
// The swizzle Z XORs a group of high address bits into a group of low ones. A loop digit that sets one address bit
// which the thread's own base leaves clear therefore changes the swizzled address by a constant that depends on the
// thread alone: the bit itself, and, if it belongs to one of the two groups, plus or minus its partner. So
//
//     Z(b + sum d_j * s_j)  =  Z(b) + sum bit_j * c_j
//
// with Z(b) and the c_j computed once. Steps of whole periods pass through Z untouched. Where the conditions are not
// provable, Z is evaluated in each round: the addresses are the same.
#pragma once
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/dispatch/blocks/iters.h"

namespace tilewright::dispatch {

// The digits of a round number under a swizzle.
struct SwizzleDigits {
  enum class Change : std::uint8_t { Step, SignedStep, StepAndPartner };
  struct Bit {
    std::int64_t divisor;  // the bit is (f / divisor) mod 2
    int beta;              // which bit of the chunk number it sets
    std::int64_t step;     // in elements, before the swizzle
    Change change = Change::Step;
    int sign_bit = -1;  // bit of the base's chunk number that decides the sign
  };
  struct Linear {
    std::int64_t divisor, extent, stride;
  };
  std::vector<Bit> bits;  // largest step of each walk first
  std::vector<Linear> linear;
  std::vector<int> betas;  // of every walk cut into bits or made of whole periods; for tests and people
};

// Nothing: not provable. `loop`: the walks that the round number runs over, outermost first; `base`: the address of
// round 0 before the swizzle.
std::optional<SwizzleDigits> swizzle_digits(const layout::Swizzle& swizzle, std::span<const Walk> loop, ir::Expr base);

// The offset of one side of a copy in round f.
class RoundAddress {
 public:
  // Emits what does not depend on the round to `out`, its names starting with `name`. `loop` null: unknown, no fast
  // path.
  RoundAddress(ir::BodyBuilder& out, const std::optional<layout::Swizzle>& swizzle, const Walks* loop, ir::Expr base,
               std::string_view name);
  // `linear`: the whole address of round f before the swizzle.
  ir::Expr at(ir::Expr f, ir::Expr linear) const;
  bool fast() const { return digits_.has_value(); }

 private:
  std::optional<layout::Swizzle> swizzle_;
  std::optional<SwizzleDigits> digits_;
  ir::Expr base_;                  // Z(base)
  std::vector<ir::Expr> changes_;  // one a bit
};

}  // namespace tilewright::dispatch
