// Expressions that hold no other expression and no name.
#pragma once
#include "compiler/syntax/ast.h"

namespace tilewright::script {

inline bool is_literal(const syntax::Node* node) {
  using enum syntax::NodeKind;
  switch (node->kind) {
    case IntLit:
    case FloatLit:
    case StringLit:
    case BytesLit:
    case BoolLit:
    case NoneLit:
    case EllipsisLit: return true;
    default: return false;
  }
}

}  // namespace tilewright::script
