// Several findings of one fault, told as one: the others become places that are related to it.
//
// Which findings have one cause is seen from where they stand. Two races that one barrier would end are one missing
// barrier: their stretches between the two accesses overlap, or they share an access. Elements of one buffer that
// nothing has written are one missing write.
#pragma once
#include <vector>

#include "compiler/simulate/simulate.h"

namespace tilewright::simulate {

void fold_same_faults(std::vector<Finding>& findings);

}  // namespace tilewright::simulate
