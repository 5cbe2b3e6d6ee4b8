// Host code that launches a kernel: C++ to paste into a program that has the kernel's cubin (driver API), or to put
// behind the kernel's own text in a .cu file (runtime API).
//
// One function takes the tensors and the scalars; it encodes the tensor maps, sets what the launch needs (dynamic
// shared memory, clusters), launches on a stream and answers with the first error. Symbolic extents are parameters.
#pragma once
#include <expected>
#include <string>

#include "compiler/lower/lowered.h"

namespace tilewright::cuda {

enum class HostApi : std::uint8_t {
  Driver,   // CUresult launch_NAME(CUfunction, ..., CUstream); compile as C++, link with -lcuda
  Runtime,  // cudaError_t launch_NAME(..., cudaStream_t); nvcc, below the kernel; -lcuda where there are tensor maps
};

// The error says what a launcher cannot express.
std::expected<std::string, std::string> host_launcher(const lower::LoweredKernel& kernel, HostApi api);

}  // namespace tilewright::cuda
