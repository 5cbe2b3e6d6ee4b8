// The patterns of `case`, from tree nodes to the expressions that ast.h keeps them as. Private to the room.
#pragma once
#include "compiler/syntax/expressions.h"

namespace tilewright::syntax {

class Patterns : public Expressions {
 public:
  using Expressions::Expressions;

 protected:
  // Converts the pattern that the cursor stands on.
  Expr pattern();

 private:
  Expr pattern_of(Kind kind, Extent at);
  void parts(Items<Expr>& items);
  Expr bound_name();
  Expr as_name(Extent at);
  Expr mapping(Extent at);
  Expr of_class(Extent at);
};

}  // namespace tilewright::syntax
