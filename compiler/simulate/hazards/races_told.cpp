// Races in words: who, which bytes, why nothing orders them, and what would.
#include "compiler/intrinsics/say.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/hazards/races.h"
#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {
namespace {

constexpr std::uint32_t kWarpgroup = 128;

std::string_view words_of(Queue queue) {
  switch (queue) {
    case Queue::Copy: return "the cp.async";
    case Queue::Bulk: return "the bulk copy";
    case Queue::TensorCore:
    case Queue::FactorRead: return "the tcgen05 operation";
    case Queue::Wgmma: return "the wgmma";
    case Queue::Processors: return "the NVSHMEM transfer";
    case Queue::TmemLoad: return "the tcgen05.ld";
    case Queue::TmemStore: return "the tcgen05.st";
    default: return "the asynchronous copy";
  }
}

// `one_warpgroup`: of a CTA that has others.
std::string_view barrier_for(Reach reach, bool one_warpgroup) {
  switch (reach) {
    case Reach::Warp: return "put {warp_sync}() between them: lanes of a warp need not go on together"_row_text;
    case Reach::Cta:
      return one_warpgroup ? "put {cta_sync}() between them; where only this warpgroup comes, "_row_text
                             "{warpgroup_sync}(ID) with a barrier number of its own"_row_text
                           : "put {cta_sync}() between them, or another barrier that both threads reach"_row_text;
    case Reach::Cluster: return "put {cluster_sync}() between them"_row_text;
    default: return "CTAs of a grid are not ordered: let one of them own each element, or use atomics";
  }
}

}  // namespace

std::string_view Races::wait_for(Queue queue, bool writes) {
  switch (queue) {
    case Queue::Copy:
      return "wait for it: {cp_async_commit}() and {cp_async_wait}(0), then a barrier for the "_row_text
             "other threads";
    case Queue::Bulk:
      return writes ? "wait for it: {bulk_commit}() and {bulk_wait}(0), in the "_row_text
                      "thread that issued it"
                    : "wait until it has read its source: {bulk_commit}() and "_row_text
                      "{bulk_wait}(0, True), in the thread that issued it, then a barrier for the "_row_text
                      "others";
    case Queue::Processors: return "wait for it: {nvshmem_quiet}()"_row_text;
    case Queue::Wgmma:
      return "wait for it: {wgmma_commit}() and {wgmma_wait}(0), then a barrier for the other "_row_text
             "threads";
    case Queue::TensorCore:
    case Queue::FactorRead: return "let {tmem_commit} arrive at a barrier, and wait on that"_row_text;
    case Queue::TmemLoad: return "put {tmem_wait_load}() after it, before the barrier that orders the two"_row_text;
    case Queue::TmemStore: return "put {tmem_wait_store}() after it, before the barrier that orders the two"_row_text;
    default: return "wait on the barrier that counts its bytes";
  }
}

namespace {

// Its thread has told another one to go on before the operation has ended.
// Empty: nothing in particular ends such an operation.
std::string_view release_behind(Queue queue) {
  switch (queue) {
    case Queue::Copy:
      return "let {cp_async_wait}(0) come before what tells the other thread to go on (an arrival, a barrier)"_row_text;
    case Queue::Bulk:
      return "let {bulk_wait}(0) come before what tells the other thread to go on (an arrival, a barrier)"_row_text;
    case Queue::Wgmma:
      return "let {wgmma_wait}(0) come before what tells the other thread to go on (an arrival, a barrier)"_row_text;
    default: return {};
  }
}

}  // namespace

bool Races::is_foreign(const Touch& touch) const {
  return touch.is_operation() ? touch.time != group_ : touch.who - 1 - first_thread_ >= stride_;
}

std::string Races::name_of(const Touch& touch) const {
  if (is_foreign(touch)) return "a thread of another CTA of the grid";
  if (touch.is_operation()) {
    const Issued& op = issued(touch.who & ~Touch::kOperation);
    return std::string(words_of(op.queue)) + " of " + name_of({first_thread_ + op.thread + 1, 0, 0});
  }
  const Thread& t = machine_.thread(touch.who - 1 - first_thread_);
  std::string out = "thread " + std::to_string(t.linear);
  if (machine_.ctas() > 1) out += " of CTA " + std::to_string(t.cta) + " of the cluster";
  return out;
}

// The thread behind an access; null: of an earlier cluster.
const Thread* Races::thread_of(const Touch& touch) const {
  if (is_foreign(touch)) return nullptr;
  return &machine_.thread(touch.is_operation() ? issued(touch.who & ~Touch::kOperation).thread
                                               : touch.who - 1 - first_thread_);
}

// How far a barrier between the two has to reach, the widest last.
Reach Races::reach_of(const Thread& t, const Thread* other) {
  if (!other) return Reach::Grid;
  if (other->cta != t.cta) return Reach::Cluster;
  return other->linear / kLanes == t.linear / kLanes ? Reach::Warp : Reach::Cta;
}

// The other thread has come to an end of its part, and this one knows it of a thread of the same warpgroup only: that
// one has arrived at a barrier for all of them.
bool Races::is_released_by_another(const Thread& t, const Thread& other) const {
  const std::uint32_t first = other.number - other.linear % kWarpgroup, own = order_.known_time(t.number, other.number);
  if (t.cta == other.cta && t.linear / kWarpgroup == other.linear / kWarpgroup) return false;
  for (std::uint32_t n = first; n < first + kWarpgroup && n - other.number + other.linear < machine_.cta_size(); ++n)
    if (n != other.number && order_.known_time(t.number, n) > own) return true;
  return false;
}

Races::WayOut Races::barrier_between(const Thread& t, const Thread* other) const {
  // This thread knows the end of a lane of the other's warp only, and of one lane of each other warp of the warpgroup.
  auto is_released_by_a_lane = [&] {
    if (!other || t.cta != other->cta || t.linear / kLanes == other->linear / kLanes) return false;
    const auto own = order_.known_time(t.number, other->number);
    const std::uint32_t first = other->number - other->linear, group = other->linear - other->linear % kWarpgroup;
    for (std::uint32_t warp = group; warp < group + kWarpgroup && warp < machine_.cta_size(); warp += kLanes) {
      bool released = warp / kLanes == t.linear / kLanes;
      for (std::uint32_t n = warp; n < warp + kLanes && n < machine_.cta_size(); ++n)
        released = released || (n != other->linear && order_.known_time(t.number, first + n) > own);
      if (!released) return false;
    }
    return true;
  };
  if (is_released_by_a_lane())
    return {
        "one lane releases it for its warp: put {warp_sync}() before its arrival, "
        "after what the other lanes do"_row_text};
  if (other && is_released_by_another(t, *other))
    return {machine_.cta_size() > kWarpgroup
                ? "one thread of the warpgroup releases it for all: put {warpgroup_sync}(ID) before its arrival, "
                  "after what the others do"_row_text
                : "one thread releases it for all: put {cta_sync}() before its arrival, "
                  "after what the others do"_row_text,
            Finding::Kind::ReleasedForAll};
  const bool one_warpgroup =
      other && machine_.cta_size() > kWarpgroup && other->linear / kWarpgroup == t.linear / kWarpgroup;
  const Reach reach = reach_of(t, other);
  return {barrier_for(reach, one_warpgroup),
          reach < Reach::Grid ? Finding::Kind::MissingBarrier : Finding::Kind::Other};
}

Races::Cause Races::cause_of(const Access& a, const Touch& earlier, bool earlier_writes, bool equal) const {
  const Thread& t = a.thread;
  const Issued* op =
      earlier.is_operation() && !is_foreign(earlier) ? &issued(earlier.who & ~Touch::kOperation) : nullptr;
  const Thread* other = thread_of(earlier);
  WayOut barrier = barrier_between(t, other);
  // Of several atomic accesses one is known; others may be of other warps.
  if (((earlier.site & Touch::kAtomic) != 0 || a.how == How::Atomic) && other && reach_of(t, other) == Reach::Warp &&
      machine_.cta_size() > kLanes)
    barrier = {barrier_for(Reach::Cta, false), Finding::Kind::MissingBarrier};
  const std::string_view unordered = "nothing orders the two";
  if (op && op->queue == Queue::TensorCore && a.operation && issued(a.operation).queue == Queue::TensorCore &&
      op->thread == t.number && !is_pipelined(a, *op))
    return {code::kUnawaited, Severity::Error,
            "PTX does not order such a pair (9.7.16.6.2), and no wait covers the first",
            wait_for(op->queue, earlier_writes)};
  if (op && !is_awaited(*op, earlier_writes)) {
    // A ring whose slot is filled again while it is read looks the same.
    const bool may_be_later = earlier_writes && !a.writes && op->thread != t.number && other && other->cta == t.cta;
    if (may_be_later && op->queue == Queue::Copy)
      return {code::kUnawaited, Severity::Error, "no wait covers it",
              "wait for it: {cp_async_commit}() and {cp_async_wait}(0), then a barrier for the other threads; where it "
              "is the copy of a later round, put {cta_sync}() between this and that copy"_row_text,
              Finding::Kind::LaterRound};
    return {code::kUnawaited, Severity::Error, "no wait covers it", wait_for(op->queue, earlier_writes)};
  }
  if (op && is_on_tensor_memory(a, *op)) {
    const Tensor order = tensor_order(a, *op);
    if (order == Tensor::NotFencedBefore)
      return {code::kTensorFence, Severity::Warning,
              "no tcgen05.fence.before_thread_sync() stands between it and the barrier that orders the two",
              "put {tmem_fence_before}() after its wait, before the barrier"_row_text};
    if (order == Tensor::NotFencedAfter)
      return {code::kTensorFence, Severity::Warning,
              "no tcgen05.fence.after_thread_sync() stands between the barrier that orders the two and this",
              "put {tmem_fence_after}() after the wait on that barrier"_row_text};
  }
  if (op) {  // its end is known to others, and to no thread before this
    const bool by_barrier =
        op->queue == Queue::Counted || op->queue == Queue::TensorCore || op->queue == Queue::FactorRead;
    // The other thread has released something since it issued the operation, and before it has waited for it.
    const bool too_early = op->thread != t.number && order_.known_time(t.number, op->thread) >= op->at;
    if (by_barrier) return {code::kRace, Severity::Error, unordered, "wait on its barrier in this thread, too"};
    const std::string_view release = too_early ? release_behind(op->queue) : std::string_view();
    if (!release.empty()) return {code::kRace, Severity::Error, unordered, release};
    return {code::kRace, Severity::Error, unordered, barrier.words, barrier.kind};
  }
  if (a.proxy && earlier_writes && other && order_.knows(t.number, other->number, earlier.time)) {
    if (fences_apart_ && !order_.proxy_knows(t.number, other->number, earlier.time, a.space) &&
        order_.proxy_knows(t.number, other->number, earlier.time,
                           a.space == ProxySpace::Global ? ProxySpace::Shared : ProxySpace::Global))
      return {code::kProxy, Severity::Error,
              "the fence between them is for another state space (PTX ISA 9.7.13.4, fence.proxy.async)",
              a.space == ProxySpace::Global
                  ? "write {fence_proxy_async}(\"global\"), or leave the space out"_row_text
                  : "write {fence_proxy_async}(\"shared::cta\"), or leave the space out"_row_text};
    return {code::kProxy, Severity::Error, "no fence makes ordinary writes visible to asynchronous copies",
            "put {fence_proxy_async}() after the writes, before the barrier that orders them"_row_text};
  }
  if (a.proxy && earlier_writes && !earlier.is_operation() && is_foreign(earlier)) {
    const std::uint32_t number = earlier.who - 1;
    if (order_.knows_other(t.number, 1 + number / stride_, number % stride_, earlier.time))
      return {
          code::kProxy, Severity::Error, "no fence makes ordinary writes visible to asynchronous copies",
          "put {fence_proxy_async}() before the copy, after what acquires the writes (or after the writes, "_row_text
          "before what releases them)"};
  }
  if (equal) {
    return {code::kEqualStores, Severity::Warning, "nothing orders the two; both store the same value here",
            "let one thread write it"};
  }
  return is_foreign(earlier) ? missed_from(t, earlier, barrier) : missed_between(t, other, false, barrier);
}

// Nothing orders the thread after an access of another cluster.
Races::Cause Races::missed_from(const Thread& t, const Touch& earlier, WayOut barrier) const {
  if (earlier.is_operation() || missed_[t.number] != Missed::Nothing) return missed_between(t, nullptr, true, barrier);
  if (is_known_beside(t, earlier))
    return {code::kRace, Severity::Error, "another thread of this CTA has acquired it, and nothing orders the two",
            barrier_for(Reach::Cta, false), Finding::Kind::MissingBarrier};
  if (order_.knows_group(t.number, 1 + (earlier.who - 1) / stride_))
    return {code::kRace, Severity::Error,
            "nothing orders the two; what this thread has acquired was released before that",
            "let that CTA release after the access: put {cta_sync}() before the release, "_row_text
            "where another thread does it"};
  return missed_between(t, nullptr, true, barrier);
}

bool Races::is_known_beside(const Thread& t, const Touch& earlier) const {
  const std::uint32_t number = earlier.who - 1, first = t.number - t.linear;
  for (std::uint32_t n = first; n < first + machine_.cta_size(); ++n)
    if (n != t.number && order_.knows_other(n, 1 + number / stride_, number % stride_, earlier.time)) return true;
  return false;
}

// Nothing orders the two: did this thread hear of the other one by what orders nothing?
Races::Cause Races::missed_between(const Thread& t, const Thread* other, bool foreign, WayOut barrier) const {
  Missed missed = missed_[t.number];
  if (missed == Missed::OwnSemantics) missed = foreign ? Missed::Nothing : Missed::Semantics;
  switch (missed) {
    case Missed::Scope:
      return {code::kRace, Severity::Error, "the release or the acquire between them has the scope of one CTA",
              "give both the scope cluster or gpu"};
    case Missed::Semantics:
      return {code::kRace, Severity::Error,
              "the read or the wait of the thread in between is relaxed, and orders nothing",
              other && reach_of(t, other) == Reach::Cta
                  ? "put {cta_sync}() between them, or release on the side that writes and acquire on this one"_row_text
                  : "release on the side that writes and acquire on this one, "
                    "or put {thread_fence}() before and after"_row_text};
    case Missed::Unreleased:
      return {code::kRace, Severity::Error,
              "the store that this thread has waited for is relaxed, and releases nothing",
              "release on the side that writes: a store with .release, or {thread_fence}() before the store"_row_text};
    default: return {code::kRace, Severity::Error, "nothing orders the two", barrier.words, barrier.kind};
  }
}

// Elements of a buffer, or bytes where they have no index; of tensor memory lanes and columns.
std::string Races::place_of(std::uint64_t pointer, std::int64_t bytes, std::string_view view) const {
  const std::uint64_t number = pointer >> kOffsetBits;
  const std::int64_t at = offset_of(pointer);
  if (number >= kTensorBlocks) {
    const std::int64_t lane = at % TensorMemory::kLanes;
    std::string lanes = bytes == 1 ? "lane " + std::to_string(lane)
                                   : "lanes " + std::to_string(lane) + " to " + std::to_string(lane + bytes - 1);
    if (machine_.ctas() > 1) lanes += " of CTA " + std::to_string(number - kTensorBlocks);
    return "column " + std::to_string(at / TensorMemory::kLanes) + " of tensor memory in " + lanes;
  }
  if (const std::string name = machine_.name_of(number, at, bytes, view); !name.empty()) return "`" + name + "`";
  const std::string_view block = machine_.block_name(number);
  std::string out = std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  if (!view.empty() && view != block) out += " of `" + std::string(view) + "`,";
  return out + " at byte " + std::to_string(at) + " of `" + std::string(block) + "`";
}

void Races::conflict(const Access& a, const Touch& earlier, bool earlier_writes, std::uint64_t pointer,
                     std::int64_t bytes, bool equal) {
  struct Side {
    std::string name;
    bool writes;
    std::uint32_t site;
    const Thread* thread;
  };
  machine_.note_conflict();
  const Thread& t = a.thread;
  std::string own = name_of({first_thread_ + t.number + 1, 0, 0});
  if (a.operation) own = std::string(words_of(issued(a.operation).queue)) + " of " + own;
  const Thread* other = thread_of(earlier);
  Side here{std::move(own), a.writes, site_of(t), &t},
      there{name_of(earlier), earlier_writes, earlier.site & ~Touch::kAtomic, other ? other : &t};
  const Cause cause = cause_of(a, earlier, earlier_writes, equal);
  // Which of two unordered accesses comes first is luck: the finding is at the one that stands behind the other.
  if ((cause.code == code::kRace || cause.code == code::kEqualStores) && here.site < there.site) std::swap(here, there);
  // A product that is not waited for, and a copy into what it reads: the wait is missing behind the product.
  const Issued* unawaited =
      cause.code == code::kUnawaited && earlier.is_operation() && !is_foreign(earlier) && a.operation
          ? &issued(earlier.who & ~Touch::kOperation)
          : nullptr;
  if (unawaited && unawaited->queue == Queue::Wgmma && unawaited->thread != t.number) std::swap(here, there);
  auto verb = [](const Side& side) { return side.writes ? " writes" : " reads"; };
  Finding f;
  f.code = cause.code;
  f.severity = cause.severity;
  f.message = here.name + verb(here) + " " + place_of(pointer, bytes, a.view) + ", which " + there.name + verb(there) +
              ": " + std::string(cause.why);
  f.hint = cause.way_out;
  f.kind = cause.kind;
  if (earlier.is_operation() && !is_foreign(earlier)) {
    const Queue queue = issued(earlier.who & ~Touch::kOperation).queue;
    const bool too_early = !cause.way_out.empty() && cause.way_out == release_behind(queue);
    if (cause.code == code::kUnawaited || too_early) f.queue = 1 + static_cast<int>(queue);
  }
  f.memory = machine_.memory_at(pointer, bytes, a.view);
  f.weight = static_cast<int>(!other && cause.kind == Finding::Kind::MissingBarrier ? Reach::Cta : reach_of(t, other));
  f.related.push_back({machine_.origin_numbered(there.site), there.writes ? "written here" : "read here"});
  machine_.report(std::move(f), here.thread, machine_.origin_numbered(here.site));
}

}  // namespace tilewright::simulate
