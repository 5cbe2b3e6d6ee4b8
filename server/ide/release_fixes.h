// Edits for a name or a call of the release before: as this release writes it.
#pragma once
#include <vector>

#include "server/ide/fixes.h"

namespace tilewright::ide {

// None where the place is of this release, or where a person must decide.
std::vector<QuickFix> release_fixes(const Query& q, Stretch at, const session::Analysis& analysis);

}  // namespace tilewright::ide
