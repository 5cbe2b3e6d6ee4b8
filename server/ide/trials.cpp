#include "server/ide/trials.h"

#include "compiler/run/report.h"
#include "compiler/session/run_comments.h"
#include "compiler/simulate/codes.h"

namespace tilewright::ide {

std::vector<text::Diagnostic> trial_diagnostics(const run::Trial& trial, const session::CompiledKernel& kernel,
                                                const text::Anchors& anchors) {
  std::vector<text::Diagnostic> out;
  for (const simulate::Finding& f : trial.findings) out.push_back(run::diagnostic_of(f, anchors));
  for (const run::Trial::Left& left : trial.unchecked) {
    text::Diagnostic d;
    d.code = simulate::code::kUntried;
    d.severity = text::Severity::Hint;
    d.message = "synchronisation of " + kernel.entry->expression + " is not wholly checked: " + left.why;
    d.span = left.origin.span ? left.origin.span : kernel.value->kernel.span;
    out.push_back(std::move(d));
  }
  for (const std::string& tried : trial.tried) {
    text::Diagnostic d;
    d.code = simulate::code::kUntried;
    d.severity = text::Severity::Hint;
    d.message = "synchronisation of " + kernel.entry->expression + " was checked at made-up values: " + tried;
    d.span = kernel.value->kernel.span;
    out.push_back(std::move(d));
  }
  return out;
}

std::size_t try_out_all(session::Compiled& compiled, const syntax::Tree& tree, const std::stop_token& stop) {
  std::size_t untried = 0;
  for (const session::CompiledKernel& kernel : compiled.kernels) {
    if (!kernel.lowered || !kernel.cuda) {
      ++untried;
      continue;
    }
    run::TrialBudget budget;
    budget.values = session::numbers_said(kernel, compiled, tree);
    run::Trial trial = run::try_out(*kernel.lowered, budget, stop);
    if (trial.stopped) return compiled.kernels.size();
    untried += !trial.unchecked.empty();
    for (text::Diagnostic& d : trial_diagnostics(trial, kernel, compiled.evaluation->anchors))
      compiled.diagnostics.push_back(std::move(d));
  }
  return untried;
}

}  // namespace tilewright::ide
