#include "compiler/syntax/patterns.h"

namespace tilewright::syntax {

Expr Patterns::pattern() {
  Extent at = here();
  if (too_deep(at)) return broken(at);
  ++depth_;
  Expr e = is_hurt() ? broken_expression() : pattern_of(kind_of(node()), at);
  --depth_;
  return e;
}

Expr Patterns::pattern_of(Kind kind, Extent at) {
  switch (kind) {
    case Kind::parenthesized_pattern: {
      Items<Expr> inner(exprs_);
      parts(inner);
      return inner.empty() ? broken(at) : inner.front();
    }
    case Kind::or_pattern: {
      Items<Expr> alternatives(exprs_);
      parts(alternatives);
      return arena_.make<Set>(Node{NodeKind::Set, at}, alternatives.copy(arena_));
    }
    case Kind::sequence_pattern: {
      Items<Expr> elements(exprs_);
      parts(elements);
      return arena_.make<List>(Node{NodeKind::List, at}, elements.copy(arena_));
    }
    case Kind::star_pattern: return arena_.make<Starred>(Node{NodeKind::Starred, at}, required(bound_name(), at));
    case Kind::as_pattern: return as_name(at);
    case Kind::mapping_pattern: return mapping(at);
    case Kind::class_pattern: return of_class(at);
    default: return expression();
  }
}

// The patterns among the children.
void Patterns::parts(Items<Expr>& items) {
  children([&](Kind kind) {
    if (kind != Kind::other_token && kind != Kind::token_comma && kind != Kind::token_open) items.push(pattern());
  });
}

// The name of a `*name` or `**name`.
Expr Patterns::bound_name() {
  Expr bound = nullptr;
  children([&](Kind, Field field) {
    if (field == Field::name) bound = expression();
  });
  return bound;
}

Expr Patterns::as_name(Extent at) {
  Expr inner = nullptr;
  Name bound;
  children([&](Kind, Field field) {
    if (field == Field::pattern) inner = pattern();
    if (field == Field::name) bound = name();
  });
  return arena_.make<NamedExpr>(Node{NodeKind::NamedExpr, at}, bound, required(inner, at));
}

Expr Patterns::mapping(Extent at) {
  Items<DictItem> items(dict_items_);
  children([&](Kind kind) {
    if (kind == Kind::double_star_pattern) items.push({nullptr, required(bound_name(), here())});
    if (kind != Kind::pair_pattern) return;
    DictItem item{};
    Extent pair_at = here();
    children([&](Kind, Field field) {
      if (field == Field::key) item.key = expression();
      if (field == Field::value) item.value = pattern();
    });
    items.push({required(item.key, pair_at), required(item.value, pair_at)});
  });
  return arena_.make<Dict>(Node{NodeKind::Dict, at}, items.copy(arena_));
}

Expr Patterns::of_class(Extent at) {
  Expr cls = nullptr;
  Items<Expr> positional(exprs_);
  Items<Keyword> keywords(keywords_);
  children([&](Kind kind, Field field) {
    if (field == Field::class_) {
      cls = expression();
    } else if (kind == Kind::keyword_pattern) {
      Extent keyword_at = here();
      Keyword k{};
      children([&](Kind, Field inner) {
        if (inner == Field::name) k.name = name();
        if (inner == Field::value) k.value = pattern();
      });
      k.value = required(k.value, keyword_at);
      keywords.push(k);
    } else if (kind != Kind::other_token && kind != Kind::token_comma && kind != Kind::token_open) {
      positional.push(pattern());
    }
  });
  return arena_.make<Call>(Node{NodeKind::Call, at}, required(cls, at), positional.copy(arena_), keywords.copy(arena_));
}

}  // namespace tilewright::syntax
