// textDocument/linkedEditingRange: editors change these places while the user types.
#include "server/ide/navigation.h"
#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

Answer<Json> linked_editing(const Request& r, const protocol::PositionParams& p) {
  auto found = ide::linked_names(r, r.offset(p.position));
  if (!found) return failed(found.error());
  if (found->empty()) return Json(nullptr);
  Json ranges = Json::array();
  for (ide::Stretch at : *found) ranges.push_back(r.range(at));
  return Json{{"ranges", std::move(ranges)}, {"wordPattern", "[A-Za-z_][A-Za-z0-9_]*"}};
}

}  // namespace

void add_linked_editing(Registry& registry) {
  registry.offer("linkedEditingRangeProvider", true);
  registry.on_document<protocol::PositionParams>("textDocument/linkedEditingRange", linked_editing);
}

}  // namespace tilewright::lsp
