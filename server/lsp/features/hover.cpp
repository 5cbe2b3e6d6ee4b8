// textDocument/hover, as Markdown or as plain text.
#include "server/ide/hover.h"

#include "server/lsp/features.h"
#include "server/lsp/view.h"
#include "server/views/hover.h"

namespace tilewright::lsp {
namespace {

bool wants_markdown(const Client& client) {
  const Json& formats = protocol::at(client.capabilities, "textDocument.hover.contentFormat");
  return formats.is_array() && !formats.empty() && formats.front() == "markdown";
}

Answer<Json> hover(const Request& r, const protocol::PositionParams& params) {
  auto found = ide::hover(r, r.offset(params.position));
  if (!found) return failed(found.error());
  if (!*found) return Json(nullptr);
  const ide::Hover& h = **found;
  bool markdown = wants_markdown(*r.client);
  protocol::MarkupContent content{markdown, markdown ? views::hover_markdown(h, view_uri) : views::hover_plain(h)};
  return Json{{"contents", content}, {"range", r.range(h.at)}};
}

}  // namespace

void add_hover(Registry& registry) {
  registry.offer("hoverProvider", true);
  registry.on_document<protocol::PositionParams>("textDocument/hover", hover);
}

}  // namespace tilewright::lsp
