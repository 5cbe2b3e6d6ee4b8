// The operands of a gemm_async call by their names, as all of its variants read them (gemm.md 1).
#pragma once
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "compiler/dispatch/variant.h"

namespace tilewright::dispatch {

struct GemmAsyncOperands {
  const ir::Region *c = nullptr, *a = nullptr, *b = nullptr;  // there, unless `invalid` says otherwise
  const ir::Region *sfa = nullptr, *sfb = nullptr;            // null: not given
  ir::Expr trans_a, trans_b, accum;                           // as written; null: not given
  Reason invalid;                                             // C, A or B is no buffer region; empty: all are

  bool has_scales() const { return sfa || sfb; }
  // Whether A, or B, is stored with K as its rows. Error: that is known only at run time, and descriptors are made
  // before.
  std::expected<bool, Reason> transposes_a() const;
  std::expected<bool, Reason> transposes_b() const;
};

// Two extents of A or B: along M or N, and along K.
struct MatrixExtents {
  std::int64_t mn = 0, k = 0;
};
// Of an operand whose extents do not agree with the others': ", which would fit with transB=True" where they would if
// it were transposed; else nothing. `flag`: "transB"; `transposed`: what the call says.
std::string would_fit(std::string_view flag, bool transposed, MatrixExtents has, MatrixExtents wanted);

// Worked out by the first variant that asks.
const GemmAsyncOperands& gemm_async_operands(CallContext& context);

}  // namespace tilewright::dispatch
