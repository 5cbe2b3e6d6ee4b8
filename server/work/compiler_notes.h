// What NVIDIA's compiler says about the speed of a kernel, at the line of the script that it is about, with the fix
// where it is known: `setmaxnreg` that it ignored, wgmma that it serialized, registers that it spilled. Findings of
// severity Hint, codes TW70xx: the kernel is right.
#pragma once
#include <optional>
#include <vector>

#include "compiler/session/compile.h"
#include "compiler/toolchain/compile_log.h"

namespace tilewright::work {

// The note that a message of ptxas is; nothing: it is none of those that are known.
std::optional<text::Diagnostic> performance_note(const toolchain::LogEntry& entry,
                                                 const session::CompiledKernel& kernel);
// Adds it, unless the same is told of the same place already.
void add_note(std::vector<text::Diagnostic>& notes, text::Diagnostic note);
// The notes that follow from what the compiler gave the kernel: spilled registers, arrays in local memory.
std::vector<text::Diagnostic> resource_notes(const toolchain::KernelResources& resources,
                                             const session::CompiledKernel& kernel);

}  // namespace tilewright::work
