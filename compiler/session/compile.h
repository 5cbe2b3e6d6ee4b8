// One file through all stages up to CUDA text, for one architecture: what `check`, `compile` and `explain` ask for.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/cuda/cuda.h"
#include "compiler/dispatch/dispatched.h"
#include "compiler/lower/lowered.h"
#include "compiler/script/evaluate.h"

namespace tilewright::session {

// How far to go. Diagnostics of a stage need that stage.
enum class Stage : std::uint8_t { Evaluate, Dispatch, Lower, Cuda };

struct CompileOptions {
  ir::Target target;
  std::vector<std::string> entries;  // nothing: all that are found
  Stage stage = Stage::Cuda;
  bool deny_fallback = false;  // a scalar fallback is an error
};

struct CompiledKernel {
  const script::Entry* entry = nullptr;
  const script::KernelValue* value = nullptr;
  dispatch::Dispatched dispatched;
  std::optional<lower::LoweredKernel> lowered;
  std::optional<cuda::CudaSource> cuda;
  bool failed = false;  // some stage reported an error in it
};

// Owns what its parts point to.
struct Compiled {
  ir::Target target;
  std::unique_ptr<script::Evaluation> evaluation;
  std::vector<CompiledKernel> kernels;        // entries in order, kernels of an entry in order
  std::vector<text::Diagnostic> diagnostics;  // of all stages, in the order of the text
  bool has_errors() const;
};

// Never fails: what goes wrong is in diagnostics. Silenced by `# tilewright: ignore[CODE]` on the line.
Compiled compile(std::shared_ptr<const syntax::Tree> tree, script::Loader* loader, const text::Context& context,
                 const CompileOptions& options);

}  // namespace tilewright::session
