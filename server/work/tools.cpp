#include "server/work/tools.h"

#include <algorithm>
#include <iterator>

#include "compiler/threads/in_order.h"
#include "server/project/codes.h"
#include "server/work/compiler_notes.h"
#include "server/work/words.h"

namespace tilewright::work {

toolchain::Request request_for(const session::CompiledKernel& kernel, toolchain::Request wanted) {
  wanted.cuda_source = kernel.cuda->text;
  wanted.arch = kernel.target.name();
  return wanted;
}

bool run_tools(toolchain::Toolchain& tools, std::span<ToolWork> work, const toolchain::Request& wanted, unsigned jobs,
               const std::function<void(std::size_t)>& waiting) {
  auto compile = [&](std::size_t i) { work[i].made = tools.compile(request_for(*work[i].kernel, wanted)); };
  return threads::in_order(work.size(), jobs, wanted.stop, compile, [](std::size_t) {}, waiting);
}

namespace {

// The name in `variable "stage" was set but never used`, where the message ends so.
std::string_view variable_in(std::string_view message, std::string_view end) {
  constexpr std::string_view kBegin = "variable \"";
  if (!message.starts_with(kBegin) || !message.ends_with(end)) return {};
  message.remove_prefix(kBegin.size());
  return message.substr(0, message.find('"'));
}

}  // namespace

bool is_of_our_variables(const toolchain::LogEntry& entry, const session::CompiledKernel& kernel) {
  if (entry.severity != toolchain::LogEntry::Severity::Warning || !entry.file.empty()) return false;
  // Before the kernel's body lie helpers, those of the script among them.
  const std::vector<cuda::LineOrigin>& lines = kernel.cuda->lines;
  if (lines.empty() || entry.cuda_line < static_cast<int>(lines.front().line)) return false;
  if (!variable_in(entry.message, "was declared but never referenced").empty()) return true;
  const std::string_view name = variable_in(entry.message, "was set but never used");
  if (name.empty()) return false;
  bool array = false;  // of the script: nothing else tells that it is never read
  ir::walk_stmts(kernel.value->kernel.body, [&](const ir::Stmt* s) {
    const auto* alloc = ir::as<ir::Alloc>(s);
    array = array || (alloc && !alloc->buffer->is_scalar && alloc->buffer->name == name);
    return !array;
  });
  return !array;
}

text::Diagnostic message_of(const toolchain::LogEntry& entry, const session::CompiledKernel& kernel) {
  auto note = performance_note(entry, kernel);
  return note ? std::move(*note) : toolchain_diagnostic(entry, *kernel.cuda);
}

const toolchain::KernelResources* take_messages(const ToolWork& work, std::vector<text::Diagnostic>& diagnostics) {
  const auto& made = *work.made;
  const session::CompiledKernel& kernel = *work.kernel;
  // Of tools that were killed or are not there, messages would say nothing of the script.
  const bool speaks = made || made.error().kind == toolchain::Error::Kind::Compilation;
  if (!speaks) return nullptr;
  const std::vector<toolchain::LogEntry>& entries = made ? made->entries : made.error().entries;
  for (const toolchain::LogEntry& entry : entries)
    if (!is_of_our_variables(entry, kernel)) add_note(diagnostics, message_of(entry, kernel));
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
  if (at == made->kernels.end()) return nullptr;
  std::ranges::move(resource_notes(*at, kernel), std::back_inserter(diagnostics));
  return &*at;
}

}  // namespace tilewright::work
