#include "server/views/pipeline.h"

#include "compiler/text/words.h"

namespace tilewright::views {
namespace {

// `memory`: what a use of memory does here.
render::Json uses_json(const std::vector<ide::PipelineUse>& uses, const char* memory, const PlaceJson& place) {
  static constexpr auto kKinds =
      text::words_of<ide::BufferUse::Kind>({"memory", "init", "arrive", "expect", "complete", "wait", "other", "sync"});
  render::Json out = render::Json::array();
  for (const ide::PipelineUse& u : uses) {
    const bool is_memory = u.kind == ide::BufferUse::Kind::Memory;
    out.push_back({{"what", u.what},
                   {"kind", is_memory ? memory : kKinds[u.kind]},
                   {"who", u.who},
                   {"under", u.under},
                   {"bytes", u.bytes ? render::Json(*u.bytes) : render::Json(nullptr)},
                   {"barrier", u.barrier.empty() ? render::Json(nullptr) : render::Json(u.barrier)},
                   {"location", place(u.place)},
                   {"times", u.times}});
  }
  return out;
}

}  // namespace

render::Json pipeline_json(const ide::Pipeline& p, const PlaceJson& place) {
  render::Json buffers = render::Json::array(), barriers = render::Json::array();
  for (const ide::PipelineBuffer& b : p.buffers) {
    buffers.push_back({{"name", b.name},
                       {"other_names", b.other_names},
                       {"scope", b.scope},
                       {"dtype", b.dtype},
                       {"shape", b.shape},
                       {"bytes", b.bytes ? render::Json(*b.bytes) : render::Json(nullptr)},
                       {"location", place(b.place)},
                       {"fills", uses_json(b.fills, "fill", place)},
                       {"drains", uses_json(b.drains, "drain", place)}});
  }
  for (const ide::PipelineBarrier& b : p.barriers) {
    barriers.push_back({{"name", b.name},
                        {"count", b.count ? render::Json(*b.count) : render::Json(nullptr)},
                        {"arrivals", b.arrivals.empty() ? render::Json(nullptr) : render::Json(b.arrivals)},
                        {"location", place(b.place)},
                        {"uses", uses_json(b.uses, "other", place)}});
  }
  return {{"entry", p.entry},
          {"kernel", p.kernel},
          {"architecture", p.architecture},
          {"buffers", std::move(buffers)},
          {"barriers", std::move(barriers)},
          {"syncs", uses_json(p.syncs, "sync", place)},
          {"left_out", p.left_out}};
}

}  // namespace tilewright::views
