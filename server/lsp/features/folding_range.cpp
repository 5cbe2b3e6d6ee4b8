// textDocument/foldingRange.
#include "compiler/text/words.h"
#include "server/ide/folding.h"
#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

constexpr auto kFoldKinds = text::words_of<ide::Fold::Kind>({"", "imports", "comment"});
constexpr std::size_t kMost = 5000;  // for clients that set no limit

Answer<Json> folding_range(const Request& r, const protocol::DocumentParams&) {
  const Json& limit = protocol::at(r.client->capabilities, "textDocument.foldingRange.rangeLimit");
  std::size_t most = limit.is_number_unsigned() ? limit.get<std::size_t>() : kMost;
  Json out = Json::array();
  for (const ide::Fold& f : ide::folds(*r.snapshot->tree())) {
    if (out.size() >= most) break;
    Json one{{"startLine", f.first}, {"endLine", f.last}};
    if (const std::string_view kind = kFoldKinds[f.kind]; !kind.empty()) one["kind"] = kind;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

void add_folding_range(Registry& registry) {
  registry.offer("foldingRangeProvider", true);
  registry.on_document<protocol::DocumentParams>("textDocument/foldingRange", folding_range);
}

}  // namespace tilewright::lsp
