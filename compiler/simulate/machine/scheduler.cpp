#include "compiler/simulate/machine/scheduler.h"

#include <algorithm>

#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/machine.h"

namespace tilewright::simulate {
namespace {

// Reads of one value by one call after which a thread is taken to wait for it to change; and rounds in which none
// does anything else.
constexpr std::uint32_t kPolls = 16;
constexpr int kIdleRounds = 4;

}  // namespace

void Scheduler::start(std::uint32_t ctas) {
  arrived_.assign(2 * ctas, {});  // behind those of all CTAs: for how many threads they say that the barrier is
  cluster_phase_ = 0;
  idle_polls_ = 0;
}

// Lets the lanes of a warp run, and completes what they meet for, until all of them wait or have ended.
bool Scheduler::let_run(std::uint32_t cta, std::uint32_t warp) {
  std::span<Thread> block = m_.cta_threads(cta);
  std::span<Thread> lanes = block.subspan(warp * 32, std::min<std::size_t>(32, block.size() - warp * 32));
  bool progress = false;
  do {
    for (Thread& t : lanes) {
      if (t.state != State::Ready) continue;
      m_.budget_ = m_.options_.max_steps - std::min(m_.options_.max_steps, m_.result_.steps);
      m_.execute(t);
      progress |= !is_polling(t);
      // A lane may take long: it is asked after each.
      if (!m_.stopped_ && m_.options_.stop.stop_requested()) {
        m_.finding(code::kStepLimit, Severity::Incomplete, "stopped from outside", nullptr);
        m_.stopped_ = true;
      }
      if (m_.stopped_) return true;
    }
    if (!m_.stopped_ && !m_.engine_.chance(m_)) m_.stopped_ = true;
  } while (!m_.stopped_ && complete_warp(cta, warp) && !m_.stopped_);
  return progress;
}

bool Scheduler::is_polling(const Thread& t) { return t.state == State::Ready && t.polls >= kPolls; }

bool Scheduler::polls(Thread& t, std::uint64_t pointer, std::uint64_t value) {
  if (t.polled_pc != t.pc || t.polled != pointer || t.polled_value != value) t.polls = 0;
  t.polled_pc = t.pc;
  t.polled = pointer;
  t.polled_value = value;
  return ++t.polls >= kPolls;
}

Scheduler::Pause Scheduler::run_on() {
  const std::uint32_t warps = (m_.launch_.cta_threads + 31) / 32, all = warps * m_.launch_.cluster_ctas;
  moved_ = at_grid_ = false;
  for (int idle = 0;;) {
    bool progress = false;
    // A rotated order, when it is drawn.
    const auto first = static_cast<std::uint32_t>(m_.options_.timing == Timing::Random ? m_.engine_.random(all) : 0);
    for (std::uint32_t n = 0; n < all; ++n) {
      const std::uint32_t warp = (n + first) % all;
      progress |= run_warp(warp / warps, warp % warps);
      if (m_.stopped_) return Pause::Stopped;
    }
    for (std::uint32_t cta = 0; cta < m_.launch_.cluster_ctas; ++cta) {
      progress |= complete_cta(cta);
      if (!m_.stopped_ && !m_.ended_[cta]) m_.leave_if_done(cta);
      if (m_.stopped_) return Pause::Stopped;
    }
    progress |= complete_cluster();
    if (m_.stopped_) return Pause::Stopped;
    // What happened beside the threads may have let a warp go on that had its turn.
    const bool polling = std::ranges::any_of(m_.threads_, [&](const Thread& t) { return is_polling(t); });
    progress |=
        std::ranges::any_of(m_.threads_, [&](const Thread& t) { return t.state == State::Ready && !is_polling(t); });
    moved_ |= progress;
    if (progress) continue;
    progress = m_.engine_.step(m_);
    moved_ |= progress;
    if (m_.stopped_) return Pause::Stopped;
    if (progress) continue;
    if (polling && ++idle >= kIdleRounds) return Pause::Polls;
    if (polling || release_pollers()) continue;
    if (std::ranges::all_of(m_.threads_, [](const Thread& t) { return t.state == State::Done; })) {
      m_.finish_group();
      return m_.stopped_ ? Pause::Stopped : Pause::Ended;
    }
    at_grid_ = std::ranges::all_of(m_.threads_, [&](const Thread& t) {
      return t.state == State::Done || (t.state == State::Waiting && m_.site_of(t).kind == Site::Kind::GridSync);
    });
    if (at_grid_) return Pause::AtGrid;
    m_.deadlock();
    return Pause::Stopped;
  }
}

const Thread* Scheduler::first_waiting() const {
  auto at =
      std::ranges::find_if(m_.threads_, [&](const Thread& t) { return t.state == State::Waiting || is_polling(t); });
  return at == m_.threads_.end() ? nullptr : &*at;
}

void Scheduler::leave_grid() {
  for (Thread& t : m_.threads_)
    if (t.state == State::Waiting) release(t);
}

}  // namespace tilewright::simulate
