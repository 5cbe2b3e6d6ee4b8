// textDocument/prepareRename and rename.
#include "server/ide/rename.h"

#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

struct RenameParams : protocol::PositionParams {
  std::string name;
};
void from_json(const Json& json, RenameParams& p) {
  protocol::from_json(json, p);
  p.name = json.at("newName").get<std::string>();
}

Answer<Json> prepare_rename(const Request& r, const protocol::PositionParams& p) {
  auto at = ide::renamable(r, r.offset(p.position));
  if (!at) return Json(nullptr);
  std::string_view name = r.snapshot->source().text().substr(at->begin, at->end - at->begin);
  return Json{{"range", r.range(*at)}, {"placeholder", name}};
}

Answer<Json> rename(const Request& r, const RenameParams& p) {
  auto found = ide::rename(r, r.offset(p.position), p.name);
  if (!found) return failed(found.error());
  bool versions = r.client->offers("workspace.workspaceEdit.documentChanges");
  Json changes = Json::object(), document_changes = Json::array();
  for (const ide::RenamedScript& renamed : *found) {
    Json edits = Json::array();
    for (ide::Stretch at : renamed.places) {
      edits.push_back(protocol::TextEdit{r.client->range(renamed.script->source(), at), p.name});
    }
    std::string uri = r.client->uri(*renamed.script);
    if (versions) {
      Json version = renamed.open ? Json(renamed.script->version()) : Json(nullptr);
      document_changes.push_back(
          {{"textDocument", {{"uri", uri}, {"version", std::move(version)}}}, {"edits", std::move(edits)}});
    } else {
      changes[uri] = std::move(edits);
    }
  }
  return versions ? Json{{"documentChanges", std::move(document_changes)}} : Json{{"changes", std::move(changes)}};
}

}  // namespace

void add_rename(Registry& registry) {
  registry.offer_if("renameProvider", [](const Client& c) -> Json {
    if (!c.offers("textDocument.rename.prepareSupport")) return true;
    return {{"prepareProvider", true}, {"workDoneProgress", true}};
  });
  registry.on_document<protocol::PositionParams>("textDocument/prepareRename", prepare_rename);
  registry.on_document<RenameParams>("textDocument/rename", rename);
}

}  // namespace tilewright::lsp
