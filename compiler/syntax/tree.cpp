#include "compiler/syntax/tree.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <unordered_map>
#include <utility>

#include "compiler/syntax/acceptance.h"
#include "compiler/syntax/convert.h"
#include "compiler/syntax/direct.h"
#include "compiler/syntax/names.h"
#include "compiler/syntax/parser.h"
#include "compiler/syntax/recover.h"
#include "compiler/syntax/recut.h"

namespace tilewright::syntax {
namespace {

// Smaller statements are parsed in less than a millisecond without the help of a former tree.
constexpr std::size_t kKeepTreeFrom = 8192;

// Arena bytes that nodes take for each byte of text, measured on tile scripts (3.5 to 5), so that most statements need
// one block and little of it stays unused.
constexpr std::size_t kArenaBytesPerByte = 5;
// And whatever stands in them: one statement of many in a line takes no block of its own for the rest.
constexpr std::size_t kArenaBytesPerStatement = 320;

// What is read of a document. Scripts have a hundredth of it.
constexpr std::size_t kMostKilobytes = 4096, kMostInLine = 1280, kMostStatements = 50'000, kMostErrors = 1000,
                      kMostComments = 2000;  // `# tilewright:`, each of which may speak of each kernel

TSPoint point_at(std::string_view text, std::size_t offset) {
  std::string_view before = text.substr(0, offset);
  std::size_t line = before.rfind('\n');
  std::size_t column = line == std::string_view::npos ? offset : offset - line - 1;
  return {static_cast<std::uint32_t>(std::ranges::count(before, '\n')), static_cast<std::uint32_t>(column)};
}

// The tree of `old`, edited as if what differs between the two texts had been replaced at once.
TreePtr edited(const TopLevel& old, std::string_view text) {
  std::string_view before = old.text;
  std::size_t same = 0;
  std::size_t limit = std::min(before.size(), text.size());
  while (same < limit && before[same] == text[same]) ++same;
  std::size_t tail = 0;
  while (tail < limit - same && before[before.size() - 1 - tail] == text[text.size() - 1 - tail]) ++tail;
  TSInputEdit edit{};
  edit.start_byte = static_cast<std::uint32_t>(same);
  edit.old_end_byte = static_cast<std::uint32_t>(before.size() - tail);
  edit.new_end_byte = static_cast<std::uint32_t>(text.size() - tail);
  edit.start_point = point_at(before, same);
  edit.old_end_point = point_at(before, edit.old_end_byte);
  edit.new_end_point = point_at(text, edit.new_end_byte);
  TreePtr tree(ts_tree_copy(old.tree.get()));
  ts_tree_edit(tree.get(), &edit);
  return tree;
}

// What a statement is known by once its nodes are made.
void identify(TopLevel& top, std::span<const Name> names) {
  static std::atomic<std::uint32_t> next{0};
  do {
    top.id = next.fetch_add(1, std::memory_order_relaxed) & (text::Anchors::kOwn - 1);
  } while (top.id == 0);
  top.digest.add(top.text);
  top.names = names;
  top.unread = unread_names(top.statement, top.arena);
}

// Reads one statement. `old` is what stood in its place before, if that is known. `faulty`: the scanner of lines found
// something wrong with it, so that the parser need not try.
std::shared_ptr<const TopLevel> read(std::string_view text, bool faulty, const TopLevel* old, Parser& parser) {
  const auto unread = [text] {
    auto top = std::make_shared<TopLevel>();
    top->text = text;
    top->arena.reserve(text.size() * kArenaBytesPerByte + kArenaBytesPerStatement);
    return top;
  };
  auto top = unread();
  if (!faulty) {
    std::vector<Name> mentioned;
    top->statement = read_directly(top->text, top->arena, &mentioned);
    if (top->statement) {
      identify(*top, each_name(mentioned, top->arena));
      return top;
    }
    top = unread();
  }
  text = top->text;

  TreePtr tree;
  if (old && old->tree && !faulty) {
    // Recovery depends on what it started from, and a result must not.
    tree = parser.parse_faultless(text, edited(*old, text).get());
  }
  if (!tree && !faulty) tree = parser.parse_faultless(text);

  Converted converted;
  if (tree) converted = convert(tree.get(), text, {}, top->arena, top->errors);
  const auto keeps_rules = [&] {
    return !converted.suspect || check_rules(ts_tree_root_node(tree.get()), text).empty();
  };
  if (converted.statement && converted.alone && keeps_rules()) {
    top->statement = converted.statement;
  } else {
    top->errors.clear();
    top->statement = recover(text, top->arena, parser, top->errors);
  }
  std::ranges::sort(top->errors, {}, [](const SyntaxError& e) { return std::pair(e.begin, e.end); });
  if (old && text.size() >= kKeepTreeFrom && tree) {
    top->tree =
        std::shared_ptr<const TSTree>(tree.release(), [](const TSTree* t) { ts_tree_delete(const_cast<TSTree*>(t)); });
  }
  identify(*top, names_in(top->statement, top->arena));
  return top;
}

using Statements = std::span<const Tree::Statement>;

// Finds, for the statements of a new text, those of the old one with the same bytes. Each is given away once.
class Former {
 public:
  // Statements at both ends are compared in place; only those between are looked up.
  Former(Statements old, const std::vector<std::string_view>& texts) : old_(old) {
    std::size_t limit = std::min(old.size(), texts.size());
    while (head_ < limit && old[head_].node->text == texts[head_]) ++head_;
    while (tail_ < limit - head_ && old[old.size() - 1 - tail_].node->text == texts[texts.size() - 1 - tail_]) ++tail_;
    middle_ = texts.size() - head_ - tail_;
    if (middle_ == 0) return;
    for (std::size_t i = old.size() - tail_; i-- > head_;) by_text_.emplace(old[i].node->text, i);
  }

  // The node with the text of statement `index`, or null.
  std::shared_ptr<const TopLevel> same(std::size_t index, std::string_view text) {
    if (index < head_) return old_[index].node;
    if (index >= head_ + middle_) return old_[old_.size() - (head_ + middle_ + tail_ - index)].node;
    auto found = by_text_.find(text);
    if (found == by_text_.end()) return nullptr;
    auto node = old_[found->second].node;
    by_text_.erase(found);
    return node;
  }

  // What stood where a changed statement stands now; null if that cannot be told.
  const TopLevel* replaced(std::size_t index) const {
    return old_.size() == head_ + middle_ + tail_ ? old_[index].node.get() : nullptr;
  }

 private:
  Statements old_;
  std::size_t head_ = 0, middle_ = 0, tail_ = 0;
  std::unordered_multimap<std::string_view, std::size_t> by_text_;
};

// The one in the comment that begins at `offset` and ends with its line.
Directive directive(const text::Source& source, std::uint32_t offset) {
  std::string_view body = source.text().substr(offset);
  body = body.substr(0, body.find_first_of("\r\n"));
  body.remove_prefix(body.find(':') + 1);
  body.remove_prefix(std::min(body.find_first_not_of(" \t"), body.size()));
  body = body.substr(0, body.find_last_not_of(" \t\f") + 1);
  return {offset, source.position(offset).line, body};
}

// Why nothing of such a document is read.
std::string too_large(std::size_t count, std::string_view what, std::size_t most) {
  return "the document has " + std::to_string(count) + std::string(what) + " and is not read: at most " +
         std::to_string(most) + " are";
}

// Where a line begins that is too long; nothing: none is. Each column in it is counted from its beginning.
std::optional<std::uint32_t> long_line(const text::Source& source) {
  if (source.size() >> 10 <= kMostInLine) return std::nullopt;
  for (std::uint32_t i = 0; i < source.line_count(); ++i) {
    const std::string_view line = source.line(i);
    if (line.size() >> 10 > kMostInLine) return static_cast<std::uint32_t>(line.data() - source.text().data());
  }
  return std::nullopt;
}

// Where the document cannot be read, in the order of the text.
std::vector<SyntaxError> errors_of(const Cuts& cuts, Statements statements) {
  std::vector<SyntaxError> out;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    const Cuts::Cut& c = cuts.list[i];
    if (!c.has_errors) continue;
    if (c.unexpected != 0) out.push_back({c.offset, c.offset + c.unexpected, "unexpected indent"});
    for (const SyntaxError& error : statements[i].node->errors)
      out.push_back({error.begin + c.offset, error.end + c.offset, error.message});
    if (out.size() <= kMostErrors) continue;
    out.resize(kMostErrors);
    out.push_back({c.offset, c.offset + 1, "more errors follow: " + std::to_string(kMostErrors) + " are shown"});
    break;
  }
  return out;
}

}  // namespace

std::shared_ptr<const Tree> Tree::make(std::shared_ptr<const text::Source> source, const Tree* before,
                                       const text::Edit& edit) {
  const auto is_refused = [](const Tree& t) { return t.statements_.empty() && !t.errors_.empty(); };
  if (before && is_refused(*before)) return make(std::move(source), nullptr, {});
  std::shared_ptr<Tree> tree(new Tree);
  // Nothing of the document is read: one error says why.
  const auto refused = [&tree](std::uint32_t at, std::string why) {
    tree->statements_.clear();
    tree->directives_.clear();
    tree->cuts_ = {};
    tree->errors_.assign(1, {at, at + 1, std::move(why)});
    return tree;
  };
  tree->source_ = std::move(source);
  const std::string_view text = tree->source_->text();
  if (text.size() >> 10 > kMostKilobytes) return refused(0, too_large(text.size() >> 10, " KB", kMostKilobytes));
  if (auto at = long_line(*tree->source_)) {
    return refused(*at, "the document has a line of more than " + std::to_string(kMostInLine) + " KB and is not read");
  }

  static const Tree kNone;
  const Tree& old = before ? *before : kNone;
  const Recut cuts = recut(old.cuts_, text, edit);
  const std::uint32_t moved_by = edit.new_end - edit.old_end;  // modulo 2^32

  // Statements: those above, those found, those below.
  const std::size_t count = cuts.kept + cuts.found.size() + (old.statements_.size() - cuts.moved);
  if (count > kMostStatements) return refused(0, too_large(count, " statements", kMostStatements));
  tree->statements_.reserve(count);
  tree->cuts_.list.reserve(count);
  tree->cuts_.rescanned = cuts.rescanned;
  tree->statements_.assign(old.statements_.begin(), old.statements_.begin() + static_cast<std::ptrdiff_t>(cuts.kept));
  tree->cuts_.list.assign(old.cuts_.list.begin(), old.cuts_.list.begin() + static_cast<std::ptrdiff_t>(cuts.kept));

  std::vector<std::string_view> texts;
  texts.reserve(cuts.found.size());
  for (const FoundStatement& f : cuts.found) texts.push_back(text.substr(f.at.begin, f.at.end - f.at.begin));
  Former former(Statements(old.statements_).subspan(cuts.kept, cuts.moved - cuts.kept), texts);
  std::optional<Parser> parser;
  for (std::size_t i = 0; i < cuts.found.size(); ++i) {
    const FoundStatement& f = cuts.found[i];
    std::shared_ptr<const TopLevel> node = former.same(i, texts[i]);
    if (!node) {
      if (!parser) parser.emplace(text.size());
      node = read(texts[i], f.faulty, former.replaced(i), *parser);
    }
    Cuts::Cut& kept = tree->cuts_.list.emplace_back(f.cut);
    kept.has_errors = kept.unexpected != 0 || !node->errors.empty();
    tree->statements_.push_back({f.at.begin, std::move(node)});
  }

  for (std::size_t i = cuts.moved; i < old.statements_.size(); ++i) {
    tree->statements_.push_back({old.statements_[i].offset + moved_by, old.statements_[i].node});
    tree->cuts_.list.push_back(old.cuts_.list[i]);
    tree->cuts_.list.back().offset += moved_by;
  }

  const auto add_directive = [&tree](std::uint32_t at) { tree->directives_.push_back(directive(*tree->source_, at)); };
  const auto edited = std::ranges::lower_bound(old.directives_, cuts.begin, {}, &Directive::offset);
  for (const Directive& above : std::ranges::subrange(old.directives_.begin(), edited)) add_directive(above.offset);
  for (Extent found : cuts.comments) add_directive(found.begin);
  for (const Directive& below : std::ranges::subrange(edited, old.directives_.end())) {
    if (below.offset >= edit.old_end && below.offset + moved_by >= cuts.end) add_directive(below.offset + moved_by);
  }

  if (const std::size_t comments = tree->directives_.size(); comments > kMostComments) {
    return refused(tree->directives_[kMostComments].offset,
                   too_large(comments, " comments to Tilewright", kMostComments));
  }
  tree->errors_ = errors_of(tree->cuts_, tree->statements_);
  return tree;
}

std::shared_ptr<const Tree> Tree::parse(std::shared_ptr<const text::Source> source) {
  return make(std::move(source), nullptr, {});
}

std::shared_ptr<const Tree> Tree::reparse(const Tree& before, std::shared_ptr<const text::Source> source,
                                          const text::Edit& edit) {
  return make(std::move(source), &before, edit);
}

std::shared_ptr<const Tree> Tree::reparse(const Tree& before, std::shared_ptr<const text::Source> source) {
  const text::Edit edit = text::difference(before.source_->text(), source->text());
  return make(std::move(source), &before, edit);
}

Tree::~Tree() { ts_tree_delete(raw_); }

const TSTree* Tree::raw() const {
  std::call_once(raw_once_, [&] {
    const bool refused = statements_.empty() && !errors_.empty();
    if (refused) return;
    Parser parser(source_->size());
    TreePtr tree = parser.parse_faultless(source_->text());
    raw_ = (tree ? std::move(tree) : parser.parse(source_->text())).release();
  });
  return raw_;
}

std::string_view directive_expression(const Directive& directive) {
  for (std::string_view word : {"entry ", "reference "}) {
    if (!directive.text.starts_with(word)) continue;
    std::string_view text = directive.text.substr(word.size());
    text = text.substr(std::min(text.find_first_not_of(' '), text.size()));
    constexpr std::string_view kPython = "python:";  // a function of this file, or of another one
    if (!text.starts_with(kPython)) return text;
    return text.find(".py:") == text.npos ? text.substr(kPython.size()) : std::string_view();
  }
  return {};
}

std::shared_ptr<const TopLevel> parse_expression(std::string_view text, std::vector<SyntaxError>* errors) {
  auto trim = [](std::string_view t) {
    t.remove_prefix(std::min(t.find_first_not_of(" \t\f\r\n"), t.size()));
    return t.substr(0, t.find_last_not_of(" \t\f\r\n") + 1);
  };
  std::string_view body = trim(text);
  auto offset = static_cast<std::uint32_t>(body.empty() ? 0 : body.data() - text.data());
  const LineScan scan = scan_lines(body);
  Parser parser(body.size());
  std::shared_ptr<const TopLevel> top = read(body, is_faulty(scan.lines, !scan.faults.empty()), nullptr, parser);
  std::vector<SyntaxError> found = top->errors;
  bool whole = scan.lines.size() == 1 && as<ExprStmt>(top->statement);
  if (!whole && (found.empty() || scan.lines.size() != 1)) {
    found = {{0, static_cast<std::uint32_t>(body.size()), "expected one expression"}};
  }
  if (!whole) {
    auto broken = std::make_shared<TopLevel>();
    broken->text = body;
    Extent all{0, static_cast<std::uint32_t>(body.size())};
    Expr value = broken->arena.make<Broken>(Node{NodeKind::Broken, all}, Exprs{});
    broken->statement = broken->arena.make<ExprStmt>(Node{NodeKind::ExprStmt, all}, value);
    broken->errors = found;
    identify(*broken, names_in(broken->statement, broken->arena));
    top = broken;
  }
  if (errors) {
    for (const SyntaxError& error : found) errors->push_back({error.begin + offset, error.end + offset, error.message});
  }
  return top;
}

const FreeNames& TopLevel::free_names() const {
  std::call_once(free_names_once_, [&] { free_names_ = free_names_of(statement); });
  return free_names_;
}

}  // namespace tilewright::syntax
