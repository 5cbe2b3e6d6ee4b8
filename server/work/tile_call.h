// The tile call that a place of a kernel came from.
#pragma once
#include "compiler/session/compile.h"

namespace tilewright::work {

// Null: it came from none, or the kernel was not dispatched.
const dispatch::CallReport* tile_call_at(const session::CompiledKernel& kernel, const ir::Origin& origin);

}  // namespace tilewright::work
