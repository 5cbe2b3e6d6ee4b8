// Definition, declaration, references and highlights: what a name stands for (server/lsp/names.h).
#include <algorithm>

#include "server/lsp/features.h"
#include "server/lsp/names.h"

namespace tilewright::lsp {
namespace {

using namespace syntax;
using session::Occurrence;
using session::Role;
using session::SymbolIndex;

// Its defining name and what that names as a whole; of a module its beginning.
Json location_json(const Request& r, const std::optional<Meaning>& meaning, std::uint32_t offset,
                   std::string_view capability) {
  if (!meaning) return nullptr;
  const SymbolIndex& index = meaning->script->symbols();
  Extent name, whole;
  if (meaning->symbol) {
    const Occurrence* o = defining(index, *meaning->symbol);
    if (!o) return nullptr;
    name = whole = {o->begin, o->end};
    Path path = path_at(*index.tree, o->begin);
    // A function or class is shown as a whole, anything else with its statement.
    for (std::size_t i = path.nodes.size(); i-- > 0;) {
      const Node* n = path.nodes[i];
      if (n->kind < NodeKind::ExprStmt) continue;
      whole = {path.begin(n), path.end(n)};
      break;
    }
  }
  std::string uri = script_uri(r, *meaning->script);
  auto range = [&](Extent at) { return to_range(*index.tree->source(), at.begin, at.end, r.client->encoding); };
  if (!r.client->offers("textDocument." + std::string(capability) + ".linkSupport")) {
    return protocol::Location{uri, range(name)};
  }
  protocol::LocationLink link{std::nullopt, uri, range(whole), range(name)};
  if (const Occurrence* o = r.snapshot->symbols().at(offset)) link.origin = r.range(o->begin, o->end);
  return Json::array({link});
}

Answer<Json> definition(const Request& r, const protocol::PositionParams& p) {
  std::uint32_t offset = r.offset(p.position);
  auto found = Names(r, Names::Aliases::SameThing).at(r.snapshot, offset);
  return location_json(r, found, offset, "definition");
}

// An imported name is declared by its import.
Answer<Json> declaration(const Request& r, const protocol::PositionParams& p) {
  std::uint32_t offset = r.offset(p.position);
  const SymbolIndex& index = r.snapshot->symbols();
  const Occurrence* o = index.at(offset);
  auto found = o ? std::optional(Meaning{r.snapshot, &index.symbols[o->symbol]})
                 : Names(r, Names::Aliases::SameThing).at(r.snapshot, offset);
  return location_json(r, found, offset, "declaration");
}

struct ReferenceParams : protocol::PositionParams {
  bool declaration = true;
};
void from_json(const Json& json, ReferenceParams& p) {
  protocol::from_json(json, p);
  p.declaration = json.at("context").at("includeDeclaration").get<bool>();
}

// An alias of an import is the same thing by another name. Each script's places are a part of the answer.
Answer<Json> references(const Request& r, const ReferenceParams& p) {
  Names names(r, Names::Aliases::SameThing);
  auto meaning = names.at(r.snapshot, r.offset(p.position));
  if (!meaning) return Json(nullptr);
  Json out = Json::array();
  bool whole = names.everywhere(*meaning, [&](const Scripts::Script& script) {
    Json here = Json::array();
    for (const Use& u : names.uses(script, *meaning)) {
      if (u.role == Role::Define && !p.declaration) continue;
      here.push_back(
          protocol::Location{script_uri(r, *script), to_range(script->source(), u.begin, u.end, r.client->encoding)});
    }
    if (r.partial && !here.empty()) {
      r.partial(here);
    } else {
      for (Json& one : here) out.push_back(std::move(one));
    }
    return true;
  });
  if (!whole) return cancelled();
  return out;
}

Answer<Json> highlight(const Request& r, const protocol::PositionParams& p) {
  const SymbolIndex& index = r.snapshot->symbols();
  const Occurrence* at = index.at(r.offset(p.position));
  if (!at) return Json(nullptr);
  Json out = Json::array();
  for (std::uint32_t i : index.symbols[at->symbol].occurrences) {
    const Occurrence& o = index.occurrences[i];
    out.push_back({{"range", r.range(o.begin, o.end)}, {"kind", o.role == Role::Read ? 2 : 3}});
  }
  return out;
}

}  // namespace

void add_navigation(Registry& registry) {
  registry.offer("definitionProvider", true);
  registry.offer("declarationProvider", true);
  registry.offer("referencesProvider", {{"workDoneProgress", true}});
  registry.offer("documentHighlightProvider", true);
  registry.on_document<protocol::PositionParams>("textDocument/definition", definition);
  registry.on_document<protocol::PositionParams>("textDocument/declaration", declaration);
  registry.on_document<ReferenceParams>("textDocument/references", references);
  registry.on_document<protocol::PositionParams>("textDocument/documentHighlight", highlight);
}

}  // namespace tilewright::lsp
