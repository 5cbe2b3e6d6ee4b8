// In which other forms an operand comes than its kind says, and what release 0.26 added to the meanings.
#pragma once
#include "compiler/intrinsics/intrinsic.h"

namespace tilewright::intrinsics {

// Those of `window` and `address` operands (signature.h): also the 32-bit address in shared memory.
inline constexpr std::string_view kOrAddress = "address";
// Of a `some T`: also one T alone.
inline constexpr std::string_view kOrOne = "one";

constexpr bool takes_address(const Operand& o) {
  return (o.kind == OperandKind::SharedPointer || o.kind == OperandKind::Pointer) && o.choices == kOrAddress;
}
constexpr bool takes_one(const Operand& o) { return o.kind == OperandKind::List && o.choices == kOrOne; }

// Is the value among the operand's choices? True for an operand that has none.
bool is_choice_of(const Operand& operand, ir::Expr value);
// Does a tensor load go to the CTAs of its mask? A constant mask of 0 means the issuing CTA alone; so does, where the
// row has a `multicast` operand that is left out, a constant mask of one CTA.
bool is_multicast(const Arguments& call);

// Numbers of one format as those of another.
inline constexpr Meaning kConvert{0x100};

}  // namespace tilewright::intrinsics
