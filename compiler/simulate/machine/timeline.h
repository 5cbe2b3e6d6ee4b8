// What went on when: turns and waits of warps, operations beside them, and who released whom.
//
// Time is the simulator's own: instructions of all threads, executed one after the other, and sixteenths of the bytes
// that operations move. It shows order and overlap, not how long the hardware would take.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "compiler/simulate/machine/engine.h"
#include "compiler/simulate/simulate.h"

namespace tilewright::simulate {

class Timeline {
 public:
  Timeline(TimelineRecord& out, std::size_t most) : out_(out), most_(most) {}

  // A cluster begins: CTAs with so many warps each.
  void start_group(const std::vector<std::array<std::int64_t, 3>>& ctas, std::uint32_t warps);
  // A warp has its turn; before it, it may have waited. `why`: for what its lanes wait now; empty: for nothing.
  void begin_turn(std::uint32_t cta, std::uint32_t warp, std::uint64_t time, const ir::Origin& origin);
  void end_turn(std::uint32_t cta, std::uint32_t warp, std::uint64_t time, std::string why, std::string detail,
                const ir::Origin& origin);

  void issued(std::uint32_t cta, Operation& op, std::uint64_t time);
  // Before and behind its landing, which may release warps.
  void lands(const Operation& op, std::uint64_t time);
  // `warp`: the issuer's.
  void landed(const Operation& op, std::uint32_t cta, std::uint32_t warp, std::uint64_t time);
  // A phase of the barrier is over, and the warp goes on for it.
  void released(std::uint64_t barrier, std::uint32_t cta, std::uint32_t warp);
  void phase_over(std::uint64_t barrier) { landed_.erase(barrier); }
  void end_group(std::uint64_t time);

 private:
  struct Landed {
    std::uint32_t process, track;
    std::uint64_t time;
  };
  struct Track {
    std::uint32_t process = 0, number = 0;
    bool open = false;
    std::uint64_t free_from = 0;  // of an operation's: when the last one ended
  };
  struct Warp {
    Track track;
    bool in_turn = false;
    std::vector<Landed> releasing;  // operations that let it go on
  };
  Warp& warp_of(std::uint32_t cta, std::uint32_t warp) { return warps_[cta * warps_each_ + warp]; }
  void begin(Track& track, std::uint64_t time, std::string name, std::string detail, const ir::Origin& origin);
  void end(Track& track, std::uint64_t time);
  void flow(const Landed& from, const Track& to, std::uint64_t time);

  TimelineRecord& out_;
  std::size_t most_;
  std::uint32_t first_process_ = 0, warps_each_ = 1;
  std::vector<Warp> warps_;
  std::vector<std::vector<Track>> operations_;  // by CTA: as many tracks as operations were ever under way at once
  std::vector<std::pair<std::uint32_t, std::size_t>> shown_;  // by Operation::shown - 1: CTA, track
  std::map<std::uint64_t, std::vector<Landed>> landed_;       // by barrier, in its phase
  Landed landing_{};
};

}  // namespace tilewright::simulate
