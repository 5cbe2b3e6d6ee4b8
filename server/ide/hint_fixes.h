// Edits for hints that say what to write.
//
// A hint names code ("write T.thread_return()", "drop name=", "decorate it with @T.inline"); here is where that code
// goes. The candidates follow from the hint's words and the syntax at the finding; a hint may be about several places,
// so each candidate has to be tried before it is offered. Hints whose code would only silence a finding are left out:
// whether a fraction is dropped on purpose, or a name is meant to be unused, is the author's to say.
#pragma once
#include <vector>

#include "server/ide/fixes.h"

namespace tilewright::ide {

// What the hint of a finding at `at` could mean, the likeliest first. Empty: it names no code, or none that is known
// here.
std::vector<QuickFix> hint_candidates(const Query& q, const text::Diagnostic& said, Stretch at);

}  // namespace tilewright::ide
