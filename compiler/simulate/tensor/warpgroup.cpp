#include "compiler/simulate/tensor/warpgroup.h"

#include <algorithm>

#include "compiler/intrinsics/say.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

void extend(std::vector<Run>& runs, std::uint64_t pointer, std::int64_t bytes) {
  if (!runs.empty() && moved(runs.back().pointer, runs.back().bytes) == pointer) {
    runs.back().bytes += bytes;
  } else {
    runs.push_back({pointer, bytes});
  }
}

void Warpgroups::start(std::size_t threads, std::uint32_t block) {
  block_ = block;
  per_block_ = (block + kThreads - 1) / kThreads;
  moving_ = 0;
  groups_.assign(threads / block * per_block_, {});
  written_.assign(threads, {});
}

Warpgroups::Group& Warpgroups::group_of(const Thread& t) {
  return groups_[t.number / block_ * per_block_ + t.linear / kThreads];
}
const Warpgroups::Group& Warpgroups::group_of(const Thread& t) const {
  return groups_[t.number / block_ * per_block_ + t.linear / kThreads];
}

void Warpgroups::touch(Machine& m, const Thread& t, std::uint64_t pointer, std::int64_t bytes, bool writes) {
  if (moving_ != 0) return;
  if (writes) {
    std::vector<Written>& all = written_[t.number];
    // Neighbours are mostly written one after the other.
    const bool follows = !all.empty() && moved(all.back().run.pointer, all.back().run.bytes) == pointer;
    if (follows) {
      all.back().run.bytes += bytes;
      all.back().origin = m.origin_number(t);
    } else if (all.empty() || !all.back().run.meets(pointer, bytes)) {
      all.push_back({{pointer, bytes}, m.origin_number(t)});
    }
  }
  const Group& group = group_of(t);
  for (const InFlight& one : group.in_flight) {
    if ((!one.accumulates && !writes) || !one.run.meets(pointer, bytes)) continue;
    Finding f;
    f.code = code::kUnawaited;
    f.message = std::string(one.accumulates ? "an accumulator" : "a register of A") + " is " +
                (writes ? "written" : "read") + " while the wgmma that " + (one.accumulates ? "writes" : "reads") +
                " it is under way: no wait covers it";
    f.hint = one.group == group.open ? "put {wgmma_commit}() after the wgmma, and {wgmma_wait}(0) before this"_row_text
                                     : "put {wgmma_wait}(0) before this"_row_text;
    f.related.push_back({one.origin, "started here"});
    f.memory = m.memory_at(pointer, bytes);
    m.report(std::move(f), &t);
    return;
  }
}

void Warpgroups::fence(std::span<const Thread> lanes) {
  group_of(lanes[0]).fenced = true;
  for (const Thread& t : lanes) written_[t.number].clear();
}

void Warpgroups::commit(const Thread& first) { ++group_of(first).open; }

void Warpgroups::wait(const Thread& first, std::uint64_t allowed) {
  Group& group = group_of(first);
  std::erase_if(group.in_flight, [&](const InFlight& one) { return one.group + allowed < group.open; });
}

void Warpgroups::unfenced(Machine& m, std::span<const Thread> lanes, std::span<const Run> runs) {
  for (const Thread& t : lanes) {
    for (const Written& written : written_[t.number]) {
      if (std::ranges::none_of(runs, [&](const Run& r) { return r.meets(written.run.pointer, written.run.bytes); }))
        continue;
      Finding f;
      f.code = code::kWarpgroup;
      f.message = "thread " + std::to_string(t.linear) +
                  " has written a register of this wgmma, and no wgmma.fence stands between the two";
      f.hint = "put {wgmma_fence}() after the write, before the wgmma"_row_text;
      f.related.push_back({m.origin_numbered(written.origin), "written here"});
      m.report(std::move(f), &t);
      return;
    }
  }
}

void Warpgroups::issue(Machine& m, std::span<const Thread> lanes, std::span<const Run> accumulators,
                       std::span<const Run> fragments) {
  Group& group = group_of(lanes[0]);
  if (!group.fenced) {
    Finding f;
    f.code = code::kWarpgroup;
    f.message = "the first wgmma of a warpgroup comes after a wgmma.fence, and here is none";
    f.hint = "put {wgmma_fence}() before it"_row_text;
    m.report(std::move(f), &lanes[0]);
    group.fenced = true;  // said once
  } else {
    unfenced(m, lanes, accumulators);
    unfenced(m, lanes, fragments);
  }
  for (const Run& run : accumulators) group.in_flight.push_back({run, true, group.open, m.origin_of(lanes[0])});
  for (const Run& run : fragments) group.in_flight.push_back({run, false, group.open, m.origin_of(lanes[0])});
}

bool Warpgroups::writes(const Thread& first, std::uint64_t pointer) const {
  return std::ranges::any_of(group_of(first).in_flight,
                             [&](const InFlight& one) { return one.accumulates && one.run.meets(pointer, 1); });
}

void Warpgroups::leave(Machine& m, std::span<const Thread> threads) {
  for (std::size_t first = 0; first < threads.size(); first += kThreads) {
    const Group& group = group_of(threads[first]);
    if (group.in_flight.empty()) continue;
    const InFlight& one = group.in_flight.front();
    Finding f;
    f.code = code::kUnfinished;
    f.message = "the CTA ends while this wgmma is under way: no wait covers it";
    f.hint = one.group == group.open ? "put {wgmma_commit}() and {wgmma_wait}(0) after it"_row_text
                                     : "put {wgmma_wait}(0) before the end"_row_text;
    m.report(std::move(f), &threads[first], one.origin);
  }
}

}  // namespace tilewright::simulate
