#include "compiler/syntax/expressions.h"

namespace tilewright::syntax {

void Expressions::readable_parts(Items<Expr>& parts) {
  if (depth_ >= kMaxDepth) return;
  ++depth_;
  children([&](Kind kind) {
    if (here().begin == here().end) return;  // a placeholder
    if (is_expression(kind)) {
      parts.push(expression());
    } else if (kind != Kind::block && kind != Kind::other_token) {
      readable_parts(parts);
    }
  });
  --depth_;
}

Expr Expressions::broken_expression() {
  Extent at = here();
  Items<Expr> parts(exprs_);
  readable_parts(parts);
  return arena_.make<Broken>(Node{NodeKind::Broken, at}, parts.copy(arena_));
}

bool Expressions::is_expression(Kind kind) {
  switch (kind) {
    case Kind::identifier:
    case Kind::integer:
    case Kind::imaginary:
    case Kind::float_:
    case Kind::true_:
    case Kind::false_:
    case Kind::none_:
    case Kind::ellipsis:
    case Kind::string:
    case Kind::concatenated_string:
    case Kind::list:
    case Kind::tuple:
    case Kind::set:
    case Kind::dictionary:
    case Kind::list_comprehension:
    case Kind::set_comprehension:
    case Kind::dictionary_comprehension:
    case Kind::generator_expression:
    case Kind::parenthesized_expression:
    case Kind::attribute:
    case Kind::subscript:
    case Kind::slice:
    case Kind::call:
    case Kind::list_splat:
    case Kind::binary_operator:
    case Kind::unary_operator:
    case Kind::not_operator:
    case Kind::boolean_operator:
    case Kind::comparison_operator:
    case Kind::conditional_expression:
    case Kind::named_expression:
    case Kind::lambda:
    case Kind::await:
    case Kind::yield:
    case Kind::expression_list: return true;
    default: return false;
  }
}

Expr Expressions::expression() {
  Extent at = here();
  if (too_deep(at)) return broken(at);
  ++depth_;
  Expr e = expression_of(kind_of(node()), at);
  --depth_;
  return e;
}

Expr Expressions::expression_of(Kind kind, Extent at) {
  if (ts_node_has_error(node())) {
    if (ts_node_is_missing(node())) return broken(at);
    // Sequences keep their readable elements; in anything else a broken child spoils the whole.
    bool sequence = kind == Kind::list || kind == Kind::tuple || kind == Kind::set || kind == Kind::dictionary ||
                    kind == Kind::call || kind == Kind::subscript || kind == Kind::expression_list ||
                    kind == Kind::string || kind == Kind::concatenated_string;
    if (!sequence && is_hurt()) return broken_expression();
  }
  switch (kind) {
    case Kind::identifier: return arena_.make<NameRef>(Node{NodeKind::NameRef, at}, name_at(at));
    case Kind::integer: {
      suspect_ = suspect_ || at.end - at.begin > kManyDigits;
      IntegerValue number = integer_value(view(at));
      return arena_.make<IntLit>(Node{NodeKind::IntLit, at}, number.value, number.too_large);
    }
    case Kind::imaginary: return arena_.make<IntLit>(Node{NodeKind::IntLit, at}, __int128{0}, true);
    case Kind::float_: return arena_.make<FloatLit>(Node{NodeKind::FloatLit, at}, float_value(view(at)));
    case Kind::true_:
    case Kind::false_: return arena_.make<BoolLit>(Node{NodeKind::BoolLit, at}, kind == Kind::true_);
    case Kind::none_: return arena_.make<NoneLit>(Node{NodeKind::NoneLit, at});
    case Kind::ellipsis: return arena_.make<EllipsisLit>(Node{NodeKind::EllipsisLit, at});
    case Kind::string:
    case Kind::concatenated_string: return string_literal(kind, at);
    case Kind::list: return sequence<List>(at);
    case Kind::tuple:
    case Kind::expression_list: return sequence<Tuple>(at);
    case Kind::set: return sequence<Set>(at);
    case Kind::dictionary: return dictionary(at);
    case Kind::list_comprehension: return comprehension(ComprehensionKind::List, at);
    case Kind::set_comprehension: return comprehension(ComprehensionKind::Set, at);
    case Kind::dictionary_comprehension: return comprehension(ComprehensionKind::Dict, at);
    case Kind::generator_expression: return comprehension(ComprehensionKind::Generator, at);
    case Kind::parenthesized_expression: return required(only_child(), at);
    case Kind::attribute: return attribute(at);
    case Kind::subscript: return subscript(at);
    case Kind::slice: return slice(at);
    case Kind::call: return call(at);
    case Kind::binary_operator: return binary(at);
    case Kind::unary_operator: return unary(at);
    case Kind::not_operator:
      return arena_.make<UnaryOp>(Node{NodeKind::UnaryOp, at}, Operator::Not, required(only_child(), at));
    case Kind::boolean_operator: return boolean(at);
    case Kind::comparison_operator: return comparison(at);
    case Kind::conditional_expression: return conditional(at);
    case Kind::named_expression: return named(at);
    case Kind::lambda: return lambda(at);
    case Kind::list_splat: return arena_.make<Starred>(Node{NodeKind::Starred, at}, required(only_child(), at));
    case Kind::yield:
    case Kind::await: return awaited_or_yielded(kind == Kind::yield, at);
    default: return broken_expression();
  }
}

Expr Expressions::awaited_or_yielded(bool yields, Extent at) {
  suspect_ = true;
  yields_ = yields_ || yields;
  std::string_view after = view(at);
  after.remove_prefix(std::min(after.size(), yields ? sizeof "yield" - 1 : sizeof "await" - 1));
  after.remove_prefix(std::min(after.size(), after.find_first_not_of(" \t\\\r\n")));
  constexpr std::string_view kFrom = "from";
  const bool from = yields && after.starts_with(kFrom) && after.size() > kFrom.size() &&
                    std::string_view(" \t\\\r\n([{'\"").find(after[kFrom.size()]) != std::string_view::npos;
  Expr value = only_child();
  return arena_.make<Unsupported>(Node{NodeKind::Unsupported, at}, view(at), value, yields, from);
}

// Names, attributes and elements, and sequences of them: what may certainly be assigned to.
bool Expressions::is_target(Expr e) {
  if (!e) return true;
  const auto all = [](Exprs parts) { return std::ranges::all_of(parts, is_target); };
  if (auto* tuple = as<Tuple>(e)) return all(tuple->elements);
  if (auto* list = as<List>(e)) return all(list->elements);
  return is_single_target(e);
}

bool Expressions::is_single_target(Expr e) {
  return !e || e->kind == NodeKind::NameRef || e->kind == NodeKind::Attribute || e->kind == NodeKind::Subscript;
}

Expr Expressions::target() {
  Expr e = expression();
  suspect_ = suspect_ || !is_target(e);
  return e;
}

Expr Expressions::only_child() {
  Expr e = nullptr;
  children([&](Kind kind) {
    if (is_expression(kind)) e = expression();
  });
  return e;
}

void Expressions::elements(Items<Expr>& items) {
  children([&](Kind kind) {
    if (is_expression(kind)) {
      items.push(expression());
    } else if (kind == Kind::error) {
      items.push(broken_expression());
    } else if (ts_node_is_missing(node())) {
      items.push(broken(here()));
    }
  });
}

DictItem Expressions::pair() {
  Extent at = here();
  DictItem item{};
  children([&](Kind, Field field) {
    if (field == Field::key) item.key = expression();
    if (field == Field::value) item.value = expression();
  });
  return {required(item.key, at), required(item.value, at)};
}

Expr Expressions::dictionary(Extent at) {
  Items<DictItem> items(dict_items_);
  children([&](Kind kind) {
    if (kind == Kind::pair) {
      items.push(pair());
    } else if (kind == Kind::dictionary_splat) {
      items.push({nullptr, required(only_child(), here())});
    } else if (kind == Kind::error) {
      items.push({nullptr, broken_expression()});
    } else if (ts_node_is_missing(node())) {
      items.push({nullptr, broken(here())});
    }
  });
  return arena_.make<Dict>(Node{NodeKind::Dict, at}, items.copy(arena_));
}

Expr Expressions::comprehension(ComprehensionKind form, Extent at) {
  Items<ComprehensionClause> clauses(clauses_);
  Expr element = nullptr;
  Expr value = nullptr;
  children([&](Kind kind, Field field) {
    if (field == Field::body) {
      if (kind == Kind::pair) {
        DictItem item = pair();
        element = item.key;
        value = item.value;
      } else {
        element = expression();
      }
    } else if (kind == Kind::for_in_clause) {
      Extent clause_at = here();
      ComprehensionClause clause{};
      children([&](Kind, Field inner) {
        if (inner == Field::left) clause.target = target();
        if (inner == Field::right) clause.iterable = expression();
      });
      clause.target = required(clause.target, clause_at);
      clause.iterable = required(clause.iterable, clause_at);
      clauses.push(clause);
    } else if (kind == Kind::if_clause) {
      clauses.push({nullptr, nullptr, required(only_child(), here())});
    }
  });
  return arena_.make<Comprehension>(Node{NodeKind::Comprehension, at}, form, required(element, at), value,
                                    clauses.copy(arena_));
}

Expr Expressions::attribute(Extent at) {
  Expr object = nullptr;
  Name attribute;
  children([&](Kind, Field field) {
    if (field == Field::object) object = expression();
    if (field == Field::attribute) attribute = name();
  });
  return arena_.make<Attribute>(Node{NodeKind::Attribute, at}, required(object, at), attribute);
}

Expr Expressions::subscript(Extent at) {
  Expr object = nullptr;
  bool comma = false;
  Items<Expr> indices(exprs_);
  children([&](Kind kind, Field field) {
    if (field == Field::value) {
      object = expression();
    } else if (field == Field::subscript) {
      indices.push(expression());
      comma = false;
    } else if (kind == Kind::token_comma) {
      comma = true;
    } else if (kind == Kind::error) {
      indices.push(broken_expression());
    } else if (ts_node_is_missing(node())) {
      indices.push(broken(here()));
    }
  });
  return arena_.make<Subscript>(Node{NodeKind::Subscript, at}, required(object, at), indices.copy(arena_), comma);
}

Expr Expressions::slice(Extent at) {
  Expr start = nullptr;
  Expr stop = nullptr;
  Expr step = nullptr;
  children([&](Kind, Field field) {
    if (field == Field::start) start = expression();
    if (field == Field::stop) stop = expression();
    if (field == Field::step) step = expression();
  });
  return arena_.make<Slice>(Node{NodeKind::Slice, at}, start, stop, step);
}

void Expressions::arguments(Items<Expr>& args, Items<Keyword>& keywords) {
  children([&](Kind kind) {
    if (kind == Kind::keyword_argument) {
      Keyword keyword{};
      children([&](Kind, Field field) {
        if (field == Field::name) keyword.name = name();
        if (field == Field::value) keyword.value = expression();
      });
      if (keyword.name.text.empty()) {
        args.push(broken(here()));
      } else {
        keyword.value = required(keyword.value, here());
        keywords.push(keyword);
      }
    } else if (kind == Kind::dictionary_splat) {
      keywords.push({Name{{}, 0, here()}, required(only_child(), here())});
      suspect_ = true;
    } else if (is_expression(kind)) {
      suspect_ = suspect_ || !keywords.empty();
      args.push(expression());
    } else if (kind == Kind::error) {
      args.push(broken_expression());
    } else if (ts_node_is_missing(node())) {
      args.push(broken(here()));
    }
  });
}

Expr Expressions::call(Extent at) {
  Expr function = nullptr;
  Items<Expr> args(exprs_);
  Items<Keyword> keywords(keywords_);
  children([&](Kind kind, Field field) {
    if (field == Field::function) {
      function = expression();
    } else if (kind == Kind::argument_list) {
      arguments(args, keywords);
    } else if (field == Field::arguments) {
      args.push(expression());
    } else if (kind == Kind::error) {
      args.push(broken_expression());
    }
  });
  return arena_.make<Call>(Node{NodeKind::Call, at}, required(function, at), args.copy(arena_), keywords.copy(arena_));
}

Operator Expressions::binary_operator(std::string_view text) {
  switch (text[0]) {
    case '+': return Operator::Add;
    case '-': return Operator::Sub;
    case '*': return text.starts_with("**") ? Operator::Pow : Operator::Mul;
    case '@': return Operator::MatMul;
    case '/': return text.starts_with("//") ? Operator::FloorDiv : Operator::Div;
    case '%': return Operator::Mod;
    case '<': return Operator::LShift;
    case '>': return Operator::RShift;
    case '&': return Operator::BitAnd;
    case '|': return Operator::BitOr;
    default: return Operator::BitXor;
  }
}

Operator Expressions::comparison_operator(std::string_view text) {
  switch (text[0]) {
    case '=': return Operator::Eq;
    case '!': return Operator::Ne;
    case '<': return text.size() > 1 ? Operator::Le : Operator::Lt;
    case '>': return text.size() > 1 ? Operator::Ge : Operator::Gt;
    case 'n': return Operator::NotIn;
    default: break;
  }
  return text == "in" ? Operator::In : Operator::Is;
}

Expr Expressions::binary(Extent at) {
  Expr left = nullptr;
  Expr right = nullptr;
  Operator op = Operator::Add;
  Extent op_at;
  children([&](Kind, Field field) {
    if (field == Field::left) left = expression();
    if (field == Field::right) right = expression();
    if (field == Field::operator_) op = binary_operator(view(op_at = here()));
  });
  return arena_.make<BinOp>(Node{NodeKind::BinOp, at}, op, required(left, at), required(right, at), op_at);
}

Expr Expressions::unary(Extent at) {
  Operator op = Operator::Pos;
  Expr operand = nullptr;
  children([&](Kind, Field field) {
    if (field == Field::argument) operand = expression();
    if (field != Field::operator_) return;
    char c = text_[here().begin];
    op = c == '-' ? Operator::Neg : c == '~' ? Operator::Invert : Operator::Pos;
  });
  return arena_.make<UnaryOp>(Node{NodeKind::UnaryOp, at}, op, required(operand, at));
}

Expr Expressions::boolean(Extent at) {
  Expr left = nullptr;
  Expr right = nullptr;
  Operator op = Operator::And;
  Extent op_at;
  children([&](Kind, Field field) {
    if (field == Field::left) left = expression();
    if (field == Field::right) right = expression();
    if (field == Field::operator_) op = text_[(op_at = here()).begin] == 'o' ? Operator::Or : Operator::And;
  });
  return arena_.make<BoolOp>(Node{NodeKind::BoolOp, at}, op, required(left, at), required(right, at), op_at);
}

Expr Expressions::comparison(Extent at) {
  Expr first = nullptr;
  Items<Expr> rest(exprs_);
  Items<Operator> ops(operators_);
  Items<Extent> op_at(extents_);
  children([&](Kind kind, Field field) {
    if (field == Field::operators) {
      if (ops.size() > rest.size()) {  // the second word of `not in` or `is not`, a token of its own
        if (ops.back() == Operator::Is) ops.span().back() = Operator::IsNot;
        op_at.span().back().end = here().end;
      } else {
        ops.push(comparison_operator(view(here())));
        op_at.push(here());
      }
    } else if (is_expression(kind)) {
      Expr operand = expression();
      first ? rest.push(operand) : void(first = operand);
    }
  });
  if (rest.size() != ops.size()) return broken(at);
  return arena_.make<Compare>(Node{NodeKind::Compare, at}, required(first, at), ops.copy(arena_), rest.copy(arena_),
                              op_at.copy(arena_));
}

Expr Expressions::conditional(Extent at) {
  Expr condition = nullptr;
  Expr then_value = nullptr;
  Expr else_value = nullptr;
  children([&](Kind, Field field) {
    if (field == Field::condition) condition = expression();
    if (field == Field::consequence) then_value = expression();
    if (field == Field::alternative) else_value = expression();
  });
  return arena_.make<IfExp>(Node{NodeKind::IfExp, at}, required(condition, at), required(then_value, at),
                            required(else_value, at));
}

Expr Expressions::named(Extent at) {
  Name bound;
  Expr value = nullptr;
  children([&](Kind, Field field) {
    if (field == Field::name) bound = name();
    if (field == Field::value) value = expression();
  });
  return arena_.make<NamedExpr>(Node{NodeKind::NamedExpr, at}, bound, required(value, at));
}

Expr Expressions::lambda(Extent at) {
  Items<Parameter> params(params_);
  Expr body = nullptr;
  bool outer = yields_;
  children([&](Kind kind) {
    if (kind == Kind::lambda_parameters) {
      parameters(params);
    } else if (is_expression(kind)) {
      body = expression();
    }
  });
  yields_ = outer;  // a yield in a lambda makes a generator of the lambda
  return arena_.make<Lambda>(Node{NodeKind::Lambda, at}, params.copy(arena_), required(body, at));
}

void Expressions::parameters(Items<Parameter>& params) {
  ParamKind next = ParamKind::Positional;
  bool defaults = false;
  children([&](Kind kind) {
    switch (kind) {
      case Kind::identifier: params.push({name(), next, nullptr, nullptr}); break;
      case Kind::list_splat_pattern:
      case Kind::dictionary_splat_pattern:
      case Kind::typed_parameter:
      case Kind::default_parameter:
      case Kind::typed_default_parameter: params.push(parameter(kind, next)); break;
      case Kind::keyword_separator: next = ParamKind::KeywordOnly; break;
      case Kind::positional_separator:
        for (Parameter& p : params.span()) {
          if (p.kind == ParamKind::Positional) p.kind = ParamKind::PositionalOnly;
        }
        break;
      default: break;
    }
    if (!params.empty() && params.back().kind == ParamKind::VarArgs) next = ParamKind::KeywordOnly;
    if (kind == Kind::token_comma || kind == Kind::token_open || kind == Kind::other_token) return;
    // Plain parameters, those with a default last.
    const bool plain = kind == Kind::identifier || kind == Kind::typed_parameter;
    const bool has_default = kind == Kind::default_parameter || kind == Kind::typed_default_parameter;
    const bool splat = !params.empty() && params.back().kind != ParamKind::Positional;
    suspect_ = suspect_ || !(plain || has_default) || splat || (plain && defaults);
    defaults = defaults || has_default;
  });
}

Parameter Expressions::parameter(Kind kind, ParamKind param_kind) {
  Parameter p{{}, param_kind, nullptr, nullptr};
  auto splat = [&](Kind splat_kind) {
    p.kind = splat_kind == Kind::list_splat_pattern ? ParamKind::VarArgs : ParamKind::VarKeywords;
    children([&](Kind, Field field) {
      if (field == Field::name) p.name = name();
    });
  };
  if (kind == Kind::list_splat_pattern || kind == Kind::dictionary_splat_pattern) {
    splat(kind);
    return p;
  }
  children([&](Kind child, Field field) {
    if (field == Field::name) {
      child == Kind::identifier ? void(p.name = name()) : splat(child);
    } else if (field == Field::type) {
      p.annotation = expression();
    } else if (field == Field::value) {
      p.default_value = expression();
    }
  });
  return p;
}

}  // namespace tilewright::syntax
