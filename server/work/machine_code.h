// What NVIDIA's compiler made of a kernel, as far as profiles and the model of time use it.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

#include "compiler/session/compile.h"
#include "compiler/simulate/profile/machine_accesses.h"
#include "compiler/toolchain/toolchain.h"

namespace tilewright::work {

struct MachineCode {
  std::int64_t registers = 0;                           // of a thread; 0: not known
  std::optional<simulate::MachineAccesses> accesses{};  // none: accesses count as the script writes them
  std::string why{};                                    // there are none, in words; empty: they were not asked for
};

// Of what the tools made; an empty `sass` has its reason in `sass_missing`.
MachineCode machine_code_of(const session::CompiledKernel& kernel, const std::string& sass,
                            const std::string& sass_missing, std::span<const toolchain::KernelResources> resources);

// Compiles the kernel; it has CUDA text.
MachineCode machine_code_of(const session::CompiledKernel& kernel, toolchain::Toolchain& tools, std::stop_token stop);

// The same accesses, of which no run has counted any.
std::optional<simulate::MachineAccesses> uncounted(std::optional<simulate::MachineAccesses> accesses);

}  // namespace tilewright::work
