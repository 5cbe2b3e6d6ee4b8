// Edits for names of other languages of kernels (compiler/script/foreign.h): as they are written here.
#pragma once
#include <vector>

#include "server/ide/fixes.h"

namespace tilewright::ide {

// Of the finding `said` at `at`, which names something that is not there. `known`: it is a name of another language, so
// that no name that is near it is meant, whether or not it has a fix.
struct ForeignFixes {
  bool known = false;
  std::vector<QuickFix> fixes;
};
ForeignFixes foreign_fixes(const Query& q, const text::Diagnostic& said, Stretch at);

}  // namespace tilewright::ide
