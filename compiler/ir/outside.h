// Regions that are known to leave their buffer.
#pragma once
#include <string>

#include "compiler/ir/buffer.h"

namespace tilewright::ir {

// "dimension 0 of A ends at 64, the slice at 80"; empty if the region is inside, or its place is known only at launch.
std::string outside_of_buffer(const Region& region);

}  // namespace tilewright::ir
