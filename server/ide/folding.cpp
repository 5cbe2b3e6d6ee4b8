#include "server/ide/folding.h"

#include <algorithm>

#include "compiler/syntax/walk.h"

namespace tilewright::ide {
namespace {

using namespace syntax;

class Folds {
 public:
  explicit Folds(const Tree& tree) : tree_(tree), source_(*tree.source()) {}

  std::vector<Fold> all() {
    const auto& statements = tree_.statements();
    for (std::size_t i = 0; i < statements.size(); ++i) {
      offset_ = statements[i].offset;
      const Node* n = statements[i].node->statement;
      if (!n) continue;
      for_all(n, [&](const Node* inner) { visit(inner); });
      if (!is_import(n) || (i > 0 && is_import(statements[i - 1].node->statement))) continue;
      std::size_t last = i;
      while (last + 1 < statements.size() && is_import(statements[last + 1].node->statement)) ++last;
      add(statements[i].offset, statements[last].offset + statements[last].node->statement->at.end,
          Fold::Kind::Imports);
    }
    comments();
    std::ranges::sort(
        out_, [](const Fold& a, const Fold& b) { return std::pair(a.first, b.last) < std::pair(b.first, a.last); });
    auto same = [](const Fold& a, const Fold& b) { return a.first == b.first && a.last == b.last; };
    out_.erase(std::unique(out_.begin(), out_.end(), same), out_.end());
    return std::move(out_);
  }

 private:
  static bool is_import(const Node* n) { return n && (n->kind == NodeKind::Import || n->kind == NodeKind::ImportFrom); }

  void add(std::uint32_t begin, std::uint32_t end, Fold::Kind kind = Fold::Kind::Code) {
    std::uint32_t first = source_.position(begin).line, last = source_.position(end).line;
    if (last > first) out_.push_back({first, last, kind});
  }

  void body(std::uint32_t begin, Stmts statements) {
    if (!statements.empty()) add(offset_ + begin, offset_ + statements.back()->at.end);
  }

  void visit(const Node* n) {
    switch (n->kind) {
      case NodeKind::FunctionDef: body(as<FunctionDef>(n)->header.begin, as<FunctionDef>(n)->body); break;
      case NodeKind::ClassDef: body(as<ClassDef>(n)->name.at.begin, as<ClassDef>(n)->body); break;
      case NodeKind::For: body(n->at.begin, as<For>(n)->body); break;
      case NodeKind::While: body(n->at.begin, as<While>(n)->body); break;
      case NodeKind::With: body(n->at.begin, as<With>(n)->body); break;
      case NodeKind::If: body(n->at.begin, as<If>(n)->then_body); break;
      case NodeKind::Try: body(n->at.begin, as<Try>(n)->body); break;
      case NodeKind::Match:
        for (const MatchCase& c : as<Match>(n)->cases) body(c.pattern->at.begin, c.body);
        break;
      case NodeKind::Call:
      case NodeKind::List:
      case NodeKind::Tuple:
      case NodeKind::Dict:
      case NodeKind::Set:
      case NodeKind::StringLit: {
        // The closing bracket stays in sight.
        std::uint32_t first = source_.position(offset_ + n->at.begin).line;
        std::uint32_t last = source_.position(offset_ + n->at.end).line;
        if (last > first + 1)
          out_.push_back({first, n->kind == NodeKind::StringLit ? last : last - 1, Fold::Kind::Code});
        break;
      }
      default: break;
    }
  }

  // Lines that hold a comment alone, two and more of them together.
  void comments() {
    auto is_comment = [&](std::uint32_t line) {
      std::string_view text = source_.line(line);
      std::size_t at = text.find_first_not_of(" \t");
      return at != std::string_view::npos && text[at] == '#';
    };
    for (std::uint32_t line = 0; line < source_.line_count(); ++line) {
      if (!is_comment(line)) continue;
      std::uint32_t last = line;
      while (is_comment(last + 1)) ++last;
      if (last > line) out_.push_back({line, last, Fold::Kind::Comment});
      line = last;
    }
  }

  const Tree& tree_;
  const text::Source& source_;
  std::uint32_t offset_ = 0;
  std::vector<Fold> out_;
};

}  // namespace

std::vector<Fold> folds(const Tree& tree) { return Folds(tree).all(); }

}  // namespace tilewright::ide
