// Nodes as S-expressions: for tests, and for people who wonder what was read.
#pragma once
#include <string>

#include "compiler/syntax/ast.h"

namespace tilewright::syntax {

struct DumpOptions {
  bool extents = false;  // each node with its bytes: `(name@0:3 foo)`
};

// One line. Null is `-`.
std::string dump(const Node* node, DumpOptions options = {});

}  // namespace tilewright::syntax
