// What the machine around us says: where CUDA lies, where results are kept.
#pragma once
#include "compiler/run/gpu_executor.h"
#include "compiler/toolchain/toolchain.h"

namespace tilewright::project {

// CUDA from CUDA_HOME, beside the binary, /usr/local/cuda; the cache under XDG_CACHE_HOME.
toolchain::Options toolchain_options();
// The GPU of this machine, with this process's environment: the driver looks there for its libraries and devices.
run::GpuOptions gpu_options();

}  // namespace tilewright::project
