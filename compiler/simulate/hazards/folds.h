// Several findings of one fault, told as one: the others become places that are related to it.
//
// Which findings have one cause is seen from where they stand. Two races that one barrier would end are one missing
// barrier: their stretches between the two accesses overlap, or they share an access. Elements of one buffer that
// nothing has written are one missing write.
#pragma once
#include <vector>

#include "compiler/lower/lowered.h"
#include "compiler/simulate/simulate.h"

namespace tilewright::simulate {

// `kernel`: of the findings; null: folds that look at its statements are left out.
void fold_same_faults(std::vector<Finding>& findings, const lower::LoweredKernel* kernel);

inline constexpr std::size_t kMostRelated = 8;  // places of a finding: what one screen holds

// Relates one finding to another; beyond kMostRelated they are counted.
void relate(Finding& to, Finding::Related one);

}  // namespace tilewright::simulate
