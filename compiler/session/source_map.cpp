#include "compiler/session/source_map.h"

#include <algorithm>

namespace tilewright::session {

SourceMap join(const cuda::CudaSource& cuda, std::string_view ptx, std::string_view sass) {
  SourceMap map;
  toolchain::LineMap ptx_lines, sass_lines;
  if (!ptx.empty()) ptx_lines = toolchain::read_ptx_lines(ptx);
  if (!sass.empty()) sass_lines = toolchain::read_sass_lines(sass);
  map.lines.reserve(cuda.lines.size());
  for (const cuda::LineOrigin& line : cuda.lines) {
    MappedLine& made = map.lines.emplace_back(MappedLine{line.line, line.origin, {}, {}});
    if (!ptx.empty()) made.ptx = ptx_lines.lines_of(line.line);
    if (!sass.empty()) made.sass = sass_lines.lines_of(line.line);
  }
  return map;
}

std::vector<const MappedLine*> SourceMap::of_script(const text::Anchors& anchors, const text::Source* source,
                                                    std::uint32_t begin, std::uint32_t end) const {
  auto inside = [&](text::Span span) {
    text::Anchors::Place place = anchors.resolve(span);
    return place.source == source && place.begin < end && place.end > begin;
  };
  std::vector<const MappedLine*> found;
  for (const MappedLine& line : lines) {
    bool here = inside(line.origin.span);
    for (const ir::CallSite* site = line.origin.chain; site && !here; site = site->outer) here = inside(site->span);
    if (here) found.push_back(&line);
  }
  return found;
}

const MappedLine* SourceMap::of_cuda(std::uint32_t line) const {
  auto at = std::lower_bound(lines.begin(), lines.end(), line,
                             [](const MappedLine& m, std::uint32_t l) { return m.cuda < l; });
  return at != lines.end() && at->cuda == line ? &*at : nullptr;
}

}  // namespace tilewright::session
