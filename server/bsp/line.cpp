#include "server/bsp/line.h"

#include <algorithm>

namespace tilewright::bsp {

void Line::add(std::shared_ptr<endpoint::Open> open, std::function<Answer()> work) {
  {
    std::lock_guard lock(mutex_);
    queue_.push_back({std::move(open), std::move(work)});
  }
  changed_.notify_one();
}

void Line::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return over_ || !queue_.empty(); });
    if (over_) return;
    const Waiting next = std::move(queue_.front());
    queue_.pop_front();
    running_ = next.open;
    lock.unlock();
    Answer answer;
    try {
      answer = next.work();
    } catch (const std::exception& e) {
      answer = std::unexpected(
          protocol::Error{protocol::ErrorCode::InternalError, std::string("this failed: ") + e.what(), nullptr});
    }
    try {
      endpoint_.answer(next.open, answer);
    } catch (const std::exception&) {
      // Without memory for the answer its client would wait for ever: it is told by the end of its connection.
      endpoint_.post([this] { endpoint_.end(1); });
    }
    lock.lock();
    running_.reset();
  }
}

Line::Cancelled Line::cancel(const protocol::Id& id) {
  const std::string key = protocol::id_key(id);
  std::lock_guard lock(mutex_);
  if (running_ && protocol::id_key(running_->id) == key) {
    running_->stop.request_stop();  // it says so itself, when it has ended
    return {true};
  }
  const auto at = std::ranges::find_if(queue_, [&](const Waiting& w) { return protocol::id_key(w.open->id) == key; });
  if (at == queue_.end()) return {};
  Cancelled out{true, std::move(at->open)};
  queue_.erase(at);
  return out;
}

void Line::cancel_all() {
  std::lock_guard lock(mutex_);
  if (running_) running_->stop.request_stop();
  for (const Waiting& waiting : queue_) waiting.open->stop.request_stop();
}

void Line::end() {
  {
    std::lock_guard lock(mutex_);
    over_ = true;
  }
  cancel_all();
  changed_.notify_all();
  thread_.reset();
}

}  // namespace tilewright::bsp
