// Where the threads of a CTA and of a cluster meet: cta_sync, named barriers, the cluster's barrier.
#include <algorithm>
#include <array>
#include <optional>

#include "compiler/intrinsics/say.h"
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/meet.h"
#include "compiler/simulate/machine/value.h"

namespace tilewright::simulate {
namespace {

using Kind = Site::Kind;

// Is a named barrier for the threads of the whole CTA, in place of a number of them?
bool counts_all(const Site& site) { return site.args.size() < 2 && site.count == Site::kWholeCta; }

// Those who meet, and those who arrived for it, give a barrier one number of threads. `said`: by the latter.
template <class Wanted>
void compare_counts(Machine& m, const std::string& name, std::span<Thread* const> here, Wanted wanted_of,
                    std::int64_t said) {
  const std::int64_t wanted = wanted_of(*here[0]);
  const auto tell = [&](const Thread& t, const std::string& others, std::vector<Finding::Related> related) {
    Finding f;
    f.code = code::kDivergence;
    f.message = name + " is for " + std::to_string(wanted_of(t)) + " threads here, and for " + others;
    f.hint = "give one number of threads at all calls of a barrier (PTX 9.7.13.1)";
    f.related = std::move(related);
    m.report(std::move(f), &t);
  };
  for (const Thread* t : here) {
    if (wanted_of(*t) == wanted) continue;
    tell(*t, std::to_string(wanted) + " where others wait",
         {{m.origin_of(*here[0]), "thread " + std::to_string(here[0]->linear) + " waits here"}});
  }
  if (said != wanted) tell(*here[0], std::to_string(said) + " where others arrived", {});
}

constexpr const char* kMoveOut = "move the barrier out of the branch, so that all threads come to one call";

}  // namespace

bool is_cta_wide(Kind k) {
  return k == Kind::CtaSync || k == Kind::CtaAnd || k == Kind::CtaOr || k == Kind::CtaReduce || k == Kind::CtaCount;
}

bool Scheduler::fell_off_the_end(const Thread& t) const {
  return t.state == State::Done && t.pc + 1 == m_.program_.code.size();
}

// A warp comes to a barrier with all of its lanes (PTX: bar.sync is barrier.cta.sync.aligned). Lanes that have returned
// early are not missed; those that have come to the end of the kernel never were at the call.
Scheduler::Lanes Scheduler::lanes_at(const Thread& t) const {
  const Thread* block = m_.threads_.data() + t.cta * m_.launch_.cta_threads;
  const std::uint32_t first = t.linear / 32 * 32, end = std::min(first + 32, m_.launch_.cta_threads);
  Lanes out = Lanes::Together;
  for (std::uint32_t l = first; l < end; ++l) {
    const Thread& lane = block[l];
    if (lane.state == State::Done) {
      if (fell_off_the_end(lane)) out = Lanes::Ended;
    } else if (lane.state != State::Waiting || lane.pc != t.pc) {
      return Lanes::Apart;
    }
  }
  return out;
}

void Scheduler::tell_ended_lanes(const Thread& t) {
  const std::uint32_t first = t.linear / 32 * 32;
  std::uint32_t gone = first;
  while (gone < first + 31 && !fell_off_the_end(m_.cta_threads(t.cta)[gone])) ++gone;
  Finding f;
  f.code = code::kDivergence;
  f.message = "lane " + std::to_string(t.linear % 32) + " of warp " + std::to_string(first / 32) +
              " waits here and lane " + std::to_string(gone % 32) +
              " has ended without coming: the lanes of a warp come to a barrier together (PTX 9.7.13.1, .aligned)";
  f.hint = kMoveOut;
  m_.report(std::move(f), &t);
}

std::int64_t Scheduler::wanted_at(const Thread& t) const {
  const Site& site = m_.site_of(t);
  if (site.args.size() > 1) return static_cast<std::int64_t>(t.registers[site.args[1]]);
  if (!counts_all(site)) return site.count;
  // All threads of the CTA that have not ended.
  return std::ranges::count_if(m_.cta_threads(t.cta), [](const Thread& l) { return l.state != State::Done; });
}

namespace {

// At a call of a named barrier. A thread that does not wait may be at no call.
bool waits_named(const Machine& m, const Thread& t) {
  if (t.state != State::Waiting) return false;
  const Kind kind = m.site_of(t).kind;
  return kind == Kind::NamedArrive || kind == Kind::NamedSync;
}

}  // namespace

// bar.red: what the threads that wait get. It must not be mixed with other kinds of one barrier (PTX ISA 9.7.13.1).
void Scheduler::reduce_at(std::span<Thread* const> here, const std::string& name, bool arrived) {
  const Site& site = m_.site_of(*here[0]);
  auto tell = [&](const Thread& other, const char* there) {
    Finding f;
    f.code = code::kDivergence;
    f.message = name + " is a reduction" + (site.text.empty() ? " for others" : " by " + site.text) + " and " + there +
                ": threads of one barrier make the same bar.red, or none does";
    f.related.push_back({m_.origin_of(*here[0]), "thread " + std::to_string(here[0]->linear) + " waits here"});
    m_.report(std::move(f), &other);
  };
  for (const Thread* t : here)
    if (m_.site_of(*t).text != site.text) return tell(*t, "something else here");
  if (site.text.empty()) return;
  if (arrived) tell(*here[0], "other threads arrive at it without a value");
  std::uint64_t count = 0;
  std::uint32_t undefined = 0;
  for (const Thread* t : here) {
    const std::uint32_t value = m_.site_of(*t).items[0];
    count += t->registers[value] != 0;
    if (t->undefined_count && undefined == 0) undefined = t->undefined[value];
  }
  const std::uint64_t out = site.text == "popc"  ? count
                            : site.text == "and" ? static_cast<std::uint64_t>(count == here.size())
                                                 : static_cast<std::uint64_t>(count != 0);
  for (Thread* t : here) {
    const std::uint32_t to = m_.site_of(*t).dst;
    t->registers[to] = out;
    if (t->tags) t->tags[to] = 0;
    if (t->undefined_count | undefined) Machine::carry(*t, to, undefined);
  }
}

void Scheduler::meet_itself(std::span<Thread> lanes, bool arrives) {
  std::vector<Thread*> own;
  for (Thread& t : lanes)
    if (waits_named(m_, t)) own.push_back(&t);
  if (m_.observers_ && !arrives) m_.observers_.tell(&Observer::meet, own);
  if (!arrives) reduce_at(own, "a named barrier of one warp", false);
  for (Thread* t : own) release(*t);
}

bool Scheduler::complete_named(std::uint32_t cta) {
  std::span<Thread> threads = m_.cta_threads(cta);
  auto id_of = [&](const Thread& t) { return t.registers[m_.site_of(t).args[0]] & 15; };
  auto name_of = [](std::uint64_t id) { return "named barrier " + std::to_string(id); };
  const auto wanted_of = [this](const Thread& t) { return wanted_at(t); };
  bool any = false;
  std::array<std::vector<Thread*>, 16> waiting;
  for (std::size_t w = 0; w < threads.size(); w += 32) {
    std::span<Thread> lanes = threads.subspan(w, std::min<std::size_t>(32, threads.size() - w));
    auto named = [&](const Thread& t) { return waits_named(m_, t); };
    auto first = std::ranges::find_if(lanes, named);
    if (first == lanes.end()) continue;
    const Lanes all = lanes_at(*first);
    if (all == Lanes::Apart) continue;
    if (all == Lanes::Ended) tell_ended_lanes(*first);
    if (const auto number = static_cast<std::int64_t>(first->registers[m_.site_of(*first).args[0]]);
        number < 0 || number > 15) {
      m_.finding(
          code::kRefused, Severity::Error,
          "a CTA has the named barriers 0 to 15, and this is number " + std::to_string(number) + " (PTX ISA 9.7.13.1)",
          &*first);
      m_.stopped_ = true;
      return true;
    }
    if (const std::int64_t wanted = wanted_at(*first);
        !counts_all(m_.site_of(*first)) && (wanted < 32 || wanted % 32 != 0)) {
      m_.finding(code::kRefused, Severity::Error,
                 "a named barrier counts whole warps: " + std::to_string(wanted) + " threads are no multiple of 32",
                 &*first);
      m_.stopped_ = true;
      return true;
    }
    const bool arrives = m_.site_of(*first).kind == Kind::NamedArrive;
    const bool alone = std::ranges::none_of(
        threads, [&](const Thread& t) { return named(t) && id_of(t) == id_of(*first) && wanted_at(t) != 32; });
    if (wanted_at(*first) == 32 && alone) {
      meet_itself(lanes, arrives);
      any = true;
      continue;
    }
    if (arrives && m_.observers_)
      m_.observers_.tell(&Observer::come, *first, named_place(cta, id_of(*first)), name_of(id_of(*first)));
    for (Thread& t : lanes) {
      if (!named(t)) continue;
      if (!arrives) {
        waiting[id_of(t)].push_back(&t);
        continue;
      }
      ++arrived_[cta][id_of(t)];
      arrived_[arrived_.size() / 2 + cta][id_of(t)] = wanted_at(t);
      m_.observers_.tell(&Observer::arrive, t, named_place(cta, id_of(t)), false);
      release(t);
      any = true;
    }
  }
  for (std::size_t id = 0; id < 16; ++id) {
    std::span<Thread* const> left = waiting[id];
    while (!left.empty()) {
      // The first to come; who is one too many waits for the next time.
      const std::int64_t wanted = wanted_at(*left[0]);
      const std::int64_t coming = std::max<std::int64_t>(0, wanted - arrived_[cta][id]);
      if (coming > static_cast<std::int64_t>(left.size())) break;
      const auto here = left.first(std::min(left.size(), static_cast<std::size_t>(std::max<std::int64_t>(32, coming))));
      const std::int64_t said = arrived_[cta][id] > 0 ? arrived_[arrived_.size() / 2 + cta][id] : wanted;
      compare_counts(m_, name_of(id), here, wanted_of, said);
      if (m_.observers_) {
        m_.observers_.tell(&Observer::meet_named, here, named_place(cta, id));
        m_.observers_.tell(&Observer::pass, here, named_place(cta, id), name_of(id));
      }
      reduce_at(here, name_of(id), arrived_[cta][id] > 0);
      for (Thread* t : here) release(*t);
      arrived_[cta][id] = std::max<std::int64_t>(0, arrived_[cta][id] + std::ssize(here) - wanted);
      left = left.subspan(here.size());
      any = true;
    }
  }
  return any;
}

// All threads that are left wait for the whole CTA: at one call, and did none end without coming to it?
void Scheduler::check_cta_meeting(std::uint32_t cta, const Thread& first) {
  const Thread *other = nullptr, *same_warp = nullptr, *ended = nullptr;
  const Thread* lane = nullptr;  // the first that waits of the warp
  for (const Thread& t : m_.cta_threads(cta)) {
    if (t.linear % 32 == 0) lane = nullptr;
    if (fell_off_the_end(t)) {
      ended = &t;
      continue;
    }
    if (t.state == State::Done) continue;
    if (t.pc != first.pc) other = &t;
    if (lane && !same_warp && t.pc != lane->pc) same_warp = &t;
    if (lane) continue;
    lane = &t;
    if (lanes_at(t) == Lanes::Ended) return tell_ended_lanes(t);
  }
  if (same_warp) return tell_split_warp(*same_warp);
  auto tell = [&](std::string message, const Thread* elsewhere) {
    Finding f;
    f.code = code::kDivergence;
    f.severity = Severity::Warning;
    f.message = std::move(message);
    f.hint = kMoveOut;
    if (elsewhere)
      f.related.push_back({m_.origin_of(*elsewhere), "warp " + std::to_string(elsewhere->linear / 32) + " waits here"});
    m_.report(std::move(f), &first);
  };
  const std::string warp = "warp " + std::to_string(first.linear / 32);
  if (other)
    tell(warp + " waits for the CTA here and warp " + std::to_string(other->linear / 32) +
             " at another call: PTX counts both at one barrier (9.7.13.1), so each takes the other's arrival for its "
             "own",
         other);
  if (ended)
    tell(warp + " waits here for the whole CTA, and thread " + std::to_string(ended->linear) +
             " has ended without coming: PTX counts the threads that are left (9.7.13.1)",
         nullptr);
}

// Lanes of one warp that wait at different barriers: the warp comes to none of them.
void Scheduler::tell_split_warp(const Thread& t) {
  const std::uint32_t warp = t.linear / 32;
  std::span<Thread> lanes = m_.cta_threads(t.cta).subspan(warp * 32);
  lanes = lanes.first(std::min<std::size_t>(32, lanes.size()));
  auto apart = [&](const Thread& l) { return l.state == State::Waiting && l.pc != t.pc; };
  const auto other = std::ranges::find_if(lanes, apart);
  if (other == lanes.end()) return;
  const Thread &first = other->linear < t.linear ? *other : t, &second = other->linear < t.linear ? t : *other;
  Finding f;
  f.code = code::kDivergence;
  f.kind = Finding::Kind::SplitWarp;
  f.message = "warp " + std::to_string(warp) + " is split over two barriers: lane " +
              std::to_string(first.linear % 32) + " waits here and lane " + std::to_string(second.linear % 32) +
              " at another call; the lanes of a warp come to a barrier together (PTX 9.7.13.1, .aligned)";
  f.hint = kMoveOut;
  f.related.push_back({m_.origin_of(second), "lane " + std::to_string(second.linear % 32) + " waits here"});
  m_.report(std::move(f), &first);
}

// Null: there is none.
const Thread* Scheduler::split_warp() const {
  const Thread* first = nullptr;  // of its warp, that waits at a barrier of the CTA
  for (const Thread& t : m_.threads_) {
    if (t.linear % 32 == 0) first = nullptr;
    if (t.state != State::Waiting) continue;
    const Kind kind = m_.site_of(t).kind;
    if (!is_cta_wide(kind) && kind != Kind::NamedSync && kind != Kind::NamedArrive) continue;
    if (first && first->pc != t.pc) return &t;
    if (!first) first = &t;
  }
  return nullptr;
}

bool Scheduler::complete_cta(std::uint32_t cta) {
  std::span<Thread> threads = m_.cta_threads(cta);
  const bool any = complete_named(cta);
  if (m_.stopped_) return any;
  // The whole CTA.
  const Thread* first = nullptr;
  for (Thread& t : threads) {
    if (t.state == State::Done) continue;
    if (t.state != State::Waiting || !is_cta_wide(m_.site_of(t).kind)) return any;
    if (!first) first = &t;
  }
  if (!first) return any;
  check_cta_meeting(cta, *first);
  std::uint64_t conjunction = 1, disjunction = 0, holding = 0;
  std::uint32_t undefined = 0;
  std::vector<std::uint64_t> warps;
  for (std::size_t i = 0; i < threads.size(); ++i) {
    Thread& t = threads[i];
    if (t.state == State::Done) continue;
    const Site& site = m_.site_of(t);
    if (t.undefined_count && !site.args.empty() && undefined == 0) undefined = t.undefined[site.args[0]];
    if (site.kind == Kind::CtaAnd) conjunction &= t.registers[site.args[0]] != 0;
    if (site.kind == Kind::CtaCount) holding += t.registers[site.args[0]] != 0;
    if (site.kind == Kind::CtaOr) disjunction |= t.registers[site.args[0]] != 0;
  }
  const Site& site = m_.site_of(*first);
  std::uint64_t total = 0;
  if (site.kind == Kind::CtaReduce) {
    // Warps first, then their results, in the butterfly's order.
    for (std::size_t w = 0; w * 32 < threads.size(); ++w) {
      std::vector<std::uint64_t> lane;
      for (std::size_t l = w * 32; l < std::min(threads.size(), (w + 1) * 32); ++l)
        lane.push_back(threads[l].registers[site.args[0]]);
      while (lane.size() > 1) {
        std::size_t half = (lane.size() + 1) / 2;
        for (std::size_t k = 0; k + half < lane.size(); ++k) lane[k] = combined(site, lane[k], lane[k + half]);
        lane.resize(half);
      }
      warps.push_back(lane[0]);
    }
    while (warps.size() > 1) {
      std::size_t half = (warps.size() + 1) / 2;
      for (std::size_t k = 0; k + half < warps.size(); ++k) warps[k] = combined(site, warps[k], warps[k + half]);
      warps.resize(half);
    }
    total = warps[0];
  }
  if (m_.observers_) {
    std::vector<const Thread*> here;
    for (const Thread& t : threads)
      if (t.state == State::Waiting) here.push_back(&t);
    m_.observers_.tell(&Observer::meet, here);
    m_.observers_.tell(&Observer::pass, here, named_place(cta, 0),
                       intrinsics::say("barrier 0, which {cta_sync}() uses,"_row_text, m_.kernel_.kernel->dialect));
  }
  for (Thread& t : threads) {
    if (t.state != State::Waiting) continue;
    const Site& own = m_.site_of(t);
    if (own.dst != Access::kNoRegister) {
      t.registers[own.dst] = own.kind == Kind::CtaAnd     ? conjunction
                             : own.kind == Kind::CtaOr    ? disjunction
                             : own.kind == Kind::CtaCount ? holding
                                                          : total;
      if (t.tags) t.tags[own.dst] = 0;
      if (t.undefined_count | undefined) Machine::carry(t, own.dst, undefined);
    }
    release(t);
  }
  return true;
}

// A cluster barrier is a phase of its own for each thread: the n-th wait is over when every thread that is left has
// arrived n times.
bool Scheduler::complete_cluster() {
  bool any = false;
  for (Thread& t : m_.threads_) {
    if (t.state != State::Waiting) continue;
    const Kind kind = m_.site_of(t).kind;
    const bool arrives = kind == Kind::ClusterArrive || kind == Kind::ClusterSync, counted = t.barrier != 0;
    if (arrives && !counted) {
      if (t.cluster_arrivals != t.cluster_waits)
        m_.finding(code::kDivergence, Severity::Error, "arrives at the cluster's barrier again without having waited",
                   &t);
      ++t.cluster_arrivals;
      t.barrier = 1;  // has arrived
      m_.observers_.tell(&Observer::arrive, t, kClusterPlace, m_.site_of(t).flag);
      m_.observers_.tell(&Observer::come, t, kClusterPlace, std::string_view());
    }
    if (kind == Kind::ClusterArrive) {
      release(t);
      any = true;
    }
    if (kind == Kind::ClusterWait && t.cluster_arrivals == t.cluster_waits) {
      m_.finding(code::kDivergence, Severity::Error, "waits at the cluster's barrier without having arrived", &t);
      m_.stopped_ = true;
      return true;
    }
  }
  std::uint32_t first = ~0u;
  for (const Thread& t : m_.threads_)
    if (t.state != State::Done) first = std::min(first, t.cluster_arrivals);
  if (first != ~0u && first > cluster_phase_) {
    cluster_phase_ = first;
    m_.observers_.tell(&Observer::close, kClusterPlace);
  }
  for (Thread& t : m_.threads_) {
    if (t.state != State::Waiting) continue;
    const Kind kind = m_.site_of(t).kind;
    if ((kind != Kind::ClusterWait && kind != Kind::ClusterSync) || first < t.cluster_arrivals) continue;
    ++t.cluster_waits;
    m_.observers_.tell(&Observer::leave, t, kClusterPlace);
    release(t);
    any = true;
  }
  return any;
}

}  // namespace tilewright::simulate
