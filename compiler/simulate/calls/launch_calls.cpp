// Taking over clusters that have not started yet.
//
// Clusters start one after the other here, so a CTA that asks for another one while some are left may get it. With the
// latest timing it always does, with the earliest never, and at random moments by chance: a kernel has to be right when
// the hardware gives each cluster its own CTAs, and when one does the work of all.
#include <cstring>

#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/calls/move.h"
#include "compiler/simulate/tensor/fragments.h"

namespace tilewright::simulate {
namespace {

constexpr std::int64_t kAnswer = 16;  // bytes: whether there is one, then the coordinates of its first CTA

// handle, mbar
Step try_cancel(Machine& m, Thread& t, const Site& s) {
  const std::uint64_t handle = m.generic(Machine::arg(t, s, 0)), barrier = m.generic(Machine::arg(t, s, 1));
  auto answer = std::make_unique<Move>(Queue::Counted, kAnswer);
  answer->cargo = Cargo(kAnswer, m.options().trace);
  std::memset(answer->cargo.defined.data(), 1, static_cast<std::size_t>(kAnswer));
  if (const auto cta = m.take_over()) {
    const std::int32_t words[] = {1, static_cast<std::int32_t>((*cta)[0]), static_cast<std::int32_t>((*cta)[1]),
                                  static_cast<std::int32_t>((*cta)[2])};
    static_assert(sizeof words == kAnswer);
    std::memcpy(answer->cargo.bytes.data(), words, sizeof words);
  }
  for (std::uint32_t cta = 0; cta < m.ctas(); ++cta) {
    if (!s.flag && cta != m.rank_of(handle)) continue;
    answer->destinations.push_back(m.in_cta(handle, cta));
    answer->barriers.push_back(m.in_cta(barrier, cta));
  }
  if (!claim(m, t, *answer, kAnswer)) return Step::Failed;
  answer->barrier = barrier;
  return m.engine().issue(m, t, std::move(answer)) ? Step::Done : Step::Failed;
}

// To all CTAs of the cluster, as rows of 0.25 have it; instructions of 0.27 say so by a word.
bool set_up_cancel(Site& s, const intrinsics::Arguments& a) {
  s.flag = !a.operand("multicast") || !a.text("multicast").empty();
  return true;
}

// handle
Step query_cancel(Machine& m, Thread& t, const Site& s) {
  const std::uint64_t handle = m.generic(Machine::arg(t, s, 0));
  if (!m.view(t, handle, kAnswer, kAnswer, false, "the answer of clc_try_cancel")) return Step::Failed;
  const std::uint64_t words[] = {handle, moved(handle, 8)};
  std::uint64_t read[2];
  if (!read_registers(m, t, words, 64, read, "the answer of clc_try_cancel")) return Step::Failed;
  Machine::set_result(t, s, read[0] & 1 ? read[0] >> 32 : 0xffffffff);
  m.observers().tell(&Observer::fence, t, Fence{.kind = Fence::Kind::Proxy});
  return Step::Done;
}

constexpr CallRow kLaunchRows[] = {
    {.meaning = Meaning::LaunchControlTryCancel,
     .slots = "handle, mbar",
     .thread = try_cancel,
     .set_up = set_up_cancel},
    {.meaning = Meaning::LaunchControlQueryCancel, .slots = "handle", .thread = query_cancel},
};

}  // namespace

std::span<const CallRow> launch_calls() { return kLaunchRows; }

}  // namespace tilewright::simulate
