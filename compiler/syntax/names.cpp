#include "compiler/syntax/names.h"

#include <algorithm>
#include <vector>

#include "compiler/syntax/walk.h"

namespace tilewright::syntax {
namespace {

std::vector<Name> mentioned(const Node* root) {
  std::vector<Name> out;
  for_all(root, [&](const Node* n) {
    if (auto* ref = as<NameRef>(n)) out.push_back(ref->name);
    if (auto* g = as<Global>(n)) out.insert(out.end(), g->names.begin(), g->names.end());
    if (auto* g = as<Nonlocal>(n)) out.insert(out.end(), g->names.begin(), g->names.end());
    if (auto* w = as<NamedExpr>(n)) out.push_back(w->name);
    if (auto* b = as<BrokenStmt>(n)) out.insert(out.end(), b->names.begin(), b->names.end());
  });
  return out;
}

}  // namespace

std::span<const Name> names_in(Stmt statement, Arena& arena) {
  std::vector<Name> all = mentioned(statement);
  std::ranges::sort(all,
                    [](const Name& a, const Name& b) { return a.hash != b.hash ? a.hash < b.hash : a.text < b.text; });
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return arena.copy(all);
}

}  // namespace tilewright::syntax
