// What the machine around us says: where CUDA lies, where results are kept.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "compiler/run/gpu_executor.h"
#include "compiler/toolchain/toolchain.h"

namespace tilewright::project {

// CUDA from CUDA_HOME, beside the binary (NVIDIA's wheels in the same Python environment, .cuda of a checkout),
// /usr/local/cuda; the cache under XDG_CACHE_HOME or HOME, none without both, with the digests of the user's key
// (user.h).
// What machines share is asked where share_cache() named a store.
toolchain::Options toolchain_options();
// How the cache that machines share is reached, by what can open sockets: `open` is called once, when the first
// options are made, and gives null where there is none. At the start of the process, before there are threads.
void share_cache(std::function<std::shared_ptr<toolchain::SharedStore>()> open);
// CUDA_HOME names no CUDA: what is wrong with it, and what is used instead. Empty: it does, or is not set.
std::string wrong_cuda_home(const toolchain::Options& options);
// The interpreter of references in Python: TILEWRIGHT_PYTHON, else python3.
std::string python_interpreter();
// 64 bits that cannot be foretold. Not std::random_device: that of libstdc++ asks for a glibc of 2022.
std::uint64_t random_bits();
// The GPU of this machine, with this process's environment: the driver looks there for its libraries and devices.
run::GpuOptions gpu_options();

}  // namespace tilewright::project
