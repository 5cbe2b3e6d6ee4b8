#include "server/work/batch_place.h"

#include <algorithm>

namespace tilewright::work {
namespace {

bool any_cubins(const std::vector<Slot>& slots) {
  return std::ranges::any_of(slots, [](const Slot& slot) { return slot.executor->runs_cubins(); });
}

unsigned threads_for(std::size_t slots, unsigned compiling) {
  constexpr std::size_t kMost = 64;
  return static_cast<unsigned>(std::clamp<std::size_t>(slots + compiling, 1, std::max(kMost, slots)));
}

}  // namespace

BatchPlace::BatchPlace(std::vector<Slot> slots, unsigned jobs, RunRequest& request,
                       const std::function<toolchain::Toolchain*()>& tools, const std::stop_token& stop)
    : cubins_(any_cubins(slots)),
      threads_(threads_for(slots.size(), cubins_ ? jobs : 0)),
      pool_(std::move(slots)),
      gate_(request.wanted.memory_limit) {
  if (cubins_) request.tools = tools();
  request.room = [this, stop](std::int64_t bytes) { return gate_.enter(bytes, stop); };
}

}  // namespace tilewright::work
