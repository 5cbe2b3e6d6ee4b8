// textDocument/documentLink.
#include "server/ide/links.h"
#include "server/lsp/features.h"
#include "server/lsp/view.h"

namespace tilewright::lsp {
namespace {

Answer<Json> document_link(const Request& r, const protocol::DocumentParams&) {
  auto found = ide::links(r);
  if (!found) return failed(found.error());
  bool tooltips = r.client->offers("textDocument.documentLink.tooltipSupport");
  Json out = Json::array();
  for (const ide::Link& link : *found) {
    const auto* script = std::get_if<ide::Script>(&link.target);
    Json one{{"range", r.range(link.at)},
             {"target", script ? r.client->uri(**script) : view_uri(std::get<ide::ViewName>(link.target))}};
    if (tooltips) one["tooltip"] = link.tooltip;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

void add_document_link(Registry& registry) {
  registry.offer("documentLinkProvider", {{"resolveProvider", false}});
  registry.on_document<protocol::DocumentParams>("textDocument/documentLink", document_link);
}

}  // namespace tilewright::lsp
