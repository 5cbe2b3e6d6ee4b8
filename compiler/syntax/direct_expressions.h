// Expressions for the direct reader (direct.h). Private to the room.
#pragma once
#include <string>
#include <vector>

#include "compiler/expr/arena.h"
#include "compiler/syntax/direct_tokens.h"
#include "compiler/syntax/items.h"

namespace tilewright::syntax {

class DirectExpressions : public DirectTokens {
 public:
  DirectExpressions(const std::string& text, Arena& arena) : DirectTokens(text), arena_(arena) {}

 protected:
  // An expression, and where it stands with the parentheses around it, of which the node knows nothing.
  struct Part {
    Expr e = nullptr;
    Extent at;
  };

  // The forms of the grammar, by the names of its rules.
  Part expression();
  Part named();    // _named
  Part element();  // _element
  Part expressions_or_yield();
  Part expressions();  // _expressions
  Part targets();      // _targets
  Part target();       // _target
  Part disjunction();
  Part primary();
  void arguments(Items<Expr>& args, Items<Keyword>& keywords);  // up to the `)`
  void parameters(Items<Parameter>& params, bool annotated);

  static bool is_target(Expr e, bool in_sequence = false);
  static bool is_single_target(Expr e) {
    return e->kind == NodeKind::NameRef || e->kind == NodeKind::Attribute || e->kind == NodeKind::Subscript;
  }
  // Begins a whole expression: how deep its nodes lie within each other is bounded for each.
  void begin_expression();
  void end_expression() const;

  template <class T, class... Args>
  Part make(Extent at, Args&&... args) {
    ++nodes_;
    return {arena_.make<T>(Node{T::kKind, at}, std::forward<Args>(args)...), at};
  }

  Arena& arena_;
  std::vector<Name> mentioned_;  // as names_in() takes them
  std::vector<Expr> exprs_;
  std::vector<Keyword> keywords_;
  std::vector<Parameter> params_;
  bool yields_ = false;  // the function at hand has a yield

 private:
  Part conditional(Part value);
  Part disjunction_from(Part left);
  Part conjunction_from(Part left);
  Part negation();
  Part comparison_from(Part left);
  bool comparison_operator(Operator& op, Extent& at);
  Part operand() { return operand_from(unary(), 1); }
  Part operand_from(Part left, unsigned least);
  Part unary();
  Part lambda();
  Part yield();
  Part list_of(Part first, Part (DirectExpressions::*item)(), bool (DirectExpressions::*ends)() const);
  bool ends_list() const { return is(*at_, kEnd) || *at_ == '='; }
  bool ends_targets() const { return at_word("in"); }
  Part starred_operand();
  Part starred();  // `*` and an expression
  Part item();     // of an expression_list

  Part atom();
  Part word();
  Part number();
  Part parenthesized();
  Part bracketed();
  Part braced();
  Part dictionary(std::uint32_t begin, Part key);
  Part comprehension(ComprehensionKind form, std::uint32_t begin, Part element, Expr value, char closer);
  Part subscript(Part object);
  Part subscript_item();
  Part call(Part function);
  bool at_keyword_argument() const;
  void parameter(Items<Parameter>& params, ParamKind kind, bool annotated);

  // Within brackets of its own, in which line breaks mean nothing. `outside` is what held around them.
  bool open() {
    ++brackets_;
    sure(brackets_ < kMostBrackets);
    const bool outside = in_field_;
    in_field_ = false;
    take(1);
    return outside;
  }
  void close(char closer, bool outside) {
    sure(*at_ == closer);
    --brackets_;
    in_field_ = outside;
    take(1);
  }

  // ---- strings (direct_strings.cpp) --------------------------------------------------------------------------------
  struct Text;
  Part string();
  bool at_string() const;
  void one_string(Text& text);
  void text_of(Text& text, char quote, bool triple);
  void escape(Text& text);
  FStringPart replacement();
  Exprs format();

  void enter() {
    if (++depth_ > deepest_) deepest_ = depth_;
    sure(depth_ < kMostDepth);
  }
  void leave() { --depth_; }
  void chained(unsigned links) {
    if (links > longest_) longest_ = links;
  }

  static constexpr unsigned kMostBrackets = 150;  // the parser's limit is 200
  static constexpr unsigned kMostDepth = 400;
  // convert.h lets nodes lie kMaxDepth deep, statements around an expression among them.
  static constexpr std::size_t kShallow = 700;

  std::vector<DictItem> dict_items_;
  std::vector<ComprehensionClause> clauses_;
  std::vector<Operator> operators_;
  std::vector<Extent> extents_;
  std::vector<FStringPart> parts_;
  std::string buffer_;
  bool in_format_ = false;
  unsigned depth_ = 0;
  std::size_t nodes_ = 0, nodes_before_ = 0;
  unsigned deepest_ = 0, longest_ = 0;  // of the expression at hand: calls within calls, operators in a row
};

}  // namespace tilewright::syntax
