#include "compiler/expr/infix.h"

namespace tilewright::expr {

Infix infix(ExprKind kind) {
  switch (kind) {
    case ExprKind::Add: return {" + ", kSum};
    case ExprKind::Sub: return {" - ", kSum};
    case ExprKind::Mul: return {" * ", kProduct};
    case ExprKind::Div: return {" / ", kProduct};
    case ExprKind::FloorDiv: return {" // ", kProduct};
    case ExprKind::FloorMod: return {" % ", kProduct};
    case ExprKind::EQ: return {" == ", kCompare};
    case ExprKind::NE: return {" != ", kCompare};
    case ExprKind::LT: return {" < ", kCompare};
    case ExprKind::LE: return {" <= ", kCompare};
    case ExprKind::GT: return {" > ", kCompare};
    case ExprKind::GE: return {" >= ", kCompare};
    case ExprKind::And: return {" and ", kAnd};
    case ExprKind::Or: return {" or ", kOr};
    default: return {{}, 0};
  }
}

}  // namespace tilewright::expr
