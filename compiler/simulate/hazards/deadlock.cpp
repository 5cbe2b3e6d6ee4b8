// No thread can go on: which one waits for which.
//
// What a thread waits for is known; who would bring it is not, for that is what threads do that wait themselves. So
// they are let go on to see: every wait ends, nothing is counted, and each arrival and each copy that a thread would
// come to is written down with its call. The run is over by then, and nothing of this is kept.
#include <algorithm>
#include <map>

#include "compiler/ir/origin.h"
#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/hazards/hazards.h"

namespace tilewright::simulate {

namespace {

// How far each thread is followed beyond its wait.
constexpr std::uint64_t kStepsOfThread = 1u << 15, kStepsOfAll = 1u << 24;
constexpr int kRounds = 64;
constexpr std::size_t kRelated = 8;

}  // namespace

class Deadlock {
 public:
  explicit Deadlock(Machine& m) : m_(m) {}

  void tell() {
    // A warp that is split keeps all others waiting: it is the cause.
    if (const Thread* t = m_.scheduler_.split_warp()) return m_.scheduler_.tell_split_warp(*t);
    gather();
    if (groups_.empty()) return;
    foresee();
    for (Group& g : groups_) find_suppliers(g);
    std::vector<std::size_t> path = ring();
    report(path);
  }

 private:
  using Kind = Site::Kind;

  // Threads that wait at one call for one thing.
  struct Group {
    std::vector<const Thread*> threads;
    std::uint32_t pc = 0;
    const Site* site = nullptr;
    std::uint64_t place = 0, phase = 0;
    std::string what;  // "for phase 1 of `full[0]`, which lacks 512 bytes"
    // Who would bring it, and from which call; null: no thread.
    const Thread* supplier = nullptr;
    std::optional<ir::Origin> supply;
    std::size_t next = 0;  // the group of the supplier
  };

  std::uint64_t place_of(const Thread& t, const Site& site) const {
    if (t.barrier > kOffsetMask) return t.barrier;
    if (site.kind == Kind::NamedSync || site.kind == Kind::NamedArrive)
      return named_place(t.cta, t.registers[site.args[0]] & 15);
    if (site.kind == Kind::ClusterSync || site.kind == Kind::ClusterArrive || site.kind == Kind::ClusterWait)
      return kClusterPlace;
    if (site.kind == Kind::GridSync) return kGridPlace;
    if (is_cta_wide(site.kind)) return cta_place(t.cta);
    return 0;
  }

  void gather() {
    for (const Thread& t : m_.threads_) {
      const bool polls = Scheduler::is_polling(t);
      if (t.state != State::Waiting && !polls) continue;
      const std::uint32_t pc = polls ? t.polled_pc : t.pc;
      const Site& site = m_.program_.sites[m_.program_.code[pc].b];
      const std::uint64_t place = polls ? m_.generic(t.polled) : place_of(t, site);
      const std::uint32_t warp = t.number / 32;
      auto same = [&](const Group& g) {
        return g.pc == pc && g.place == place && g.phase == t.phase &&
               (is_block_wide(site.kind) || g.threads[0]->number / 32 == warp);
      };
      auto found = std::ranges::find_if(groups_, same);
      if (found == groups_.end()) {
        found = groups_.emplace(found);
        found->pc = pc;
        found->site = &site;
        found->place = place;
        found->phase = t.phase;
      }
      found->threads.push_back(&t);
      group_of_[t.number] = static_cast<std::size_t>(found - groups_.begin());
    }
    for (Group& g : groups_) g.what = what_of(g);
  }

  std::string what_of(const Group& g) const {
    const Thread& t = *g.threads[0];
    auto here = [](std::size_t come, std::int64_t all) {
      return ", where " + std::to_string(come) + " of " + std::to_string(all) + " threads have come";
    };
    if (g.place == 0 && Scheduler::is_polling(t)) return "in T." + g.site->text + " for what others do";
    if (g.place > kOffsetMask) {
      auto found = m_.barriers_.find(g.place);
      if (found == m_.barriers_.end()) {
        return "for " + std::to_string(g.site->type.storage_bits() / 8) + " bytes at byte " +
               std::to_string(offset_of(g.place)) + " of `" + std::string(m_.block_name(g.place >> kOffsetBits)) +
               "` to change";
      }
      std::string out = "for phase " + std::to_string(g.phase) + " of " + found->second.name;
      return out +
             (found->second.phase == g.phase ? ", which " + found->second.state() : std::string(", which is far off"));
    }
    if (g.site->call == &register_call())
      return "for " + m_.register_pools_[t.cta].shortage(t.linear / 32, g.site->number);
    if (waits_itself(g)) return "in T." + g.site->text + " for what others hold";
    if (g.site->kind == Kind::WarpgroupCall) return "for the other warps of its warpgroup in T." + g.site->text;
    if (!is_block_wide(g.site->kind)) {
      return "for the other lanes of its warp, " + std::to_string(g.threads.size()) + " of 32 are here";
    }
    if (g.place == kGridPlace) return "for the whole grid";
    if (g.place == kClusterPlace) {
      const auto come = std::ranges::count_if(m_.threads_, [&](const Thread& o) {
        return o.state != State::Done && o.cluster_arrivals >= t.cluster_arrivals;
      });
      return "at the cluster's barrier" + here(static_cast<std::size_t>(come), std::ssize(m_.threads_));
    }
    if (is_cta_wide(g.site->kind)) {
      const auto come = std::ranges::count_if(m_.cta_threads(t.cta), [&](const Thread& o) {
        return o.state == State::Waiting && is_cta_wide(m_.site_of(o).kind);
      });
      return "for the whole CTA" + here(static_cast<std::size_t>(come), m_.launch_.cta_threads);
    }
    const std::size_t id = t.registers[g.site->args[0]] & 15;
    return "at named barrier " + std::to_string(id) +
           here(g.threads.size() + static_cast<std::size_t>(m_.scheduler_.arrived_at(t.cta, id)),
                m_.scheduler_.wanted_at(t));
  }

  // Lets every thread go on as if all of its waits ended.
  void foresee() {
    m_.observers_.silence();
    m_.supplies_ = &supplies_;
    const std::uint64_t steps = m_.result_.steps;
    const std::size_t printed = m_.result_.printed.size();
    const std::vector<Thread> before = m_.threads_;
    for (int round = 0; round < kRounds && m_.result_.steps - steps < kStepsOfAll; ++round) {
      for (Thread& t : m_.threads_) grant(t);
      bool any = false;
      const std::uint32_t warps = (m_.launch_.cta_threads + 31) / 32;
      for (std::uint32_t cta = 0; cta < m_.launch_.cluster_ctas; ++cta)
        for (std::uint32_t w = 0; w < warps; ++w) any |= go_on(cta, w);
      if (!any) break;
    }
    m_.threads_ = before;
    m_.result_.steps = steps;
    m_.result_.printed.resize(printed);
    m_.supplies_ = nullptr;
    m_.stopped_ = true;
  }

  void grant(Thread& t) {
    if (t.state != State::Waiting) return;
    const Site& site = m_.site_of(t);
    if (!is_block_wide(site.kind) && site.call != &register_call()) return;  // its warp comes together by itself
    if (const std::uint64_t place = place_of(t, site); place && place <= kOffsetMask && !is_first(t))
      m_.supplies(t, place);
    Machine::set_result(t, site, 1);
    m_.scheduler_.release(t);
  }

  // True if the thread is blocked where the run stopped.
  bool is_first(const Thread& t) const {
    auto own = group_of_.find(t.number);
    return own != group_of_.end() && groups_[own->second].pc == t.pc && !moved_.contains(t.number);
  }

  bool go_on(std::uint32_t cta, std::uint32_t warp) {
    std::span<Thread> block = m_.cta_threads(cta);
    std::span<Thread> lanes = block.subspan(warp * 32, std::min<std::size_t>(32, block.size() - warp * 32));
    bool any = false;
    do {
      for (Thread& t : lanes) {
        if (t.state != State::Ready) continue;
        any = true;
        moved_[t.number] = true;
        m_.stopped_ = false;
        m_.budget_ = kStepsOfThread;
        m_.execute(t);
        if (m_.stopped_ || t.state == State::Ready) t.state = State::Done;
      }
      m_.stopped_ = false;
    } while (m_.scheduler_.complete_warp(cta, warp) && !m_.stopped_);
    return any;
  }

  void find_suppliers(Group& g) {
    const Thread& t = *g.threads[0];
    auto take = [&](const Thread& by, std::optional<ir::Origin> from) {
      auto at = group_of_.find(by.number);
      if (at == group_of_.end()) return;
      g.supplier = &m_.threads_[by.number];
      g.supply = from;
      g.next = at->second;
    };
    // Others rather than those who wait here themselves.
    for (bool own : {false, true}) {
      for (const Supply& s : supplies_) {
        auto at = group_of_.find(s.thread);
        if (g.supplier || s.place != g.place || g.place == 0 || at == group_of_.end()) continue;
        // What its warp has brought in this phase already would come again in a later one.
        const Thread& by = m_.threads_[s.thread];
        if (m_.hazards_ && g.place > kOffsetMask && m_.hazards_->interleavings().has_part(by, g.place)) continue;
        if ((&groups_[at->second] == &g) == own) take(by, s.origin);
      }
    }
    if (g.supplier) return;
    if (waits_itself(g)) return;
    if (!is_block_wide(g.site->kind)) {
      const std::uint32_t reach = g.site->kind == Kind::WarpgroupCall ? Warpgroups::kThreads : 32;
      for (const Thread& lane : m_.cta_threads(t.cta))
        if (lane.linear / reach == t.linear / reach && lane.state == State::Waiting && lane.pc != t.pc)
          return take(lane, {});
    } else if (is_cta_wide(g.site->kind) || g.place == kClusterPlace) {
      for (const Thread& o : m_.threads_)
        if (o.state == State::Waiting && place_of(o, m_.site_of(o)) != g.place &&
            (g.place == kClusterPlace || o.cta == t.cta))
          return take(o, {});
    }
  }

  // The groups from one that nothing serves, or around a ring; the first of them is where the finding stands.
  std::vector<std::size_t> ring() const {
    std::vector<std::size_t> best;
    for (std::size_t start = 0; start < groups_.size(); ++start) {
      std::vector<std::size_t> path{start};
      while (groups_[path.back()].supplier && std::ranges::find(path, groups_[path.back()].next) == path.end())
        path.push_back(groups_[path.back()].next);
      if (!groups_[path.back()].supplier) return {path.back()};
      // Without the way into the ring.
      path.erase(path.begin(), std::ranges::find(path, groups_[path.back()].next));
      if (best.empty()) best = path;
    }
    return best;
  }

  std::string who(std::span<const Thread* const> threads) const {
    const Thread &first = *threads.front(), &last = *threads.back();
    const bool one_cta = first.cta == last.cta;
    const std::size_t count = threads.size();
    const std::uint32_t w = first.linear / 32, v = last.linear / 32;
    std::string out;
    if (one_cta && count == 1) {
      out = "thread " + std::to_string(first.linear);
    } else if (one_cta && w == v) {
      out = count == 32 ? "warp " + std::to_string(w)
                        : std::to_string(count) + " lanes of warp " + std::to_string(w) + " (the first is thread " +
                              std::to_string(first.linear) + ")";
    } else if (one_cta && count == (v - w + 1) * 32) {
      out = "warps " + std::to_string(w) + " to " + std::to_string(v);
    } else {
      out = std::to_string(count) + " threads (the first is thread " + std::to_string(first.linear) + ")";
    }
    return out + (one_cta ? of_cta(first) : " of several CTAs of the cluster");
  }
  std::string of_cta(const Thread& t) const {
    return m_.launch_.cluster_ctas > 1 ? " of CTA " + std::to_string(t.cta) + " of the cluster" : std::string();
  }

  void report(const std::vector<std::size_t>& path) {
    const Group& first = groups_[path[0]];
    const bool warp = !is_block_wide(first.site->kind) && !waits_itself(first);
    Finding f;
    f.code = warp ? code::kPartialWarp : code::kDeadlock;
    f.message = who(first.threads) + " " + waits(first) + " here for ever " + first.what;
    for (std::size_t i : path)
      if (const auto b = m_.barriers_.find(groups_[i].place); b != m_.barriers_.end())
        f.barriers.push_back(b->second.name);
    if (std::ranges::all_of(path, [&](std::size_t i) { return groups_[i].site->kind == Kind::NamedSync; }))
      f.kind = Finding::Kind::AtNamedBarrier;
    for (const Group& g : groups_) {
      const auto b = m_.barriers_.find(g.place);
      if (b == m_.barriers_.end() || b->second.missing != 0 || b->second.bytes == 0) continue;
      f.kind = Finding::Kind::OtherBytes;
      f.barriers.push_back(b->second.name);
      f.hint = b->second.bytes < 0 ? "let expect_tx announce the bytes that the copies bring"
                                   : "let expect_tx announce as many bytes as the copies bring";
    }
    // Lanes of one warp at two calls of it: nothing but the call is to be said.
    const bool parted = warp && path.size() == 2 && !is_block_wide(groups_[path[1]].site->kind);
    if (parted) {
      const Group& other = groups_[path[1]];
      f.message += "; " + who(other.threads) + " " + waits(other) + " at another call";
      f.related.push_back({origin_of(other), who(other.threads) + " " + waits(other) + " here " + other.what});
      f.hint = usual_hint(code::kPartialWarp);
    }
    for (std::size_t i = 0; i < path.size() && !parted; ++i) {
      const Group& g = groups_[path[i]];
      if (!g.supplier) {
        const auto ended = std::ranges::count(m_.threads_, State::Done, &Thread::state);
        if (!waits_itself(g)) f.message += "; no running thread can complete that";
        if (ended) f.message += " (" + std::to_string(ended) + " threads have ended)";
        break;
      }
      const Group& next = groups_[g.next];
      if (g.supply)
        f.related.push_back({*g.supply, "this would let " + who(g.threads) + " go on, and " + one(*g.supplier) +
                                            " has not come to it"});
      const bool closes = g.next == path[0];
      if (&next == &g) {
        f.message += "; it would come only after this very wait";
      } else {
        f.message += "; it would come from " + one(*g.supplier) + ", which " +
                     (closes ? std::string("waits for that in turn") : "waits " + next.what);
        if (!closes)
          f.related.push_back({origin_of(next), who(next.threads) + " " + waits(next) + " here " + next.what});
      }
    }
    for (std::size_t i = 0; i < groups_.size() && f.related.size() < kRelated; ++i)
      if (std::ranges::find(path, i) == path.end())
        f.related.push_back(
            {origin_of(groups_[i]), who(groups_[i].threads) + " " + waits(groups_[i]) + " here " + groups_[i].what});
    if (path.size() == 1 && !first.supplier) hint(f, first);
    if (f.hint.empty()) f.hint = hint_of_ring(path);
    m_.report(std::move(f), first.threads[0], origin_of(first));
  }

  void hint(Finding& f, const Group& g) const {
    auto found = m_.barriers_.find(g.place);
    if (found == m_.barriers_.end()) return;
    const Mbarrier& b = found->second;
    f.related.insert(f.related.begin(), {b.origin, b.name + " is initialised for " + std::to_string(b.arrivals) +
                                                       (b.arrivals == 1 ? " arrival here" : " arrivals here")});
    if (b.bytes > 0) f.hint = "let expect_tx announce as many bytes as the copies bring";
    if (b.bytes < 0) f.hint = "let expect_tx announce the bytes that the copies bring";
    if (b.phase > 0 && b.missing == b.arrivals && b.bytes == 0)
      f.hint = "all earlier phases are over: does the wait have the right parity, or has it missed one?";
    if (b.missing > 0 && b.missing < b.arrivals)
      f.hint = "let as many threads arrive as the barrier is initialised for, or initialise it for fewer";
  }

  // Who waits in a ring of mbarriers waits for a phase that no one has begun.
  std::string hint_of_ring(const std::vector<std::size_t>& path) const {
    const bool mbarriers = std::ranges::all_of(path, [&](std::size_t i) { return groups_[i].place > kOffsetMask; });
    if (!mbarriers || path.size() < 2)
      return "let the threads come to these calls in one order, or take one of the waits out of the ring";
    const bool at_start = std::ranges::all_of(path, [&](std::size_t i) { return groups_[i].phase == 0; });
    return at_start ? "one side has to begin without waiting: a producer's state starts with "
                      "PipelineState(STAGES, phase=1)"
                    : "one of the waits means a phase too late, or an arrival is missing or counted twice: compare how "
                      "often each side comes with the counts that the barriers are initialised for";
  }

  std::string one(const Thread& t) const {
    const Group& g = groups_[group_of_.at(t.number)];
    const bool whole = g.threads.size() % 32 == 0;
    return (whole ? "warp " + std::to_string(t.linear / 32) : "thread " + std::to_string(t.linear)) + of_cta(t);
  }
  static std::string waits(const Group& g) {
    const std::uint32_t first = g.threads.front()->number / 32, last = g.threads.back()->number / 32;
    return g.threads.size() == 1 || (g.threads.size() == 32 && first == last) ? "waits" : "wait";
  }
  // All lanes of the warp are there, and the instruction waits: for registers, for columns of tensor memory.
  bool waits_itself(const Group& g) const {
    return g.site->kind == Kind::WarpCall && m_.scheduler_.lanes_at(*g.threads[0]) != Scheduler::Lanes::Apart;
  }
  ir::Origin origin_of(const Group& g) const { return m_.program_.origins[m_.program_.origin_of[g.pc]]; }

  Machine& m_;
  std::vector<Group> groups_;
  std::map<std::uint32_t, std::size_t> group_of_;  // by thread
  std::map<std::uint32_t, bool> moved_;
  std::vector<Supply> supplies_;
};

void Machine::deadlock() {
  Deadlock(*this).tell();
  stopped_ = true;
}

}  // namespace tilewright::simulate
