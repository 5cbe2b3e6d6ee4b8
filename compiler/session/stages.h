// What the stages after evaluation make of one kernel: each made once, by the first caller.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "compiler/cuda/cuda.h"
#include "compiler/dispatch/dispatched.h"
#include "compiler/lower/lowered.h"
#include "compiler/session/architecture.h"
#include "compiler/session/unused.h"
#include "compiler/text/context.h"

namespace tilewright::session {

// How far to go. Diagnostics of a stage need that stage.
enum class Stage : std::uint8_t { Evaluate, Dispatch, Lower, Cuda };

class KernelStages {
 public:
  struct Results {
    std::shared_ptr<const dispatch::Dispatched> dispatched;  // null: not asked for
    std::shared_ptr<const lower::LoweredKernel> lowered;     // null: not asked for, or impossible
    std::shared_ptr<const cuda::CudaSource> cuda;
    bool failed = false;     // some stage reported an error, evaluation included
    bool host_only = false;  // the kernel has no device part: nothing is lowered, and nothing failed
    // Found with the dispatch (ServedKernel); before it the kernel's own.
    ir::Target target;
    std::string target_because;
    ir::Origin target_origin;
  };

  // Runs what is missing up to `stage`, and reports what those stages have to say, whether they ran now or before. The
  // kernel is the same in every call, and lives as long as the results. Safe from several threads. After a stop nothing
  // of the stage that was interrupted is kept.
  Results up_to(Stage stage, const ir::Kernel& kernel, bool evaluation_failed, const text::Context& context);

  bool has(Stage stage) const;  // that stage and those before it have run

  // Found once; `statements` are those that the kernel was made from.
  std::span<const NeverRead> never_read(const ir::Kernel& kernel,
                                        std::span<const std::shared_ptr<const syntax::TopLevel>> statements);
  bool knows_never_read() const;  // it was found before

  std::size_t bytes() const;

 private:
  void run(Stage stage, const ir::Kernel& kernel, bool evaluation_failed, const text::Context& context);
  template <class Run>
  bool pass(Stage stage, const text::Context& context, Run&& run);

  mutable std::mutex mutex_;
  Stage done_ = Stage::Evaluate;
  Results results_;
  std::vector<text::Diagnostic> diagnostics_[4];  // by stage
  std::optional<std::vector<NeverRead>> never_read_;
};

}  // namespace tilewright::session
