// Whether words make an instruction, without the reason. Private to the room.
#pragma once
#include "compiler/ptx/chain.h"

namespace tilewright::ptx {

// True if fault_of() finds something.
bool has_fault(const Candidate& candidate);

}  // namespace tilewright::ptx
