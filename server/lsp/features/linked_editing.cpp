// textDocument/linkedEditingRange: the name of a factory, a kernel or a parameter changes with the comments that name
// it.
//
// Editors change these places while somebody types, without asking any further; so they are given only where they are
// all there is, in this script and in every other.
#include <algorithm>

#include "server/lsp/features.h"
#include "server/lsp/names.h"

namespace tilewright::lsp {
namespace {

using session::SymbolKind;

Answer<Json> linked_editing(const Request& r, const protocol::PositionParams& p) {
  std::uint32_t offset = r.offset(p.position);
  Names names(r, Names::Aliases::SameThing);
  auto meaning = names.at(r.snapshot, offset);
  if (!meaning || !meaning->symbol || meaning->script != r.snapshot) return Json(nullptr);
  SymbolKind kind = meaning->symbol->kind;
  if (kind != SymbolKind::Function && kind != SymbolKind::Kernel && kind != SymbolKind::Parameter) return Json(nullptr);
  std::vector<Use> uses = names.uses(r.snapshot, *meaning);
  auto in_comment = [&](const Use& u) {
    return std::ranges::any_of(r.snapshot->symbols().comments, [&](const syntax::Tree::Statement& s) {
      return u.begin >= s.offset && u.end <= s.offset + s.node->text.size();
    });
  };
  auto at_cursor = [&](const Use& u) { return u.begin <= offset && offset <= u.end; };
  if (std::ranges::none_of(uses, in_comment) || std::ranges::none_of(uses, at_cursor)) return Json(nullptr);
  bool alone = true;
  bool whole = names.everywhere(*meaning, [&](const Scripts::Script& script) {
    alone = script == r.snapshot || names.uses(script, *meaning).empty();
    return alone;
  });
  if (!whole) return cancelled();
  if (!alone) return Json(nullptr);
  Json ranges = Json::array();
  for (const Use& u : uses) {
    if (r.snapshot->source().text().substr(u.begin, u.end - u.begin) != meaning->symbol->name) return Json(nullptr);
    ranges.push_back(r.range(u.begin, u.end));
  }
  return Json{{"ranges", std::move(ranges)}, {"wordPattern", "[A-Za-z_][A-Za-z0-9_]*"}};
}

}  // namespace

void add_linked_editing(Registry& registry) {
  registry.offer("linkedEditingRangeProvider", true);
  registry.on_document<protocol::PositionParams>("textDocument/linkedEditingRange", linked_editing);
}

}  // namespace tilewright::lsp
