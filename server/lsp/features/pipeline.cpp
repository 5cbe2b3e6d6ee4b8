// tilewright/pipeline: the buffers and barriers of a kernel, with who fills, drains, arrives and waits.
#include "server/ide/pipeline.h"

#include "server/lsp/features.h"
#include "server/lsp/view.h"
#include "server/render/layout.h"

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

Json place_json(const Request& r, const text::Anchors::Place& at) {
  return at.source ? Json(r.client->location(at)) : Json(nullptr);
}

// `memory`: what a use of memory does here.
Json uses_json(const Request& r, const std::vector<ide::PipelineUse>& uses, const char* memory) {
  static constexpr const char* kKinds[] = {"memory",   "init", "arrive", "expect",
                                           "complete", "wait", "other",  "sync"};  // as ide::BufferUse::Kind
  Json out = Json::array();
  for (const ide::PipelineUse& u : uses) {
    const bool is_memory = u.kind == ide::BufferUse::Kind::Memory;
    out.push_back({{"what", u.what},
                   {"kind", is_memory ? memory : kKinds[static_cast<std::size_t>(u.kind)]},
                   {"who", u.who},
                   {"under", u.under},
                   {"bytes", u.bytes ? Json(*u.bytes) : Json(nullptr)},
                   {"barrier", u.barrier.empty() ? Json(nullptr) : Json(u.barrier)},
                   {"location", place_json(r, u.place)},
                   {"times", u.times}});
  }
  return out;
}

Answer<Json> pipeline_of(const Request& r, const PipelineParams& params) {
  auto found = ide::pipeline(r, path_of(params.uri), params.entry, params.architecture);
  if (!found) return failed(std::move(found.error()));
  const ide::Pipeline& p = *found;
  Json buffers = Json::array(), barriers = Json::array();
  for (const ide::PipelineBuffer& b : p.buffers) {
    buffers.push_back({{"name", b.name},
                       {"other_names", b.other_names},
                       {"scope", b.scope},
                       {"dtype", b.dtype},
                       {"shape", b.shape},
                       {"bytes", b.bytes ? Json(*b.bytes) : Json(nullptr)},
                       {"location", place_json(r, b.place)},
                       {"fills", uses_json(r, b.fills, "fill")},
                       {"drains", uses_json(r, b.drains, "drain")}});
  }
  for (const ide::PipelineBarrier& b : p.barriers) {
    barriers.push_back({{"name", b.name},
                        {"count", b.count ? Json(*b.count) : Json(nullptr)},
                        {"arrivals", b.arrivals.empty() ? Json(nullptr) : Json(b.arrivals)},
                        {"location", place_json(r, b.place)},
                        {"uses", uses_json(r, b.uses, "other")}});
  }
  return Json{{"entry", p.entry},
              {"kernel", p.kernel},
              {"architecture", p.architecture},
              {"version", version_json(r, p.script)},
              {"text", render::pipeline_text(p)},
              {"buffers", std::move(buffers)},
              {"barriers", std::move(barriers)},
              {"syncs", uses_json(r, p.syncs, "sync")},
              {"left_out", p.left_out}};
}

}  // namespace

void add_pipeline(Registry& registry) { registry.on_workspace<PipelineParams>("tilewright/pipeline", pipeline_of); }

}  // namespace tilewright::lsp
