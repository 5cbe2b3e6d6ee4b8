// Layouts of tensor memory by the data paths of tcgen05 (PTX ISA, "Data path layout organization"), as releases from
// 0.26 on name them.
#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "compiler/layout/layout.h"

namespace tilewright::layout {

// Data paths A to G. `sub_slab`: which half of the 32 lanes of each warp; only C and F leave one free.
Result<Layout> tmem_mma_datapath_layout(std::string_view datapath, std::int64_t rows, std::int64_t columns,
                                        std::int64_t sub_slab = 0);

// What decides where tcgen05.mma finds an operand in tensor memory.
struct MmaInstruction {
  std::int64_t m = 128;  // of the instruction, for both CTAs of a pair together
  std::int64_t cta_group = 1;
  bool weight_stationary = false;  // .ws
  bool sparse = false;
};

// Operand "A" or "D" of that shape. `group`: (segments, 2, columns) of a flat accumulator in segments.
Result<Layout> tmem_mma_operand_layout(std::string_view operand, std::span<const std::int64_t> shape,
                                       const MmaInstruction& instruction,
                                       std::optional<std::span<const std::int64_t>> group = std::nullopt);

// Registers of a warpgroup that tcgen05.ld.32x32b fills from data path B: (64, columns) of 32 bits.
Result<Layout> tmem_halves_fragment_layout(std::int64_t columns, expr::DataType dtype);

}  // namespace tilewright::layout
