// textDocument/inlayHint.
#include "server/ide/hints.h"
#include "server/lsp/features.h"

namespace tilewright::lsp {
namespace {

constexpr int kType = 1;  // InlayHintKind

Answer<Json> inlay_hints(const Request& r, const protocol::RangeParams& params) {
  auto found = ide::hints(r, r.bytes(params.range));
  if (!found) return failed(found.error());
  Json out = Json::array();
  for (ide::Hint& h : *found) {
    Json one{{"position", r.position(h.at)}, {"label", std::move(h.label)}};
    if (h.kind == ide::Hint::Kind::Type) {
      one["kind"] = kType;
    } else {
      one["paddingLeft"] = true;
    }
    if (!h.tooltip.empty()) one["tooltip"] = std::move(h.tooltip);
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

void add_inlay_hint(Registry& registry) {
  registry.offer("inlayHintProvider", true);
  registry.on_document<protocol::RangeParams>("textDocument/inlayHint", inlay_hints);
}

}  // namespace tilewright::lsp
