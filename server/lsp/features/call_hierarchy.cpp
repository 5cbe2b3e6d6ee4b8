// textDocument/prepareCallHierarchy, callHierarchy/incomingCalls and outgoingCalls.
#include "server/ide/call_hierarchy.h"

#include "server/ide/scripts.h"
#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

// SymbolKind of the protocol, in the order of ide::CallItem::Kind: module, class, method, function.
constexpr int kCallKinds[] = {2, 5, 6, 12};

struct ItemParams {
  std::string script, path;
};
void from_json(const Json& json, ItemParams& p) {
  constexpr std::string_view kPrelude = "tilewright:/";
  const Json& item = json.at("item");
  std::string uri = item.at("uri").get<std::string>();
  bool prelude = uri.starts_with(std::string(kPrelude) + std::string(ide::kPreludeFolder));
  p.script = prelude ? uri.substr(kPrelude.size()) : path_of(uri);
  p.path = item.at("data").at("name").get<std::string>();
}

Json item_json(const Request& r, const ide::CallItem& item) {
  const text::Source& source = item.script->source();
  Json out{{"uri", r.client->uri(*item.script)},
           {"data", {{"name", item.path}}},
           {"name", item.name},
           {"kind", kCallKinds[static_cast<int>(item.kind)]},
           {"range", r.client->range(source, item.all)},
           {"selectionRange", r.client->range(source, item.name_at)}};
  if (!item.detail.empty()) out["detail"] = item.detail;
  return out;
}

// `key` names the other end of the call.
Json edges_json(const Request& r, const char* key, const std::vector<ide::CallEdge>& edges) {
  Json out = Json::array();
  for (const ide::CallEdge& e : edges) {
    Json places = Json::array();
    for (ide::Stretch at : e.places) places.push_back(r.client->range(e.caller->source(), at));
    out.push_back({{key, item_json(r, e.item)}, {"fromRanges", std::move(places)}});
  }
  return out;
}

Answer<Json> prepare(const Request& r, const protocol::PositionParams& p) {
  auto item = ide::call_item(r, r.offset(p.position));
  return item ? Json::array({item_json(r, *item)}) : Json(nullptr);
}

using Find = decltype(ide::incoming_calls);

Answer<Json> calls(const Request& r, const ItemParams& p, const char* key, Find& find) {
  ide::CallParts parts;
  if (r.partial) parts = [&](const std::vector<ide::CallEdge>& edges) { r.partial(edges_json(r, key, edges)); };
  auto found = find(r, p.script, p.path, parts);
  if (!found) return failed(found.error());
  return *found ? edges_json(r, key, **found) : Json(nullptr);
}

}  // namespace

void add_call_hierarchy(Registry& registry) {
  registry.offer("callHierarchyProvider", {{"workDoneProgress", true}});
  registry.on_document<protocol::PositionParams>("textDocument/prepareCallHierarchy", prepare);
  registry.on_workspace<ItemParams>("callHierarchy/incomingCalls", [](const Request& r, const ItemParams& p) {
    return calls(r, p, "from", ide::incoming_calls);
  });
  registry.on_workspace<ItemParams>("callHierarchy/outgoingCalls", [](const Request& r, const ItemParams& p) {
    return calls(r, p, "to", ide::outgoing_calls);
  });
}

}  // namespace tilewright::lsp
