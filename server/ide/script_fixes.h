// The fixes of all findings of a script that is no open document, and the script after them.
//
// Each fix has been tried: the edit is made in a copy, which is analysed (and simulated, where that is asked for). It
// is offered if the finding is gone and no more findings are left than before. A finding may have several; the first is
// the one that `fix_script` applies.
#pragma once
#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

#include "server/ide/query.h"
#include "server/project/load.h"
#include "server/work/fix.h"

namespace tilewright::ide {

struct FixOptions {
  std::vector<std::string> codes;           // findings to fix, of any severity; empty: all errors and warnings
  std::vector<std::string> entries, archs;  // as for `check`
  bool deny_fallback = false;
  bool simulate = false;                 // findings of the simulator, too
  unsigned jobs = 1;                     // cores that the trial of one kernel may take
  std::chrono::milliseconds time{2000};  // that script_fixes may take
};

// In the order of the findings. Fewer after a stop, where a script has very many findings, and where trying them all
// would take more than the time of the options: fix_script takes as long as it needs.
work::FindingFixes script_fixes(const project::LoadedFile& file, const FixOptions& options,
                                const std::stop_token& stop);
// The fixes of a finding of the simulator in an open document, the best first, after short simulations of at most a
// second. Empty after a stop, where nothing helps, and where such a short look does not find it.
std::vector<work::FindingFix> simulator_fixes(const Script& script, const std::string& code, Stretch at,
                                              const std::stop_token& stop);
// Applies the first fix of a finding and asks again, until no finding has one. Each step leaves fewer findings, as many
// with an error less, or in place of a wrong name one further on, which the first had hidden.
work::FixedScript fix_script(const project::LoadedFile& file, const FixOptions& options, const std::stop_token& stop);

}  // namespace tilewright::ide
