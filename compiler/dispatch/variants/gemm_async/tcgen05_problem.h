// What a gemm_async call asks of tcgen05.mma, checked against what the unit can do (gemm.md 3.2 to 3.7, 4.4; section 8
// says where the reference lets through what hardware gets wrong).
//
// One CTA, or a pair of them, computes C = A B^T (+ C): A and B come from shared memory by descriptors, or A from
// tensor memory, and C stays in tensor memory. K goes by steps of 32 bytes, N by tiles of at most 256 columns. In a
// pair each CTA holds its half of the rows of A and C, half of the rows of B, and all columns of C.
#pragma once
#include <cstdint>
#include <expected>
#include <optional>
#include <vector>

#include "compiler/dispatch/blocks/shared_operand.h"
#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

// A rectangle of tensor memory that starts at lane 0, or, of 64 rows in 16 lanes of each warp, at lane 16.
struct TensorTile {
  const ir::Buffer* buffer = nullptr;
  ir::Expr element;          // of the buffer's type, from its own first column to the region's
  std::int64_t columns = 0;  // of 32 bits, that the region takes
  std::int64_t lane = 0;     // 0 or 16
};

// The scale factors of A or B: one byte each, four to a column.
struct Scales {
  const ir::Buffer* buffer = nullptr;
  ir::Expr element;                 // where the region starts, in bytes from the buffer's first column
  std::vector<std::int64_t> steps;  // from there to the factors of K step t
  std::int64_t rows = 0;

  // Where the factors of K step t begin for the rows from `row`: a column of 32 bits, counted from the address of the
  // buffer, and the byte in it, which the instruction descriptor holds as their id.
  ir::Expr column(std::int64_t row, std::int64_t t) const;
  ir::Expr id(std::int64_t t) const;
};

struct Tcgen05Problem {
  std::string_view kind;                // "f16", "mxf8f6f4", ...: of the instruction
  int scale_vector = 0;                 // factors a step of K; 0: no scales
  ir::DataType type, scale_type;        // of A and B, and of their scales
  std::string multiplied_as;            // what the instruction takes A and B for: "tf32", or their type's name
  int group = 1;                        // CTAs
  std::int64_t m = 0, n = 0, k = 0;     // of this CTA's A, of C's columns, of both
  std::int64_t tile_n = 0, step_k = 0;  // of one instruction
  std::int64_t tile_columns = 0;        // of tensor memory that one tile of C takes
  bool stationary = false;              // tcgen05.mma.ws
  bool folded = false;                  // both halves of C's columns lie in lanes 0 to 63 and 64 to 127
  std::optional<SharedOperand> a;       // nothing: A is in tensor memory
  TensorTile a_tile;                    // then
  SharedOperand b;
  TensorTile c;
  std::optional<Scales> sfa, sfb;
  ir::Expr accumulates;                      // bool: whether the first step of K adds to C
  std::optional<std::uint32_t> instruction;  // the descriptor's constant, scale ids 0; nothing: the script has its own
  ir::Expr given_instruction;                // then

  std::int64_t tiles() const { return n / tile_n; }
  std::int64_t steps() const { return k / step_k; }
};

std::expected<Tcgen05Problem, Reason> tcgen05_problem(CallContext& context);

// Factors of A or B for `rows` rows and all steps of K; `name`: "SFA". Error: which rule of their place they break.
std::expected<Scales, Reason> scales_of(const ir::Region& region, std::string_view name, std::int64_t rows,
                                        std::int64_t steps, std::int64_t per_step);

}  // namespace tilewright::dispatch
