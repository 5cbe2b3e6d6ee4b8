#include "compiler/builder/weight.h"

#include <algorithm>

namespace tilewright::builder {
namespace {
constexpr std::uint64_t kSmall = 24;  // trees up to this size are not worth remembering
}

Weight Weights::of(ir::Expr e) {
  if (!e) return {};
  switch (e.kind()) {
    case ir::ExprKind::IntImm:
    case ir::ExprKind::FloatImm:
    case ir::ExprKind::StringImm:
    case ir::ExprKind::Var: return {1, 1};
    default: break;
  }
  if (!known_.empty()) {
    auto found = known_.find(e.get());
    if (found != known_.end()) return found->second;
  }
  Weight w{1, 0};
  ir::Expr buffer[3];
  for (ir::Expr child : ir::children(*e.get(), buffer)) {
    Weight c = of(child);
    w.nodes = std::min<std::uint64_t>(w.nodes + c.nodes, std::uint64_t{1} << 62);
    w.depth = std::max(w.depth, c.depth);
  }
  ++w.depth;
  if (w.nodes > kSmall) known_.emplace(e.get(), w);
  return w;
}

}  // namespace tilewright::builder
