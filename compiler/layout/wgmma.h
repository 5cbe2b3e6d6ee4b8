// The registers of a warpgroup that wgmma multiplies and adds up in (PTX ISA, "wgmma.mma_async", register fragments).
//
// The names are ours: the reference has no tile primitive on wgmma and no names for its registers.
#pragma once
#include "compiler/layout/layout.h"

namespace tilewright::layout {

// The accumulators of a tile of `rows` x `columns`: 64 rows an instruction, 16 a warp. A lane has two neighbours of
// each eight columns in row lane / 4 and the same columns eight rows further on. Registers count through the columns
// first, the tiles of 64 rows come one after the other. Rows are a multiple of 64, columns of 8.
Result<Layout> wgmma_accumulator_layout(std::int64_t columns, std::int64_t rows = 64);

// The same for A in registers, `rows` x `columns` elements of 8, 16 or 32 bits: words of 32 bits, two of them eight
// rows apart, the next two half an instruction's K (16 bytes) further. Columns are a multiple of that K, 32 bytes.
Result<Layout> wgmma_operand_layout(std::int64_t columns, expr::DataType dtype, std::int64_t rows = 64);

}  // namespace tilewright::layout
