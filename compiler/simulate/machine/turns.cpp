// Turns of warps, as the timeline shows them.
#include <algorithm>

#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {
namespace {

std::string_view words_of(Site::Kind kind) {
  switch (kind) {
    case Site::Kind::CtaSync: return "waits at cta_sync";
    case Site::Kind::CtaAnd:
    case Site::Kind::CtaOr:
    case Site::Kind::CtaCount:
    case Site::Kind::CtaReduce: return "waits for a reduction of the CTA";
    case Site::Kind::NamedSync: return "waits at a named barrier";
    case Site::Kind::ClusterSync:
    case Site::Kind::ClusterWait: return "waits for the cluster";
    case Site::Kind::GridSync: return "waits for the grid";
    case Site::Kind::WarpgroupCall: return "waits for its warpgroup";
    default: return "waits for its warp";
  }
}

}  // namespace

void Machine::start_timeline() {
  if (!timeline_) return;
  std::vector<std::array<std::int64_t, 3>> ctas;
  for (std::uint32_t cta = 0; cta < launch_.cluster_ctas; ++cta) ctas.push_back(cta_of(cta_threads(cta)[0]));
  timeline_->start_group(ctas, (launch_.cta_threads + 31) / 32);
}

bool Scheduler::run_warp(std::uint32_t cta, std::uint32_t warp) {
  if (!m_.timeline_) return let_run(cta, warp);
  std::span<Thread> block = m_.cta_threads(cta);
  std::span<Thread> lanes = block.subspan(warp * 32, std::min<std::size_t>(32, block.size() - warp * 32));
  auto ready = std::ranges::find(lanes, State::Ready, &Thread::state);
  if (ready == lanes.end()) return let_run(cta, warp);
  m_.timeline_->begin_turn(cta, warp, m_.now(), m_.origin_of(*ready));
  const bool progress = let_run(cta, warp);
  // Of several waits that of a lane that others wait for.
  auto waiting =
      std::ranges::find_if(lanes, [](const Thread& t) { return t.state == State::Waiting && t.barrier != 0; });
  if (waiting == lanes.end()) waiting = std::ranges::find(lanes, State::Waiting, &Thread::state);
  if (waiting == lanes.end()) {
    m_.timeline_->end_turn(cta, warp, m_.now(), {}, {}, {});
    return progress;
  }
  const Site& site = m_.site_of(*waiting);
  std::string why(words_of(site.kind)), detail;
  if (waiting->barrier != 0) {
    const std::string name(m_.block_name(waiting->barrier >> kOffsetBits));
    why = "waits on mbarrier " + name;
    detail = "phase " + std::to_string(waiting->phase) + ", byte " + std::to_string(offset_of(waiting->barrier)) +
             " of " + name;
  } else if (site.kind == Site::Kind::NamedSync) {
    detail = "barrier " + std::to_string(site.number);
  }
  m_.timeline_->end_turn(cta, warp, m_.now(), std::move(why), std::move(detail), m_.origin_of(*waiting));
  return progress;
}

}  // namespace tilewright::simulate
