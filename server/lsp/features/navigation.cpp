// Definition, declaration, references and highlights.
#include "server/ide/navigation.h"

#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

enum Highlight { kRead = 2, kWrite = 3 };  // DocumentHighlightKind

Json definition_json(const Request& r, const std::optional<ide::Definition>& found, const std::string& capability) {
  if (!found) return nullptr;
  std::string uri = r.client->uri(*found->script);
  auto range = [&](ide::Stretch at) { return r.client->range(found->script->source(), at); };
  if (!r.client->offers("textDocument." + capability + ".linkSupport")) {
    return protocol::Location{uri, range(found->name)};
  }
  protocol::LocationLink link{std::nullopt, uri, range(found->whole), range(found->name)};
  if (found->origin) link.origin = r.range(*found->origin);
  return Json::array({link});
}

Answer<Json> definition(const Request& r, const protocol::PositionParams& p) {
  return definition_json(r, ide::definition(r, r.offset(p.position)), "definition");
}

Answer<Json> declaration(const Request& r, const protocol::PositionParams& p) {
  return definition_json(r, ide::declaration(r, r.offset(p.position)), "declaration");
}

Answer<Json> type_definition(const Request& r, const protocol::PositionParams& p) {
  return definition_json(r, ide::type_definition(r, r.offset(p.position)), "typeDefinition");
}

struct ReferenceParams : protocol::PositionParams {
  bool declaration = true;
};
void from_json(const Json& json, ReferenceParams& p) {
  protocol::from_json(json, p);
  p.declaration = json.at("context").at("includeDeclaration").get<bool>();
}

// Each script's places are a part of the answer.
Answer<Json> references(const Request& r, const ReferenceParams& p) {
  Json out = Json::array();
  auto visit = [&](const ide::Script& script, const std::vector<ide::Use>& uses) {
    std::string uri = r.client->uri(*script);
    Json here = Json::array();
    for (const ide::Use& u : uses) {
      if (u.role == session::Role::Define && !p.declaration) continue;
      here.push_back(protocol::Location{uri, r.client->range(script->source(), {u.begin, u.end})});
    }
    if (r.partial && !here.empty()) return r.partial(here);
    for (Json& one : here) out.push_back(std::move(one));
  };
  auto found = ide::references(r, r.offset(p.position), visit);
  if (!found) return failed(found.error());
  return *found ? std::move(out) : Json(nullptr);
}

Answer<Json> highlight(const Request& r, const protocol::PositionParams& p) {
  auto found = ide::highlights(r, r.offset(p.position));
  if (!found) return Json(nullptr);
  Json out = Json::array();
  for (const ide::Use& u : *found) {
    out.push_back({{"range", r.range({u.begin, u.end})}, {"kind", u.role == session::Role::Read ? kRead : kWrite}});
  }
  return out;
}

}  // namespace

void add_navigation(Registry& registry) {
  registry.offer("definitionProvider", true);
  registry.offer("declarationProvider", true);
  registry.offer("typeDefinitionProvider", true);
  registry.offer("referencesProvider", {{"workDoneProgress", true}});
  registry.offer("documentHighlightProvider", true);
  registry.on_document<protocol::PositionParams>("textDocument/definition", definition);
  registry.on_document<protocol::PositionParams>("textDocument/declaration", declaration);
  registry.on_document<protocol::PositionParams>("textDocument/typeDefinition", type_definition);
  registry.on_document<ReferenceParams>("textDocument/references", references);
  registry.on_document<protocol::PositionParams>("textDocument/documentHighlight", highlight);
}

}  // namespace tilewright::lsp
