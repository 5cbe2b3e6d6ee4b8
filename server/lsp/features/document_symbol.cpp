// textDocument/documentSymbol and workspace/symbol.
#include "server/ide/outline.h"
#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

// SymbolKind of the protocol, in the order of ide::OutlineKind: class, method, function, variable, constant.
constexpr int kSymbolKinds[] = {5, 6, 12, 13, 14};

Json tree_json(const Request& r, const std::vector<ide::OutlineItem>& items) {
  Json out = Json::array();
  for (const ide::OutlineItem& i : items) {
    Json one{{"name", i.name},
             {"kind", kSymbolKinds[static_cast<int>(i.kind)]},
             {"range", r.range(i.all)},
             {"selectionRange", r.range(i.name_at)}};
    if (!i.detail.empty()) one["detail"] = i.detail;
    if (!i.children.empty()) one["children"] = tree_json(r, i.children);
    out.push_back(std::move(one));
  }
  return out;
}

Json list_json(const Client& client, const text::Source& source, const std::vector<ide::NamedPlace>& places) {
  std::string uri = client.uris->of(source.path());
  Json out = Json::array();
  for (const ide::NamedPlace& p : places) {
    Json one{{"name", p.name},
             {"kind", kSymbolKinds[static_cast<int>(p.kind)]},
             {"location", protocol::Location{uri, client.range(source, p.name_at)}}};
    if (!p.container.empty()) one["containerName"] = p.container;
    out.push_back(std::move(one));
  }
  return out;
}

Answer<Json> document_symbol(const Request& r, const protocol::DocumentParams&) {
  if (r.client->offers("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport")) {
    return tree_json(r, ide::outline(*r.snapshot));
  }
  return list_json(*r.client, r.snapshot->source(), ide::named_places(*r.snapshot));
}

struct QueryParams {
  std::string query;
};
void from_json(const Json& json, QueryParams& p) { p.query = json.at("query").get<std::string>(); }

// Each script is a part of the answer.
Answer<Json> workspace_symbol(const Request& r, const QueryParams& params, ide::Outlines& outlines) {
  Json out = Json::array();
  auto whole = ide::find_names(r, params.query, outlines, [&](const ide::FoundNames& found) {
    Json here = list_json(*r.client, *found.source, found.names);
    if (r.partial) return r.partial(here);
    for (Json& one : here) out.push_back(std::move(one));
  });
  if (!whole) return failed(whole.error());
  return out;
}

}  // namespace

void add_document_symbol(Registry& registry) {
  registry.offer("documentSymbolProvider", true);
  registry.offer("workspaceSymbolProvider", {{"workDoneProgress", true}});
  registry.on_document<protocol::DocumentParams>("textDocument/documentSymbol", document_symbol);
  auto outlines = std::make_shared<ide::Outlines>();
  registry.on_workspace<QueryParams>("workspace/symbol", [outlines](const Request& r, const QueryParams& params) {
    return workspace_symbol(r, params, *outlines);
  });
}

}  // namespace tilewright::lsp
