#include "compiler/syntax/names.h"

#include <algorithm>
#include <bit>
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

// Each name once: most stand there many times, and sorting them all would take longer.
std::vector<Name> each_once(std::span<const Name> all) {
  std::vector<Name> out;
  std::vector<std::uint32_t> slots(std::bit_ceil(2 * all.size() + 1));  // places in `out` from 1; 0: free
  for (const Name& name : all) {
    std::size_t slot = name.hash & (slots.size() - 1);
    while (slots[slot] != 0 && out[slots[slot] - 1] != name) slot = (slot + 1) & (slots.size() - 1);
    if (slots[slot] != 0) continue;
    out.push_back(name);
    slots[slot] = static_cast<std::uint32_t>(out.size());
  }
  return out;
}

}  // namespace

std::span<const Name> names_in(Stmt statement, Arena& arena) { return each_name(mentioned(statement), arena); }

std::span<const Name> each_name(std::span<const Name> mentioned, Arena& arena) {
  std::vector<Name> all = each_once(mentioned);
  std::ranges::sort(all,
                    [](const Name& a, const Name& b) { return a.hash != b.hash ? a.hash < b.hash : a.text < b.text; });
  return arena.copy(all);
}

}  // namespace tilewright::syntax
