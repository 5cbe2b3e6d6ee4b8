// Kernels that nothing makes.
#pragma once
#include "compiler/script/evaluate.h"

namespace tilewright::script {

// Warns of each function that begins a device part and that neither a decorator nor a call makes a kernel of: an author
// who forgot `@T.prim_func` would be told that all is well with no kernel.
void report_undecorated(Evaluation& evaluation);

}  // namespace tilewright::script
