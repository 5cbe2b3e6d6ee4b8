// tilewright/pipeline: the buffers and barriers of a kernel, with who fills, drains, arrives and waits.
#include "server/ide/pipeline.h"

#include "server/lsp/features.h"
#include "server/lsp/view.h"
#include "server/views/layout.h"
#include "server/views/pipeline.h"

namespace tilewright::lsp {
namespace {

struct PipelineParams : protocol::DocumentParams {
  std::string entry, architecture;
};
void from_json(const Json& json, PipelineParams& p) {
  protocol::from_json(json, static_cast<protocol::DocumentParams&>(p));
  p.entry = json.value("entry", std::string());
  p.architecture = json.value("architecture", std::string());
}

Answer<Json> answer(const Request& r, const PipelineParams& params) {
  auto found = ide::pipeline(r, path_of(params.uri), params.entry, params.architecture);
  if (!found) return failed(std::move(found.error()));
  Json out = views::pipeline_json(
      *found, [&](const text::Anchors::Place& at) { return at.source ? Json(r.client->location(at)) : Json(nullptr); });
  out["version"] = version_json(r, found->script);
  out["text"] = views::pipeline_text(*found);
  return out;
}

}  // namespace

void add_pipeline(Registry& registry) { registry.on_workspace<PipelineParams>("tilewright/pipeline", answer); }

}  // namespace tilewright::lsp
