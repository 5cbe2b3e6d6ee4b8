#include "compiler/script/sure_truth.h"

namespace tilewright::script {

std::optional<bool> sure_truth(Interpreter& in, const syntax::Node* node, Scope* scope) {
  if (auto* inverted = syntax::as<syntax::UnaryOp>(node); inverted && inverted->op == syntax::Operator::Not) {
    const std::optional<bool> inner = sure_truth(in, inverted->operand, scope);
    return inner ? std::optional(!*inner) : inner;
  }
  if (auto* both = syntax::as<syntax::BoolOp>(node)) {
    const bool decides = both->op == syntax::Operator::Or;
    const std::optional<bool> left = sure_truth(in, both->left, scope), right = sure_truth(in, both->right, scope);
    if (left == decides || right == decides) return decides;
    return left && right ? std::optional(!decides) : std::nullopt;
  }
  if (!in.changes_nothing(node, scope)) return std::nullopt;
  const Value v = in.eval(node, scope);
  if (v.is_opaque() || v.is_poison() || v.is_expr()) return std::nullopt;
  const std::optional<bool> holds = v.is_error() ? std::nullopt : in.truth(v, in.span(node));
  if (in.has_pending()) in.take_pending();  // Python may not evaluate it; a limit is met again at the next step
  return holds;
}

}  // namespace tilewright::script
