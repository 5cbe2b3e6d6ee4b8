// Requests of one client that take their time, one after the other on a thread of its own.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "compiler/threads/large_threads.h"
#include "server/endpoint/endpoint.h"

namespace tilewright::bsp {

class Line {
 public:
  using Answer = endpoint::Answer<protocol::Json>;
  explicit Line(endpoint::Endpoint& endpoint) : endpoint_(endpoint) {
    thread_.emplace(1, [this] { run(); });
  }
  ~Line() { end(); }

  // `work` is answered when it has ended; what it throws is answered as a failure of ours.
  void add(std::shared_ptr<endpoint::Open> open, std::function<Answer()> work);
  // Tells a request that waits here or is under way to stop. Returns it if it has not begun: the caller then has to
  // answered by the caller, and nothing comes of it any more.
  struct Cancelled {
    bool here = false;
    std::shared_ptr<endpoint::Open> unbegun{};
  };
  Cancelled cancel(const protocol::Id& id);
  void cancel_all();
  // Everything is stopped, and the thread has ended. Once.
  void end();

 private:
  struct Waiting {
    std::shared_ptr<endpoint::Open> open;
    std::function<Answer()> work;
  };
  void run();

  endpoint::Endpoint& endpoint_;
  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::deque<Waiting> queue_;
  std::shared_ptr<endpoint::Open> running_;
  bool over_ = false;
  std::optional<threads::LargeThreads> thread_;
};

}  // namespace tilewright::bsp
