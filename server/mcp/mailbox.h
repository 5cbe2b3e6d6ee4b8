// The connection of a session over HTTP: bodies of requests in, each message out to the request that it belongs to.
#pragma once
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/transport/transport.h"

namespace tilewright::mcp {

// A request of a client that waits for its answer.
struct Waiting {
  std::string id, token;  // as JSON; the token of its progress, or empty
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> events;
  std::string answer;
  bool over = false;  // the answer is there, or the session has ended

  void put(std::string text, bool last) {
    std::lock_guard lock(mutex);
    if (last) {
      answer = std::move(text);
      over = true;
    } else {
      events.push_back(std::move(text));
    }
    changed.notify_all();
  }
};

// What a session reads and writes: bodies of requests in, each message out to the request that it belongs to.
class Mailbox final : public transport::Connection {
 public:
  void start(transport::Handler handler) override {
    std::lock_guard lock(mutex_);
    handler_ = std::move(handler);
    if (!early_.empty()) handler_.received(std::exchange(early_, {}));
  }
  // Nothing of the session's is called any more.
  void stop() override {
    std::lock_guard lock(mutex_);
    gone_ = true;
    handler_ = {};
  }
  void drain(int) override {}
  bool watch_process(int, std::function<void()>) override { return false; }
  bool is_socket() const override { return true; }

  // A message of the client. A line of the session's framing: line feeds stand between values only.
  void receive(std::string body) {
    std::ranges::replace_if(body, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    std::lock_guard lock(mutex_);
    if (gone_) return;
    if (handler_.received) return handler_.received(body + "\n");
    early_ += body + "\n";
  }
  void close() {
    std::lock_guard lock(mutex_);
    if (!std::exchange(gone_, true) && handler_.closed) handler_.closed();
  }

  // False: a request with this id waits already.
  bool await(const std::shared_ptr<Waiting>& waiting) {
    std::lock_guard lock(waiting_mutex_);
    if (std::ranges::find(waiting_, waiting->id, [](const auto& w) { return w->id; }) != waiting_.end()) return false;
    waiting_.push_back(waiting);
    return true;
  }
  void forget(const std::shared_ptr<Waiting>& waiting) {
    std::lock_guard lock(waiting_mutex_);
    std::erase(waiting_, waiting);
  }
  // Those that wait are told that no answer comes.
  void give_up() {
    std::lock_guard lock(waiting_mutex_);
    for (const auto& waiting : waiting_) waiting->put({}, true);
  }

  void send(std::string line) override;

 private:
  std::mutex mutex_;  // one message at a time
  transport::Handler handler_;
  std::string early_;  // what came before the session reads
  bool gone_ = false;
  std::mutex waiting_mutex_;
  std::vector<std::shared_ptr<Waiting>> waiting_;
};

}  // namespace tilewright::mcp
