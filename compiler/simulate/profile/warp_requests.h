// Accesses of lanes, put together into the requests of their warps.
//
// The machine runs one lane after the other, a warp runs its lanes together: the n-th access of each lane at one
// instruction is one request. A request is complete when all lanes of the warp have come; what is left when the CTA
// ends came from lanes that diverged, and each is a request of the lanes that did come.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <unordered_map>

namespace tilewright::simulate {

struct WarpRequest {
  std::uint32_t came = 0;  // lanes, a bit each
  std::int32_t bytes = 0;  // that each asks for
  std::array<std::uint64_t, 32> at;

  bool has(std::size_t lane) const { return came >> lane & 1; }
};

// What an instruction does with one memory; requests of two kinds are two streams.
struct Stream {
  std::uint32_t pc = 0;
  std::uint32_t kind = 0;
  std::uint32_t warp = 0;  // of the group that runs
  friend bool operator==(const Stream&, const Stream&) = default;
};

// Takes out of `open`, a map whose keys have a warp, what warps [first, end) have, after a call take(key, value) each.
template <class Map, class F>
void take_warps(Map& open, std::uint32_t first, std::uint32_t end, F&& take) {
  for (auto at = open.begin(); at != open.end();) {
    if (at->first.warp < first || at->first.warp >= end) {
      ++at;
      continue;
    }
    take(at->first, at->second);
    at = open.erase(at);
  }
}

class WarpRequests {
 public:
  // Accesses that wait for the other lanes, at most: 64 MB.
  static constexpr std::size_t kMostOpen = std::size_t{1} << 18;

  // Adds a lane's next access; `lanes` are those that the warp has. Calls account(request) for each that is complete.
  // False: there is no room, and the access is not counted.
  template <class F>
  bool add(const Stream& stream, std::size_t lane, std::uint32_t lanes, std::uint64_t at, std::int32_t bytes,
           F&& account) {
    Open& open = open_[stream];
    const std::uint64_t number = open.next[lane]++;
    if (number < open.first) return false;  // its request was dropped
    const std::size_t place = static_cast<std::size_t>(number - open.first);
    if (place >= open.requests.size()) {
      if (count_ >= kMostOpen) {
        --open.next[lane];
        return false;
      }
      open.requests.emplace_back();
      ++count_;
    }
    WarpRequest& request = open.requests[place];
    request.came |= 1u << lane;
    request.bytes = bytes;
    request.at[lane] = at;
    while (!open.requests.empty() && open.requests.front().came == lanes) {
      account(open.requests.front());
      open.requests.pop_front();
      ++open.first;
      --count_;
    }
    return true;
  }

  // Calls account(stream, request) for what warps [first, end) have left open, and forgets it.
  template <class F>
  void close(std::uint32_t first, std::uint32_t end, F&& account) {
    take_warps(open_, first, end, [&](const Stream& stream, const Open& open) {
      for (const WarpRequest& request : open.requests)
        if (request.came) account(stream, request);
      count_ -= open.requests.size();
    });
  }

 private:
  struct Open {
    std::array<std::uint64_t, 32> next{};  // by lane: the number of its next access
    std::uint64_t first = 0;               // the number of the oldest request
    std::deque<WarpRequest> requests;
  };
  struct Hash {
    std::size_t operator()(const Stream& s) const {
      return (std::size_t{s.warp} << 40 ^ std::size_t{s.pc} << 4 ^ s.kind) * 0x9e3779b97f4a7c15;
    }
  };
  std::unordered_map<Stream, Open, Hash> open_;
  std::size_t count_ = 0;
};

}  // namespace tilewright::simulate
