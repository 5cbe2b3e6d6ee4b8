#include "server/ide/line_layouts.h"

#include <set>

#include "server/ide/buffer_uses.h"

namespace tilewright::ide {
namespace {

bool is_from(const ir::Origin& origin, const text::Anchors& anchors,
             const std::function<bool(const text::Anchors::Place&)>& is_meant) {
  if (is_meant(anchors.resolve(origin.span))) return true;
  for (const ir::CallSite* site = origin.chain; site; site = site->outer)
    if (is_meant(anchors.resolve(site->span))) return true;
  return false;
}

}  // namespace

std::vector<LayoutAt> line_layouts(const Script& script, const session::Compiled& compiled,
                                   const std::function<bool(const text::Anchors::Place&)>& is_meant,
                                   const LayoutAsked& asked) {
  std::vector<LayoutAt> out;
  std::set<std::pair<std::string, std::string>> seen;  // kernels of one factory have the same buffers
  const text::Anchors& anchors = compiled.evaluation->anchors;
  for (const session::CompiledKernel& kernel : compiled.kernels) {
    for (const BufferUse& use : uses_of(kernel)) {
      const bool memory = use.kind == BufferUse::Kind::Memory && use.buffer && use.buffer->layout && use.statement;
      if (!memory || !is_from(use.statement->origin, anchors, is_meant)) continue;
      LayoutAt one = layout_of(*script, compiled, kernel, *use.buffer, asked);
      std::string shape;
      for (const Extent& e : one.shape) shape += e.text + ",";
      if (seen.emplace(one.name, shape + one.dtype + one.scope + one.printed).second) out.push_back(std::move(one));
    }
  }
  return out;
}

}  // namespace tilewright::ide
