#include "compiler/simulate/machine/register_pool.h"

#include <algorithm>

#include "compiler/simulate/calls/calls.h"
#include "compiler/simulate/codes.h"

namespace tilewright::simulate {
namespace {

constexpr std::size_t kGroup = 4;         // warps of a warpgroup
constexpr std::size_t kRemembered = 256;  // changes of a warp; a loop makes the same ones again

}  // namespace

RegisterPool::RegisterPool(std::uint32_t threads) {
  const std::int64_t warps = (threads + 31) / 32;
  launched_ = std::min(kMost, kRegisters / (warps * 32) / kUnit * kUnit);
  warps_.assign(static_cast<std::size_t>(warps), {launched_, {}});
}

bool RegisterPool::change(std::size_t warp, bool inc, std::int64_t number, const ir::Origin& origin,
                          std::string* wrong) {
  Warp& w = warps_[warp];
  const bool first = w.changes.empty();
  // What the launch gave is known as a bound only: a first `inc` below it may well be one.
  if (inc ? number < w.held && !first : number > w.held) {
    *wrong = std::string("setmaxnreg.") + (inc ? "inc" : "dec") + " to " + std::to_string(number) + " registers, and " +
             (first ? "the launch gives each thread at most " : "each thread has ") + std::to_string(w.held);
    return true;
  }
  const std::int64_t more = (number - w.held) * 32;
  if (more > free_) return false;
  free_ -= more;
  w.held = number;
  if (w.changes.size() < kRemembered) w.changes.push_back({number, origin});
  return true;
}

std::string RegisterPool::shortage(std::size_t warp, std::int64_t number) const {
  std::string out = std::to_string((number - warps_[warp].held) * 32) + " more registers, " + std::to_string(free_) +
                    " are free: the warps of the CTA hold";
  for (std::size_t first = 0; first < warps_.size();) {
    std::size_t next = first;
    while (next < warps_.size() && warps_[next].held == warps_[first].held) ++next;
    out += (first ? ", " : " ") + std::to_string(next - first) + " × 32 × " + std::to_string(warps_[first].held);
    first = next;
  }
  return out;
}

void RegisterPool::end(Machine& m, std::span<const Thread> threads) const {
  for (std::size_t first = 0; first < warps_.size(); first += kGroup) {
    const std::size_t end = std::min(first + kGroup, warps_.size());
    auto most = std::max_element(warps_.begin() + static_cast<std::ptrdiff_t>(first),
                                 warps_.begin() + static_cast<std::ptrdiff_t>(end),
                                 [](const Warp& a, const Warp& b) { return a.changes.size() < b.changes.size(); });
    const auto leader = static_cast<std::size_t>(most - warps_.begin());
    for (std::size_t w = first; w < end; ++w) {
      const auto& [one, other] = std::pair(warps_[leader].changes, warps_[w].changes);
      std::size_t at = 0;
      while (at < other.size() && one[at].number == other[at].number) ++at;
      if (at == one.size()) continue;
      Finding f;
      f.code = code::kRegisterPool;
      f.message = "warp " + std::to_string(leader) + " sets its registers to " + std::to_string(one[at].number) +
                  " here, and warp " + std::to_string(w) + " of the same warpgroup " +
                  (at < other.size() ? "to " + std::to_string(other[at].number) : std::string("does not"));
      f.hint = "let all four warps of a warpgroup execute the same setmaxnreg";
      if (at < other.size()) f.related.push_back({other[at].origin, "warp " + std::to_string(w) + " does it here"});
      m.report(std::move(f), &threads[leader * 32], one[at].origin);
      return;
    }
  }
}

namespace {

Step set(Machine& m, std::span<Thread> lanes, const Site& s) {
  if (m.foresees()) return Step::Done;
  std::string wrong;
  RegisterPool& pool = m.register_pool(lanes[0].cta);
  if (!pool.change(lanes[0].linear / 32, s.flag, s.number, m.origin_of(lanes[0]), &wrong)) return Step::Wait;
  if (!wrong.empty()) m.finding(code::kRegisterPool, Severity::Error, std::move(wrong), lanes.data());
  return Step::Done;
}

bool set_up(Site& s, const intrinsics::Arguments& a) {
  s.flag = a.flag("inc");
  s.number = a.integer("reg_count");
  return true;
}

constexpr CallRow kRow{.meaning = Meaning::None, .slots = "", .warp = set, .set_up = set_up};

}  // namespace

const CallRow& register_call() { return kRow; }

}  // namespace tilewright::simulate
