// Host code that launches a kernel: C++ to paste into a program that has the kernel's cubin (driver API), or to put
// behind the kernel's own text in a .cu file (runtime API).
//
// One function takes the tensors and the scalars; it encodes the tensor maps, sets what the launch needs (dynamic
// shared memory, clusters), launches on a stream and answers with the first error. Symbolic extents are parameters.
#pragma once
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "compiler/lower/lowered.h"

namespace tilewright::cuda {

enum class HostApi : std::uint8_t {
  Driver,   // CUresult launch_NAME(CUfunction, ..., CUstream); compile as C++, link with -lcuda
  Runtime,  // cudaError_t launch_NAME(..., cudaStream_t); nvcc, below the kernel; -lcuda where there are tensor maps
};

// A launcher of the driver API in its parts, for code that calls it.
struct HostParts {
  struct Parameter {
    const ir::Var* var = nullptr;  // null: where a tensor map goes, or a map that the caller makes
    std::string type, name;
  };
  std::string text;                   // as host_launcher has it
  std::string function;               // "launch_copy"
  bool has_module = false;            // it takes the CUmodule after the CUfunction
  std::vector<Parameter> parameters;  // without the CUfunction, the CUmodule and the CUstream
  std::vector<std::string> numbers;   // C++ for each of the expressions, over the names of the parameters
};
// `numbers`: expressions of the script's scalars and extents; those that the launch does not need become parameters.
std::expected<HostParts, std::string> host_parts(const lower::LoweredKernel& kernel, std::span<const ir::Expr> numbers);

// The error says what a launcher cannot express.
std::expected<std::string, std::string> host_launcher(const lower::LoweredKernel& kernel, HostApi api);

}  // namespace tilewright::cuda
