// NVIDIA's tools over the kernels of a script: the slowest part of a build, on several cores.
#pragma once
#include <expected>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "compiler/session/compile.h"
#include "compiler/toolchain/toolchain.h"

namespace tilewright::work {

// A kernel with CUDA text, and what the tools made of it.
struct ToolWork {
  const session::CompiledKernel* kernel = nullptr;
  std::optional<std::expected<toolchain::Artifacts, toolchain::Error>> made{};
};

// The kernel's CUDA text for its architecture; `wanted` says what is to be made of it.
toolchain::Request request_for(const session::CompiledKernel& kernel, toolchain::Request wanted = {});

// Compiles each for its architecture, `jobs` at a time. `wanted` says what is to be made of all of them; `waiting` is
// called now and then with the number that is done. False: stopped.
bool run_tools(toolchain::Toolchain& tools, std::span<ToolWork> work, const toolchain::Request& wanted, unsigned jobs,
               const std::function<void(std::size_t)>& waiting = {});

// Does NVRTC speak of a variable of a kernel's body that nothing reads? All of them are made by the emitter: what of
// the script is not used, TW2301 tells, and a scope id that nothing reads is no fault. Arrays that are only written
// stay.
bool is_of_our_variables(const toolchain::LogEntry& entry, const session::CompiledKernel& kernel);

// What the tools said, at the line of the script: a note about speed (compiler_notes.h) or their message.
text::Diagnostic message_of(const toolchain::LogEntry& entry, const session::CompiledKernel& kernel);

// What the tools had to say goes to `diagnostics`, at the lines of the script that its CUDA lines came from. The
// kernel's resources; null: they failed, or said nothing of it.
const toolchain::KernelResources* take_messages(const ToolWork& work, std::vector<text::Diagnostic>& diagnostics);

}  // namespace tilewright::work
