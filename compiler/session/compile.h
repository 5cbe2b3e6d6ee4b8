// One file through all stages up to CUDA text, for one architecture: what `check`, `compile` and `explain` ask for.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "compiler/script/evaluate.h"
#include "compiler/session/architecture.h"
#include "compiler/session/kernel_cache.h"
#include "compiler/session/silence.h"
#include "compiler/session/stages.h"

namespace tilewright::session {

// What evaluation is told, and what happens afterwards; `memo` is set from `cache`.
struct CompileOptions : script::EvaluateOptions {
  Stage stage = Stage::Cuda;
  // Where `target` comes from. Default: not given, and each kernel finds its own (architecture.h).
  ArchitectureSource architecture_source = ArchitectureSource::Asked;
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
  ir::Target target;    // that it is compiled for
  // The call that asked for that target, where nothing else did ("tcgen05.alloc"), and its place in the script. Empty:
  // the script, the person or the default said it.
  std::string target_because{};
  text::Span target_place{};
};

// Owns what its parts point to.
struct Compiled {
  ir::Target target;  // as asked; a kernel that finds its own says so
  ArchitectureSource architecture_source = ArchitectureSource::Asked;
  text::Dialect dialect = text::Dialect::V0_25;
  std::unique_ptr<script::Evaluation> evaluation;
  std::vector<CompiledKernel> kernels;        // entries in order, kernels of an entry in order
  std::vector<text::Diagnostic> diagnostics;  // of all stages, in the order of the text
  std::vector<Silenced> silenced;             // findings of the simulator that a comment or [severity] silences
  std::size_t kernels_searched = 0;           // for what they do not use; the others were searched before
  bool stopped = false;                       // a stop was requested: incomplete
  bool has_errors() const;                    // an error was reported, or a kernel failed
};

// "sm_90a"; "sm_100a, from tcgen05.alloc in line 17" where that call asked for it.
std::string architecture_words(const CompiledKernel& kernel, const text::Anchors& anchors);

// Never fails: what goes wrong is in diagnostics. `# tilewright: ignore[CODE]` silences what is no error on its line.
Compiled compile(std::shared_ptr<const syntax::Tree> tree, script::Loader* loader, const text::Context& context,
                 const CompileOptions& options);

}  // namespace tilewright::session
