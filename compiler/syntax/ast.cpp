#include "compiler/syntax/ast.h"

namespace tilewright::syntax {

std::string_view operator_text(Operator op) {
  switch (op) {
    case Operator::Add: return "+";
    case Operator::Sub: return "-";
    case Operator::Mul: return "*";
    case Operator::MatMul: return "@";
    case Operator::Div: return "/";
    case Operator::FloorDiv: return "//";
    case Operator::Mod: return "%";
    case Operator::Pow: return "**";
    case Operator::LShift: return "<<";
    case Operator::RShift: return ">>";
    case Operator::BitAnd: return "&";
    case Operator::BitOr: return "|";
    case Operator::BitXor: return "^";
    case Operator::Pos: return "+";
    case Operator::Neg: return "-";
    case Operator::Invert: return "~";
    case Operator::Not: return "not";
    case Operator::And: return "and";
    case Operator::Or: return "or";
    case Operator::Eq: return "==";
    case Operator::Ne: return "!=";
    case Operator::Lt: return "<";
    case Operator::Le: return "<=";
    case Operator::Gt: return ">";
    case Operator::Ge: return ">=";
    case Operator::Is: return "is";
    case Operator::IsNot: return "is not";
    case Operator::In: return "in";
    case Operator::NotIn: return "not in";
  }
  return "";
}

}  // namespace tilewright::syntax
