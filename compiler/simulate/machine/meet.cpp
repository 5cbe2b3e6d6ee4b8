// Where the lanes of a warp meet: who has to come, what happens when all are there.
#include "compiler/simulate/machine/meet.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"
#include "compiler/simulate/machine/value.h"

namespace tilewright::simulate {
namespace {

using Kind = Site::Kind;

// The lane that a lane reads from (PTX ISA, shfl.sync): only the five low bits of the distance count, and a lane whose
// source lies outside of its segment of `width` lanes reads itself.
int shuffle_source(Kind kind, int lane, std::uint64_t distance_operand, std::uint64_t width_operand) {
  const int width = width_operand >= 1 && width_operand <= 32 ? static_cast<int>(width_operand) : 32;
  const int distance = static_cast<int>(distance_operand & 31), first = lane / width * width, end = first + width;
  switch (kind) {
    case Kind::ShuffleIndex: return first + (distance % width);
    case Kind::ShuffleUp: return lane - distance < first ? lane : lane - distance;
    case Kind::ShuffleDown: return lane + distance >= end ? lane : lane + distance;
    default: return (lane ^ distance) >= end ? lane : lane ^ distance;
  }
}

// The same with a clamp and a segment, and whether the lane is in range.
std::pair<int, bool> clamped_source(std::string_view mode, int lane, std::uint64_t b, std::uint64_t c) {
  const int by = static_cast<int>(b & 31), clamp = static_cast<int>(c & 31), segment = static_cast<int>(c >> 8 & 31);
  const int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
  const int from = mode == "up"     ? lane - by
                   : mode == "down" ? lane + by
                   : mode == "bfly" ? lane ^ by
                                    : least | (by & ~segment);
  const bool in_range = mode == "up" ? from >= most : from <= most;
  return {in_range ? from : lane, in_range};
}

bool is_warp_kind(Kind k) {
  switch (k) {
    case Kind::WarpSync:
    case Kind::ShuffleIndex:
    case Kind::ShuffleUp:
    case Kind::ShuffleDown:
    case Kind::ShuffleXor:
    case Kind::Ballot:
    case Kind::Any:
    case Kind::Elect:
    case Kind::ActiveMask:
    case Kind::ShuffleClamped:
    case Kind::ShuffleInRange:
    case Kind::MatchAny:
    case Kind::MatchAll:
    case Kind::WarpReduce:
    case Kind::ReduceSync:
    case Kind::LdMatrix:
    case Kind::StMatrix:
    case Kind::WarpCall:
    case Kind::WarpgroupCall: return true;
    default: return false;
  }
}

}  // namespace

bool is_block_wide(Kind kind) { return !is_warp_kind(kind); }

namespace {

// Instructions that only a whole warp can execute.
bool needs_whole_warp(Kind k) {
  return k == Kind::LdMatrix || k == Kind::StMatrix || k == Kind::WarpCall || k == Kind::WarpgroupCall;
}

// What the members of a warp give each other at one call.
class Exchange {
 public:
  Exchange(const Site& site, std::span<Thread> lanes, std::uint32_t members)
      : site_(site), lanes_(lanes), members_(members) {
    // What several lanes make together is undefined where an operand of one of them is.
    each([&](std::size_t l) {
      for (std::size_t i = 0; lanes_[l].undefined_count && i < site_.args.size() && undefined_ == 0; ++i)
        undefined_ = lanes_[l].undefined[site_.args[i]];
    });
  }

  // `missing` is told the lane and the one that it reads from, which is no member; it reads itself then.
  template <class F>
  void shuffle(F&& missing) const {
    std::uint64_t values[32] = {};
    std::uint32_t tags[32] = {}, undefined[32] = {};
    each([&](std::size_t l) {
      values[l] = argument(l, 1);
      undefined[l] = lanes_[l].undefined[site_.args[1]];
      if (lanes_[l].tags) tags[l] = lanes_[l].tags[site_.args[1]];
    });
    each([&](std::size_t l) {
      const int lane = static_cast<int>(l);
      int from = site_.kind == Kind::ShuffleClamped
                     ? clamped_source(site_.text, lane, argument(l, 2), argument(l, 3)).first
                     : shuffle_source(site_.kind, lane, argument(l, 2), argument(l, 3));
      if (from < 0 || from > 31 || !is_member(static_cast<std::size_t>(from))) {
        missing(l, from);
        from = static_cast<int>(l);
      }
      give(l, values[from], tags[from], undefined[from]);
    });
  }

  // A bit for each member whose condition holds.
  std::uint32_t votes() const {
    std::uint32_t votes = 0;
    each([&](std::size_t l) { votes |= argument(l, 1) ? 1u << l : 0; });
    return votes;
  }

  void tell_range() const {
    each([&](std::size_t l) {
      give(l, clamped_source(site_.text, static_cast<int>(l), argument(l, 2), argument(l, 3)).second, 0, undefined_);
    });
  }

  // The lanes that have the same value as each; or all members, if they all have one.
  void match_any() const {
    each([&](std::size_t l) {
      std::uint32_t same = 0;
      each([&](std::size_t other) { same |= argument(other, 1) == argument(l, 1) ? 1u << other : 0; });
      give(l, same, 0, undefined_);
    });
  }
  void match_all() const {
    const auto first = static_cast<std::size_t>(std::countr_zero(members_));
    bool same = true;
    each([&](std::size_t l) { same &= argument(l, 1) == argument(first, 1); });
    give_all(same ? members_ : 0);
  }

  void elect() const {
    each([&](std::size_t l) { give(l, static_cast<int>(l) == std::countr_zero(members_)); });
  }

  // The butterfly that the hardware code does, so that sums round alike.
  void reduce_by_butterfly() const {
    std::uint64_t values[32] = {};
    each([&](std::size_t l) { values[l] = argument(l, 0); });
    for (std::int64_t d = site_.number / 2; d > 0; d /= 2) {
      std::uint64_t next[32] = {};
      for (std::size_t l = 0; l < lanes_.size(); ++l) {
        const std::size_t other = l ^ static_cast<std::size_t>(d);
        next[l] = other < 32 && is_member(other) ? combined(site_, values[l], values[other]) : values[l];
      }
      std::memcpy(values, next, sizeof values);
    }
    each([&](std::size_t l) { give(l, values[l], 0, undefined_); });
  }

  // By the operation of the call, from the first member on.
  std::uint64_t reduced() const {
    const auto first = static_cast<std::size_t>(std::countr_zero(members_));
    std::uint64_t all = argument(first, 1);
    each([&](std::size_t l) {
      if (l > first) all = combined(site_, all, argument(l, 1));
    });
    return all;
  }

  void give_all(std::uint64_t value) const {
    each([&](std::size_t l) { give(l, value, 0, undefined_); });
  }

 private:
  bool is_member(std::size_t lane) const { return members_ >> lane & 1; }

  template <class F>
  void each(F&& visit) const {
    for (std::size_t l = 0; l < lanes_.size(); ++l)
      if (is_member(l)) visit(l);
  }

  std::uint64_t argument(std::size_t lane, std::size_t i) const { return lanes_[lane].registers[site_.args[i]]; }

  void give(std::size_t lane, std::uint64_t value, std::uint32_t tag = 0, std::uint32_t undefined = 0) const {
    if (site_.dst == Access::kNoRegister) return;
    Thread& t = lanes_[lane];
    t.registers[site_.dst] = value;
    if (t.tags) t.tags[site_.dst] = tag;
    if (t.undefined_count | undefined) Machine::carry(t, site_.dst, undefined);
  }

  const Site& site_;
  std::span<Thread> lanes_;
  std::uint32_t members_;
  std::uint32_t undefined_ = 0;
};

}  // namespace

void Scheduler::release(Thread& t) {
  ++t.pc;
  ++releases_;
  t.state = State::Ready;
  t.barrier = 0;
  t.polling = false;
}

bool Scheduler::complete_warp(std::uint32_t cta, std::uint32_t warp) {
  std::span<Thread> all = m_.cta_threads(cta);
  std::span<Thread> lanes = all.subspan(warp * 32, std::min<std::size_t>(32, all.size() - warp * 32));
  std::uint32_t present = 0;
  for (std::size_t l = 0; l < lanes.size(); ++l)
    if (lanes[l].state != State::Done) present |= 1u << l;
  bool any = false;
  std::uint32_t seen = 0;
  for (std::size_t l = 0; l < lanes.size() && !m_.stopped_; ++l) {
    if (seen >> l & 1 || lanes[l].state != State::Waiting) continue;
    const Site& site = m_.site_of(lanes[l]);
    if (!is_warp_kind(site.kind)) continue;
    std::uint32_t here = 0;
    for (std::size_t k = l; k < lanes.size(); ++k)
      if (lanes[k].state == State::Waiting && lanes[k].pc == lanes[l].pc) here |= 1u << k;
    seen |= here;
    std::uint32_t wanted = present;
    bool masked = site.kind == Kind::ShuffleIndex || site.kind == Kind::ShuffleUp || site.kind == Kind::ShuffleDown ||
                  site.kind == Kind::ShuffleXor || site.kind == Kind::Ballot || site.kind == Kind::Any ||
                  site.kind == Kind::Elect || site.kind == Kind::ReduceSync || site.kind == Kind::ShuffleClamped ||
                  site.kind == Kind::ShuffleInRange || site.kind == Kind::MatchAny || site.kind == Kind::MatchAll;
    if (masked) wanted = static_cast<std::uint32_t>(lanes[l].registers[site.args[0]]) & present;
    if (site.kind == Kind::ActiveMask) wanted = here;
    if ((here & wanted) != wanted) continue;
    if (needs_whole_warp(site.kind) && wanted != 0xffffffff) {
      m_.finding(code::kPartialWarp, Severity::Error,
                 (site.call ? "T." + site.text : "a matrix instruction") + " needs all 32 lanes, " +
                     std::to_string(std::popcount(wanted)) + " are here",
                 &lanes[l]);
      m_.stopped_ = true;
      return true;
    }
    if (site.kind == Kind::WarpgroupCall) {
      any |= complete_warpgroup(lanes[l]);
      continue;
    }
    std::uint32_t members = masked ? wanted : here;
    if (!(members >> l & 1)) continue;
    if (needs_whole_warp(site.kind)) {
      for (const Thread& t : lanes)
        if (t.undefined_count) m_.operands_matter(t, site);
    }
    if (site.call) {
      Step step = site.call->warp(m_, lanes, site);
      if (step == Step::Failed) m_.stopped_ = true;
      if (step != Step::Done) continue;
    } else {
      m_.warp_operation(site, lanes, members);
      // Lanes have what they loaded as a matrix together: one of them may say for all that its rows are free again.
      if (site.kind == Kind::WarpSync || site.kind == Kind::LdMatrix) m_.meet(lanes, members);
    }
    for (std::size_t k = 0; k < lanes.size(); ++k)
      if (members >> k & 1) release(lanes[k]);
    any = true;
  }
  return any;
}

void Machine::meet(std::span<const Thread> lanes, std::uint32_t members) const {
  if (!observers_) return;
  std::array<const Thread*, 32> meeting;
  std::size_t count = 0;
  for (std::size_t l = 0; l < lanes.size(); ++l)
    if (members >> l & 1) meeting[count++] = &lanes[l];
  observers_.tell(&Observer::meet, std::span(meeting).first(count));
}

// The four warps of a warpgroup execute it together, when the last of them has come.
bool Scheduler::complete_warpgroup(const Thread& one) {
  const std::size_t first = one.linear / Warpgroups::kThreads * Warpgroups::kThreads;
  const std::span<Thread> all = m_.cta_threads(one.cta);
  const Site& site = m_.site_of(one);
  const std::span<Thread> lanes = all.subspan(first, std::min<std::size_t>(Warpgroups::kThreads, all.size() - first));
  const auto here = static_cast<std::size_t>(
      std::ranges::count_if(lanes, [&](const Thread& t) { return t.state == State::Waiting && t.pc == one.pc; }));
  const bool gone = std::ranges::any_of(lanes, [](const Thread& t) { return t.state == State::Done; });
  if (lanes.size() < Warpgroups::kThreads || gone) {
    m_.finding(
        code::kPartialWarp, Severity::Error,
        "T." + site.text + " needs the four warps of a warpgroup, some of them have left the kernel or do not exist",
        &one);
    m_.stopped_ = true;
    return true;
  }
  if (here < lanes.size()) return false;
  if (site.call->warpgroup(m_, lanes, site) == Step::Failed) m_.stopped_ = true;
  if (m_.stopped_) return true;
  // Its end, which each of the warps waits for, comes behind what all of them have waited for.
  if (m_.observers_) {
    std::vector<const Thread*> all;
    for (const Thread& t : lanes) all.push_back(&t);
    m_.observers_.tell(&Observer::pass, all, warpgroup_place(one), std::string_view());
  }
  for (Thread& t : lanes) release(t);
  return true;
}

void Machine::warp_operation(const Site& site, std::span<Thread> lanes, std::uint32_t members) {
  const Exchange exchange(site, lanes, members);
  switch (site.kind) {
    case Kind::ShuffleIndex:
    case Kind::ShuffleUp:
    case Kind::ShuffleDown:
    case Kind::ShuffleXor:
    case Kind::ShuffleClamped:
      exchange.shuffle([&](std::size_t lane, int from) {
        finding(code::kPartialWarp, Severity::Error,
                "lane " + std::to_string(lane) + " reads lane " + std::to_string(from) +
                    ", which takes no part in this shuffle",
                &lanes[lane]);
      });
      break;
    case Kind::Ballot: exchange.give_all(exchange.votes()); break;
    case Kind::Any: exchange.give_all(exchange.votes() != 0); break;
    case Kind::Elect: exchange.elect(); break;
    case Kind::ShuffleInRange: exchange.tell_range(); break;
    case Kind::MatchAny: exchange.match_any(); break;
    case Kind::MatchAll: exchange.match_all(); break;
    case Kind::ActiveMask: exchange.give_all(members); break;
    case Kind::WarpReduce: exchange.reduce_by_butterfly(); break;
    case Kind::ReduceSync: exchange.give_all(exchange.reduced()); break;
    case Kind::LdMatrix:
    case Kind::StMatrix: matrices(site, lanes); break;
    default: break;
  }
}

// Matrix i of 8 rows: lane 8i+j points to row j. Lane L owns elements 2(L mod 4) and the next of row L/4; transposed,
// of column L/4. Each owned pair is one 32-bit register, behind the lane's pointer i.
void Machine::matrices(const Site& site, std::span<Thread> lanes) {
  bool load = site.kind == Kind::LdMatrix;
  for (std::int64_t m = 0; m < site.number; ++m) {
    View rows[8];
    bool whole = true;  // nothing undefined moves
    for (std::size_t j = 0; j < 8; ++j) {
      Thread& owner = lanes[static_cast<std::size_t>(m) * 8 + j];
      std::optional<View> row =
          view(owner, owner.registers[site.args[0]], 16, 16, !load, load ? "matrix load" : "matrix store");
      if (!row) {
        stopped_ = true;
        return;
      }
      if (load) observers_.read(owner, owner.registers[site.args[0]], 16);
      rows[j] = *row;
      whole &= !load || row->is_written(16);
    }
    std::array<std::array<std::byte, 16>, 8> before;
    for (std::size_t j = 0; j < 8; ++j) rows[j].get(before[j].data(), 16);
    for (std::size_t lane = 0; lane < 32; ++lane) {
      Thread& t = lanes[lane];
      std::optional<View> own =
          view(t, t.registers[site.args[1 + static_cast<std::size_t>(m)]], 4, 4, load, "matrix register");
      if (!own) {
        stopped_ = true;
        return;
      }
      const bool carries = options_.uninitialised_reads && (!whole || (!load && !own->is_written(4)));
      // A matrix of bytes is 16 by 8 and stored transposed: a lane has two neighbours of a row and of the one 8 below.
      const bool bytes = site.type.bits == 8;
      const std::size_t width = bytes ? 1 : 2;
      for (std::size_t e = 0; e < 4 / width; ++e) {
        std::size_t row = lane / 4 + (bytes ? e / 2 * 8 : 0), column = lane % 4 * 2 + e % 2;
        if (site.flag) std::swap(row, column);
        const View cell = rows[row].at(static_cast<std::int64_t>(column * width));
        const View mine = own->at(static_cast<std::int64_t>(e * width));
        const View &from = load ? cell : mine, &to = load ? mine : cell;
        std::byte element[2];
        from.get(element, static_cast<std::int64_t>(width));
        to.put(element, static_cast<std::int64_t>(width));
        if (to.tags) std::copy_n(from.tags, width, to.tags);
        if (carries) common::copy(to.defined, from.defined, width);
      }
    }
    for (std::size_t j = 0; observers_ && !load && j < 8; ++j) {
      const Thread& owner = lanes[static_cast<std::size_t>(m) * 8 + j];
      observers_.write(owner, owner.registers[site.args[0]], 16, before[j].data(), rows[j].bytes);
    }
  }
}

}  // namespace tilewright::simulate
