#include "compiler/simulate/machine/engine.h"

#include <algorithm>

#include "compiler/intrinsics/say.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {

void Engine::start(std::size_t threads, Timing timing, std::uint64_t seed) {
  lanes_.clear();
  lanes_.resize(threads);
  timing_ = timing;
  state_ = seed * 2 + 1;
  under_way_ = 0;
  pipeline_.clear();
}

// xorshift64*.
std::uint64_t Engine::random(std::uint64_t below) {
  state_ ^= state_ >> 12;
  state_ ^= state_ << 25;
  state_ ^= state_ >> 27;
  return (state_ * 0x2545f4914f6cdd1dull >> 33) % below;
}

Engine::Lane& Engine::lane_of(const Thread& t) { return lanes_[t.number]; }

bool Engine::take(Machine& m, Thread& t, Operation& op) {
  if (op.taken) return true;
  op.taken = true;
  Machine::Acting acting(m, op);
  return op.take(m, t);
}

bool Engine::land(Machine& m, Thread& t, std::size_t index) {
  Lane& lane = lane_of(t);
  std::unique_ptr<Operation> op = std::move(lane.pending[index]);
  lane.pending.erase(lane.pending.begin() + static_cast<std::ptrdiff_t>(index));
  --under_way_;
  if (op->queue == Queue::TmemLoad) --t.loads_under_way;
  if (op->queue == Queue::TensorCore) {
    if (!finish_pipeline(m, t.cta, op->sequence)) return false;
    std::erase_if(pipeline_, [&](const Issued& p) { return p.sequence == op->sequence; });
  }
  if (!take(m, t, *op)) return false;
  Machine::Acting acting(m, *op);
  const std::vector<std::byte> before = m.blame() ? m.blame()->before(m) : std::vector<std::byte>();
  if (m.timeline()) m.timeline()->lands(*op, m.now());
  const bool good = op->land(m, t);
  if (m.blame()) m.blame()->landed(m, t, *op, before, m.result());
  if (m.timeline()) m.timeline()->landed(*op, t.cta, t.linear / 32, m.now());
  m.observers().tell(&Observer::land, t, *op);
  return good;
}

bool Engine::finish_pipeline(Machine& m, std::uint32_t cta, std::uint64_t sequence) {
  for (;;) {
    auto first = std::ranges::find_if(
        pipeline_, [&](const Issued& p) { return p.sequence < sequence && m.thread(p.thread).cta / 2 == cta / 2; });
    if (first == pipeline_.end()) return true;
    const auto& pending = lanes_[first->thread].pending;
    auto op = std::ranges::find(pending, first->sequence, [](const auto& p) { return p->sequence; });
    if (!land(m, m.thread(first->thread), static_cast<std::size_t>(op - pending.begin()))) return false;
  }
}

bool Engine::issue(Machine& m, Thread& t, std::unique_ptr<Operation> op) {
  if (m.foresees()) {
    for (std::uint64_t barrier : op->signals()) m.supplies(t, barrier);
    return true;
  }
  Lane& lane = lane_of(t);
  op->sequence = ++sequence_;
  op->group = lane.open(op->queue);
  op->origin = m.origin_of(t);
  m.observers().tell(&Observer::start, t, *op);
  if (op->queue == Queue::TensorCore) pipeline_.push_back({op->sequence, t.number});
  if (m.timeline()) m.timeline()->issued(t.cta, *op, m.now());
  if (op->queue == Queue::TmemLoad) ++t.loads_under_way;
  lane.pending.push_back(std::move(op));
  ++under_way_;
  return timing_ != Timing::Earliest || land(m, t, lane.pending.size() - 1);
}

void Engine::commit(const Thread& t, Queue queue) { ++lane_of(t).open(queue); }

bool Engine::finish(Machine& m, Thread& t, Queue queue, std::uint64_t allowed, bool take_only) {
  if (m.foresees()) return true;
  Lane& lane = lane_of(t);
  const std::uint64_t open = lane.open(queue);
  for (std::size_t i = 0; i < lane.pending.size();) {
    Operation& op = *lane.pending[i];
    if (op.queue != queue || op.group + allowed >= open) {
      ++i;
    } else if (take_only) {
      if (!take(m, t, op)) return false;
      ++i;
    } else if (!land(m, t, i)) {
      return false;
    }
  }
  return true;
}

bool Engine::finish_before(Machine& m, Thread& t, Queue queue, std::uint64_t sequence, bool take_only) {
  if (m.foresees()) return true;
  Lane& lane = lane_of(t);
  for (std::size_t i = 0; i < lane.pending.size();) {
    if (lane.pending[i]->queue != queue || lane.pending[i]->sequence >= sequence) {
      ++i;
    } else if (take_only) {
      if (!take(m, t, *lane.pending[i])) return false;
      ++i;
    } else if (!land(m, t, i)) {
      return false;
    }
  }
  return true;
}

bool Engine::finish_loads(Machine& m, Thread& t, std::uint64_t pointer, std::int64_t bytes) {
  Lane& lane = lane_of(t);
  auto fills = [&](const Operation& op) { return op.queue == Queue::TmemLoad && op.covers(pointer, bytes); };
  for (std::size_t i = 0; i < lane.pending.size();) {
    if (!fills(*lane.pending[i])) {
      ++i;
    } else if (!land(m, t, i)) {
      return false;
    }
  }
  return true;
}

bool Engine::finish_everywhere(Machine& m, Queue queue) {
  for (std::size_t n = 0; n < lanes_.size() && under_way_; ++n)
    if (!finish_all(m, m.thread(n), queue)) return false;
  return true;
}

bool Engine::step(Machine& m) {
  if (under_way_ == 0) return false;
  struct Due {
    std::uint64_t sequence;
    std::size_t thread;
  };
  std::vector<Due> due;
  const std::vector<std::uint64_t> awaited = m.awaited_barriers();
  for (std::size_t n = 0; n < lanes_.size(); ++n) {
    for (const auto& op : lanes_[n].pending)
      if (std::ranges::any_of(op->signals(), [&](std::uint64_t b) { return std::ranges::binary_search(awaited, b); }))
        due.push_back({op->sequence, n});
  }
  std::ranges::sort(due, {}, &Due::sequence);
  // One after the other, until a thread goes on.
  const std::uint64_t before = m.scheduler().releases();
  for (const Due& next : due) {
    const auto& pending = lanes_[next.thread].pending;
    auto op = std::ranges::find_if(pending, [&](const auto& p) { return p->sequence == next.sequence; });
    if (op == pending.end()) continue;  // landed with another one
    if (!land(m, m.thread(next.thread), static_cast<std::size_t>(op - pending.begin()))) return true;
    if (m.scheduler().releases() != before) break;
  }
  return !due.empty();
}

bool Engine::chance(Machine& m) {
  if (timing_ != Timing::Random || under_way_ == 0) return true;
  for (int tries = 0; tries < 4; ++tries) {
    std::size_t n = random(lanes_.size());
    std::size_t count = lanes_[n].pending.size();
    if (count == 0) continue;
    std::size_t i = random(count);
    Operation& op = *lanes_[n].pending[i];
    // Loads and stores of tensor memory are finished by the thread's own waits.
    if (op.queue == Queue::TmemLoad || op.queue == Queue::TmemStore) continue;
    bool going = random(3) == 0 ? take(m, m.thread(n), op) : land(m, m.thread(n), i);
    if (!going) return false;
  }
  return true;
}

namespace {

void tell_barrier(const Machine& m, std::uint64_t barrier, Finding& f) {
  const Mbarrier* b = m.find_barrier(m.generic(barrier));
  if (!b) return;
  f.related.push_back({b->origin, b->name + " is initialised here"});
  f.barriers = {b->name};
}

}  // namespace

Finding sent_unknown(const Machine& m, std::uint64_t barrier) {
  Finding f;
  f.code = code::kUnfinished;
  f.message =
      "the CTA may end before this copy has read its shared memory: the barrier that counts its bytes is in another "
      "CTA, and nothing tells this one that they have arrived";
  f.hint = "put {cluster_sync}() at the end of the kernel, after the wait for these bytes"_row_text;
  tell_barrier(m, barrier, f);
  return f;
}

bool Engine::leave(Machine& m, std::uint32_t cta) {
  for (std::size_t n = 0; n < lanes_.size() && under_way_; ++n) {
    Thread& t = m.thread(n);
    if (t.cta != cta) continue;
    auto& pending = lanes_[n].pending;
    for (std::size_t i = 0; i < pending.size();) {
      Operation& op = *pending[i];
      const bool bulk = op.queue == Queue::Bulk;
      // Bytes that another CTA receives: this one only has to stay as long as its own memory is read.
      const auto counts = op.queue == Queue::Counted ? m.rank_of(op.barrier) : std::nullopt;
      const bool sends = counts && *counts != cta;
      if ((bulk && !op.taken) || (op.queue == Queue::Counted && (!sends || m.rank_of(op.reads_from()) == cta))) {
        Finding f;
        f.code = code::kUnfinished;
        f.message =
            bulk ? "the CTA ends before this copy has read its shared memory: no cp.async.bulk.wait_group waits for "
                   "it"
                 : "the CTA ends while this copy is under way: no thread waits on its barrier";
        f.hint = bulk ? "put {bulk_commit}() and {bulk_wait}(0, read=True) after "_row_text
                        "it, in the thread that issues it"
                      : "wait for the phase that counts its bytes before the kernel ends";
        if (sends) {
          f = sent_unknown(m, op.barrier);
        } else if (!bulk) {
          tell_barrier(m, op.barrier, f);
        }
        m.report(std::move(f), &t, op.origin);
      }
      if (bulk) {
        if (!take(m, t, op)) return false;
        ++i;  // the write may come later
      } else if (op.queue == Queue::TensorCore || op.queue == Queue::Counted || op.queue == Queue::Arrival ||
                 op.queue == Queue::Commit) {
        if (!land(m, t, i)) return false;
        i = 0;  // an arrival lands what is before it, too
      } else {
        // What it would do cannot be seen.
        pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(i));
        --under_way_;
      }
    }
  }
  return true;
}

bool Engine::land_everything(Machine& m) {
  for (std::size_t n = 0; n < lanes_.size() && under_way_; ++n) {
    while (!lanes_[n].pending.empty())
      if (!land(m, m.thread(n), 0)) return false;
  }
  return true;
}

bool Engine::covers(std::uint64_t pointer) const {
  if (under_way_ == 0) return false;
  return std::ranges::any_of(lanes_, [&](const Lane& lane) {
    return std::ranges::any_of(lane.pending, [&](const auto& op) { return op->covers(pointer, 1); });
  });
}

}  // namespace tilewright::simulate
