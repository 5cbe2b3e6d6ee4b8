// A shared library that TVM's FFI loads (`tvm_ffi.load_module`), as the C++ text that a host compiler makes it of.
//
// Each kernel is a function of the library: it takes the script's tensors and scalars in their order, checks dtype,
// shape, strides, alignment and device, and launches on the stream that the FFI calls current. The cubins are within;
// CUDA's driver and the FFI are found when the first call comes, so that nothing has to be linked.
#pragma once
#include <expected>
#include <span>
#include <string>

#include "compiler/session/compile.h"

namespace tilewright::render {

struct FfiKernel {
  const session::CompiledKernel* kernel = nullptr;
  std::string name;  // of the function: an identifier
  std::string cubin;
};

// `script` is named in the text. The error names the kernel and what a library cannot express.
std::expected<std::string, std::string> ffi_library(std::string_view script, const text::Anchors& anchors,
                                                    std::span<const FfiKernel> kernels);

}  // namespace tilewright::render
