// What a kernel takes of a multiprocessor, in a few words.
#pragma once
#include <string>

#include "compiler/ir/target.h"
#include "compiler/lower/lowered.h"
#include "compiler/toolchain/toolchain.h"

namespace tilewright::ide {

// "70 registers · no spills · 8,192 B shared · 7 CTAs a multiprocessor (bound by registers), 44 % of its warps": as far
// as it is known. `made`: what NVIDIA's tools said of the kernel; null: nothing yet.
std::string resource_words(const lower::LaunchPlan& plan, ir::Target target, const toolchain::KernelResources* made);

}  // namespace tilewright::ide
