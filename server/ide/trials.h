// What a short run on the simulator says about the kernels of a script (compiler/run/trial.h).
#pragma once
#include <stop_token>
#include <vector>

#include "compiler/run/trial.h"
#include "compiler/session/compile.h"
#include "server/project/load.h"

namespace tilewright::ide {

// Findings at their calls, and at the kernel what was not looked at.
std::vector<text::Diagnostic> trial_diagnostics(const run::Trial& trial, const session::CompiledKernel& kernel,
                                                const text::Anchors& anchors);

// Tries out every kernel that compiled: what is found, silenced or not, each once; less after a stop. `untried`: how
// many kernels were not, or not wholly, looked at. `jobs`: cores that it may take.
std::vector<text::Diagnostic> try_kernels(const session::Compiled& compiled, const syntax::Tree& tree, unsigned jobs,
                                          const std::stop_token& stop, std::size_t& untried);

// Tries out every kernel that compiled and adds what is found to the diagnostics, or to what is silenced. Returns how
// many kernels were not, or not wholly, looked at. `jobs`: cores that it may take.
std::size_t try_out_all(session::Compiled& compiled, const project::LoadedFile& file, unsigned jobs,
                        const std::stop_token& stop);

}  // namespace tilewright::ide
