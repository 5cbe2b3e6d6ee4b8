// The edits that fix a finding: those that it carries, and those that need the script around it.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "server/ide/fixes.h"

namespace tilewright::ide {

struct FixedFinding {
  std::string code;
  Stretch at;
  std::optional<text::Fix> carried;        // that it was shown with; nothing: as `said` has it
  const text::Diagnostic* said = nullptr;  // of the analysis; null: it is not among them
};
// The best first. `tries`: how many findings may still be fixed by edits that are tried, each costs one.
std::vector<QuickFix> quick_fixes(const Query& q, const FixedFinding& finding, const session::Analysis& analysis,
                                  std::size_t& tries);

}  // namespace tilewright::ide
