// Requests of a warp to elements that follow each other, joined as NVIDIA's compiler joins the accesses of a lane.
//
// At one place of the script a request continues another one if each lane goes on where it ended before. The run of
// bytes that comes of it is cut into accesses of the widths that the machine code has there, each on a multiple of
// itself in every lane, the widest first. Where the machine code has no access as narrow as the script's, what is left
// alone is part of a wider one, whose other part stands at another place.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "compiler/simulate/profile/warp_requests.h"

namespace tilewright::simulate {

class JoinedRequests {
 public:
  static constexpr std::int32_t kWidest = 16;  // bytes of a lane and instruction

  // Place, kind and warp.
  struct Key {
    std::uint32_t place = 0, kind = 0, warp = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  // Adds a request; calls account(pc, request) for what is then complete.
  template <class F>
  void add(const Key& key, std::uint32_t pc, const WarpRequest& request, std::uint32_t widths, F&& account) {
    std::deque<Run>& runs = open_[key];
    for (auto at = runs.begin(); at != runs.end(); ++at) {
      if (!at->continues(request)) continue;
      at->bytes += request.bytes;
      if (at->bytes >= kLongest) {
        cut(*at, account);
        runs.erase(at);
      }
      return;
    }
    if (runs.size() >= kMostRuns) {
      cut(runs.front(), account);
      runs.pop_front();
    }
    runs.push_back({request, request.bytes, widths, pc});
  }

  // The same for what warps [first, end) have left.
  template <class F>
  void close(std::uint32_t first, std::uint32_t end, F&& account) {
    take_warps(open_, first, end, [&](const Key& key, const std::deque<Run>& runs) {
      for (const Run& run : runs)
        cut(run, [&](std::uint32_t pc, const WarpRequest& request) { account(key, pc, request); });
    });
  }

 private:
  static constexpr std::int32_t kLongest = 4 * kWidest;
  static constexpr std::size_t kMostRuns = 16;  // of one place and warp: more are as many streams

  struct Run {
    WarpRequest first;
    std::int32_t bytes = 0;
    std::uint32_t widths = 0, pc = 0;

    bool continues(const WarpRequest& request) const {
      if (request.came != first.came || request.bytes != first.bytes) return false;
      for (std::size_t lane = 0; lane < 32; ++lane)
        if (first.has(lane) && request.at[lane] != first.at[lane] + static_cast<std::uint64_t>(bytes)) return false;
      return true;
    }
    bool is_aligned(std::int32_t done, std::int32_t width) const {
      for (std::size_t lane = 0; lane < 32; ++lane)
        if (first.has(lane) && (first.at[lane] + static_cast<std::uint64_t>(done)) % static_cast<std::uint64_t>(width))
          return false;
      return true;
    }
  };

  template <class F>
  static void cut(const Run& run, F&& account) {
    for (std::int32_t done = 0; done < run.bytes;) {
      std::int32_t width = kWidest;
      while (width > run.first.bytes && (!(run.widths & static_cast<std::uint32_t>(width)) ||
                                         width > run.bytes - done || !run.is_aligned(done, width)))
        width /= 2;
      width = std::max(width, run.first.bytes);
      WarpRequest request = run.first;
      request.bytes = width;
      while (!(run.widths & static_cast<std::uint32_t>(request.bytes)) && request.bytes < kWidest) request.bytes *= 2;
      for (std::size_t lane = 0; lane < 32; ++lane)
        if (request.has(lane))
          request.at[lane] = (request.at[lane] + static_cast<std::uint64_t>(done)) /
                             static_cast<std::uint64_t>(request.bytes) * static_cast<std::uint64_t>(request.bytes);
      account(run.pc, request);
      done += width;
    }
  }

  std::map<Key, std::deque<Run>> open_;
};

}  // namespace tilewright::simulate
