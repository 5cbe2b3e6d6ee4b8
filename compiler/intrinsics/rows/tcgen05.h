// What the rows of tcgen05.mma and of its descriptors both need: types and kinds.
#pragma once
#include <cstdint>
#include <expected>

#include "compiler/intrinsics/arguments.h"

namespace tilewright::intrinsics::tcgen05 {

enum class Class : std::uint8_t { F16, BF16, F32, TF32, I32, I8, F8, F6, F4, E8M0 };

struct Type {
  std::string_view names;  // script spellings, "|" between
  Class type_class;
  int accumulator;  // its number in the D field of an instruction descriptor; -1: no accumulator
  int input;        // in the A and B fields; -1: no input
  int bits;
};
const Type* type_named(std::string_view name);  // null: no type of tcgen05

struct Kind {
  std::string_view name;  // "f16", "mxf4nvf4", ...
  int scale_vector = 0;   // block-scaled kinds: scale_vec::{n}X
};
// From d_dtype, a_dtype, b_dtype and, where the row has them, sfa_dtype and sfb_dtype.
std::expected<Kind, std::string> kind_of(const Arguments& a);
// The 32 bits that the rows of instruction descriptors write (gemm.md 4.2, 4.3), from their attributes.
std::uint32_t instruction_descriptor_bits(const Arguments& a);

}  // namespace tilewright::intrinsics::tcgen05
