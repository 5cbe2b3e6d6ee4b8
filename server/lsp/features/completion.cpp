// textDocument/completion.
#include "server/ide/completion.h"

#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

// CompletionItemKind of the protocol, in the order of ide::Completion::Kind.
constexpr int kItemKinds[] = {2, 3, 5, 6, 7, 9, 12, 14, 21};
constexpr int kSnippet = 2;  // InsertTextFormat

Answer<Json> completion(const Request& r, const protocol::PositionParams& p) {
  bool snippets = r.client->offers("textDocument.completion.completionItem.snippetSupport");
  Json items = Json::array();
  for (ide::Completion& c : ide::completions(r, r.offset(p.position))) {
    Json item{{"label", c.label},
              {"kind", kItemKinds[static_cast<int>(c.kind)]},
              {"sortText", std::to_string(c.rank) + c.label}};
    if (!c.detail.empty()) item["detail"] = std::move(c.detail);
    if (!c.documentation.empty()) item["documentation"] = c.documentation;
    if (c.call && snippets) {
      item["insertText"] = c.label + "($0)";
      item["insertTextFormat"] = kSnippet;
    }
    items.push_back(std::move(item));
  }
  return Json{{"isIncomplete", false}, {"items", std::move(items)}};
}

}  // namespace

void add_completion(Registry& registry) {
  registry.offer("completionProvider", {{"triggerCharacters", {".", "(", "\"", "'", ","}}});
  registry.on_document<protocol::PositionParams>("textDocument/completion", completion);
}

}  // namespace tilewright::lsp
