// One file through all stages up to CUDA text, for one architecture: what `check`, `compile` and `explain` ask for.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/script/evaluate.h"
#include "compiler/session/kernel_cache.h"
#include "compiler/session/stages.h"

namespace tilewright::session {

// What evaluation is told, and what happens afterwards; `memo` is set from `cache`.
struct CompileOptions : script::EvaluateOptions {
  Stage stage = Stage::Cuda;
  bool deny_fallback = false;  // a scalar fallback is an error
  // Kernels compiled before, for documents under edit. Null: none.
  KernelCache::Use* cache = nullptr;
};

struct CompiledKernel {
  const script::Entry* entry = nullptr;
  const script::KernelValue* value = nullptr;
  std::shared_ptr<const dispatch::Dispatched> dispatched;  // null: not asked for
  std::shared_ptr<const lower::LoweredKernel> lowered;     // null: not asked for, or impossible
  std::shared_ptr<const cuda::CudaSource> cuda;
  bool failed = false;  // some stage reported an error in it
};

// Owns what its parts point to.
struct Compiled {
  ir::Target target;
  text::Dialect dialect = text::Dialect::V0_25;
  std::unique_ptr<script::Evaluation> evaluation;
  std::vector<CompiledKernel> kernels;        // entries in order, kernels of an entry in order
  std::vector<text::Diagnostic> diagnostics;  // of all stages, in the order of the text
  std::size_t kernels_searched = 0;           // for what they do not use; the others were searched before
  bool stopped = false;                       // somebody asked to stop: incomplete
  bool has_errors() const;
};

// Never fails: what goes wrong is in diagnostics. Silenced by `# tilewright: ignore[CODE]` on the line.
Compiled compile(std::shared_ptr<const syntax::Tree> tree, script::Loader* loader, const text::Context& context,
                 const CompileOptions& options);

// The architectures that a script names in `# tilewright: arch sm_80 sm_90a`, as written; none: empty.
std::vector<std::string> named_architectures(const syntax::Tree& tree);

}  // namespace tilewright::session
