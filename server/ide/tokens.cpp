#include "server/ide/tokens.h"

#include <algorithm>

#include "compiler/syntax/walk.h"

namespace tilewright::ide {
namespace {

using namespace syntax;
using Type = Token::Type;

bool shouts(std::string_view name) {
  return std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

// An import of the language itself, not of a script.
bool is_library(const session::Symbol& s) {
  if (auto* from = as<ImportFrom>(s.node))
    return from->level == 0 && (from->module == "tvm" || from->module.starts_with("tvm."));
  return s.kind == session::SymbolKind::Builtin && (s.name == "T" || s.name == "Tx");
}

class Tokens {
 public:
  explicit Tokens(const session::SymbolIndex& index) : index_(index) {}

  std::vector<Token> all(std::uint32_t from, std::uint32_t to) {
    for (const session::Occurrence& o : index_.occurrences) {
      if (o.end <= from || o.begin >= to) continue;
      const session::Symbol& s = index_.symbols[o.symbol];
      std::uint32_t modifiers = o.role == session::Role::Define ? Token::kDeclaration : 0u;
      switch (s.kind) {
        case session::SymbolKind::Parameter: out_.push_back({{o.begin, o.end}, Type::Parameter, modifiers}); break;
        case session::SymbolKind::Function: out_.push_back({{o.begin, o.end}, Type::Function, modifiers}); break;
        case session::SymbolKind::Kernel:
          out_.push_back({{o.begin, o.end}, Type::Function, modifiers | Token::kKernel});
          break;
        case session::SymbolKind::Class: out_.push_back({{o.begin, o.end}, Type::Class, modifiers}); break;
        case session::SymbolKind::Import:
          out_.push_back({{o.begin, o.end}, Type::Namespace, modifiers | (is_library(s) ? Token::kLibrary : 0u)});
          break;
        case session::SymbolKind::Variable:
          if (s.scope == 0 && shouts(s.name)) modifiers |= Token::kReadonly;
          out_.push_back({{o.begin, o.end}, Type::Variable, modifiers});
          break;
        case session::SymbolKind::Builtin:
          if (is_library(s)) out_.push_back({{o.begin, o.end}, Type::Namespace, Token::kLibrary});
          break;  // the grammar knows Python's own
      }
    }
    for (const Tree::Statement& s : index_.tree->statements()) {
      if (s.offset >= to || s.offset + s.node->text.size() <= from) continue;
      offset_ = s.offset;
      attributes(s.node->statement);
    }
    std::erase_if(out_, [&](const Token& t) { return t.at.end <= from || t.at.begin >= to; });
    std::ranges::sort(out_, {}, [](const Token& t) { return t.at.begin; });
    // One token a place; a multi-line or overlapping one is none that clients could take.
    std::vector<Token> kept;
    for (const Token& t : out_) {
      if (t.at.end > t.at.begin && (kept.empty() || kept.back().at.end <= t.at.begin)) kept.push_back(t);
    }
    return kept;
  }

 private:
  void attributes(const Node* statement) {
    std::vector<const Node*> called;
    for_all(statement, [&](const Node* n) {
      if (auto* call = as<Call>(n)) called.push_back(call->function);
    });
    std::ranges::sort(called);
    for_all(statement, [&](const Node* n) {
      auto* a = as<Attribute>(n);
      if (!a) return;
      const Node* root = a->object;
      while (auto* inner = as<Attribute>(root)) root = inner->object;
      std::uint32_t modifiers = 0;
      if (auto* ref = as<NameRef>(root)) {
        const session::Occurrence* o = index_.at(offset_ + ref->name.at.begin);
        if (o && is_library(index_.symbols[o->symbol])) modifiers = Token::kLibrary;
      }
      Type type = std::ranges::binary_search(called, n) ? Type::Method : Type::Property;
      out_.push_back({{offset_ + a->name.at.begin, offset_ + a->name.at.end}, type, modifiers});
    });
  }

  const session::SymbolIndex& index_;
  std::uint32_t offset_ = 0;
  std::vector<Token> out_;
};

}  // namespace

std::vector<Token> tokens(const session::Snapshot& script, Stretch within) {
  return Tokens(script.symbols()).all(within.begin, within.end);
}

}  // namespace tilewright::ide
