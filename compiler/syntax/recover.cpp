// Recovery by parts.
//
// The parser repairs broken text as cheaply as it can, counted in tokens, and so it may drop a whole function for the
// sake of one missing colon. A script's lines and indentation tell more. A broken statement is therefore taken apart:
//
//   - each statement of its blocks is read on its own, and taken apart in turn if it is broken, too;
//   - its header lines are read without their blocks (a `0` stands for each), completed by what the scanner of lines
//     says is missing: closing quotes and brackets, the colon.
//
// So a broken line spoils itself and nothing else, and what went wrong has a name: an unclosed bracket is reported by
// the scanner, a missing colon when the header can be read with one, and only the rest is a plain syntax error.
#include "compiler/syntax/recover.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "compiler/syntax/acceptance.h"
#include "compiler/syntax/convert.h"
#include "compiler/syntax/errors.h"
#include "compiler/syntax/lines.h"

namespace tilewright::syntax {
namespace {

class Recovery {
 public:
  Recovery(std::string_view text, Arena& arena, Parser& parser, std::vector<SyntaxError>& errors)
      : text_(text), arena_(arena), parser_(parser), errors_(errors), scan_(scan_lines(text)) {}

  Stmt run() {
    if (scan_.lines.empty()) return nullptr;
    std::vector<Piece> pieces = cut(scan_.lines, scan_.lines.front().column);
    if (pieces.size() != 1) return nullptr;
    bool yields = false;
    return taken_apart(pieces.front(), 0, yields);
  }

 private:
  const Line& line(std::uint32_t index) const { return scan_.lines[index]; }
  std::span<const Line> lines_of(const Piece& piece) const {
    return std::span(scan_.lines).subspan(piece.first, piece.last - piece.first);
  }
  const Fault* fault(const Line& l) const { return l.fault ? &scan_.faults[*l.fault] : nullptr; }
  std::string_view view(std::uint32_t begin, std::uint32_t end) const { return text_.substr(begin, end - begin); }
  static bool is_readable(const TSTree* tree) { return tree && !ts_node_has_error(ts_tree_root_node(tree)); }
  void error(SyntaxError e) { errors_.push_back(std::move(e)); }

  // ---- statements that may be whole ------------------------------------------------------------------------------
  Stmt statement(const Piece& piece, unsigned depth, bool& yields) {
    const Line& head = line(piece.first);
    if (may_be_whole(piece, depth)) {
      Placement placement;
      std::string parsed;
      if (head.column > 0) {
        placement.wrapped = true;
        parsed = "if 0:\n" + std::string(head.column, ' ');
      }
      placement.depth = 2 * depth;
      placement.stretches.push_back({static_cast<std::uint32_t>(parsed.size()), head.begin, line(piece.last - 1).end});
      parsed += view(head.begin, line(piece.last - 1).end);
      TreePtr tree = parser_.parse_faultless(parsed);
      if (tree && check_rules(ts_tree_root_node(tree.get()), parsed).empty()) {
        Converted converted = convert(tree.get(), text_, placement, arena_, errors_);
        if (converted.statement && converted.alone) {
          yields = yields || converted.yields;
          return converted.statement;
        }
      }
    }
    return taken_apart(piece, depth, yields);
  }

  // Blocks within blocks are read again at each level, but not without end: then they are taken apart at once.
  bool may_be_whole(const Piece& piece, unsigned depth) {
    if (depth + nested_blocks(lines_of(piece)) > kMaxBlocks) return false;
    for (std::uint32_t i = piece.first; i < piece.last; ++i) {
      if (line(i).fault) return false;
    }
    if (piece.last - piece.first > 1 && parsed_bytes_ > 8 * text_.size() + 65536) return false;
    parsed_bytes_ += line(piece.first).column + line(piece.last - 1).end - line(piece.first).begin;
    return true;
  }

  Stmts block(std::uint32_t first, std::uint32_t last, unsigned depth, bool& yields) {
    std::uint32_t column = line(first).column;
    std::vector<Stmt> statements;
    for (Piece piece : cut(std::span(scan_.lines).subspan(first, last - first), column)) {
      piece.first += first;
      piece.last += first;
      const Line& head = line(piece.first);
      if (piece.indent == Piece::Indent::Deeper) {
        error({head.begin, head.end, "unexpected indent"});
      } else if (piece.indent == Piece::Indent::Between) {
        error({head.begin, head.end, "unindent does not match any outer indentation level"});
      }
      if (Stmt s = statement(piece, depth, yields)) statements.push_back(s);
    }
    return arena_.copy(statements);
  }

  void rules(const TSTree* tree, std::string_view parsed, const Placement& placement) {
    for (Rejection& r : check_rules(ts_tree_root_node(tree), parsed)) {
      error({placement.begin_of(static_cast<std::uint32_t>(r.begin)),
             placement.end_of(static_cast<std::uint32_t>(r.end)), std::move(r.message)});
    }
  }

  // ---- statements that are not -----------------------------------------------------------------------------------
  // A header line, with the lines that `;` joins to it, and the block below it.
  struct Header {
    std::uint32_t line;
    std::uint32_t end;         // of its text
    std::uint32_t body_first;  // lines of the block; none if equal
    std::uint32_t body_last;
    Body body;
    bool has_block;  // a block belongs to it, be it on the same line
  };

  Stmt taken_apart(const Piece& piece, unsigned depth, bool& yields) {
    Extent all{line(piece.first).begin, line(piece.last - 1).end};
    if (depth > kMaxBlocks || arena_.bytes() > 64 * text_.size() + (1u << 20)) {
      error({all.begin, line(piece.first).end, "nested too deeply"});
      return broken_statement(text_, all, {}, arena_);
    }
    std::vector<Header> headers = split(piece);
    const Line& head = line(piece.first);
    if (head.word == Word::Clause) {
      std::string_view word = view(head.begin, head.end);
      word = word.substr(0, word.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
      error({head.begin, head.begin + static_cast<std::uint32_t>(word.size()),
             "'" + std::string(word) + "' belongs to no statement above"});
      return broken_statement(text_, all, {}, arena_);
    }
    bool compound = head.word != Word::Other && head.word != Word::Match && head.word != Word::Closer;
    if (!compound && headers.size() == 1 && headers[0].body_first == headers[0].body_last) return simple(piece);
    if (head.word == Word::Match) return match(piece, depth);

    bool inner_yields = false;
    for (Header& h : headers) {
      if (h.body_first < h.body_last) h.body.statements = block(h.body_first, h.body_last, depth + 1, inner_yields);
      h.body.yields = std::exchange(inner_yields, false);
    }
    return with_headers(piece, headers, depth, yields);
  }

  std::vector<Header> split(const Piece& piece) const {
    std::vector<Header> headers;
    std::uint32_t column = line(piece.first).column;
    for (std::uint32_t i = piece.first; i < piece.last;) {
      Header h{i, line(i).end, 0, 0, {}, line(i).word != Word::Decorator && line(i).word != Word::Closer};
      ++i;
      while (i < piece.last && line(i).joined && line(i).column == column) h.end = line(i++).end;
      h.body_first = i;
      while (i < piece.last && line(i).column > column) ++i;
      h.body_last = i;
      headers.push_back(h);
    }
    return headers;
  }

  // One line that cannot be read.
  Stmt simple(const Piece& piece) {
    const Line& l = line(piece.first);
    Extent all{l.begin, line(piece.last - 1).end};
    Placement placement;
    placement.stretches.push_back({0, all.begin, all.end});
    const Fault* f = fault(l);
    if (f) error(fault_error(*f, text_));
    if (f && f->kind == Fault::Kind::TooDeep) return broken_statement(text_, all, {}, arena_);

    std::string parsed(view(all.begin, all.end));
    if (f && f->kind == Fault::Kind::UnmatchedBracket) parsed.resize(f->at.begin - all.begin);
    if (f) parsed += f->closers;
    TreePtr tree = parser_.parse(parsed);
    if (!tree) return too_complex(all);
    if (!f && is_readable(tree.get())) {
      rules(tree.get(), parsed, placement);
    } else if (!f) {
      std::vector<SyntaxError> late;
      Converted converted = convert(tree.get(), text_, placement, arena_, late);
      error(sharper(tree_error(tree.get(), parsed, placement), l));
      if (converted.statement && converted.alone) return converted.statement;
    }
    return broken_statement(text_, all, convert_parts(tree.get(), text_, placement, arena_), arena_);
  }

  Stmt too_complex(Extent all) {
    if (!std::exchange(spent_, true)) error({all.begin, all.end, "too complex to read"});
    return broken_statement(text_, all, {}, arena_);
  }

  static SyntaxError tree_error(const TSTree* tree, std::string_view parsed, const Placement& placement) {
    SyntaxError e = first_error(tree, parsed).value_or(SyntaxError{0, 0, "syntax error"});
    std::uint32_t begin = placement.begin_of(e.begin);
    return {begin, std::max(begin, placement.end_of(e.end)), std::move(e.message)};
  }

  // What the parser stumbled over, told by the line's own tokens where they say more.
  SyntaxError sharper(SyntaxError e, const Line& l) const {
    if (e.message != "syntax error") return e;
    // An argument on a line of its own.
    if (l.stray.end > 0 && l.stray.begin > l.begin) {
      std::string_view before = view(l.begin, l.stray.begin);
      std::size_t blanks = before.find_last_not_of(" \t");
      if (blanks != std::string_view::npos && before[blanks] == '\n') {
        std::string stray(view(l.stray.begin, l.stray.end));
        return {l.stray.begin, l.stray.end, "expected ',' before '" + stray + "'"};
      }
    }
    // Operators of other languages.
    for (auto [sign, word] : {std::pair{'&', "and"}, std::pair{'|', "or"}}) {
      for (std::uint32_t at : {e.begin, e.begin ? e.begin - 1 : 0}) {
        if (at + 1 >= l.end || text_[at] != sign || text_[at + 1] != sign) continue;
        return {at, at + 2, "expected '" + std::string(word) + "', not '" + std::string(2, sign) + "'"};
      }
    }
    const bool condition = view(l.begin, l.end).starts_with("if ") || view(l.begin, l.end).starts_with("elif ") ||
                           view(l.begin, l.end).starts_with("while ");
    if (condition && e.begin < l.end && text_[e.begin] == '=') {
      return {e.begin, e.begin + 1, "expected '==', not '='"};
    }
    if (l.stray.end > 0 && e.begin <= l.stray.begin) {
      bool near =
          e.end >= l.stray.begin || view(e.end, l.stray.begin).find_first_not_of(" \t") == std::string_view::npos;
      std::string stray(view(l.stray.begin, l.stray.end));
      if (near) return {l.stray.begin, l.stray.end, "unexpected '" + stray + "'"};
    }
    if (e.end < l.end || e.begin > l.end) return e;
    std::string_view last = view(l.begin, l.end);
    last.remove_prefix(last.find_last_not_of("abcdefghijklmnopqrstuvwxyz") + 1);
    static constexpr std::string_view kBeforeName[] = {"def", "class", "import", "from", "as", "global", "nonlocal"};
    static constexpr std::string_view kBeforeExpression[] = {"if",  "elif", "while", "with", "for", "in",
                                                             "not", "and",  "or",    "is",   "del", "assert"};
    constexpr std::string_view kOperators = "=+-*/%@&|^<>~";
    bool name = text_[l.end - 1] == '.' || std::ranges::find(kBeforeName, last) != std::end(kBeforeName);
    bool expression = kOperators.find(text_[l.end - 1]) != std::string_view::npos ||
                      std::ranges::find(kBeforeExpression, last) != std::end(kBeforeExpression);
    if (name) return {l.end, l.end, "expected a name"};
    if (expression) return {l.end, l.end, "expected an expression"};
    return e;
  }

  // Not evaluated by anyone: one error will do.
  Stmt match(const Piece& piece, unsigned depth) {
    Extent all{line(piece.first).begin, line(piece.last - 1).end};
    Placement placement;
    placement.depth = 2 * depth;
    placement.stretches.push_back({0, all.begin, all.end});
    for (std::uint32_t i = piece.first; i < piece.last; ++i) {
      if (!fault(line(i))) continue;
      error(fault_error(*fault(line(i)), text_));
      return broken_statement(text_, all, {}, arena_);
    }
    TreePtr tree = parser_.parse(view(all.begin, all.end));
    if (!tree) return too_complex(all);
    error(tree_error(tree.get(), view(all.begin, all.end), placement));
    std::vector<SyntaxError> late;
    Converted converted = convert(tree.get(), text_, placement, arena_, late);
    if (as<Match>(converted.statement)) return converted.statement;
    return broken_statement(text_, all, {}, arena_);
  }

  // How headers are made readable, from the least that may be missing to the most.
  enum class Effort : std::uint8_t { Complete, NoDecorators, NoParameters };

  // The header lines, completed, with a placeholder for each block.
  struct Skeleton {
    std::string parsed;
    Placement placement;
    std::vector<SyntaxError> lacking;  // what had to be added, other than what a fault has an error for
  };

  Skeleton skeleton(const std::vector<Header>& headers, unsigned depth, Effort effort) const {
    Skeleton s;
    s.placement.depth = 2 * depth;
    for (Header h : headers) {
      const Line& l = line(h.line);
      if (l.word == Word::Closer) continue;  // a stray bracket: its fault says it all
      if (l.word == Word::Decorator && effort == Effort::NoDecorators) continue;
      s.placement.stretches.push_back({static_cast<std::uint32_t>(s.parsed.size()), l.begin, h.end});
      s.parsed += view(l.begin, h.end);
      if (!h.has_block || (l.has_colon && !l.ends_colon)) {  // a decorator, or the block on the same line
        if (const Fault* f = fault(l)) s.parsed += f->closers;
        s.parsed += '\n';
        continue;
      }
      complete(l, h, effort, s);
      s.parsed += ' ';
      h.body.parsed = static_cast<std::uint32_t>(s.parsed.size());
      s.placement.bodies.push_back(h.body);
      s.parsed += "0\n";
    }
    const Line& head = line(headers.front().line);
    if (headers.size() == 1 && view(head.begin, head.end).starts_with("try")) {  // a `try` needs a clause
      s.placement.bodies.push_back({static_cast<std::uint32_t>(s.parsed.size()) + 9, {}, false});
      s.parsed += "finally: 0\n";
      s.lacking.push_back({head.begin, head.begin + 3, "expected 'except' or 'finally'"});
    }
    return s;
  }

  // Appends what a header lacks up to and with its colon.
  void complete(const Line& l, const Header& h, Effort effort, Skeleton& s) const {
    const Fault* f = fault(l);
    std::string closers = f ? f->closers : "";
    if (l.has_colon && closers.empty()) return;
    if (l.ends_colon) {  // `def f(a:`
      s.parsed.insert(s.parsed.size() - 1, closers);
      return;
    }
    s.parsed += closers;
    if (!f && l.word == Word::Definition && effort == Effort::NoParameters) {
      s.parsed += "()";
      s.lacking.push_back({h.end, h.end, "expected '('"});
    } else if (!f) {
      s.lacking.push_back({h.end, h.end, "expected ':'"});
    }
    s.parsed += ':';
  }

  Stmt with_headers(const Piece& piece, const std::vector<Header>& headers, unsigned depth, bool& yields) {
    bool faulty = false;
    bool deep = false;
    for (const Header& h : headers) {
      const Fault* f = fault(line(h.line));
      if (!f) continue;
      error(fault_error(*f, text_));
      faulty = true;
      deep = deep || f->kind == Fault::Kind::TooDeep;
    }
    bool decorated = line(headers.front().line).word == Word::Decorator;
    bool lonely = line(headers.back().line).word == Word::Decorator;
    Exprs parts;
    std::optional<SyntaxError> unreadable;
    for (Effort effort : {Effort::Complete, Effort::NoDecorators, Effort::NoParameters}) {
      if (deep || (effort == Effort::NoDecorators && (!decorated || lonely))) continue;
      if (effort == Effort::NoParameters && line(headers.back().line).word != Word::Definition) continue;
      Skeleton s = skeleton(headers, depth, effort);
      TreePtr tree = parser_.parse(s.parsed);
      if (!tree) {
        too_complex({line(piece.first).begin, line(piece.first).end});
        return from_words(piece, headers, parts, yields);
      }
      if (is_readable(tree.get())) {
        Converted converted = convert(tree.get(), text_, s.placement, arena_, errors_);
        if (!converted.statement || !converted.alone) continue;
        if (effort == Effort::NoDecorators) {
          if (!faulty && unreadable) error(*unreadable);
          converted.statement = with_broken_decorators(converted.statement, headers);
        }
        if (fault(line(piece.first))) converted.statement = with_broken_header(converted.statement);
        for (SyntaxError& e : s.lacking) error(std::move(e));
        for (const Header& h : headers) missing_block(h);
        if (!faulty) rules(tree.get(), s.parsed, s.placement);
        yields = yields || converted.yields;
        return converted.statement;
      }
      if (effort == Effort::Complete) {
        unreadable = sharper(tree_error(tree.get(), s.parsed, s.placement), line(headers.front().line));
        s.placement.bodies.clear();
        parts = convert_parts(tree.get(), text_, s.placement, arena_);
      }
    }
    if (!faulty) {
      const Line& head = line(piece.first);
      SyntaxError plain{head.begin, head.end, lonely ? "expected 'def' or 'class' below a decorator" : "syntax error"};
      error(lonely ? plain : unreadable.value_or(plain));
    }
    return from_words(piece, headers, parts, yields);
  }

  // Control flow whose header was completed by guess: what it computes is not evaluated.
  Stmt with_broken_header(Stmt s) {
    auto hidden = [&](Expr e) {
      return arena_.make<Broken>(Node{NodeKind::Broken, e->at}, arena_.copy(std::span<const Expr>(&e, 1)));
    };
    if (const auto* i = as<If>(s)) {
      auto* copy = arena_.make<If>(*i);
      copy->condition = hidden(i->condition);
      return copy;
    }
    if (const auto* w = as<While>(s)) {
      auto* copy = arena_.make<While>(*w);
      copy->condition = hidden(w->condition);
      return copy;
    }
    if (const auto* f = as<For>(s)) {
      auto* copy = arena_.make<For>(*f);
      copy->iterable = hidden(f->iterable);
      return copy;
    }
    if (const auto* w = as<With>(s)) {
      std::vector<WithItem> items(w->items.begin(), w->items.end());
      for (WithItem& item : items) item.value = hidden(item.value);
      auto* copy = arena_.make<With>(*w);
      copy->items = arena_.copy(items);
      return copy;
    }
    return s;
  }

  // A definition whose decorators cannot be read: one Broken stands for each.
  Stmt with_broken_decorators(Stmt s, const std::vector<Header>& headers) {
    std::vector<Expr> decorators;
    for (const Header& h : headers) {
      if (line(h.line).word == Word::Decorator) decorators.push_back(broken(line(h.line)));
    }
    Exprs all = arena_.copy(decorators);
    std::uint32_t begin = line(headers.front().line).begin;
    if (const auto* def = as<FunctionDef>(s)) {
      auto* copy = arena_.make<FunctionDef>(*def);
      copy->decorators = all;
      copy->at.begin = begin;
      return copy;
    }
    if (const auto* def = as<ClassDef>(s)) {
      auto* copy = arena_.make<ClassDef>(*def);
      copy->decorators = all;
      copy->at.begin = begin;
      return copy;
    }
    return s;
  }

  void missing_block(const Header& h) {
    const Line& l = line(h.line);
    if (h.has_block && h.body_first == h.body_last && l.ends_colon && !l.fault) {
      error({l.end, l.end, "expected an indented block"});
    }
  }

  // ---- headers that cannot be read -------------------------------------------------------------------------------
  Expr broken(const Line& l, Exprs parts = {}) {
    return arena_.make<Broken>(Node{NodeKind::Broken, {l.begin, l.end}}, parts);
  }

  // Control flow keeps its blocks, whatever its header says; a definition is lost.
  Stmt from_words(const Piece& piece, const std::vector<Header>& headers, Exprs parts, bool& yields) {
    const Line& head = line(piece.first);
    Extent all{head.begin, line(piece.last - 1).end};
    auto word_of = [&](const Header& h) {
      std::string_view text = view(line(h.line).begin, line(h.line).end);
      return text.substr(0, std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), text.size()));
    };
    for (const Header& h : headers) yields = yields || h.body.yields;
    std::string_view word = word_of(headers.front());
    Stmts body = headers.front().body.statements;
    Stmts otherwise;
    if (headers.size() > 1 && word_of(headers.back()) == "else") otherwise = headers.back().body.statements;

    if (word == "if") {
      Stmt s = nullptr;
      for (std::size_t i = headers.size(); i-- > 0;) {
        const Header& h = headers[i];
        if (i > 0 && word_of(h) != "elif") continue;
        Extent at{line(h.line).begin, all.end};
        s = arena_.make<If>(Node{NodeKind::If, at}, broken(line(h.line), i == 0 ? parts : Exprs{}), h.body.statements,
                            otherwise);
        otherwise = arena_.copy(std::span<const Stmt>(&s, 1));
      }
      return s;
    }
    if (word == "while") return arena_.make<While>(Node{NodeKind::While, all}, broken(head, parts), body, otherwise);
    if (word == "for") {
      return arena_.make<For>(Node{NodeKind::For, all}, target(head), broken(head, parts), body, otherwise, false);
    }
    if (word == "with") {
      WithItem item{broken(head, parts), target(head)};
      return arena_.make<With>(Node{NodeKind::With, all}, arena_.copy(std::span<const WithItem>(&item, 1)), body,
                               false);
    }
    if (word == "try") {
      std::vector<Handler> handlers;
      Stmts last;
      for (const Header& h : headers) {
        if (word_of(h) == "except") handlers.push_back({broken(line(h.line)), {}, h.body.statements});
        if (word_of(h) == "finally") last = h.body.statements;
      }
      return arena_.make<Try>(Node{NodeKind::Try, all}, body, arena_.copy(handlers), otherwise, last);
    }
    Extent last{line(headers.back().line).begin, all.end};
    const auto* named = static_cast<const BrokenStmt*>(broken_statement(text_, last, parts, arena_));
    return arena_.make<BrokenStmt>(Node{NodeKind::BrokenStmt, all}, parts, named->names);
  }

  // The names that a header seems to bind, as a target; null if none.
  Expr target(const Line& l) {
    const auto* named = static_cast<const BrokenStmt*>(broken_statement(text_, {l.begin, l.end}, {}, arena_));
    std::vector<Expr> names;
    for (const Name& n : named->names) names.push_back(arena_.make<NameRef>(Node{NodeKind::NameRef, n.at}, n));
    if (names.size() == 1) return names[0];
    if (names.empty()) return line_is_for(l) ? broken(l) : nullptr;
    return arena_.make<Tuple>(Node{NodeKind::Tuple, {l.begin, l.end}}, arena_.copy(names));
  }
  bool line_is_for(const Line& l) const { return view(l.begin, l.end).starts_with("for"); }

  std::string_view text_;
  Arena& arena_;
  Parser& parser_;
  std::vector<SyntaxError>& errors_;
  LineScan scan_;
  std::size_t parsed_bytes_ = 0;  // of statements that were tried as a whole
  bool spent_ = false;            // the parser's time is over, and that has been said
};

}  // namespace

Stmt recover(std::string_view text, Arena& arena, Parser& parser, std::vector<SyntaxError>& errors) {
  std::size_t before = errors.size();
  Stmt statement = Recovery(text, arena, parser, errors).run();
  auto size = static_cast<std::uint32_t>(text.size());
  auto first_line = static_cast<std::uint32_t>(std::min<std::size_t>(text.find_first_of("\r\n"), size));
  if (!statement) statement = broken_statement(text, {0, size}, {}, arena);
  if (errors.size() == before) errors.push_back({0, first_line, "syntax error"});
  return statement;
}

}  // namespace tilewright::syntax
