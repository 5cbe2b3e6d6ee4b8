// What can be folded: bodies, brackets over several lines, imports, blocks of comments.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/syntax/tree.h"

namespace tilewright::ide {

struct Fold {
  enum class Kind { Code, Imports, Comment };
  std::uint32_t first = 0, last = 0;  // lines, from 0
  Kind kind = Kind::Code;
};
// By their first line, outer ones first; each once.
std::vector<Fold> folds(const syntax::Tree& tree);

}  // namespace tilewright::ide
