#include "compiler/syntax/direct_expressions.h"

#include <algorithm>
#include <utility>

#include "compiler/syntax/literals.h"

namespace tilewright::syntax {
namespace {

struct Binary {
  Operator op{};
  unsigned strength = 0;  // 0: no operator of operands stands here
  unsigned bytes = 0;
};

Binary binary_at(const char* p) {
  if (*p == '\0') return {};
  const bool twice = p[1] == p[0];
  if (p[twice ? 2 : 1] == '=' && *p != '=') {
    if (*p != '<' && *p != '>') return {};  // an assignment in place
    if (twice) return {};
  }
  switch (*p) {
    case '|': return {Operator::BitOr, 1, 1};
    case '^': return {Operator::BitXor, 2, 1};
    case '&': return {Operator::BitAnd, 3, 1};
    case '<': return twice ? Binary{Operator::LShift, 4, 2} : Binary{};
    case '>': return twice ? Binary{Operator::RShift, 4, 2} : Binary{};
    case '+': return {Operator::Add, 5, 1};
    case '-': return {Operator::Sub, 5, 1};
    case '*': return twice ? Binary{} : Binary{Operator::Mul, 6, 1};
    case '@': return {Operator::MatMul, 6, 1};
    case '%': return {Operator::Mod, 6, 1};
    case '/': return twice ? Binary{Operator::FloorDiv, 6, 2} : Binary{Operator::Div, 6, 1};
    default: return {};
  }
}

}  // namespace

void DirectExpressions::begin_expression() {
  nodes_before_ = nodes_;
  depth_ = deepest_ = longest_ = 0;
}

// An expression of few nodes is not deep; one of many is no deeper than its calls, each with its longest chains.
void DirectExpressions::end_expression() const {
  sure(nodes_ - nodes_before_ < kShallow || deepest_ * (4 * longest_ + 6) < kShallow);
}

DirectExpressions::Part DirectExpressions::expression() {
  enter();
  Part found = at_word("lambda") ? lambda() : conditional(disjunction());
  leave();
  return found;
}

DirectExpressions::Part DirectExpressions::conditional(Part value) {
  if (!take_word("if")) return value;
  const Part condition = disjunction();
  expect_word("else");
  const Part otherwise = expression();
  return make<IfExp>({value.at.begin, otherwise.at.end}, condition.e, value.e, otherwise.e);
}

DirectExpressions::Part DirectExpressions::named() {
  const Part found = expression();
  if (*at_ != ':' || at_[1] != '=') return found;
  sure(!in_field_);
  const auto* name = as<NameRef>(found.e);
  sure(name && name->at.begin == found.at.begin);
  take(2);
  const Part value = expression();
  return make<NamedExpr>({found.at.begin, value.at.end}, name->name, value.e);
}

DirectExpressions::Part DirectExpressions::element() { return *at_ == '*' ? starred_operand() : named(); }
DirectExpressions::Part DirectExpressions::item() { return *at_ == '*' ? starred_operand() : expression(); }

DirectExpressions::Part DirectExpressions::starred_operand() {
  const std::uint32_t begin = here();
  expect('*');
  const Part value = operand();
  return make<Starred>({begin, value.at.end}, value.e);
}

DirectExpressions::Part DirectExpressions::starred() {
  const std::uint32_t begin = here();
  expect('*');
  const Part value = expression();
  return make<Starred>({begin, value.at.end}, value.e);
}

// `first`, or the tuple that commas make of it and what follows.
DirectExpressions::Part DirectExpressions::list_of(Part first, Part (DirectExpressions::*item)(),
                                                   bool (DirectExpressions::*ends)() const) {
  if (*at_ != ',') {
    sure(first.e->kind != NodeKind::Starred);
    return first;
  }
  Items<Expr> items(exprs_);
  items.push(first.e);
  std::uint32_t end = first.at.end;
  while (*at_ == ',') {
    take(1);
    end = end_;
    if ((this->*ends)()) break;
    const Part next = (this->*item)();
    items.push(next.e);
    end = next.at.end;
  }
  return make<Tuple>({first.at.begin, end}, items.copy(arena_));
}

DirectExpressions::Part DirectExpressions::expressions() {
  return list_of(item(), &DirectExpressions::item, &DirectExpressions::ends_list);
}

DirectExpressions::Part DirectExpressions::expressions_or_yield() { return at_word("yield") ? yield() : expressions(); }

DirectExpressions::Part DirectExpressions::target() {
  if (*at_ != '*') return primary();
  const std::uint32_t begin = here();
  take(1);
  const Part value = primary();
  return make<Starred>({begin, value.at.end}, value.e);
}

DirectExpressions::Part DirectExpressions::targets() {
  const Part found = list_of(target(), &DirectExpressions::target, &DirectExpressions::ends_targets);
  sure(is_target(found.e));
  return found;
}

// Names, attributes, elements, and sequences of them with a star at most each.
bool DirectExpressions::is_target(Expr e, bool in_sequence) {
  const auto all = [](Exprs parts) { return std::ranges::all_of(parts, [](Expr p) { return is_target(p, true); }); };
  if (auto* tuple = as<Tuple>(e)) return all(tuple->elements);
  if (auto* list = as<List>(e)) return all(list->elements);
  if (auto* star = as<Starred>(e)) return in_sequence && is_single_target(star->value);
  return is_single_target(e);
}

DirectExpressions::Part DirectExpressions::yield() {
  yields_ = true;
  const std::uint32_t begin = here();
  expect_word("yield");
  Extent at{begin, end_};
  Expr value = nullptr;
  bool from = false;
  if (take_word("from")) {
    const Part given = expression();
    from = true;
    value = given.e;
    at.end = given.at.end;
  } else if (!is(*at_, kEnd)) {
    sure(*at_ != '=');
    const Part given = expressions();
    value = given.e;
    at.end = given.at.end;
  }
  return make<Unsupported>(at, view(at), value, true, from);
}

DirectExpressions::Part DirectExpressions::lambda() {
  sure(!in_field_);  // its colon would begin the format
  const std::uint32_t begin = here();
  expect_word("lambda");
  Items<Parameter> params(params_);
  parameters(params, false);
  expect(':');
  const bool outer = yields_;
  const Part body = expression();
  yields_ = outer;
  return make<Lambda>({begin, body.at.end}, params.copy(arena_), body.e);
}

DirectExpressions::Part DirectExpressions::disjunction() {
  const Part first = negation();
  return is(*at_, kEnd) ? first : disjunction_from(first);
}

DirectExpressions::Part DirectExpressions::disjunction_from(Part left) {
  left = conjunction_from(left);
  for (unsigned links = 1; at_word("or"); chained(links++)) {
    const Extent op_at{here(), here() + 2};
    take(2);
    const Part right = conjunction_from(negation());
    left = make<BoolOp>({left.at.begin, right.at.end}, Operator::Or, left.e, right.e, op_at);
  }
  return left;
}

DirectExpressions::Part DirectExpressions::conjunction_from(Part left) {
  for (unsigned links = 1; at_word("and"); chained(links++)) {
    const Extent op_at{here(), here() + 3};
    take(3);
    const Part right = negation();
    left = make<BoolOp>({left.at.begin, right.at.end}, Operator::And, left.e, right.e, op_at);
  }
  return left;
}

DirectExpressions::Part DirectExpressions::negation() {
  if (!at_word("not")) {
    const Part first = unary();
    return is(*at_, kEnd) ? first : comparison_from(operand_from(first, 1));
  }
  enter();
  const std::uint32_t begin = here();
  take(3);
  const Part inner = negation();
  leave();
  return make<UnaryOp>({begin, inner.at.end}, Operator::Not, inner.e);
}

// Passes the operator that stands here; false: none does.
bool DirectExpressions::comparison_operator(Operator& op, Extent& at) {
  at.begin = here();
  const bool equal = at_[0] != '\0' && at_[1] == '=';
  if ((*at_ == '<' || *at_ == '>') && at_[1] == *at_) return false;  // `<<=`
  const auto symbol = [&](Operator found, unsigned bytes) {
    op = found;
    take(bytes);
    return true;
  };
  bool found = false;
  switch (*at_) {
    case '<': found = symbol(equal ? Operator::Le : Operator::Lt, equal ? 2 : 1); break;
    case '>': found = symbol(equal ? Operator::Ge : Operator::Gt, equal ? 2 : 1); break;
    case '=': found = equal && symbol(Operator::Eq, 2); break;
    case '!': found = equal && symbol(Operator::Ne, 2); break;
    case 'i':
      if (take_word("in")) {
        op = Operator::In;
        found = true;
      } else if (take_word("is")) {
        at.end = end_;
        op = take_word("not") ? Operator::IsNot : Operator::Is;
        found = true;
      }
      break;
    case 'n':
      if (!take_word("not")) break;
      expect_word("in");
      op = Operator::NotIn;
      found = true;
      break;
    default: break;
  }
  at.end = end_;
  return found;
}

DirectExpressions::Part DirectExpressions::comparison_from(Part left) {
  Operator op{};
  Extent op_at;
  if (!comparison_operator(op, op_at)) return left;
  Items<Expr> rest(exprs_);
  Items<Operator> ops(operators_);
  Items<Extent> places(extents_);
  std::uint32_t end = 0;
  do {
    ops.push(op);
    places.push(op_at);
    const Part right = operand();
    rest.push(right.e);
    end = right.at.end;
  } while (comparison_operator(op, op_at));
  return make<Compare>({left.at.begin, end}, left.e, ops.copy(arena_), rest.copy(arena_), places.copy(arena_));
}

// Operators that bind at least so strongly.
DirectExpressions::Part DirectExpressions::operand_from(Part left, unsigned least) {
  for (unsigned links = 1;; chained(links++)) {
    const Binary found = binary_at(at_);
    if (found.strength < least || found.strength == 0) return left;
    const Extent op_at{here(), here() + found.bytes};
    take(found.bytes);
    Part right = unary();
    if (!is(*at_, kEnd)) right = operand_from(right, found.strength + 1);
    left = make<BinOp>({left.at.begin, right.at.end}, found.op, left.e, right.e, op_at);
  }
}

DirectExpressions::Part DirectExpressions::unary() {
  if (*at_ == '-' || *at_ == '+' || *at_ == '~') {
    enter();
    const Operator op = *at_ == '-' ? Operator::Neg : *at_ == '~' ? Operator::Invert : Operator::Pos;
    const std::uint32_t begin = here();
    take(1);
    const Part inner = unary();
    leave();
    return make<UnaryOp>({begin, inner.at.end}, op, inner.e);
  }
  const Part base = primary();
  if (*at_ != '*' || at_[1] != '*' || at_[2] == '=') return base;
  enter();
  const Extent op_at{here(), here() + 2};
  take(2);
  const Part power = unary();
  leave();
  return make<BinOp>({base.at.begin, power.at.end}, Operator::Pow, base.e, power.e, op_at);
}

}  // namespace tilewright::syntax
