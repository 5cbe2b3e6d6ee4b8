// Work that waits, by client: each turn goes to the next client that has some, and within a client to what came first.
#pragma once
#include <cstddef>
#include <deque>
#include <list>
#include <utility>

namespace tilewright::worker {

// One for each client, told apart by address.
using ClientId = const void*;

// Not safe from several threads.
template <class T>
class FairQueue {
 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t of(ClientId client) const {
    for (const Lane& lane : lanes_)
      if (lane.client == client) return lane.waiting.size();
    return 0;
  }
  void push(ClientId client, T work) {
    lane_of(client).waiting.push_back(std::move(work));
    ++size_;
  }
  // Of a queue that is not empty.
  T pop() {
    Lane& next = lanes_.front();
    T out = std::move(next.waiting.front());
    next.waiting.pop_front();
    --size_;
    if (next.waiting.empty())
      lanes_.pop_front();
    else
      lanes_.splice(lanes_.end(), lanes_, lanes_.begin());
    return out;
  }
  bool erase(const T& work) {
    for (auto lane = lanes_.begin(); lane != lanes_.end(); ++lane) {
      if (std::erase(lane->waiting, work) == 0) continue;
      if (lane->waiting.empty()) lanes_.erase(lane);
      --size_;
      return true;
    }
    return false;
  }
  // Calls look(work, how many come before it) for the first `most`, in the order of their turns.
  template <class Look>
  void look(std::size_t most, Look&& look) const {
    std::size_t ahead = 0;
    for (std::size_t round = 0, left = size_; left > 0; ++round)
      for (const Lane& lane : lanes_) {
        if (lane.waiting.size() <= round) continue;
        if (ahead == most) return;
        look(lane.waiting[round], ahead++);
        --left;
      }
  }

 private:
  struct Lane {
    ClientId client;
    std::deque<T> waiting{};
  };
  Lane& lane_of(ClientId client) {
    for (Lane& lane : lanes_)
      if (lane.client == client) return lane;
    return lanes_.emplace_back(client);
  }

  std::list<Lane> lanes_;  // the next turn is the first one's; none of them is empty
  std::size_t size_ = 0;
};

}  // namespace tilewright::worker
