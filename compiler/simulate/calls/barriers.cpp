// Calls on mbarriers.
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/compile_instructions.h"

namespace tilewright::simulate {
namespace {

constexpr std::uint64_t kAlways = 1;

// The barrier that the call means: that of its pointer, or the same one of another CTA.
std::optional<std::uint64_t> target(Machine& m, const Thread& t, const Site& site, std::size_t pointer,
                                    std::size_t rank) {
  std::uint64_t at = Machine::arg(t, site, pointer);
  if (site.args[rank] == Access::kNoRegister) return at;
  std::uint64_t cta = Machine::arg(t, site, rank);
  if (cta >= m.ctas()) {
    m.finding(code::kMbarrier, Severity::Error,
              "there is no CTA " + std::to_string(cta) + " in a cluster of " + std::to_string(m.ctas()), &t);
    return std::nullopt;
  }
  return m.in_cta(at, static_cast<std::uint32_t>(cta));
}

template <class F>
Step count(Machine& m, Thread& t, std::uint64_t at, std::string_view what, F&& f) {
  return m.counted(t, at, what, std::forward<F>(f)) ? Step::Done : Step::Failed;
}

Step init(Machine& m, Thread& t, const Site& s) {
  std::int64_t arrivals = static_cast<std::int64_t>(Machine::arg(t, s, 1));
  return m.init_barrier(t, Machine::arg(t, s, 0), arrivals, s.flag) ? Step::Done : Step::Failed;
}

Step inval(Machine& m, Thread& t, const Site& s) {
  return m.inval_barrier(t, Machine::arg(t, s, 0)) ? Step::Done : Step::Failed;
}

// bar, count, cta_id, pred
Step arrive(Machine& m, Thread& t, const Site& s) {
  if (Machine::arg(t, s, 3, kAlways) == 0) return Step::Done;
  auto at = target(m, t, s, 0, 2);
  auto arrivals = static_cast<std::int64_t>(Machine::arg(t, s, 1, 1));
  return at ? count(m, t, *at, "an arrival",
                    [&](Mbarrier& b) {
                      m.arrives(t, *at);
                      return b.arrive(arrivals);
                    })
            : Step::Failed;
}

// bar, bytes, cta_id, pred
Step arrive_expecting(Machine& m, Thread& t, const Site& s) {
  if (Machine::arg(t, s, 3, kAlways) == 0) return Step::Done;
  auto at = target(m, t, s, 0, 2);
  auto bytes = static_cast<std::int64_t>(Machine::arg(t, s, 1));
  if (!at) return Step::Failed;
  return count(m, t, *at, "an arrival", [&](Mbarrier& b) {
    m.arrives(t, *at);
    m.observers().tell(&Observer::announce, t, *at, bytes);
    std::string wrong = b.expect(bytes);
    return wrong.empty() ? b.arrive(1) : wrong;
  });
}

Step arrive_state(Machine& m, Thread& t, const Site& s) {
  auto arrivals = static_cast<std::int64_t>(Machine::arg(t, s, 1, 1));
  return count(m, t, Machine::arg(t, s, 0), "an arrival", [&](Mbarrier& b) {
    Machine::set_result(t, s, Mbarrier::token(b.phase, b.missing));
    m.arrives(t, Machine::arg(t, s, 0));
    return b.arrive(arrivals);
  });
}

Step arrive_drop(Machine& m, Thread& t, const Site& s) {
  auto arrivals = static_cast<std::int64_t>(Machine::arg(t, s, 1, 1));
  return count(m, t, Machine::arg(t, s, 0), "an arrival", [&](Mbarrier& b) {
    m.arrives(t, Machine::arg(t, s, 0));
    return b.drop(arrivals);
  });
}

Step expect(Machine& m, Thread& t, const Site& s) {
  auto bytes = static_cast<std::int64_t>(Machine::arg(t, s, 1));
  return count(m, t, Machine::arg(t, s, 0), "expect_tx", [&](Mbarrier& b) {
    m.observers().tell(&Observer::announce, t, Machine::arg(t, s, 0), bytes);
    return b.expect(bytes);
  });
}

// bar, bytes, remote, pred
Step complete(Machine& m, Thread& t, const Site& s) {
  if (Machine::arg(t, s, 3, kAlways) == 0) return Step::Done;
  auto bytes = static_cast<std::int64_t>(Machine::arg(t, s, 1));
  auto at = target(m, t, s, 0, 2);
  if (!at) return Step::Failed;
  return count(m, t, *at, "complete_tx", [&](Mbarrier& b) { return b.complete(bytes); });
}

Step wait_for(Machine& m, Thread& t, const Site& s, Mbarrier& b, std::uint64_t phase, bool polling) {
  if (b.phase > phase) {
    m.waited(t, Machine::arg(t, s, 0));
    Machine::set_result(t, s, 1);
    return Step::Done;
  }
  // An attempt may fail at any time; under random timing some do at once.
  if (polling && m.options().timing == Timing::Random && m.engine().random(2)) {
    Machine::set_result(t, s, 0);
    return Step::Done;
  }
  t.barrier = m.generic(Machine::arg(t, s, 0));
  t.phase = phase;
  t.polling = polling;
  return Step::Wait;
}

// A parity means the current phase or the one before.
Step wait_parity(Machine& m, Thread& t, const Site& s, bool polling) {
  if (m.foresees()) {
    Machine::set_result(t, s, 1);
    return Step::Done;
  }
  Mbarrier* b = m.barrier_at(t, Machine::arg(t, s, 0), "a wait");
  if (!b) return Step::Failed;
  std::uint64_t parity = Machine::arg(t, s, 1);
  if (parity > 1) {
    m.finding(code::kMbarrier, Severity::Error,
              "a phase's parity is 0 or 1, this is " + std::to_string(static_cast<std::int64_t>(parity)), &t);
    return Step::Failed;
  }
  const std::uint64_t pointer = Machine::arg(t, s, 0);
  m.comes_to_wait(t, pointer, static_cast<std::int64_t>(b->phase) - (b->over(parity) ? 1 : 0));
  if (b->over(parity)) {
    m.waited(t, pointer);
    Machine::set_result(t, s, 1);
    return Step::Done;
  }
  return wait_for(m, t, s, *b, b->phase, polling);
}

Step wait(Machine& m, Thread& t, const Site& s) { return wait_parity(m, t, s, false); }
Step test(Machine& m, Thread& t, const Site& s) { return wait_parity(m, t, s, true); }

Step test_state(Machine& m, Thread& t, const Site& s) {
  if (m.foresees()) {
    Machine::set_result(t, s, 1);
    return Step::Done;
  }
  Mbarrier* b = m.barrier_at(t, Machine::arg(t, s, 0), "a wait");
  return b ? wait_for(m, t, s, *b, Mbarrier::phase_of(Machine::arg(t, s, 1)), true) : Step::Failed;
}

// The barriers that a count goes to: one, or those at the same place in the CTAs of a mask. Nothing: a finding was
// made.
std::optional<std::vector<std::uint64_t>> counted_places(Machine& m, const Thread& t, const Site& s) {
  const std::uint64_t at = Machine::arg(t, s, 0), mask = Machine::arg(t, s, 3);
  if (!form_of<BarrierCount>(s).multicast) return std::vector{at};
  if (mask == 0 || mask >> m.ctas()) {
    m.finding(code::kMbarrier, Severity::Error,
              "the multicast mask " + std::to_string(mask) + " does not name CTAs of a cluster of " +
                  std::to_string(m.ctas()),
              &t);
    return std::nullopt;
  }
  std::vector<std::uint64_t> out;
  for (std::uint32_t cta = 0; cta < m.ctas(); ++cta)
    if (mask >> cta & 1) out.push_back(m.in_cta(at, cta));
  return out;
}

// One count on one barrier: what is wrong with it, or nothing.
std::string count_on(Machine& m, Thread& t, const Site& s, std::uint64_t at, Mbarrier& b) {
  using What = BarrierCount::What;
  const auto& form = form_of<BarrierCount>(s);
  const auto arrivals = static_cast<std::int64_t>(Machine::arg(t, s, 1, 1)),
             bytes = static_cast<std::int64_t>(Machine::arg(t, s, 2));
  if (form.what == What::Complete) return b.complete(bytes);
  if (form.what == What::Expect || form.expects) {
    m.observers().tell(&Observer::announce, t, at, bytes);
    if (std::string wrong = b.expect(bytes); !wrong.empty() || form.what == What::Expect) return wrong;
  }
  Machine::set_result(t, s, Mbarrier::token(b.phase, b.missing));
  m.arrives(t, at, s.semantics == intrinsics::Semantics::Relaxed);
  if (form.incomplete && b.missing == arrivals && b.bytes == 0)
    return "this arrival is the last one of phase " + std::to_string(b.phase) +
           ", and .noComplete must not end a phase (PTX 9.7.13.15)";
  return form.what == What::Drop ? b.drop(arrivals) : b.arrive(arrivals);
}

Step count_in_words(Machine& m, Thread& t, const Site& s) {
  using What = BarrierCount::What;
  const What what = form_of<BarrierCount>(s).what;
  const auto places = counted_places(m, t, s);
  if (!places) return Step::Failed;
  const std::string_view said = what == What::Expect     ? "expect_tx"
                                : what == What::Complete ? "complete_tx"
                                                         : "an arrival";
  for (std::uint64_t at : *places)
    if (count(m, t, at, said, [&](Mbarrier& b) { return count_on(m, t, s, at, b); }) == Step::Failed)
      return Step::Failed;
  return Step::Done;
}

constexpr CallRow kCountInWords{.meaning = Meaning::MbarrierArrive, .slots = "bar", .thread = count_in_words};

Step pending(Machine&, Thread& t, const Site& s) {
  Machine::set_result(t, s, static_cast<std::uint64_t>(Mbarrier::missing_of(Machine::arg(t, s, 0))));
  return Step::Done;
}

// Whether the barrier is in the layout that Site::flag asks for: v1, or else v0.
Step layout(Machine& m, Thread& t, const Site& s) {
  Mbarrier* b = m.barrier_at(t, Machine::arg(t, s, 0), "check_layout");
  if (!b) return Step::Failed;
  Machine::set_result(t, s, b->reporting == s.flag ? 1 : 0);
  return Step::Done;
}

constexpr CallRow kLayout{.meaning = Meaning::None, .slots = "bar", .thread = layout};

constexpr CallRow kBarrierRows[] = {
    {.meaning = Meaning::MbarrierInit, .slots = "bar, thread_count", .thread = init},
    {.meaning = Meaning::MbarrierInval, .slots = "bar", .thread = inval},
    {.meaning = Meaning::MbarrierArrive, .slots = "bar, count, cta_id|remote, pred", .thread = arrive},
    {.meaning = Meaning::MbarrierArriveRemote, .slots = "bar, count, cta_id|remote, pred", .thread = arrive},
    {.meaning = Meaning::MbarrierArriveExpectTx,
     .slots = "bar, byte_count, cta_id|remote, pred",
     .thread = arrive_expecting},
    {.meaning = Meaning::MbarrierArriveExpectTxRemote,
     .slots = "bar, byte_count, cta_id|remote, pred",
     .thread = arrive_expecting},
    {.meaning = Meaning::MbarrierArriveState, .slots = "bar, count", .thread = arrive_state},
    {.meaning = Meaning::MbarrierArriveDrop, .slots = "bar, count", .thread = arrive_drop},
    {.meaning = Meaning::MbarrierExpectTx, .slots = "bar, byte_count", .thread = expect},
    {.meaning = Meaning::MbarrierCompleteTx, .slots = "bar, byte_count|tx_count, remote, pred", .thread = complete},
    {.meaning = Meaning::MbarrierWait, .slots = "bar, phase", .thread = wait},
    {.meaning = Meaning::MbarrierTestWait, .slots = "bar|barrier, phase", .thread = test},
    {.meaning = Meaning::MbarrierTestWaitState, .slots = "bar, state", .thread = test_state},
    {.meaning = Meaning::MbarrierPendingCount, .slots = "state", .thread = pending},
};

}  // namespace

std::span<const CallRow> barrier_calls() { return kBarrierRows; }
const CallRow& barrier_count_call() { return kCountInWords; }
const CallRow& barrier_layout_call() { return kLayout; }

}  // namespace tilewright::simulate
