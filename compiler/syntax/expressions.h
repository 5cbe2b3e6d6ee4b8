// Expressions, from tree nodes to nodes of ast.h. Private to the room.
//
// Each function converts the node that the cursor stands on, and leaves the cursor there. Children are collected on
// shared stacks and copied to the arena at their final size, so that converting allocates nothing else.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/syntax/literals.h"
#include "compiler/syntax/reader.h"

namespace tilewright::syntax {

class Expressions : public Reader {
 public:
  using Reader::Reader;

 protected:
  // Collects the expressions below this node that could be read.
  void readable_parts(Items<Expr>& parts);
  Expr broken_expression();
  static bool is_expression(Kind kind);
  Expr expression();
  // An expression that is assigned to. What may be none is suspect.
  Expr target();
  static bool is_target(Expr e);  // null is one: there is nothing to check
  static bool is_single_target(Expr e);
  Expr awaited_or_yielded(bool yields, Extent at);
  // The one expression among the children; null if there is none.
  Expr only_child();
  // Elements of a sequence. A broken one becomes a Broken: their number is then unknown.
  void elements(Items<Expr>& items);
  template <class T>
  Expr sequence(Extent at) {
    Items<Expr> items(exprs_);
    elements(items);
    return arena_.make<T>(Node{T::kKind, at}, items.copy(arena_));
  }
  // The children of an argument_list, of a call or a class.
  void arguments(Items<Expr>& args, Items<Keyword>& keywords);
  static Operator binary_operator(std::string_view text);
  void parameters(Items<Parameter>& params);

  std::vector<Expr> exprs_;
  std::vector<Keyword> keywords_;
  std::vector<Parameter> params_;
  std::vector<DictItem> dict_items_;

 private:
  Expr expression_of(Kind kind, Extent at);
  DictItem pair();
  Expr dictionary(Extent at);
  Expr comprehension(ComprehensionKind form, Extent at);
  Expr attribute(Extent at);
  Expr subscript(Extent at);
  Expr slice(Extent at);
  Expr call(Extent at);
  static Operator comparison_operator(std::string_view text);
  Expr binary(Extent at);
  Expr unary(Extent at);
  Expr boolean(Extent at);
  Expr comparison(Extent at);
  Expr conditional(Extent at);
  Expr named(Extent at);
  Expr lambda(Extent at);
  Parameter parameter(Kind kind, ParamKind param_kind);

  // ---- strings -----------------------------------------------------------------------------------------------------
  // The parts of a literal as they come up. Text gathers in `buffer_` from `text_base` on, unless it is one piece of
  // the source that means itself.
  struct Joined {
    Items<FStringPart> parts;
    std::size_t text_base;
    std::string_view verbatim;  // all text so far, if `copied` is false
    bool copied = false;
    bool format = false;
    int bytes = 0, texts = 0;  // literals of each sort
  };
  void append_text(Joined& joined, std::string_view text, bool bytes);
  std::string_view take_text(Joined& joined);
  // The contents of a string, or of a format specifier.
  void contents(Joined& joined, StringStart start);
  FStringPart interpolation();
  Expr string_literal(Kind kind, Extent at);

  std::vector<ComprehensionClause> clauses_;
  std::vector<Operator> operators_;
  std::vector<Extent> extents_;
  std::vector<FStringPart> parts_;
  std::string buffer_;  // text of the string literals at hand
};

}  // namespace tilewright::syntax
