// A slice that is assigned where only elements or a vector can be: the tile primitive that does what is meant.
#pragma once
#include <vector>

#include "server/ide/fixes.h"

namespace tilewright::ide {

// Of the finding `d` at `at` within an assignment to a subscript: Tx.cta.fill of a scalar, Tx.cta.copy of another
// slice, at the scope whose threads get there. Each has been tried.
std::vector<QuickFix> store_fixes(const Query& q, const text::Diagnostic& d, Stretch at,
                                  const session::Analysis& analysis);

}  // namespace tilewright::ide
