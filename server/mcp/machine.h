// What NVIDIA's tools make of a kernel, for answers.
#pragma once
#include <expected>
#include <memory>
#include <stop_token>
#include <string>

#include "compiler/session/compile.h"
#include "server/ide/artifacts.h"
#include "server/work/machine_code.h"

namespace tilewright::mcp {

// PTX, resources, and with `sass` the disassembly. Waits for it. The error: why there is nothing.
std::expected<std::shared_ptr<const ide::Made>, std::string> made_by_tools(const session::CompiledKernel& kernel,
                                                                           bool sass, const std::stop_token& stop);

// For counts as NVIDIA's compiler makes accesses. The kernel has CUDA text. Waits for it.
work::MachineCode machine_code(const session::CompiledKernel& kernel, const std::stop_token& stop);

}  // namespace tilewright::mcp
