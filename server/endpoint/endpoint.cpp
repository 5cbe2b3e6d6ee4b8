#include "server/endpoint/endpoint.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tilewright::endpoint {

using protocol::ErrorCode;

void Endpoint::post(std::function<void()> task) {
  {
    std::lock_guard lock(queue_mutex_);
    queue_.push_back(std::move(task));
  }
  queue_ready_.notify_one();
}

void Endpoint::receive(std::string_view bytes) {
  frames_.feed(bytes);
  while (auto frame = frames_.next()) {
    {
      // Who sends faster than its messages are read is made to wait: memory is not theirs to fill.
      std::unique_lock lock(queue_mutex_);
      queue_shorter_.wait(lock, [&] { return queued_bytes_ < limits_.queued_bytes || ended_; });
      if (ended_) return;
      queued_bytes_ += frame->text.size() + frame->payload.size();
    }
    post([this, frame = std::move(*frame)]() mutable {
      {
        std::lock_guard lock(queue_mutex_);
        queued_bytes_ -= frame.text.size() + frame.payload.size();
      }
      queue_shorter_.notify_one();
      handle(frame, *handler_);
    });
  }
}

int Endpoint::run(Handler& handler) {
  handler_ = &handler;
  connection_.start(
      {[this](std::string_view bytes) { receive(bytes); }, [this] { post([this] { handler_->closed(); }); }});
  while (!ended_) {
    std::function<void()> task;
    {
      std::unique_lock lock(queue_mutex_);
      queue_ready_.wait(lock, [&] { return !queue_.empty(); });
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    try {
      task();
    } catch (const std::exception& e) {
      try {
        handler.dropped(e.what());
      } catch (const std::exception&) {
        end(1);  // there is no memory to say so
      }
    }
  }
  {
    std::lock_guard lock(open_mutex_);
    for (auto& [key, open] : open_) open->stop.request_stop();
  }
  handler.ending();
  connection_.drain(1000);
  // The connection's thread calls this object: it ends first.
  connection_.stop();
  return status_;
}

void Endpoint::end(int status) {
  if (ended_) return;
  status_ = status;
  {
    std::lock_guard lock(queue_mutex_);
    ended_ = true;
  }
  queue_shorter_.notify_all();
}

void Endpoint::handle(protocol::Frame& frame, Handler& handler) {
  if (frame.malformed) {
    send(protocol::error_text(nullptr, {ErrorCode::ParseError, frame.text, nullptr}));
    handler.malformed(frame.text);
    if (frame.last) end(1);
    return;
  }
  Message m = protocol::parse_message(frame.text, limits_.values);
  m.payload = std::move(frame.payload);
  switch (m.kind) {
    case Message::Kind::Invalid: return send(protocol::error_text(m.id, m.error));
    case Message::Kind::Request: try { return handler.request(m);
      } catch (const Json::exception& e) {
        return answer(m.id, std::unexpected(protocol::Error{ErrorCode::InvalidParams, e.what(), nullptr}));
      }
    case Message::Kind::Notification: return handler.notification(m);
    case Message::Kind::Response: {
      auto it = std::ranges::find(asked_, protocol::id_key(m.id), &Asked::key);
      if (it == asked_.end()) return;  // it was not asked, or was given up
      auto then = std::move(it->then);
      asked_.erase(it);
      if (m.failed) handler.refused(m.error.message);
      if (then)
        then(m.failed ? Answer<Json>(std::unexpected(std::move(m.error))) : std::move(m.result), std::move(m.payload));
      return;
    }
  }
}

std::expected<std::shared_ptr<Open>, protocol::Error> Endpoint::open(const protocol::Id& id, std::string method,
                                                                     std::string subject) {
  std::lock_guard lock(open_mutex_);
  if (open_.size() >= limits_.open_requests || *unfinished_ >= limits_.unfinished_requests) {
    return std::unexpected(protocol::Error{ErrorCode::RequestFailed, "too many requests are open", nullptr});
  }
  auto [it, fresh] = open_.try_emplace(protocol::id_key(id));
  if (!fresh) {
    return std::unexpected(protocol::Error{ErrorCode::InvalidRequest, "a request with this id is still open", nullptr});
  }
  it->second = std::make_shared<Open>(id, std::move(method), std::move(subject), unfinished_);
  return it->second;
}

void Endpoint::answer(const std::shared_ptr<Open>& request, const Answer<Json>& answered, std::string_view payload) {
  {
    std::lock_guard lock(open_mutex_);
    auto it = open_.find(protocol::id_key(request->id));
    if (it != open_.end() && it->second == request) open_.erase(it);
  }
  if (request->answered_.exchange(true)) return;
  answer(request->id, answered, payload);
}

void Endpoint::answer(const protocol::Id& id, const Answer<Json>& answer, std::string_view payload) {
  send(answer ? protocol::result_text(id, *answer) : protocol::error_text(id, answer.error()), payload);
}

void Endpoint::cancel(const protocol::Id& id, const protocol::Error& error) {
  std::shared_ptr<Open> request;
  {
    std::lock_guard lock(open_mutex_);
    auto it = open_.find(protocol::id_key(id));
    if (it == open_.end()) return;
    request = it->second;
  }
  answer(request, std::unexpected(error));  // before its work, which would say why it stopped in its own words
  request->stop.request_stop();
}

void Endpoint::cancel(const std::function<bool(const Open&)>& which, const protocol::Error& error) {
  std::vector<std::shared_ptr<Open>> cancelled;
  {
    std::lock_guard lock(open_mutex_);
    for (auto& [key, request] : open_) {
      if (which(*request)) cancelled.push_back(request);
    }
  }
  for (auto& request : cancelled) {
    answer(request, std::unexpected(error));
    request->stop.request_stop();
  }
}

void Endpoint::ask(std::string_view method, const Json& params, std::function<void(const Json*)> then) {
  call(method, params, [then = std::move(then)](const Answer<Json>& answer, const std::string&) {
    if (then) then(answer ? &*answer : nullptr);
  });
}

std::string Endpoint::call(std::string_view method, const Json& params, Then then) {
  std::string id = fresh_id("tilewright-");
  Then given_up;
  if (asked_.size() >= limits_.asked) {
    given_up = std::move(asked_.front().then);
    asked_.pop_front();
  }
  asked_.push_back({protocol::id_key(id), std::move(then)});
  send(protocol::request_text(id, method, params));
  if (given_up)
    given_up(std::unexpected(protocol::Error{ErrorCode::InternalError, "given up for a newer request", nullptr}), {});
  return id;
}

}  // namespace tilewright::endpoint
