#include "compiler/syntax/path.h"

#include <algorithm>

#include "compiler/syntax/walk.h"

namespace tilewright::syntax {

Path path_at(const Tree& tree, std::uint32_t offset) {
  const auto& statements = tree.statements();
  auto after = std::ranges::upper_bound(statements, offset, {}, &Tree::Statement::offset);
  if (after == statements.begin()) return {};
  return path_in(*std::prev(after), offset);
}

Path path_in(const Tree::Statement& statement, std::uint32_t offset) {
  Path path;
  path.statement = &statement;
  if (offset < statement.offset) return path;
  std::uint32_t at = offset - path.statement->offset;
  if (at > path.statement->node->text.size()) return path;
  for (const Node* n = path.statement->node->statement; n;) {
    path.nodes.push_back(n);
    const Node* inner = nullptr;
    for_children(n, [&](const Node* child) {
      if (child->at.begin > at || at > child->at.end) return;
      // Where one ends and the next begins, the one that begins is meant.
      if (!inner || child->at.begin >= inner->at.begin) inner = child;
    });
    n = inner;
  }
  return path;
}

}  // namespace tilewright::syntax
