// Statements for the direct reader.
#include "compiler/syntax/direct.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "compiler/syntax/direct_expressions.h"

namespace tilewright::syntax {
namespace {

class DirectStatements : public DirectExpressions {
 public:
  using DirectExpressions::DirectExpressions;

  Stmt run() {
    mentioned_.reserve(text_.size() / 16);
    Items<Stmt> found(stmts_);
    statement(found, 0);
    to_code_line();
    sure(at_end() && found.size() == 1);
    return found.front();
  }
  std::vector<Name> mentioned() { return std::move(mentioned_); }

 private:
  // ---- lines -------------------------------------------------------------------------------------------------------
  // Past the end of a line, comments and empty lines, to the next token; the column of that, or 0 at the end.
  std::uint32_t to_code_line() {
    for (;;) {
      if (*at_ == '#') at_ = line_end();
      if (at_end()) return 0;
      sure(*at_ == '\n');
      const char* begin = ++at_;
      while (*at_ == ' ') ++at_;
      if (*at_ == '\t') {  // of no consequence where the line is empty
        while (*at_ == ' ' || *at_ == '\t') ++at_;
        sure(*at_ == '\n' || *at_ == '#' || at_end());
      }
      if (*at_ != '\n' && *at_ != '#' && !at_end()) return static_cast<std::uint32_t>(at_ - begin);
    }
  }

  // Where the next line of code begins, which is not reached by this.
  std::uint32_t next_column() {
    if (line_before_ == at_) return code_column_;
    line_before_ = at_;
    code_column_ = to_code_line();
    if (at_end()) code_column_ = kNoColumn;
    code_ = std::exchange(at_, line_before_);
    return code_column_;
  }
  static constexpr std::uint32_t kNoColumn = ~0u;

  // Whether a clause of a statement at `column` follows, and passes its word.
  template <std::size_t N>
  bool clause(const char (&word)[N], std::uint32_t column) {
    if (next_column() != column) return false;
    const char* const at = std::exchange(at_, code_);
    if (take_word(word)) return true;
    at_ = at;
    return false;
  }

  // Behind the colon of a header: the statements of its line, or those of the deeper lines that follow.
  Stmts block(std::uint32_t column) {
    expect(':');
    Items<Stmt> items(stmts_);
    if (!at_stop()) {
      simple_statements(items);
      return items.copy(arena_);
    }
    sure(*at_ != ';' && ++blocks_ < kMostBlocks);
    const std::uint32_t inner = next_column();
    sure(inner != kNoColumn && inner > column);
    std::uint32_t next = inner;
    while (next == inner) {
      at_ = code_;
      statement(items, inner);
      next = next_column();
    }
    sure(next == kNoColumn || next <= column);
    column_ = column;
    --blocks_;
    return items.copy(arena_);
  }

  // A compound statement, or the simple statements of a line. `column`: where they stand.
  void statement(Items<Stmt>& into, std::uint32_t column) {
    column_ = column;
    if (Stmt compound = compound_statement(column)) {
      into.push(compound);
    } else {
      simple_statements(into);
    }
  }

  void simple_statements(Items<Stmt>& into) {
    do {
      begin_expression();
      into.push(simple_statement());
      end_expression();
      sure(at_stop());
    } while (take_if(';') && !at_stop());
    sure(*at_ != ';');
  }

  // ---- compound statements -----------------------------------------------------------------------------------------
  // Null: a simple statement stands here.
  Stmt compound_statement(std::uint32_t column) {
    const std::uint32_t begin = here();
    switch (*at_) {
      case '@': return decorated(column);
      case 'i': return take_word("if") ? if_statement(begin, column) : nullptr;
      case 'f': return take_word("for") ? for_statement(begin, column) : nullptr;
      case 'w':
        if (take_word("while")) return while_statement(begin, column);
        return take_word("with") ? with_statement(begin, column) : nullptr;
      case 't': return take_word("try") ? try_statement(begin, column) : nullptr;
      case 'd': return at_word("def") ? function(begin, {}, column) : nullptr;
      case 'c': return at_word("class") ? class_definition(begin, {}, column) : nullptr;
      default: return nullptr;
    }
  }

  static std::uint32_t end_of(std::uint32_t end, Stmts block) { return block.empty() ? end : block.back()->at.end; }

  Expr condition() {
    begin_expression();
    Expr found = named().e;
    end_expression();
    return found;
  }

  struct Branch {
    std::uint32_t begin;
    Expr condition;
    Stmts body;
  };
  Stmt if_statement(std::uint32_t begin, std::uint32_t column) {
    Items<Branch> branches(branches_);
    const auto branch = [&](std::uint32_t from) {
      Expr tested = condition();
      branches.push({from, tested, block(column)});
      sure(branches.size() < kMostBlocks);
    };
    branch(begin);
    Stmts last;
    for (;;) {
      if (clause("elif", column)) {
        branch(end_ - 4);
      } else {
        if (clause("else", column)) last = block(column);
        break;
      }
    }
    Stmt s = nullptr;
    auto all = branches.span();
    for (std::size_t i = all.size(); i-- > 0;) {
      const Extent at{all[i].begin, end_of(end_of(all[i].begin, all[i].body), last)};
      s = arena_.make<If>(Node{NodeKind::If, at}, all[i].condition, all[i].body, last);
      last = arena_.copy(std::span<const Stmt>(&s, 1));
    }
    return s;
  }

  Stmt while_statement(std::uint32_t begin, std::uint32_t column) {
    Expr tested = condition();
    const Stmts body = block(column);
    Stmts otherwise;
    if (clause("else", column)) otherwise = block(column);
    const Extent at{begin, end_of(end_of(begin, body), otherwise)};
    return arena_.make<While>(Node{NodeKind::While, at}, tested, body, otherwise);
  }

  Stmt for_statement(std::uint32_t begin, std::uint32_t column) {
    begin_expression();
    Expr to = targets().e;
    expect_word("in");
    Expr iterable = expressions().e;
    end_expression();
    const Stmts body = block(column);
    Stmts otherwise;
    if (clause("else", column)) otherwise = block(column);
    const Extent at{begin, end_of(end_of(begin, body), otherwise)};
    return arena_.make<For>(Node{NodeKind::For, at}, to, iterable, body, otherwise, false);
  }

  Stmt with_statement(std::uint32_t begin, std::uint32_t column) {
    Items<WithItem> items(with_items_);
    do {
      begin_expression();
      const Part value = expression();
      auto* tuple = as<Tuple>(value.e);
      if (tuple && *at_ == ':' && items.empty() && tuple->at.begin == value.at.begin) {
        end_expression();
        parenthesized_items(items, *tuple);
        break;
      }
      WithItem item{value.e, nullptr};
      if (take_word("as")) {
        const Part to = target();
        sure(is_target(to.e));
        item.target = to.e;
      }
      end_expression();
      items.push(item);
    } while (take_if(','));
    const Stmts body = block(column);
    return arena_.make<With>(Node{NodeKind::With, {begin, end_of(begin, body)}}, items.copy(arena_), body, false);
  }

  // `with (a, b):` has two items; which of them has a name is for the parser to read.
  void parenthesized_items(Items<WithItem>& items, const Tuple& tuple) {
    sure(!tuple.elements.empty());
    for (Expr e : tuple.elements) {
      sure(e->kind != NodeKind::Starred && e->kind != NodeKind::NamedExpr);
      items.push({e, nullptr});
    }
  }

  Stmt try_statement(std::uint32_t begin, std::uint32_t column) {
    Items<Handler> handlers(handlers_);
    const Stmts body = block(column);
    std::uint32_t end = end_of(begin, body);
    while (clause("except", column)) {
      Handler handler{};
      if (*at_ != ':') {
        begin_expression();
        handler.type = expression().e;
        end_expression();
        if (take_word("as")) handler.bound = name();
      }
      handler.body = block(column);
      end = end_of(end, handler.body);
      handlers.push(handler);
    }
    Stmts otherwise;
    Stmts last;
    if (!handlers.empty() && clause("else", column)) {
      otherwise = block(column);
      end = end_of(end, otherwise);
    }
    if (clause("finally", column)) {
      last = block(column);
      end = end_of(end, last);
    }
    sure(!handlers.empty() || !last.empty());
    return arena_.make<Try>(Node{NodeKind::Try, {begin, end}}, body, handlers.copy(arena_), otherwise, last);
  }

  Stmt decorated(std::uint32_t column) {
    const std::uint32_t begin = here();
    Items<Expr> decorators(exprs_);
    while (*at_ == '@') {
      take(1);
      decorators.push(condition());
      sure(at_stop() && *at_ != ';' && next_column() == column);
      at_ = code_;
    }
    if (at_word("def")) return function(begin, decorators.copy(arena_), column);
    sure(at_word("class"));
    return class_definition(begin, decorators.copy(arena_), column);
  }

  // At its `def`. `begin`: of the first decorator.
  Stmt function(std::uint32_t begin, Exprs decorators, std::uint32_t column) {
    Extent header{here(), 0};
    const bool outer = std::exchange(yields_, false);
    expect_word("def");
    const Name function_name = name();
    sure(*at_ == '(');
    begin_expression();
    Items<Parameter> params(params_);
    ++brackets_;
    take(1);
    parameters(params, true);
    --brackets_;
    expect(')');
    header.end = end_;
    Expr returns = nullptr;
    if (*at_ == '-') {
      sure(at_[1] == '>');
      take(2);
      returns = expression().e;
    }
    end_expression();
    const Stmts body = block(column);
    const bool is_generator = std::exchange(yields_, outer);
    return arena_.make<FunctionDef>(Node{NodeKind::FunctionDef, {begin, end_of(begin, body)}}, function_name,
                                    params.copy(arena_), returns, decorators, body, false, is_generator, header);
  }

  Stmt class_definition(std::uint32_t begin, Exprs decorators, std::uint32_t column) {
    expect_word("class");
    const Name class_name = name();
    Items<Expr> bases(exprs_);
    Items<Keyword> keywords(keywords_);
    const bool outer = yields_;
    if (*at_ == '(') {
      begin_expression();
      ++brackets_;
      take(1);
      arguments(bases, keywords);
      --brackets_;
      expect(')');
      end_expression();
    }
    const Stmts body = block(column);
    yields_ = outer;
    return arena_.make<ClassDef>(Node{NodeKind::ClassDef, {begin, end_of(begin, body)}}, class_name, bases.copy(arena_),
                                 keywords.copy(arena_), decorators, body);
  }

  // ---- simple statements -------------------------------------------------------------------------------------------
  Stmt simple_statement() {
    const std::uint32_t begin = here();
    switch (*at_) {
      case 'a':
        if (take_word("assert")) return assert_statement(begin);
        break;
      case 'b':
        if (take_word("break")) return arena_.make<Break>(Node{NodeKind::Break, {begin, end_}});
        break;
      case 'c':
        if (take_word("continue")) return arena_.make<Continue>(Node{NodeKind::Continue, {begin, end_}});
        break;
      case 'd':
        if (take_word("del")) return delete_statement(begin);
        break;
      case 'f':
        if (take_word("from")) return import_from(begin);
        break;
      case 'g':
        if (take_word("global")) return named_outside<Global>(begin);
        break;
      case 'i':
        if (take_word("import")) return import_statement(begin);
        break;
      case 'm': sure(!at_word("match")); break;
      case 'n':
        if (take_word("nonlocal")) return named_outside<Nonlocal>(begin);
        break;
      case 'p':
        if (take_word("pass")) return arena_.make<Pass>(Node{NodeKind::Pass, {begin, end_}});
        break;
      case 'r':
        if (take_word("return")) {
          Expr value = at_stop() ? nullptr : expressions().e;
          return arena_.make<Return>(Node{NodeKind::Return, {begin, end_}}, value);
        }
        if (take_word("raise")) return raise_statement(begin);
        break;
      case 't': sure(!at_word("type")); break;
      default: break;
    }
    return expression_statement();
  }

  Stmt assert_statement(std::uint32_t begin) {
    Expr tested = expression().e;
    Expr message = take_if(',') ? expression().e : nullptr;
    return arena_.make<Assert>(Node{NodeKind::Assert, {begin, end_}}, tested, message);
  }

  Stmt raise_statement(std::uint32_t begin) {
    Expr value = at_stop() ? nullptr : expression().e;
    Expr cause = value && take_word("from") ? expression().e : nullptr;
    return arena_.make<Raise>(Node{NodeKind::Raise, {begin, end_}}, value, cause);
  }

  static bool is_deletable(Expr e) {
    if (auto* tuple = as<Tuple>(e)) return std::ranges::all_of(tuple->elements, is_deletable);
    if (auto* list = as<List>(e)) return std::ranges::all_of(list->elements, is_deletable);
    return is_single_target(e);
  }

  Stmt delete_statement(std::uint32_t begin) {
    Items<Expr> targets(exprs_);
    do {
      if (at_stop()) break;
      const Part target = primary();
      sure(is_deletable(target.e));
      targets.push(target.e);
    } while (take_if(','));
    sure(!targets.empty());
    return arena_.make<Delete>(Node{NodeKind::Delete, {begin, end_}}, targets.copy(arena_));
  }

  template <class T>
  Stmt named_outside(std::uint32_t begin) {
    Items<Name> names(names_);
    do names.push(mentioned_.emplace_back(name()));
    while (take_if(','));
    return arena_.make<T>(Node{T::kKind, {begin, end_}}, names.copy(arena_));
  }

  Stmt expression_statement() {
    if (at_word("yield")) {
      const Part value = expressions_or_yield();
      return arena_.make<ExprStmt>(Node{NodeKind::ExprStmt, value.at}, value.e);
    }
    const Part first = expressions();
    const std::uint32_t begin = first.at.begin;
    if (at_stop()) return arena_.make<ExprStmt>(Node{NodeKind::ExprStmt, first.at}, first.e);
    if (*at_ == ':') {
      sure(at_[1] != '=' && is_single_target(first.e));
      take(1);
      Expr annotation = expression().e;
      Expr value = take_if('=') ? expressions_or_yield().e : nullptr;
      return arena_.make<AnnAssign>(Node{NodeKind::AnnAssign, {begin, end_}}, first.e, annotation, value);
    }
    if (*at_ == '=') return assignment(first);
    return augmented(first);
  }

  Stmt assignment(Part first) {
    Items<Expr> targets(exprs_);
    Part value = first;
    while (*at_ == '=') {
      sure(is_target(value.e) && targets.size() < kMostBlocks);
      targets.push(value.e);
      take(1);
      value = expressions_or_yield();
    }
    return arena_.make<Assign>(Node{NodeKind::Assign, {first.at.begin, end_}}, targets.copy(arena_), value.e);
  }

  Stmt augmented(Part target) {
    static constexpr std::pair<std::string_view, Operator> kOperators[] = {
        {"+=", Operator::Add},      {"-=", Operator::Sub},     {"*=", Operator::Mul},     {"@=", Operator::MatMul},
        {"/=", Operator::Div},      {"%=", Operator::Mod},     {"&=", Operator::BitAnd},  {"|=", Operator::BitOr},
        {"^=", Operator::BitXor},   {"<<=", Operator::LShift}, {">>=", Operator::RShift}, {"**=", Operator::Pow},
        {"//=", Operator::FloorDiv}};
    const std::string_view rest = std::string_view(text_).substr(here());
    const auto* found = std::ranges::find_if(kOperators, [&](const auto& o) { return rest.starts_with(o.first); });
    sure(found != std::end(kOperators) && is_single_target(target.e));
    take(static_cast<unsigned>(found->first.size()));
    Expr value = expressions_or_yield().e;
    return arena_.make<AugAssign>(Node{NodeKind::AugAssign, {target.at.begin, end_}}, target.e, found->second, value);
  }

  // ---- imports -----------------------------------------------------------------------------------------------------
  // `a.b` without blanks; `first` is `a`.
  Extent dotted(Name& first) {
    first = name_here();
    Extent at = first.at;
    for (;;) {
      const Name part = name();
      at.end = part.at.end;
      if (*at_ != '.') return at;
      sure(here() == at.end && is(at_[1], kLetter));
      ++at_;
    }
  }

  ImportedName imported(bool whole) {
    Name first;
    const Extent at = dotted(first);
    if (whole) sure(first.at.end == at.end);
    ImportedName found{view(at), first, at};
    if (take_word("as")) found.bound = name();
    found.at.end = end_;
    return found;
  }

  Stmt import_statement(std::uint32_t begin) {
    Items<ImportedName> names(imports_);
    do names.push(imported(false));
    while (take_if(','));
    return arena_.make<Import>(Node{NodeKind::Import, {begin, end_}}, names.copy(arena_));
  }

  Stmt import_from(std::uint32_t begin) {
    Items<ImportedName> names(imports_);
    int level = 0;
    for (; *at_ == '.'; ++level) ++at_;
    skip();
    std::string_view module;
    Name first;
    if (!at_word("import")) module = view(dotted(first));
    sure(level > 0 || !module.empty());
    expect_word("import");
    if (*at_ == '*') {
      const Extent star{here(), here() + 1};
      take(1);
      names.push({"*", Name{{}, 0, star}, star});
    } else if (*at_ == '(') {
      ++brackets_;
      take(1);
      do {
        if (*at_ == ')' && !names.empty()) break;
        names.push(imported(true));
      } while (take_if(','));
      --brackets_;
      expect(')');
    } else {
      do names.push(imported(true));
      while (take_if(','));
    }
    return arena_.make<ImportFrom>(Node{NodeKind::ImportFrom, {begin, end_}}, module, level, names.copy(arena_));
  }

  // Blocks within blocks, and clauses of a statement: fewer than the parser takes.
  static constexpr unsigned kMostBlocks = 60;

  // What next_column() found last: behind the line that ends here, the next one begins there.
  const char* line_before_ = nullptr;
  const char* code_ = nullptr;
  std::uint32_t code_column_ = 0;
  unsigned blocks_ = 0;
  std::vector<Stmt> stmts_;
  std::vector<Branch> branches_;
  std::vector<Handler> handlers_;
  std::vector<WithItem> with_items_;
  std::vector<Name> names_;
  std::vector<ImportedName> imports_;
};

}  // namespace

Stmt read_directly(const std::string& text, Arena& arena, std::vector<Name>* mentioned) {
  for (char c : {'\r', '\f', '\0'}) {
    if (text.find(c) != text.npos) return nullptr;
  }
  try {
    DirectStatements reader(text, arena);
    Stmt found = reader.run();
    if (mentioned) *mentioned = reader.mentioned();
    return found;
  } catch (const Unsure&) {
    return nullptr;
  }
}

}  // namespace tilewright::syntax
