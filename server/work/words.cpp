#include "server/work/words.h"

#include <algorithm>

#include "compiler/expr/analyzer.h"
#include "compiler/ir/origin.h"
#include "compiler/ir/printer.h"
#include "server/project/codes.h"

namespace tilewright::work {

text::Diagnostic toolchain_diagnostic(const toolchain::LogEntry& entry, const cuda::CudaSource& source) {
  text::Diagnostic d;
  d.code = project::kToolsCode;
  d.severity = entry.severity == toolchain::LogEntry::Severity::Error ? text::Severity::Error : text::Severity::Warning;
  d.message = "NVRTC: " + entry.message + " (CUDA line " + std::to_string(entry.cuda_line) + ")";
  auto after = std::upper_bound(source.lines.begin(), source.lines.end(),
                                static_cast<std::uint32_t>(std::max(entry.cuda_line, 0)),
                                [](std::uint32_t line, const cuda::LineOrigin& o) { return line < o.line; });
  if (after != source.lines.begin()) {
    const ir::Origin& origin = std::prev(after)->origin;
    d.span = origin.span;
    d.chain = ir::call_chain(origin.chain);
  }
  return d;
}

std::string operand_text(const ir::Operand& o, std::string_view before_layout) {
  if (!o.region.buffer) return o.value ? ir::to_string(o.value) : "None";
  const ir::Buffer& b = *o.region.buffer;
  std::string out = ir::to_string(o.region) + " " + ir::dtype_name(b.dtype) + " " + std::string(b.scope_text);
  if (b.layout) out += std::string(before_layout) + layout::to_short_string(*b.layout);
  return out;
}

std::string box_text(const scope::Box& box) {
  std::string out;
  for (const scope::AxisRange& r : box) {
    out += (out.empty() ? "" : ", ") + std::string(scope::axis_name(r.axis)) + " ";
    if (r.range.elected) {
      out += "one elected";
    } else if (r.range.extent == 1) {
      out += std::to_string(r.range.offset);
    } else {
      out += std::to_string(r.range.offset) + ".." +
             std::to_string(r.range.offset + r.range.stride * (r.range.extent - 1));
      if (r.range.stride != 1) out += " step " + std::to_string(r.range.stride);
    }
  }
  return out.empty() ? "-" : out;
}

std::string fact_text(const dispatch::FactValue& v) {
  if (const auto* i = std::get_if<std::int64_t>(&v)) return std::to_string(*i);
  if (const auto* s = std::get_if<std::string>(&v)) return *s;
  std::string out = "[";
  for (std::int64_t i : std::get<std::vector<std::int64_t>>(v)) out += (out.size() > 1 ? ", " : "") + std::to_string(i);
  return out + "]";
}

}  // namespace tilewright::work
