// What stands at a place of a script.
#pragma once
#include <vector>

#include "compiler/syntax/tree.h"

namespace tilewright::syntax {

// The nodes around a byte of the file, the top-level statement first, the innermost last. A node counts that holds the
// byte or ends at it, so that a cursor behind a word is at the word. Empty: between statements.
struct Path {
  const Tree::Statement* statement = nullptr;
  std::vector<const Node*> nodes;
  std::uint32_t begin(const Node* n) const { return statement->offset + n->at.begin; }
  std::uint32_t end(const Node* n) const { return statement->offset + n->at.end; }
  // The innermost node of a type. Null: none.
  template <class T>
  const T* innermost() const {
    for (std::size_t i = nodes.size(); i-- > 0;) {
      if (auto* found = as<T>(nodes[i])) return found;
    }
    return nullptr;
  }
};
Path path_at(const Tree& tree, std::uint32_t offset);
// The same in one statement, which need not be of a tree; it must outlive the path.
Path path_in(const Tree::Statement& statement, std::uint32_t offset);

}  // namespace tilewright::syntax
