// What a short run on the simulator says about the kernels of a script (compiler/run/trial.h).
#pragma once
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "compiler/run/trial.h"
#include "compiler/session/compile.h"
#include "server/project/load.h"

namespace tilewright::ide {

// Findings at their calls, and at the kernel what was not looked at.
std::vector<text::Diagnostic> trial_diagnostics(const run::Trial& trial, const session::CompiledKernel& kernel,
                                                const text::Anchors& anchors);

// Trials of kernels that an edit leaves as they are need not be repeated.
struct KnownTrial {
  std::vector<std::shared_ptr<const lower::LoweredKernel>> kernels;  // it, then those before it in its sequence
  std::map<std::string, run::Number, std::less<>> values;            // as TrialBudget has them
  std::map<std::string, inputs::Fill, std::less<>> fills;
  run::Trial trial;
};

struct TrialOptions {
  run::TrialBudget budget{};
  const std::vector<KnownTrial>* known = nullptr;  // of another text of the script, with the same budget
  std::vector<KnownTrial>* keep = nullptr;         // where those of this text are kept
};
// Tries out every kernel that compiled: what is found, silenced or not, each once; less after a stop. `untried`: how
// many kernels were not, or not wholly, looked at.
std::vector<text::Diagnostic> try_kernels(const session::Compiled& compiled, const syntax::Tree& tree,
                                          const TrialOptions& options, const std::stop_token& stop,
                                          std::size_t& untried);

// What stands there, to the end of its line: the place of a finding may be the target of an assignment alone.
std::string_view statement_at(std::string_view text, std::uint32_t begin, std::uint32_t end);

// A finding, and the statement of its place as statement_at() has it.
struct PlacedFinding {
  const text::Diagnostic* said = nullptr;
  std::string_view statement;
};
struct TakenFinding {
  std::size_t one = 0, by = 0;
  bool is_related = false;  // its place belongs to the finding that takes it
};
// An access that left its buffer takes those of which it was known that they may, with the same index, and the races of
// such an access: one fault.
std::vector<TakenFinding> taken_by_overruns(std::span<const PlacedFinding> all);

// Tries out every kernel that compiled and adds what is found to the diagnostics, or to what is silenced. Returns how
// many kernels were not, or not wholly, looked at. `jobs`: cores that it may take.
std::size_t try_out_all(session::Compiled& compiled, const project::LoadedFile& file, unsigned jobs,
                        const std::stop_token& stop);

}  // namespace tilewright::ide
