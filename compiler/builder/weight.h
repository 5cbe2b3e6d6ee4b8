// How large run-time expressions are when they are written out.
//
// Expressions share their parts, and every later stage walks them as trees: `x = x * x` sixty times is sixty nodes here
// and 2^60 there. So the evaluator weighs what a script builds and refuses what no author can have meant.
#pragma once
#include <cstdint>
#include <unordered_map>

#include "compiler/expr/expr.h"

namespace tilewright::builder {

struct Weight {
  std::uint64_t nodes = 0;  // of the tree, shared parts counted each time
  std::uint32_t depth = 0;
};

inline constexpr std::uint64_t kMaxExpressionNodes = 1 << 14;
inline constexpr std::uint32_t kMaxExpressionDepth = 1000;
inline constexpr std::uint64_t kMaxKernelNodes = 1 << 22;  // of all expressions in a kernel's statements

class Weights {
 public:
  Weight of(ir::Expr e);
  void clear() { known_.clear(); }

 private:
  std::unordered_map<const ir::ExprNode*, Weight> known_;  // of the larger ones; small trees are counted again
};

}  // namespace tilewright::builder
