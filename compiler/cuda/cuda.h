// CUDA C++ source of lowered kernels: text meant to be read, with a map from its lines back to the script.
//
// Names are the script's, structure is the script's, every tile primitive is announced by one comment line. A unit has
// only the headers and helper functions that its kernels use, so a small kernel is a small file. Loads, stores and
// their order are those of the lowered form; nothing is recomputed that the lowered form keeps in a variable.
#pragma once
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "compiler/lower/lowered.h"
#include "compiler/text/context.h"
#include "compiler/text/digest.h"

namespace tilewright::cuda {

// Line `line` (from 1) of the text came from `origin`. Lines of the preamble and of helpers have no entry.
struct LineOrigin {
  std::uint32_t line = 0;
  ir::Origin origin;
};

struct CudaSource {
  std::string text;
  text::Digest digest;               // of `text`
  std::vector<LineOrigin> lines;     // ascending
  std::string kernel_symbol;         // of the first kernel
  std::vector<std::string> symbols;  // one a kernel
};

// Diagnostics with errors (TW41xx) were reported to the context.
struct Failed {};

// One translation unit for several kernels; helpers are shared.
std::expected<CudaSource, Failed> emit(std::span<const lower::LoweredKernel* const> kernels,
                                       const text::Context& context);
std::expected<CudaSource, Failed> emit(const lower::LoweredKernel& kernel, const text::Context& context);

}  // namespace tilewright::cuda
