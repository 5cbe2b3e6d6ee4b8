// Threads that wait on mbarriers.
#include <algorithm>
#include <utility>

#include "compiler/intrinsics/say.h"
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"

namespace tilewright::simulate {
namespace {

// Rounds in which nothing happened but failed attempts.
constexpr std::uint64_t kIdlePolls = 4096;

}  // namespace

Mbarrier* Machine::barrier_at(const Thread& t, std::uint64_t pointer, std::string_view what) {
  pointer = generic(pointer);
  if (auto known = barriers_.find(pointer); known != barriers_.end()) {
    observers_.tell(&Observer::use_barrier, t, pointer);
    return alive(t, pointer, what) ? &known->second : nullptr;
  }
  if (!view(t, pointer, 8, 8, false, what)) return nullptr;
  std::string text = std::string(what) + " on a barrier that was never initialised";
  if (!window_address(pointer)) text = std::string(what) + " on a barrier that is not in shared memory";
  Finding f;
  f.code = code::kMbarrier;
  f.kind = Finding::Kind::NotInitialised;
  f.message = std::move(text);
  report(std::move(f), &t);
  return nullptr;
}

// `full[1]`, by the access that its initialisation names it by.
std::string Machine::barrier_name(const Thread& t, const Site& site, std::uint64_t pointer) const {
  const std::string_view block = block_name(pointer >> kOffsetBits);
  std::string name = "the barrier at byte " + std::to_string(offset_of(pointer)) + " of `" + std::string(block) + "`";
  if (site.barrier_view != Access::kNoRegister) {
    const Access& view = program_.accesses[site.barrier_view];
    const std::int64_t bytes = offset_of(pointer) - offset_of(address(t, view, 0));
    name = "`" + std::string(view.name);
    if (view.elements != 1) name += "[" + std::to_string(bytes / view.bytes) + "]";
    name += "`";
  }
  if (auto rank = rank_of(pointer); launch_.cluster_ctas > 1 && rank) name += " of CTA " + std::to_string(*rank);
  return name;
}

// mbarrier.init on memory that holds a valid barrier is undefined: mbarrier.inval ends its life (PTX ISA 9.7.13.15.9,
// mbarrier.init, and 9.7.13.15.10, mbarrier.inval).
void Machine::tell_second_init(const Thread& t, const Mbarrier& b) {
  Finding f;
  f.code = code::kMbarrier;
  f.barriers = {b.name};
  f.message = "thread " + std::to_string(t.linear) + " initialises " + b.name +
              " again: it is a barrier already, and a second initialisation of a live barrier is undefined";
  f.hint = "let one thread initialise it, once; to begin again, {mbarrier_inval} comes first"_row_text;
  f.related.push_back({b.origin, "initialised here"});
  report(std::move(f), &t);
}

// Other than by mbarrier operations, memory that holds a valid barrier must not be accessed (PTX ISA 9.7.13.15.3,
// "Lifecycle of the mbarrier object").
void Machine::spare_barriers(const Thread& t, std::uint64_t pointer, std::int64_t bytes) {
  constexpr std::int64_t kBytes = 8;
  if (barriers_.empty() || foresees()) return;
  pointer = generic(pointer);
  if (pointer + static_cast<std::uint64_t>(bytes) <= barriers_.begin()->first ||
      pointer >= barriers_.rbegin()->first + kBytes)
    return;
  auto at = barriers_.lower_bound(pointer < kBytes ? 0 : pointer - kBytes + 1);
  if (at == barriers_.end() || at->first >= pointer + static_cast<std::uint64_t>(bytes)) return;
  if (std::exchange(at->second.overwritten, true)) return;
  Finding f;
  f.code = code::kMbarrier;
  f.barriers = {at->second.name};
  f.message = "thread " + std::to_string(t.linear) + " writes over " + at->second.name +
              ", which is a barrier: its life has not ended";
  f.hint =
      "end it with {mbarrier_inval} before its memory serves something else, or give the data another place"_row_text;
  f.related.push_back({at->second.origin, "initialised here"});
  report(std::move(f), &t);
}

bool Machine::init_barrier(const Thread& t, std::uint64_t pointer, std::int64_t count, bool reporting) {
  pointer = generic(pointer);
  const std::optional<View> memory = view(t, pointer, 8, 8, false, "a barrier's initialisation");
  if (!memory) return false;
  auto wrong = [&](std::string text) {
    finding(code::kMbarrier, Severity::Error, std::move(text), &t);
    return false;
  };
  if (!window_address(pointer)) return wrong("a barrier lives in shared memory");
  const std::int64_t most = reporting ? Mbarrier::kMostReporting : Mbarrier::kMost;
  if (count < 1 || count > most)
    return wrong("a barrier" + std::string(reporting ? " in layout v1" : "") + " expects 1 to " + std::to_string(most) +
                 " arrivals, not " + std::to_string(count));
  if (awaited(pointer)) return wrong("a barrier is initialised while threads wait on it");
  if (auto live = barriers_.find(pointer); live != barriers_.end()) {
    tell_second_init(t, live->second);
  } else {
    observers_.write(t, pointer, 8);  // behind all that was there before
  }
  memory->mark(true, 8);
  Mbarrier& b = barriers_[pointer];
  b.init(count);
  b.reporting = reporting;
  b.origin = origin_of(t);
  b.name = barrier_name(t, site_of(t), pointer);
  observers_.tell(&Observer::init_barrier, t, pointer, b.name);
  return true;
}

bool Machine::inval_barrier(const Thread& t, std::uint64_t pointer) {
  if (!barrier_at(t, pointer, "inval")) return false;
  pointer = generic(pointer);
  if (awaited(pointer)) {
    finding(code::kMbarrier, Severity::Error, "a barrier ends while threads wait on it", &t);
    return false;
  }
  barriers_.erase(pointer);
  observers_.tell(&Observer::end_barrier, t, pointer);
  observers_.write(t, pointer, 8);
  return true;
}

bool Machine::awaited(std::uint64_t barrier) const {
  return std::ranges::any_of(threads_,
                             [&](const Thread& t) { return t.state == State::Waiting && t.barrier == barrier; });
}

std::vector<std::uint64_t> Machine::awaited_barriers() const {
  std::vector<std::uint64_t> out;
  for (const Thread& t : threads_) {
    if (t.state == State::Waiting && t.barrier != 0 && (out.empty() || out.back() != t.barrier))
      out.push_back(t.barrier);
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

bool Machine::after_count(const Thread& t, std::uint64_t pointer, std::string_view what, const std::string& wrong) {
  pointer = generic(pointer);
  Mbarrier& b = barriers_.at(pointer);
  if (!wrong.empty()) {
    Finding f;
    f.code = code::kMbarrier;
    f.barriers = {b.name};
    f.message = std::string(what) + " on " + b.name + ": " + wrong;
    report(std::move(f), &t);
    return false;
  }
  if (!b.settle()) return true;
  scheduler_.phase_over();
  observers_.tell(&Observer::phase_over, pointer, b.phase - 1);
  for (Thread& waiting : threads_) {
    if (waiting.state != State::Waiting || waiting.barrier != pointer || waiting.phase >= b.phase) continue;
    waited(waiting, pointer);
    set_result(waiting, site_of(waiting), 1);
    if (timeline_) timeline_->released(pointer, waiting.cta, waiting.linear / 32);
    scheduler_.release(waiting);
  }
  if (timeline_) timeline_->phase_over(pointer);
  return true;
}

bool Scheduler::release_pollers() {
  bool any = false;
  if (++idle_polls_ > kIdlePolls) return false;
  for (Thread& t : m_.threads_) {
    if (t.state != State::Waiting || !t.barrier || !t.polling) continue;
    m_.set_result(t, m_.site_of(t), 0);
    release(t);
    any = true;
  }
  return any;
}

}  // namespace tilewright::simulate
