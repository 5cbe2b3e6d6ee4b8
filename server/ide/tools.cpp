#include "server/ide/tools.h"

#include <algorithm>

#include "server/ide/cores.h"
#include "server/ide/words.h"
#include "server/project/codes.h"

namespace tilewright::ide {

toolchain::Request request_for(const session::CompiledKernel& kernel, toolchain::Request wanted) {
  wanted.cuda_source = kernel.cuda->text;
  wanted.arch = kernel.target.name();
  return wanted;
}

bool run_tools(toolchain::Toolchain& tools, std::span<ToolWork> work, const toolchain::Request& wanted, unsigned jobs,
               const std::function<void(std::size_t)>& waiting) {
  auto compile = [&](std::size_t i) { work[i].made = tools.compile(request_for(*work[i].kernel, wanted)); };
  return in_order(work.size(), jobs, wanted.stop, compile, [](std::size_t) {}, waiting);
}

const toolchain::KernelResources* take_messages(const ToolWork& work, std::vector<text::Diagnostic>& diagnostics) {
  const auto& made = *work.made;
  const session::CompiledKernel& kernel = *work.kernel;
  // Of tools that were killed or are not there, messages would say nothing of the script.
  const bool speaks = made || made.error().kind == toolchain::Error::Kind::Compilation;
  if (!speaks) return nullptr;
  const std::vector<toolchain::LogEntry>& entries = made ? made->entries : made.error().entries;
  for (const toolchain::LogEntry& entry : entries) diagnostics.push_back(toolchain_diagnostic(entry, *kernel.cuda));
  if (!made) {
    if (entries.empty())
      diagnostics.push_back({project::kToolsCode,
                             text::Severity::Error,
                             "NVRTC: " + made.error().message,
                             kernel.value->kernel.span,
                             {},
                             {},
                             {}});
    return nullptr;
  }
  const auto at = std::ranges::find(made->kernels, kernel.lowered->symbol, &toolchain::KernelResources::name);
  return at == made->kernels.end() ? nullptr : &*at;
}

}  // namespace tilewright::ide
