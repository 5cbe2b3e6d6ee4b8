// What stands between operators: names, numbers, brackets, calls.
#include <utility>

#include "compiler/syntax/direct_expressions.h"
#include "compiler/syntax/literals.h"

namespace tilewright::syntax {

DirectExpressions::Part DirectExpressions::primary() {
  Part found = atom();
  for (unsigned links = 1;; chained(links++)) {
    if (*at_ == '.') {
      take(1);
      const Name attribute = name();
      found = make<Attribute>({found.at.begin, attribute.at.end}, found.e, attribute);
    } else if (*at_ == '(') {
      found = call(found);
    } else if (*at_ == '[') {
      found = subscript(found);
    } else {
      return found;
    }
  }
}

DirectExpressions::Part DirectExpressions::atom() {
  switch (*at_) {
    case '(': return parenthesized();
    case '[': return bracketed();
    case '{': return braced();
    case '"':
    case '\'': return string();
    case '.':
      if (at_[1] == '.' && at_[2] == '.') {
        const Extent at{here(), here() + 3};
        take(3);
        return make<EllipsisLit>(at);
      }
      return number();
    default: break;
  }
  if (is(*at_, kDigit)) return number();
  return at_string() ? string() : word();
}

DirectExpressions::Part DirectExpressions::word() {
  const Name found = name_here();
  if (is_keyword(found.text)) {
    const Extent at = found.at;
    if (take_word("None")) return make<NoneLit>(at);
    if (take_word("True")) return make<BoolLit>(at, true);
    if (take_word("False")) return make<BoolLit>(at, false);
    unsure();
  }
  take(found.at.end - found.at.begin);
  mentioned_.push_back(found);
  return make<NameRef>(found.at, found);
}

DirectExpressions::Part DirectExpressions::number() {
  constexpr std::uint32_t kManyDigits = 1000;  // a rule counts those of more
  const char* p = at_;
  const auto digits = [&p](auto belongs) {
    bool any = false;
    while (belongs(*p) || (any && *p == '_' && belongs(p[1]))) {
      any = true;
      ++p;
    }
    return any;
  };
  const auto decimal = [](char c) { return c >= '0' && c <= '9'; };
  const char base = static_cast<char>(*p == '0' ? p[1] | 0x20 : 0);
  bool is_float = false;
  if (base == 'x' || base == 'o' || base == 'b') {
    p += 2;
    const bool underscore = *p == '_';
    sure(!underscore);
    sure(digits([base](char c) {
      if (base == 'x') return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
      return c >= '0' && c <= (base == 'o' ? '7' : '1');
    }));
  } else {
    const bool whole = digits(decimal);
    if (*p == '.') {
      is_float = true;
      ++p;
      sure(digits(decimal) || whole);
    }
    if ((*p | 0x20) == 'e' && (decimal(p[1]) || ((p[1] == '+' || p[1] == '-') && decimal(p[2])))) {
      is_float = true;
      p += 2;
      digits(decimal);
    }
  }
  sure(!is(*p, kWord) && !(static_cast<unsigned char>(*p) & 0x80));  // `1j`, `0777`, `1if x`
  const Extent at{here(), place(p)};
  sure(at.end - at.begin < kManyDigits);
  const std::string_view text = view(at);
  sure(is_float || text[0] != '0' || text.size() == 1 || base == 'x' || base == 'o' || base == 'b');
  take(at.end - at.begin);
  if (is_float) return make<FloatLit>(at, float_value(text));
  const IntegerValue value = integer_value(text);
  return make<IntLit>(at, value.value, value.too_large);
}

DirectExpressions::Part DirectExpressions::parenthesized() {
  const std::uint32_t begin = here();
  const bool outside = open();
  if (*at_ == ')') {
    close(')', outside);
    return make<Tuple>({begin, end_}, Exprs{});
  }
  if (at_word("yield")) {
    const Part inner = yield();
    close(')', outside);
    return {inner.e, {begin, end_}};
  }
  const Part first = element();
  if (at_word("for")) {
    const Part made = comprehension(ComprehensionKind::Generator, begin, first, nullptr, ')');
    in_field_ = outside;
    return made;
  }
  if (*at_ == ')') {
    sure(first.e->kind != NodeKind::Starred);
    close(')', outside);
    return {first.e, {begin, end_}};
  }
  Items<Expr> items(exprs_);
  items.push(first.e);
  while (take_if(',') && *at_ != ')') items.push(element().e);
  close(')', outside);
  return make<Tuple>({begin, end_}, items.copy(arena_));
}

DirectExpressions::Part DirectExpressions::bracketed() {
  const std::uint32_t begin = here();
  const bool outside = open();
  Items<Expr> items(exprs_);
  if (*at_ != ']') {
    const Part first = element();
    if (at_word("for")) {
      const Part made = comprehension(ComprehensionKind::List, begin, first, nullptr, ']');
      in_field_ = outside;
      return made;
    }
    items.push(first.e);
    while (take_if(',') && *at_ != ']') items.push(element().e);
  }
  close(']', outside);
  return make<List>({begin, end_}, items.copy(arena_));
}

DirectExpressions::Part DirectExpressions::braced() {
  const std::uint32_t begin = here();
  const bool outside = open();
  Part made;
  if (*at_ == '}' || (*at_ == '*' && at_[1] == '*')) {
    made = dictionary(begin, {});
  } else {
    const Part first = element();
    if (*at_ == ':') {
      sure(first.e->kind != NodeKind::Starred && first.e->kind != NodeKind::NamedExpr);
      made = dictionary(begin, first);
    } else if (at_word("for")) {
      made = comprehension(ComprehensionKind::Set, begin, first, nullptr, '}');
    } else {
      Items<Expr> items(exprs_);
      items.push(first.e);
      while (take_if(',') && *at_ != '}') items.push(element().e);
      close('}', false);
      made = make<Set>({begin, end_}, items.copy(arena_));
    }
  }
  in_field_ = outside;
  return made;
}

// Behind the `{`, or at the colon behind its first key.
DirectExpressions::Part DirectExpressions::dictionary(std::uint32_t begin, Part key) {
  Items<DictItem> items(dict_items_);
  bool first = key.e != nullptr;
  do {
    if (!first && *at_ == '}') break;
    if (!first && *at_ == '*') {
      sure(at_[1] == '*');
      take(2);
      items.push({nullptr, operand().e});
      continue;
    }
    if (!first) key = expression();
    expect(':');
    const Part value = expression();
    if (first && at_word("for")) return comprehension(ComprehensionKind::Dict, begin, key, value.e, '}');
    items.push({key.e, value.e});
    first = false;
  } while (take_if(','));
  close('}', false);
  return make<Dict>({begin, end_}, items.copy(arena_));
}

// At the first `for`.
DirectExpressions::Part DirectExpressions::comprehension(ComprehensionKind form, std::uint32_t begin, Part element,
                                                         Expr value, char closer) {
  sure(element.e->kind != NodeKind::Starred);
  Items<ComprehensionClause> clauses(clauses_);
  for (;;) {
    if (take_word("for")) {
      const Part to = targets();
      expect_word("in");
      clauses.push({to.e, disjunction().e, nullptr});
    } else if (take_word("if")) {
      clauses.push({nullptr, nullptr, disjunction().e});
    } else {
      break;
    }
  }
  close(closer, false);
  return make<Comprehension>({begin, end_}, form, element.e, value, clauses.copy(arena_));
}

DirectExpressions::Part DirectExpressions::subscript(Part object) {
  const bool outside = open();
  Items<Expr> indices(exprs_);
  bool comma = false;
  do {
    if (*at_ == ']') break;
    indices.push(subscript_item().e);
    comma = *at_ == ',';
  } while (take_if(','));
  sure(!indices.empty());
  close(']', outside);
  return make<Subscript>({object.at.begin, end_}, object.e, indices.copy(arena_), comma);
}

DirectExpressions::Part DirectExpressions::subscript_item() {
  if (*at_ == '*') return starred();
  Part start;
  std::uint32_t begin = here();
  if (*at_ != ':') {
    start = named();
    if (*at_ != ':') return start;
    sure(start.e->kind != NodeKind::NamedExpr || start.e->at.begin != start.at.begin);
  }
  const auto bound = [this]() -> Expr {
    if (*at_ == ':' || *at_ == ',' || *at_ == ']') return nullptr;
    return expression().e;
  };
  take(1);
  Expr stop = bound();
  Expr step = nullptr;
  if (take_if(':')) step = bound();
  return make<Slice>({begin, end_}, start.e, stop, step);
}

// Whether a name and a single `=` stand here.
bool DirectExpressions::at_keyword_argument() const {
  if (!is(*at_, kLetter)) return false;
  const char* p = at_;
  while (is(*p, kWord)) ++p;
  while (*p == ' ') ++p;
  return *p == '=' && p[1] != '=';
}

void DirectExpressions::arguments(Items<Expr>& args, Items<Keyword>& keywords) {
  bool unpacked = false;
  do {
    if (*at_ == ')') break;
    if (*at_ == '*' && at_[1] == '*') {
      const std::uint32_t begin = here();
      take(2);
      const Part value = expression();
      keywords.push({Name{{}, 0, {begin, value.at.end}}, value.e});
      unpacked = true;
    } else if (*at_ == '*') {
      sure(!unpacked);
      args.push(starred().e);
    } else if (at_keyword_argument()) {
      const Name keyword = name();
      expect('=');
      keywords.push({keyword, expression().e});
    } else {
      sure(keywords.empty());
      args.push(named().e);
    }
  } while (take_if(','));
}

DirectExpressions::Part DirectExpressions::call(Part function) {
  const std::uint32_t begin = here();
  const bool outside = open();
  Items<Expr> args(exprs_);
  Items<Keyword> keywords(keywords_);
  if (*at_ != ')' && *at_ != '*' && !at_keyword_argument()) {
    const Part first = named();
    if (at_word("for")) {
      const Part made = comprehension(ComprehensionKind::Generator, begin, first, nullptr, ')');
      in_field_ = outside;
      args.push(made.e);
      return make<Call>({function.at.begin, end_}, function.e, args.copy(arena_), keywords.copy(arena_));
    }
    args.push(first.e);
    if (take_if(',')) arguments(args, keywords);
  } else {
    arguments(args, keywords);
  }
  close(')', outside);
  return make<Call>({function.at.begin, end_}, function.e, args.copy(arena_), keywords.copy(arena_));
}

// Up to what ends them; which parameters may follow which is a rule beside the grammar.
void DirectExpressions::parameters(Items<Parameter>& params, bool annotated) {
  const char closer = annotated ? ')' : ':';
  ParamKind kind = ParamKind::Positional;
  bool slash = false, star = false, defaults = false;
  while (*at_ != closer) {
    if (*at_ == '/') {
      sure(!params.empty() && !slash && !star);
      slash = true;
      take(1);
      for (Parameter& p : params.span()) p.kind = ParamKind::PositionalOnly;
    } else if (*at_ == '*' && at_[1] == '*') {
      take(2);
      parameter(params, ParamKind::VarKeywords, annotated);
      sure(!params.back().default_value);
      take_if(',');
      sure(*at_ == closer);
      break;
    } else if (*at_ == '*') {
      sure(!star);
      star = true;
      take(1);
      kind = ParamKind::KeywordOnly;
      if (*at_ == ',') {
        take(1);
        sure(is(*at_, kLetter));  // a name must follow
        continue;
      }
      parameter(params, ParamKind::VarArgs, annotated);
      sure(!params.back().default_value);
    } else {
      parameter(params, kind, annotated);
      const bool has_default = params.back().default_value != nullptr;
      sure(has_default || !defaults || star);
      defaults = defaults || has_default;
    }
    if (!take_if(',')) break;
  }
  sure(*at_ == closer);
}

void DirectExpressions::parameter(Items<Parameter>& params, ParamKind kind, bool annotated) {
  Parameter p{name(), kind, nullptr, nullptr};
  if (annotated && take_if(':')) p.annotation = expression().e;
  if (*at_ == '=' && at_[1] != '=') {
    take(1);
    p.default_value = expression().e;
  }
  params.push(p);
}

}  // namespace tilewright::syntax
