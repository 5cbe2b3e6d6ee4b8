// What NVIDIA's compiler made of a kernel's accesses to memory, read off its machine code.
#pragma once
#include <string>

#include "compiler/cuda/cuda.h"
#include "compiler/simulate/profile/machine_accesses.h"

namespace tilewright::work {

// `sass`: the disassembly of what `cuda` was compiled to, with its line table.
simulate::MachineAccesses machine_accesses_of(const std::string& sass, const std::string& symbol,
                                              const cuda::CudaSource& cuda);

}  // namespace tilewright::work
