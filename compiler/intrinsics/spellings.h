// How releases of the dialect after the first spell the rows of the table. The first release's spelling stands in the
// row itself. A row that is not listed is spelled as before; one with an empty path has no spelling any more.
#pragma once
#include <span>

#include "compiler/expr/expr.h"

namespace tilewright::intrinsics {

struct Spelling {
  std::string_view id;  // of the row
  ir::Respelling spelling;
};
// The first release with this row, under the name that stands in it.
text::Dialect first_release(std::string_view id);
// Those of one row stand together, in the order of the releases.
std::span<const Spelling> spellings();

}  // namespace tilewright::intrinsics
