// What each name of a script stands for, by Python's rules of scope: where it is bound, and every place that means it.
//
// It is read off the syntax, without evaluating: also in a script that does not run, and in code that no entry reaches.
// Attributes are not resolved (they depend on values), but what a method assigns to `self.x` makes a field of its
// class; keyword arguments are, where the called function is known by name. The expressions of `# tilewright: entry
// ...` and `reference ...` comments count as code of the module.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/syntax/tree.h"

namespace tilewright::session {

// A Field belongs to its class, and is no visible name: it is written behind a dot.
enum class SymbolKind : std::uint8_t { Variable, Parameter, Function, Kernel, Class, Import, Builtin, Field };

struct Symbol {
  std::string_view name;
  SymbolKind kind = SymbolKind::Variable;
  const syntax::Node* node = nullptr;          // FunctionDef, ClassDef, Import, ImportFrom; of a parameter its function
  const syntax::Node* value = nullptr;         // what the first assignment gives it; null: not that simple
  const syntax::Node* type = nullptr;          // its annotation; null: none
  std::uint32_t statement = 0;                 // index of the top-level statement that binds it first
  std::uint32_t scope = 0;                     // SymbolIndex::scopes that it belongs to; 0: the module
  std::span<const std::uint32_t> occurrences;  // ascending; into SymbolIndex::occurrences
};

enum class Role : std::uint8_t { Read, Write, Define };  // Define: the first that binds it

struct Occurrence {
  std::uint32_t begin = 0, end = 0;  // bytes of the file
  std::uint32_t symbol = 0;
  Role role = Role::Read;
};

struct ScopeRange {
  std::uint32_t begin = 0, end = 0;  // bytes of the file
  std::uint32_t parent = 0;
  const syntax::Node* node = nullptr;  // FunctionDef, ClassDef, Lambda, Comprehension; null: the module
};

struct SymbolIndex {
  SymbolIndex() = default;
  SymbolIndex(SymbolIndex&&) = default;
  SymbolIndex& operator=(SymbolIndex&&) = default;

  std::shared_ptr<const syntax::Tree> tree;
  std::vector<syntax::Tree::Statement> comments;  // the expressions of comments, ascending
  std::vector<Symbol> symbols;
  std::vector<Occurrence> occurrences;  // ascending by begin
  std::vector<ScopeRange> scopes;       // the first is the module
  std::vector<std::uint32_t> places;    // what Symbol::occurrences point to

  // The occurrence that a cursor at `offset` touches, also at its end. Null: none.
  const Occurrence* at(std::uint32_t offset) const;
  // The innermost scope around `offset`.
  std::uint32_t scope_at(std::uint32_t offset) const;
  // The symbol that a name would mean in that scope; null: none. The names of a class are seen in its own body alone.
  const Symbol* lookup(std::string_view name, std::uint32_t scope) const;
};

class KnownStatements;  // statement_symbols.h

// `known`: what was found of the document's statements before, so that only those that are new are looked at; null:
// all.
SymbolIndex index_symbols(std::shared_ptr<const syntax::Tree> tree, KnownStatements* known = nullptr);
// The same of what can be seen from `offset` alone: names of the module, and of the statements and comments that stand
// there, without the occurrences of symbols. `lookup` from there finds what that of the whole index would, but costs
// nothing for the rest of the file.
SymbolIndex index_symbols_around(std::shared_ptr<const syntax::Tree> tree, std::uint32_t offset,
                                 KnownStatements* known = nullptr);

// Is this function a kernel by its decorators (@T.prim_func, @T.jit)?
bool is_kernel(const syntax::FunctionDef& def);

}  // namespace tilewright::session
