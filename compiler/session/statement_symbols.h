// What one top-level statement knows by itself of the names in it, which is nearly all: where a statement did not
// change, it is not made again (symbols.h puts the statements of a file together).
//
// Places are bytes of the statement's text. Symbols and scopes are numbered within the statement; a name that no scope
// of the statement binds is left open, for the module or Python to say.
#pragma once
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/session/symbols.h"

namespace tilewright::session {

struct StatementSymbols {
  static constexpr std::uint32_t kOutside = 0x80000000u;  // with it, a symbol is an index into `outside`

  struct Outside {
    std::string_view name;
    std::uint32_t hash = 0;
  };
  // What the statement binds in the module, or leaves unbound (`global x` of the module), in its order.
  struct Binding {
    std::string_view name;
    std::uint32_t hash = 0;
    SymbolKind kind = SymbolKind::Variable;
    const syntax::Node *node = nullptr, *value = nullptr, *type = nullptr;
    bool left = false;
  };
  // A keyword argument of a call whose function the module may know.
  struct KeywordUse {
    syntax::Name name;
    std::uint32_t function = 0;  // into `outside`
  };

  std::shared_ptr<const syntax::TopLevel> of;
  std::vector<Binding> module;
  std::vector<Outside> outside;
  std::vector<Symbol> symbols;          // without their occurrences; Symbol::scope as below
  std::vector<Occurrence> occurrences;  // ascending
  std::vector<ScopeRange> scopes;       // numbered from 1; 0 is the module
  std::vector<KeywordUse> keywords;
  std::unordered_map<const syntax::Node*, std::vector<std::uint32_t>> parameters;  // of each function, by its node
};

StatementSymbols statement_symbols(std::shared_ptr<const syntax::TopLevel> statement);

// Those of the statements of one document, made once each. Safe from any thread.
class KnownStatements {
 public:
  // Of each statement of the tree, in its order. Those of other trees are forgotten when they have become many.
  std::vector<std::shared_ptr<const StatementSymbols>> of(const syntax::Tree& tree);

 private:
  std::mutex mutex_;
  std::unordered_map<const syntax::TopLevel*, std::shared_ptr<const StatementSymbols>> known_;
};

}  // namespace tilewright::session
