#include "compiler/session/stages.h"

#include <algorithm>

#include "compiler/lower/codes.h"
#include "compiler/lower/lower.h"
#include "compiler/scope/codes.h"

namespace tilewright::session {
namespace {

bool has_device_part(const dispatch::Dispatched& kernel) {
  bool found = false;
  ir::walk_stmts(kernel.body, [&](const ir::Stmt* s) {
    found |= s->kind == ir::StmtKind::DeviceEntry;
    return !found;
  });
  return found;
}

// A function of the host is a kernel that can be built. One that works on tensors was hardly meant so.
text::Diagnostic no_device_part(const ir::Kernel& kernel) {
  bool touches = false;
  ir::walk_stmts(kernel.body, [&](const ir::Stmt* s) {
    touches |= s->kind == ir::StmtKind::Store || s->kind == ir::StmtKind::TileCall || s->kind == ir::StmtKind::Alloc;
    return !touches;
  });
  text::Diagnostic d;
  d.code = lower::code::kNoDevice;
  d.severity = touches ? text::Severity::Warning : text::Severity::Information;
  d.message = "`" + std::string(kernel.name) + "` has no T.device_entry(): nothing runs on the GPU";
  d.span = kernel.span;
  d.hint = touches ? "write T.device_entry() above what the GPU is meant to do" : "";
  return d;
}

// Findings that something is missing: after an error of evaluation it may be what the failed statement would have made.
bool says_what_is_missing(const text::Diagnostic& d) {
  return d.code == scope::code::kNotInferred || d.code == scope::code::kNoThreads || d.code == scope::code::kOnHost;
}

}  // namespace

// True if a pass ran to its end and was kept. False if a stop was requested: what it made may be half of it.
template <class Run>
bool KernelStages::pass(Stage stage, const text::Context& context, Run&& run) {
  if (done_ >= stage) return true;
  std::vector<text::Diagnostic> found;
  text::Context inner = context;
  inner.diagnostics = &found;
  Results next = results_;
  if (context.stop.stop_requested()) return false;
  run(inner, next);
  if (context.stop.stop_requested()) return false;
  results_ = std::move(next);
  diagnostics_[static_cast<int>(stage)] = std::move(found);
  done_ = stage;
  return true;
}

// The passes in order. Each reads only what the ones above made, changes none of it, and makes its own arena for what
// it adds; so a holder of a result may read it on any thread, while the passes below run or after they failed.
void KernelStages::run(Stage stage, const ir::Kernel& kernel, bool evaluation_failed, const text::Context& context) {
  // The kernel comes from script::evaluate, for one target and one dialect. Names, ranges and layouts are final; tile
  // primitives and scope ids stand as the script wrote them. After errors of evaluation it is what survived them: calls
  // are dispatched all the same, so that each has its report, and nothing is lowered.
  if (stage < Stage::Dispatch) return;

  // Dispatch: ir::Kernel -> Dispatched. Closes the scope ids, follows the active threads, and serves every tile
  // primitive by a variant. A report for each call, served or not. Where no target is given, the one that serves the
  // kernel's calls is found here; the later passes read it from the kernel in `dispatched`.
  bool made = pass(Stage::Dispatch, context, [&](const text::Context& inner, Results& results) {
    ServedKernel served = dispatch_for_target(kernel, inner);
    results.dispatched = std::make_shared<const dispatch::Dispatched>(std::move(served.dispatched));
    results.target = served.target;
    results.target_because = std::move(served.because);
    results.target_origin = served.origin;
    results.failed = evaluation_failed || results.dispatched->failed;
    if (evaluation_failed && inner.diagnostics) std::erase_if(*inner.diagnostics, says_what_is_missing);
  });
  // Here, unless it failed: no TileCall is left, the extents of the launch are known, and every scope id in use has the
  // range that the launch gives it.
  if (!made || stage < Stage::Lower) return;

  // Lower: Dispatched -> LoweredKernel (lower/lower.cpp lists its steps).
  made = pass(Stage::Lower, context, [&](const text::Context& inner, Results& results) {
    if (results.failed) return;
    if (!has_device_part(*results.dispatched)) {
      results.host_only = true;
      inner.report(no_device_part(kernel));
      return;
    }
    auto lowered = lower::lower(*results.dispatched, inner);
    results.failed = !lowered;
    if (lowered) results.lowered = std::make_shared<const lower::LoweredKernel>(std::move(*lowered));
  });
  // Here, unless it failed: flat buffers, launch variables, the plan of the launch. The lowered kernel is complete:
  // CUDA text, simulator and launch read it and nothing before it.
  if (!made || stage < Stage::Cuda) return;

  // Emit: LoweredKernel -> CudaSource, text with the origin of each line.
  pass(Stage::Cuda, context, [&](const text::Context& inner, Results& results) {
    if (results.failed || results.host_only) return;
    auto source = cuda::emit(*results.lowered, inner);
    results.failed = !source;
    if (source) results.cuda = std::make_shared<const cuda::CudaSource>(std::move(*source));
  });
  // Here, unless it failed: text that a CUDA compiler takes for the kernel's target. What becomes of it (PTX, cubin,
  // SASS) is made on request (toolchain/toolchain.h).
}

KernelStages::Results KernelStages::up_to(Stage stage, const ir::Kernel& kernel, bool evaluation_failed,
                                          const text::Context& context) {
  std::lock_guard lock(mutex_);
  run(stage, kernel, evaluation_failed, context);
  // Exposes only stages up to the requested one.
  Results out;
  out.failed = evaluation_failed;
  out.target = kernel.target;
  if (stage >= Stage::Dispatch && done_ >= Stage::Dispatch) {
    out.dispatched = results_.dispatched;
    out.target = results_.target;
    out.target_because = results_.target_because;
    out.target_origin = results_.target_origin;
    out.failed = out.failed || (results_.dispatched && results_.dispatched->failed);
  }
  if (stage >= Stage::Lower && done_ >= Stage::Lower) {
    out.lowered = results_.lowered;
    out.host_only = results_.host_only;
    out.failed = out.failed || (!results_.lowered && !out.host_only);
  }
  if (stage >= Stage::Cuda && done_ >= Stage::Cuda) {
    out.cuda = results_.cuda;
    out.failed = out.failed || (!results_.cuda && !out.host_only);
  }
  for (int s = 0; s <= static_cast<int>(std::min(stage, done_)); ++s) {
    for (const text::Diagnostic& d : diagnostics_[s]) context.report(d);
  }
  return out;
}

bool KernelStages::has(Stage stage) const {
  std::lock_guard lock(mutex_);
  return done_ >= stage;
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
