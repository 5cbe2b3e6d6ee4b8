// Rows that only tile primitives of 0.26 and later make; no script spelling leads to them.
#pragma once
#include <span>
#include <string_view>

#include "compiler/intrinsics/intrinsic.h"

namespace tilewright::intrinsics {

std::span<const Intrinsic> internal_copy_rows();    // copies with cache hints
std::span<const Intrinsic> internal_tensor_rows();  // tcgen05.mma.ws

}  // namespace tilewright::intrinsics
