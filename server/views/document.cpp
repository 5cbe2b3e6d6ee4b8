#include "server/views/document.h"

#include <algorithm>

#include "compiler/intrinsics/printed.h"
#include "compiler/ir/printer.h"
#include "compiler/lower/lower.h"
#include "server/render/json.h"
#include "server/render/report.h"

namespace tilewright::views {
namespace {

using ide::LineOrigins;
using ide::ViewKind;

std::uint32_t count_lines(std::string_view text) { return static_cast<std::uint32_t>(std::ranges::count(text, '\n')); }

void report(Document& out, const session::CompiledKernel& kernel, const text::Anchors& anchors,
            const render::Colours& colours) {
  std::uint32_t line = 0;
  for (const dispatch::CallReport& call : kernel.dispatched->calls) {
    std::string one = render::call_report(call, anchors, colours);
    out.lines.push_back({line, {call.call->origin}});
    line += count_lines(one);
    out.text += one;
  }
}

void lines_of_printed(Document& out, const std::vector<ir::PrintedOrigin>& origins) {
  std::size_t at = 0;
  std::uint32_t line = 0;
  for (const ir::PrintedOrigin& o : origins) {
    line += count_lines(std::string_view(out.text).substr(at, o.offset - at));
    at = o.offset;
    out.lines.push_back({line, {o.origin}});
  }
}

void lines_of_cuda(Document& out, const cuda::CudaSource& cuda) {
  std::uint32_t next = 0;
  for (const cuda::LineOrigin& o : cuda.lines) {
    if (next && o.line > next) out.lines.push_back({next - 1, {}});  // helpers between kernels belong to none
    out.lines.push_back({o.line - 1, {o.origin}});
    next = o.line + 1;
  }
  if (next) out.lines.push_back({next - 1, {}});
}

const cuda::LineOrigin* origin_of(const cuda::CudaSource& cuda, std::uint32_t line) {
  auto it = std::ranges::lower_bound(cuda.lines, line, {}, &cuda::LineOrigin::line);
  return it != cuda.lines.end() && it->line == line ? &*it : nullptr;
}

// "copy.py:14 < copy.py:30": the place and the calls that led to it, the innermost first.
std::string place_words(const ir::Origin& origin, const text::Anchors& anchors) {
  std::string out;
  auto add = [&](text::Span span) {
    text::Anchors::Place at = anchors.resolve(span);
    if (!at.source) return;
    std::string_view path = at.source->path();
    std::string name(path.substr(path.rfind('/') + 1));
    // Readers of the text count braces and lines.
    std::ranges::replace_if(
        name, [](char c) { return c == '{' || c == '}' || static_cast<unsigned char>(c) < 0x20; }, '_');
    out += (out.empty() ? "" : " < ") + name + ":" + std::to_string(at.source->position(at.begin).line + 1);
  };
  add(origin.span);
  for (const ir::CallSite* site = origin.chain; site; site = site->outer) add(site->span);
  return out;
}

void lines_of_tool(Document& out, const toolchain::LineMap& map, const cuda::CudaSource& cuda) {
  for (const toolchain::LineRow& row : map.rows) {
    LineOrigins& made = out.lines.emplace_back(LineOrigins{row.line - 1, {}});
    for (std::uint32_t line : map.cuda_lines_at(row.line)) {
      if (const cuda::LineOrigin* from = origin_of(cuda, line)) made.origins.push_back(from->origin);
    }
  }
}

// In the comment syntax of the view's language.
std::string comment(ViewKind kind, std::string_view text) {
  const std::string_view language = ide::view_language(kind);
  const std::string_view mark = language == "python"                            ? "# "
                                : language == "plaintext" || language == "json" ? ""
                                                                                : "// ";
  std::string out;
  for (std::size_t at = 0; at <= text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    out.append(mark).append(text.substr(at, end - at)).append("\n");
    at = end + 1;
  }
  return out;
}

}  // namespace

Document document(ViewKind kind, const session::CompiledKernel& kernel, const text::Anchors& anchors,
                  const ide::Made* made, const render::Colours& colours, bool lines) {
  Document out;
  out.language = ide::view_language(kind);
  std::vector<ir::PrintedOrigin> origins;
  switch (kind) {
    case ViewKind::Report: report(out, kernel, anchors, colours); break;
    case ViewKind::Tirx:
      out.text = ir::print_script(kernel.value->kernel, intrinsics::printed_arguments, &origins);
      lines_of_printed(out, origins);
      break;
    case ViewKind::Lowered:
      out.text = lower::print_lowered(*kernel.lowered, &origins);
      lines_of_printed(out, origins);
      break;
    case ViewKind::Plan:
      out.text = render::dump(render::plan_json(*kernel.lowered)) + "\n";
      out.lines.push_back({0, {{kernel.value->kernel.span, nullptr}}});
      break;
    case ViewKind::Cuda:
      out.text = kernel.cuda->text;
      if (lines) lines_of_cuda(out, *kernel.cuda);
      break;
    case ViewKind::Ptx:
      out.text = with_script_lines(made->ptx, made->ptx_lines, *kernel.cuda, anchors);
      lines_of_tool(out, made->ptx_lines, *kernel.cuda);
      break;
    case ViewKind::Sass:
      out.text = with_script_lines(made->sass, made->sass_lines, *kernel.cuda, anchors);
      lines_of_tool(out, made->sass_lines, *kernel.cuda);
      break;
  }
  return out;
}

std::string with_script_lines(std::string_view text, const toolchain::LineMap& map, const cuda::CudaSource& cuda,
                              const text::Anchors& anchors) {
  std::string out, said;
  out.reserve(text.size() + text.size() / 4);
  std::uint32_t number = 0;
  auto row = map.rows.begin();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (row != map.rows.end() && row->line == number) {
      ++row;
      std::string words;
      for (std::uint32_t line : map.cuda_lines_at(number)) {
        const cuda::LineOrigin* from = origin_of(cuda, line);
        if (from) words = place_words(from->origin, anchors);
        if (!words.empty()) break;  // the innermost that is the script's
      }
      if (words != said && !words.empty()) out += "  // " + words;
      said = std::move(words);
    }
    if (end < text.size()) out += '\n';
  }
  return out;
}

Document document(const ide::View& view, bool lines) {
  ViewKind kind = view.name.kind;
  if (view.state != ide::View::State::Ready) return {comment(kind, view.problem), ide::view_language(kind), {}};
  return document(kind, *view.kernel, view.compiled->evaluation->anchors, view.made.get(), {}, lines);
}

}  // namespace tilewright::views
