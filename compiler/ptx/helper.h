// The CUDA text of a resolved call: a helper function with one asm statement, as release 0.27 writes it.
#pragma once
#include "compiler/ptx/call.h"

namespace tilewright::ptx {

struct Helper {
  std::string name;    // "tvm_builtin_ptx_add_rn_f32"
  std::string source;  // its definition
};

// Constants of the call must be known: throws std::invalid_argument for an immediate or an offset that is none.
Helper helper_of(const Resolved& call);

// Throws what helper_of would, without making the text.
void check_helper(const Resolved& call);

// Which arguments of the call the helper takes, in order; the predicate comes after them.
std::vector<std::size_t> forwarded(const Resolved& call);

}  // namespace tilewright::ptx
