#include "compiler/simulate/machine/timeline.h"

#include <algorithm>
#include <utility>

namespace tilewright::simulate {
namespace {

// Tracks of operations are numbered behind those of warps.
constexpr std::uint32_t kOperations = 1000;

std::string_view words_of(Queue queue) {
  switch (queue) {
    case Queue::Copy: return "cp.async";
    case Queue::Bulk: return "bulk copy to global memory";
    case Queue::Counted: return "copy that a barrier counts";
    case Queue::TmemLoad: return "tcgen05.ld";
    case Queue::TmemStore: return "tcgen05.st";
    case Queue::TensorCore: return "tcgen05";
    case Queue::Wgmma: return "wgmma";
    case Queue::Processors: return "transfer between processors";
    case Queue::Arrival:
    case Queue::FactorRead:
    case Queue::Commit: return "arrival after operations";
  }
  return "operation";
}

std::string text_of(const std::array<std::int64_t, 3>& cta) {
  return "CTA (" + std::to_string(cta[0]) + ", " + std::to_string(cta[1]) + ", " + std::to_string(cta[2]) + ")";
}

}  // namespace

void Timeline::start_group(const std::vector<std::array<std::int64_t, 3>>& ctas, std::uint32_t warps) {
  first_process_ = out_.processes;
  out_.processes += static_cast<std::uint32_t>(ctas.size());
  warps_each_ = warps;
  warps_.assign(ctas.size() * warps, {});
  operations_.assign(ctas.size(), {});
  shown_.clear();
  landed_.clear();
  for (std::uint32_t cta = 0; cta < ctas.size(); ++cta) {
    const bool room = out_.events.size() < most_;
    if (room) out_.names.push_back({first_process_ + cta, -1, text_of(ctas[cta])});
    for (std::uint32_t warp = 0; warp < warps; ++warp) {
      warp_of(cta, warp).track = {first_process_ + cta, warp, false, 0};
      if (room) out_.names.push_back({first_process_ + cta, static_cast<int>(warp), "warp " + std::to_string(warp)});
    }
  }
}

// What was not begun for want of room does not end either.
void Timeline::begin(Track& track, std::uint64_t time, std::string name, std::string detail, const ir::Origin& origin) {
  if (out_.events.size() >= most_) {
    ++out_.left_out;
    return;
  }
  track.open = true;
  out_.events.push_back(
      {TimelineEvent::Kind::Begin, track.process, track.number, time, 0, std::move(name), std::move(detail), origin});
}

void Timeline::end(Track& track, std::uint64_t time) {
  if (!std::exchange(track.open, false)) return;
  out_.events.push_back({TimelineEvent::Kind::End, track.process, track.number, time, 0, {}, {}, {}});
}

void Timeline::flow(const Landed& from, const Track& to, std::uint64_t time) {
  if (!to.open || out_.events.size() >= most_) return;
  ++out_.flows;
  out_.events.push_back(
      {TimelineEvent::Kind::FlowBegin, from.process, from.track, from.time, out_.flows, "releases", {}, {}});
  out_.events.push_back({TimelineEvent::Kind::FlowEnd, to.process, to.number, time, out_.flows, "releases", {}, {}});
}

void Timeline::begin_turn(std::uint32_t cta, std::uint32_t warp, std::uint64_t time, const ir::Origin& origin) {
  Warp& w = warp_of(cta, warp);
  // The arrows lead to the end of the wait.
  for (const Landed& from : w.releasing) flow(from, w.track, time);
  w.releasing.clear();
  end(w.track, time);
  w.in_turn = true;
  begin(w.track, time, "runs", {}, origin);
}

void Timeline::end_turn(std::uint32_t cta, std::uint32_t warp, std::uint64_t time, std::string why, std::string detail,
                        const ir::Origin& origin) {
  Warp& w = warp_of(cta, warp);
  for (const Landed& from : w.releasing) flow(from, w.track, time);
  w.releasing.clear();
  w.in_turn = false;
  end(w.track, time);
  if (!why.empty()) begin(w.track, time, std::move(why), std::move(detail), origin);
}

void Timeline::issued(std::uint32_t cta, Operation& op, std::uint64_t time) {
  std::vector<Track>& tracks = operations_[cta];
  auto free = std::ranges::find_if(tracks, [&](const Track& t) { return !t.open && t.free_from <= time; });
  if (free == tracks.end()) {
    const auto number = static_cast<std::uint32_t>(kOperations + tracks.size());
    tracks.push_back({first_process_ + cta, number, false, 0});
    free = tracks.end() - 1;
    if (out_.events.size() < most_)
      out_.names.push_back(
          {first_process_ + cta, static_cast<int>(number), "operations " + std::to_string(tracks.size())});
  }
  shown_.emplace_back(cta, static_cast<std::size_t>(free - tracks.begin()));
  op.shown = static_cast<std::uint32_t>(shown_.size());
  begin(*free, time, std::string(words_of(op.queue)), op.barrier ? "signals a barrier" : "", op.origin);
}

void Timeline::lands(const Operation& op, std::uint64_t time) {
  if (op.shown == 0) return;
  const auto [cta, track] = shown_[op.shown - 1];
  const Track& t = operations_[cta][track];
  landing_ = {t.process, t.number, time};
  if (op.barrier && t.open) landed_[op.barrier].push_back(landing_);
}

void Timeline::landed(const Operation& op, std::uint32_t cta, std::uint32_t warp, std::uint64_t time) {
  if (op.shown == 0) return;
  const auto [own, track] = shown_[op.shown - 1];
  Track& t = operations_[own][track];
  // An arrow begins inside its operation, so that even what takes no time ends behind it.
  const Landed from{t.process, t.number, landing_.time};
  if (t.open && !op.barrier && warp_of(cta, warp).in_turn) warp_of(cta, warp).releasing.push_back(from);
  t.free_from = std::max(time, from.time + 1);
  end(t, t.free_from);
}

void Timeline::released(std::uint64_t barrier, std::uint32_t cta, std::uint32_t warp) {
  auto found = landed_.find(barrier);
  if (found == landed_.end()) return;
  std::vector<Landed>& to = warp_of(cta, warp).releasing;
  if (!to.empty()) return;  // another lane of the warp has them
  to = found->second;
}

void Timeline::end_group(std::uint64_t time) {
  for (Warp& w : warps_) end(w.track, time);
  for (std::vector<Track>& tracks : operations_)
    for (Track& t : tracks) end(t, std::max(time, t.free_from));
}

}  // namespace tilewright::simulate
