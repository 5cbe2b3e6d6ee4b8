// What could fix a finding of the simulator: a barrier, a fence, a wait, an arrival or a guard that is missing, or a
// count, a phase or an index that is wrong. None of them is more than a guess: who offers one simulates it first.
#pragma once
#include <vector>

#include "server/ide/fixes.h"
#include "server/ide/script_state.h"

namespace tilewright::ide {

bool is_of_simulator(std::string_view code);

// Candidates for a finding of the simulator in the script itself, the likeliest first.
std::vector<QuickFix> sync_candidates(const ScriptState& state, const FoundHere& finding);

// Guards for a call that more threads make than should: of the call, of what stands around it in its block, of the
// block as a whole, and outward.
std::vector<QuickFix> guard_candidates(const ScriptState& state, const FoundHere& finding);

}  // namespace tilewright::ide
