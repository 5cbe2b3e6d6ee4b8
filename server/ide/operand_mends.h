// Edits that make the two operands of a tile primitive fit each other: a slice as long as the other one's, a buffer of
// the other one's dtype. Whoever offers them tries them first (mends.cpp).
#pragma once
#include <vector>

#include "server/ide/look.h"
#include "server/ide/mends.h"

namespace tilewright::ide {

// None where the operands fit, or are written in a way that says neither.
std::vector<Mend> operand_mends(const Query& q, const Found& found, const syntax::Call& call,
                                const EvaluatedCall& evaluated);

}  // namespace tilewright::ide
