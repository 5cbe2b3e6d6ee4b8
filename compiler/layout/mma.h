// The registers of a warp that mma.sync multiplies and adds up in (PTX ISA, "Matrix fragments for mma.m16n8k16").
//
// The name is ours: the reference takes any layout that fits and has none for the ready ones (gemm.md 2.6).
#pragma once
#include <string_view>

#include "compiler/layout/layout.h"

namespace tilewright::layout {

// One instruction's operand: "A" is 16 x k, "B" k x 8, "C" and "D" 16 x 8; k is 8 or 16, elements of A and B have 16
// bits. Registers count as the instruction lists them. Larger tiles: tile_to.
Result<Layout> mma_fragment_layout(std::string_view operand, std::int64_t k = 16);

}  // namespace tilewright::layout
