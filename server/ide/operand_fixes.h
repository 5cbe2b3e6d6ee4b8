// Edits that make the two operands of a tile primitive fit each other: a slice as long as the other one's, a buffer of
// the other one's dtype. They are tried before they are offered (fixes.cpp).
#pragma once
#include <vector>

#include "server/ide/fixes.h"
#include "server/ide/look.h"

namespace tilewright::ide {

// None where the operands fit, or are written in a way that says neither.
std::vector<QuickFix> operand_fixes(const Query& q, const Found& found, const syntax::Call& call,
                                    const EvaluatedCall& evaluated);

}  // namespace tilewright::ide
