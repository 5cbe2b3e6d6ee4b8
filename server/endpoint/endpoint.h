// One end of a JSON-RPC connection, as every speaker over a stream has it: frames in and out, requests of both sides
// with their ids, cancellation, and a bound on all that the other side could make us keep.
//
// Two kinds of threads reach into it. The connection's thread reads bytes, cuts frames and queues them; it waits only
// where the other side sends faster than it is read. The thread that calls run() handles one message or posted task
// after the other, in order, and it alone asks. Whatever else works for the speaker may answer, notify and post from
// any thread.
#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <expected>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "protocol/frame.h"
#include "protocol/rpc.h"
#include "server/transport/transport.h"

namespace tilewright::endpoint {

using protocol::Json;

template <class T>
using Answer = std::expected<T, protocol::Error>;

struct Limits {
  std::size_t queued_bytes = 256u << 20;     // of messages that wait to be read; more make the other side wait
  std::size_t open_requests = 10'000;        // without an answer; more are refused
  std::size_t unfinished_requests = 20'000;  // whose work has not ended, cancelled ones as well; more are refused
  std::size_t asked = 1'000;                 // of ours without an answer; the oldest is given up for a newer one
  std::size_t values = 4'000'000;            // of one message's JSON; a message with more is refused
  protocol::FrameLimits frames{};            // of one message, and where it ends
};

// A request of the other side whose work may go on elsewhere. It counts as unfinished for as long as it is held.
class Open {
 public:
  Open(protocol::Id id, std::string method, std::string subject, std::shared_ptr<std::atomic<std::size_t>> unfinished)
      : id(std::move(id)), method(std::move(method)), subject(std::move(subject)), unfinished_(std::move(unfinished)) {
    ++*unfinished_;
  }
  ~Open() { --*unfinished_; }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

  const protocol::Id id;
  const std::string method;
  const std::string subject;  // what it is about, in the speaker's words; empty: nothing in particular
  std::stop_source stop;      // requested when its answer is not wanted any more
  bool answered() const { return answered_; }

 private:
  friend class Endpoint;
  std::atomic<bool> answered_{false};
  std::shared_ptr<std::atomic<std::size_t>> unfinished_;
};

// What the speaker makes of messages; all on the thread that runs the endpoint. A Json::exception answers a request
// with InvalidParams, any other exception ends neither the connection nor the process.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void request(protocol::Message& message) = 0;
  virtual void notification(protocol::Message& message) = 0;
  virtual void closed() = 0;  // the other side is gone
  virtual void ending() = 0;  // run() is about to return: what still works is told to stop
  // What came is no frame; the other side has been told. On a socket that ends the connection.
  virtual void malformed(const std::string& /*why*/) {}
  // A message or a task was given up because of this; a request of ours was refused with that.
  virtual void dropped(const std::string& why) = 0;
  virtual void refused(const std::string& why) = 0;
};

class Endpoint {
 public:
  Endpoint(transport::Connection& connection, Limits limits)
      : connection_(connection), limits_(limits), frames_(frames_of(connection, limits)) {}

  // Serves until end(), and gives its status.
  int run(Handler& handler);
  void end(int status);  // on the thread that runs it; the first one counts
  bool ended() const { return ended_; }
  void post(std::function<void()> task);

  // ---- what the other side asks -------------------------------------------------------------------------------------
  // Keeps it until its answer, so that it can be cancelled. The error is what the other side gets where it may not.
  std::expected<std::shared_ptr<Open>, protocol::Error> open(const protocol::Id& id, std::string method,
                                                             std::string subject);
  // The first answer counts; later ones are dropped.
  void answer(const std::shared_ptr<Open>& request, const Answer<Json>& answer, std::string_view payload = {});
  // Of a request that was not opened.
  void answer(const protocol::Id& id, const Answer<Json>& answer, std::string_view payload = {});
  // Stops it and answers it at once: the client does not wait until its work ends. Does nothing where it is answered.
  void cancel(const protocol::Id& id, const protocol::Error& error);
  void cancel(const std::function<bool(const Open&)>& which, const protocol::Error& error);

  // ---- what we say --------------------------------------------------------------------------------------------------
  void notify(std::string_view method, const Json& params, transport::Kept payload = {}) {
    const std::string message = protocol::notification_text(method, params);
    const std::size_t bytes = payload.bytes.size();
    connection_.send(protocol::framed_before(message, bytes, limits_.frames.framing), std::move(payload));
  }
  void send(const std::string& message, std::string_view payload = {}) {
    connection_.send(protocol::framed(message, payload, limits_.frames.framing));
  }
  // `then` runs on the endpoint's thread with the result; with null after an error, or when it was given up.
  void ask(std::string_view method, const Json& params, std::function<void(const Json* result)> then = {});
  // The same with whatever comes of it, and the raw bytes that came with the answer. Gives the request's id. It
  // is not called any more once the endpoint has ended.
  using Then = std::function<void(Answer<Json> answer, std::string payload)>;
  std::string call(std::string_view method, const Json& params, Then then);
  std::string fresh_id(std::string_view prefix) { return std::string(prefix) + std::to_string(next_id_++); }

 private:
  using Message = protocol::Message;
  struct Asked {
    std::string key;
    Then then;
  };
  static protocol::FrameLimits frames_of(const transport::Connection& connection, const Limits& limits) {
    protocol::FrameLimits out = limits.frames;
    out.strict = connection.is_socket();
    return out;
  }
  void receive(std::string_view bytes);  // of the connection's thread
  void handle(protocol::Frame& frame, Handler& handler);

  transport::Connection& connection_;
  const Limits limits_;
  protocol::FrameReader frames_;  // of the connection's thread
  Handler* handler_ = nullptr;    // while it runs

  std::mutex queue_mutex_;
  std::condition_variable queue_ready_, queue_shorter_;
  std::deque<std::function<void()>> queue_;
  std::size_t queued_bytes_ = 0;  // of messages in it
  std::atomic<bool> ended_{false};
  int status_ = 1;

  std::mutex open_mutex_;
  std::map<std::string, std::shared_ptr<Open>> open_;
  std::shared_ptr<std::atomic<std::size_t>> unfinished_ = std::make_shared<std::atomic<std::size_t>>(0);

  std::int64_t next_id_ = 1;
  std::list<Asked> asked_;  // the oldest first
};

}  // namespace tilewright::endpoint
