#include "compiler/session/stages.h"

#include "compiler/dispatch/dispatcher.h"
#include "compiler/lower/lower.h"

namespace tilewright::session {

KernelStages::Results KernelStages::up_to(Stage stage, const ir::Kernel& kernel, bool evaluation_failed,
                                          ir::Target target, const text::Context& context) {
  std::lock_guard lock(mutex_);
  ArenaScope arena(*kernel.arena);
  // False: somebody asked to stop, and what was made may be half of it.
  auto make = [&](Stage wanted, auto&& run) {
    if (done_ >= wanted) return true;
    std::vector<text::Diagnostic> found;
    text::Context inner = context;
    inner.diagnostics = &found;
    Results next = results_;
    if (context.stop.stop_requested()) return false;
    run(inner, next);
    if (context.stop.stop_requested()) return false;
    results_ = std::move(next);
    diagnostics_[static_cast<int>(wanted)] = std::move(found);
    done_ = wanted;
    return true;
  };
  auto dispatch_it = [&](const text::Context& inner, Results& r) {
    r.dispatched = std::make_shared<dispatch::Dispatched>(dispatch::dispatch(kernel, target, inner));
    r.failed = evaluation_failed || r.dispatched->failed;
  };
  auto lower_it = [&](const text::Context& inner, Results& r) {
    if (r.failed) return;
    auto lowered = lower::lower(*r.dispatched, inner);
    r.failed = !lowered;
    if (lowered) r.lowered = std::make_shared<lower::LoweredKernel>(std::move(*lowered));
  };
  auto emit_it = [&](const text::Context& inner, Results& r) {
    if (r.failed) return;
    auto made = cuda::emit(*r.lowered, inner);
    r.failed = !made;
    if (made) r.cuda = std::make_shared<cuda::CudaSource>(std::move(*made));
  };
  if (stage >= Stage::Dispatch && make(Stage::Dispatch, dispatch_it) && stage >= Stage::Lower &&
      make(Stage::Lower, lower_it) && stage >= Stage::Cuda) {
    make(Stage::Cuda, emit_it);
  }
  // Nobody is told of a stage that he did not ask for.
  Results out;
  out.failed = evaluation_failed;
  if (stage >= Stage::Dispatch && done_ >= Stage::Dispatch) {
    out.dispatched = results_.dispatched;
    out.failed = out.failed || (results_.dispatched && results_.dispatched->failed);
  }
  if (stage >= Stage::Lower && done_ >= Stage::Lower) {
    out.lowered = results_.lowered;
    out.failed = out.failed || !results_.lowered;
  }
  if (stage >= Stage::Cuda && done_ >= Stage::Cuda) {
    out.cuda = results_.cuda;
    out.failed = out.failed || !results_.cuda;
  }
  for (int s = 0; s <= static_cast<int>(std::min(stage, done_)); ++s) {
    for (const text::Diagnostic& d : diagnostics_[s]) context.report(d);
  }
  return out;
}

std::span<const NeverRead> KernelStages::never_read(
    const ir::Kernel& kernel, std::span<const std::shared_ptr<const syntax::TopLevel>> statements) {
  std::lock_guard lock(mutex_);
  if (!never_read_) never_read_ = session::never_read(kernel, statements);
  return *never_read_;
}

bool KernelStages::knows_never_read() const {
  std::lock_guard lock(mutex_);
  return never_read_.has_value();
}

std::size_t KernelStages::bytes() const {
  std::lock_guard lock(mutex_);
  std::size_t sum = sizeof *this;
  if (never_read_) sum += never_read_->capacity() * sizeof(NeverRead);
  if (results_.dispatched) {
    sum += results_.dispatched->arena ? results_.dispatched->arena->bytes() : 0;
    for (const dispatch::CallReport& c : results_.dispatched->calls) {
      sum += sizeof c + c.summary.size();
      for (const dispatch::Trial& t : c.trials) sum += sizeof t + t.reason.size();
      sum += c.facts.size() * sizeof(dispatch::Fact);
    }
  }
  if (results_.lowered)
    sum += sizeof(lower::LoweredKernel) + (results_.lowered->arena ? results_.lowered->arena->bytes() : 0);
  if (results_.cuda) sum += results_.cuda->text.size() + results_.cuda->lines.size() * sizeof(cuda::LineOrigin);
  return sum;
}

}  // namespace tilewright::session
