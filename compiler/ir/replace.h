// A body over other variables: how a stage says more of a variable than the stage before, without touching its nodes.
#pragma once
#include <deque>
#include <unordered_map>

#include "compiler/ir/stmt.h"

namespace tilewright::ir {

// Puts variables in the place of others wherever a body names them: in expressions, statements, operands, and in the
// shape, strides, offset and layout of buffers. What names none of them stays the same node, and one node that does
// becomes one node. Works in the ambient arena.
class Replacer {
 public:
  // Layouts that change are kept in `layouts`, which must live as long as the result.
  Replacer(std::unordered_map<const Var*, const Var*> by, std::deque<layout::Layout>& layouts)
      : by_(std::move(by)), layouts_(layouts) {}

  const Stmt* body(const Stmt* s);
  Expr expression(Expr e);
  const Buffer* buffer(const Buffer* b);

 private:
  const Stmt* changed(const Stmt* s);
  // Of a node with one expression; of one that names a buffer and nothing else.
  template <class T>
  const Stmt* with_expression(const T* old, Expr T::* field);
  template <class T>
  const Stmt* with_buffer(const T* old);
  const Stmt* sequence(const Seq* old);
  const Stmt* store(const Store* old);
  const Stmt* loop(const For* old);
  const Stmt* while_loop(const While* old);
  const Stmt* branch(const If* old);
  const Stmt* attribute(const Attr* old);
  const Stmt* scope_ids(const ScopeIds* old);
  const Stmt* tile_call(const TileCall* old);
  const Var* variable(const Var* var) const;
  const layout::Layout* layout(const layout::Layout* l);
  std::span<const Expr> expressions(std::span<const Expr> list);
  Operand operand(const Operand& o, bool& changed);

  std::unordered_map<const Var*, const Var*> by_;
  std::deque<layout::Layout>& layouts_;
  std::unordered_map<const Stmt*, const Stmt*> statements_;
  std::unordered_map<const Buffer*, const Buffer*> buffers_;
  std::unordered_map<const layout::Layout*, const layout::Layout*> kept_;
};

}  // namespace tilewright::ir
