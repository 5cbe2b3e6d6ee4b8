// textDocument/selectionRange.
#include "server/ide/selection.h"
#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

struct SelectionParams : protocol::DocumentParams {
  std::vector<protocol::Position> positions;
};
void from_json(const Json& json, SelectionParams& p) {
  protocol::from_json(json, p);
  p.positions = json.at("positions").get<std::vector<protocol::Position>>();
}

Answer<Json> selection_range(const Request& r, const SelectionParams& params) {
  Json out = Json::array();
  for (protocol::Position position : params.positions) {
    Json chain;
    for (ide::Stretch at : ide::selections(*r.snapshot, r.offset(position))) {
      Json one{{"range", r.range(at)}};
      if (!chain.is_null()) one["parent"] = std::move(chain);
      chain = std::move(one);
    }
    out.push_back(std::move(chain));
  }
  return out;
}

}  // namespace

void add_selection_range(Registry& registry) {
  registry.offer("selectionRangeProvider", true);
  registry.on_document<SelectionParams>("textDocument/selectionRange", selection_range);
}

}  // namespace tilewright::lsp
