// The direct children of a node, for what visits a whole statement: names, highlights, folds.
#pragma once
#include <vector>

#include "compiler/syntax/ast.h"

namespace tilewright::syntax {

// Calls `visit(child)` for each direct child that is there, roughly in the order of the text (decorators first; the
// element of a comprehension before its clauses).
template <class F>
void for_children(const Node* n, F&& visit) {
  auto one = [&](const Node* child) {
    if (child) visit(child);
  };
  auto all = [&](std::span<const Node* const> children) {
    for (const Node* child : children) one(child);
  };
  auto parameters = [&](std::span<const Parameter> params) {
    for (const Parameter& p : params) {
      one(p.annotation);
      one(p.default_value);
    }
  };
  switch (n->kind) {
    case NodeKind::NameRef:
    case NodeKind::IntLit:
    case NodeKind::FloatLit:
    case NodeKind::StringLit:
    case NodeKind::BytesLit:
    case NodeKind::BoolLit:
    case NodeKind::NoneLit:
    case NodeKind::EllipsisLit:
    case NodeKind::Import:
    case NodeKind::ImportFrom:
    case NodeKind::Pass:
    case NodeKind::Break:
    case NodeKind::Continue:
    case NodeKind::Global:
    case NodeKind::Nonlocal: return;
    case NodeKind::Unsupported: return one(as<Unsupported>(n)->value);
    case NodeKind::FString:
      for (const FStringPart& p : as<FString>(n)->parts) {
        one(p.value);
        all(p.format);
      }
      return;
    case NodeKind::List: return all(as<List>(n)->elements);
    case NodeKind::Tuple: return all(as<Tuple>(n)->elements);
    case NodeKind::Set: return all(as<Set>(n)->elements);
    case NodeKind::Dict:
      for (const DictItem& item : as<Dict>(n)->items) {
        one(item.key);
        one(item.value);
      }
      return;
    case NodeKind::Comprehension:
      one(as<Comprehension>(n)->element);
      one(as<Comprehension>(n)->value);
      for (const ComprehensionClause& c : as<Comprehension>(n)->clauses) {
        one(c.target);
        one(c.iterable);
        one(c.condition);
      }
      return;
    case NodeKind::Attribute: return one(as<Attribute>(n)->object);
    case NodeKind::Subscript: one(as<Subscript>(n)->object); return all(as<Subscript>(n)->indices);
    case NodeKind::Slice:
      one(as<Slice>(n)->start);
      one(as<Slice>(n)->stop);
      return one(as<Slice>(n)->step);
    case NodeKind::Call:
      one(as<Call>(n)->function);
      all(as<Call>(n)->args);
      for (const Keyword& k : as<Call>(n)->keywords) one(k.value);
      return;
    case NodeKind::BinOp: one(as<BinOp>(n)->left); return one(as<BinOp>(n)->right);
    case NodeKind::UnaryOp: return one(as<UnaryOp>(n)->operand);
    case NodeKind::BoolOp: one(as<BoolOp>(n)->left); return one(as<BoolOp>(n)->right);
    case NodeKind::Compare: one(as<Compare>(n)->first); return all(as<Compare>(n)->rest);
    case NodeKind::IfExp:
      one(as<IfExp>(n)->then_value);
      one(as<IfExp>(n)->condition);
      return one(as<IfExp>(n)->else_value);
    case NodeKind::NamedExpr: return one(as<NamedExpr>(n)->value);
    case NodeKind::Starred: return one(as<Starred>(n)->value);
    case NodeKind::Broken: return all(as<Broken>(n)->parts);
    case NodeKind::Lambda: parameters(as<Lambda>(n)->params); return one(as<Lambda>(n)->body);
    case NodeKind::ExprStmt: return one(as<ExprStmt>(n)->value);
    case NodeKind::Assign: all(as<Assign>(n)->targets); return one(as<Assign>(n)->value);
    case NodeKind::AugAssign: one(as<AugAssign>(n)->target); return one(as<AugAssign>(n)->value);
    case NodeKind::AnnAssign:
      one(as<AnnAssign>(n)->target);
      one(as<AnnAssign>(n)->annotation);
      return one(as<AnnAssign>(n)->value);
    case NodeKind::Return: return one(as<Return>(n)->value);
    case NodeKind::If:
      one(as<If>(n)->condition);
      all(as<If>(n)->then_body);
      return all(as<If>(n)->else_body);
    case NodeKind::For:
      one(as<For>(n)->target);
      one(as<For>(n)->iterable);
      all(as<For>(n)->body);
      return all(as<For>(n)->else_body);
    case NodeKind::While:
      one(as<While>(n)->condition);
      all(as<While>(n)->body);
      return all(as<While>(n)->else_body);
    case NodeKind::With:
      for (const WithItem& item : as<With>(n)->items) {
        one(item.value);
        one(item.target);
      }
      return all(as<With>(n)->body);
    case NodeKind::FunctionDef:
      all(as<FunctionDef>(n)->decorators);
      parameters(as<FunctionDef>(n)->params);
      one(as<FunctionDef>(n)->returns);
      return all(as<FunctionDef>(n)->body);
    case NodeKind::ClassDef:
      all(as<ClassDef>(n)->decorators);
      all(as<ClassDef>(n)->bases);
      for (const Keyword& k : as<ClassDef>(n)->keywords) one(k.value);
      return all(as<ClassDef>(n)->body);
    case NodeKind::Raise: one(as<Raise>(n)->value); return one(as<Raise>(n)->cause);
    case NodeKind::Assert: one(as<Assert>(n)->condition); return one(as<Assert>(n)->message);
    case NodeKind::Delete: return all(as<Delete>(n)->targets);
    case NodeKind::Try:
      all(as<Try>(n)->body);
      for (const Handler& h : as<Try>(n)->handlers) {
        one(h.type);
        all(h.body);
      }
      all(as<Try>(n)->else_body);
      return all(as<Try>(n)->final_body);
    case NodeKind::Match:
      one(as<Match>(n)->subject);
      for (const MatchCase& c : as<Match>(n)->cases) {
        one(c.pattern);
        one(c.guard);
        all(c.body);
      }
      return;
    case NodeKind::TypeAlias: return one(as<TypeAlias>(n)->value);
    case NodeKind::BrokenStmt: return all(as<BrokenStmt>(n)->parts);
  }
}

// Calls `visit(node)` for `root` and every node below it, in no particular order. Without recursion, so that the frames
// of a deep expression cannot fill the stack.
template <class F>
void for_all(const Node* root, F&& visit) {
  std::vector<const Node*> todo{root};
  while (!todo.empty()) {
    const Node* n = todo.back();
    todo.pop_back();
    if (!n) continue;
    visit(n);
    for_children(n, [&](const Node* child) { todo.push_back(child); });
  }
}

}  // namespace tilewright::syntax
