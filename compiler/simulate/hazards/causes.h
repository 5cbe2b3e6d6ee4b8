// One mistake that shows in many places: what led to it is found here, and told first.
//
// A call that all lanes of a warp make and one should (an arrival, a tcgen05.commit) brings a barrier arrivals that its
// phase does not take; an expect_tx that announces other bytes than the copies behind it bring ends its phase too
// early, or never. A wait with the wrong parity returns at once, before the copies that it is for. Races, waits without
// an end and phases that depend on luck follow, at other lines. Neither is an error by itself: it is told only where
// something is wrong, and what is wrong is then told with it.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compiler/simulate/simulate.h"

namespace tilewright::simulate {

class Machine;
struct Mbarrier;
struct Thread;

class Causes {
 public:
  void start() {
    barriers_.clear();
    idle_.clear();
  }  // the next cluster begins; what was found stays

  // The thread arrives at the barrier, or will when its operations are done.
  void arrives(Machine& m, const Thread& t, std::uint64_t barrier);
  void announces(Machine& m, const Thread& t, std::uint64_t barrier, std::int64_t bytes);
  // A copy is issued whose bytes the barrier counts.
  void copies(Machine& m, const Thread& t, std::uint64_t barrier, std::int64_t bytes);

  // The thread comes to a wait that means this phase, and has waited.
  void comes(Machine& m, const Thread& t, std::uint64_t barrier, std::int64_t phase);
  void leaves(const Thread& t, std::uint64_t barrier);

  // What was found, one a kind of cause, as findings of kCause.
  std::vector<Finding> take(Machine& m);

 private:
  struct Barrier {
    // Lanes of one warp that arrived one after the other by one call.
    std::uint32_t warp = ~0u, pc = 0, lanes = 0;
    // Threads that arrived by one call, sorted.
    std::uint32_t call = ~0u;
    std::vector<std::uint32_t> arrivers{};
    // What one thread has announced, and the copies that it issued behind that.
    std::uint32_t thread = ~0u;
    bool mixed = false;  // others take part, or copies come first
    std::int64_t announced = 0, copied = 0;
    ir::Origin announcement{};
    std::vector<Finding::Related> brought{};
    // Copies that it counts, and the phases that threads wait and have waited for.
    std::vector<ir::Origin> counted{};
    struct Waits {
      std::int64_t pending = kNever, last = kNever;
    };
    std::unordered_map<std::uint32_t, Waits> waits{};
  };
  static constexpr std::int64_t kNever = -2;
  // Waits for a phase that was over before the first one, or that the threads had waited for.
  struct Idle {
    std::uint64_t barrier = 0;
    std::int64_t phase = 0;
    std::string name{};
    ir::Origin origin{};
    std::array<std::int64_t, 3> cta{};
    std::vector<std::int64_t> threads{};  // in their CTA
  };
  void take_idle(Machine& m, const Idle& idle);
  void mark_never_waited(Machine& m) const;
  void counts(Machine& m, const Thread& t, Barrier& b, const Mbarrier& state);
  void compare(Machine& m, std::uint64_t at, Barrier& b);

  std::map<std::uint64_t, Barrier> barriers_;
  std::vector<Idle> idle_;
  std::vector<Finding> found_;  // by lanes, by bytes: at most one each
  bool by_lanes_ = false, by_bytes_ = false;
};

// "full" of "`full[0]` of CTA 1": the barriers of one buffer are initialised by one call.
std::string_view buffer_of(std::string_view barrier);

// The weight of a finding that is a cause.
inline constexpr int kCause = 1000;

// Puts causes before what follows from them: that becomes related to the cause, and where it is one finding alone the
// cause is related to that. Without errors a cause is none.
// `kernel`: of the findings.
void put_causes_first(std::vector<Finding>& findings, const lower::LoweredKernel* kernel = nullptr);

}  // namespace tilewright::simulate
