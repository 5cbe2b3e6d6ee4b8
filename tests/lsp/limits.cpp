// What a client may ask of the server's memory, with limits small enough to reach.
#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "protocol/frame.h"
#include "server/lsp/server.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using namespace tilewright::lsp;
using namespace std::chrono_literals;

namespace {

// The client's end of a server on a thread of its own. `hold` lets the server wait with what it would send.
class Wire final : public transport::Connection {
 public:
  explicit Wire(endpoint::Limits limits) : server_(*this, limits), thread_([this] { server_.run(); }) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return static_cast<bool>(handler_.received); });
  }
  ~Wire() override {
    hold(false);
    feed(protocol::notification_text("exit", nullptr));
    thread_.join();
  }

  void start(transport::Handler handler) override {
    std::lock_guard lock(mutex_);
    handler_ = std::move(handler);
    changed_.notify_all();
  }
  void stop() override {}
  void drain(int) override {}
  bool watch_process(int, std::function<void()>) override { return true; }
  void send(std::string bytes) override {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !held_; });
    --waiting_;
    reader_.feed(bytes);
    while (auto frame = reader_.next()) {
      protocol::Message m = protocol::parse_message(frame->text);
      if (m.kind == protocol::Message::Kind::Response) {
        answers_[protocol::id_key(m.id)] = m.failed ? m.error.message : "";
      }
    }
    changed_.notify_all();
  }

  void feed(const std::string& message) { handler_.received(protocol::framed(message)); }
  void request(std::int64_t id, std::string_view method, const Json& params) {
    feed(protocol::request_text(id, method, params));
  }
  void hold(bool on) {
    std::lock_guard lock(mutex_);
    held_ = on;
    changed_.notify_all();
  }
  // The server is at the door with something to send, and held there.
  void wait_until_held() {
    std::unique_lock lock(mutex_);
    REQUIRE(changed_.wait_for(lock, 20s, [&] { return waiting_ > 0; }));
  }
  // Why the request was refused; empty: it was not.
  std::string answer(std::int64_t id) {
    std::unique_lock lock(mutex_);
    std::string key = protocol::id_key(id);
    REQUIRE(changed_.wait_for(lock, 20s, [&] { return answers_.contains(key); }));
    return answers_[key];
  }
  bool answered(std::int64_t id) {
    std::lock_guard lock(mutex_);
    return answers_.contains(protocol::id_key(id));
  }

  void initialize() {
    request(1, "initialize", {{"processId", nullptr}, {"rootUri", nullptr}, {"capabilities", Json::object()}});
    REQUIRE(answer(1).empty());
    feed(protocol::notification_text("initialized", Json::object()));
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  transport::Handler handler_;
  protocol::FrameReader reader_;
  std::map<std::string, std::string> answers_;
  bool held_ = false;
  int waiting_ = 0;
  Server server_;
  std::thread thread_;  // last: begins when all else is there
};

}  // namespace

TEST_CASE("requests beyond the limit are refused, and served again when others have their answer") {
  Wire wire({.open_requests = 3});
  wire.initialize();
  const char* uri = "file:///nowhere/slow.py";
  wire.feed(protocol::notification_text(
      "textDocument/didOpen",
      {{"textDocument",
        {{"uri", uri}, {"languageId", "python"}, {"version", 1}, {"text", "x = 0\nwhile True:\n    x = x + 1\n"}}}}));
  Json params{{"textDocument", {{"uri", uri}}}};
  for (std::int64_t id = 10; id < 15; ++id) wire.request(id, "textDocument/diagnostic", params);
  for (std::int64_t id = 13; id < 15; ++id) CHECK(wire.answer(id) == "too many requests are open");
  CHECK_FALSE(wire.answered(10));
  wire.feed(protocol::notification_text("$/cancelRequest", {{"id", 11}}));
  CHECK(wire.answer(11) == "cancelled");
  wire.request(20, "textDocument/diagnostic", params);
  wire.request(21, "textDocument/diagnostic", params);
  CHECK(wire.answer(21) == "too many requests are open");
  CHECK_FALSE(wire.answered(20));
  // What needs no worker is always answered.
  wire.request(22, "$/tilewright/memory", nullptr);
  CHECK(wire.answer(22).empty());
}

TEST_CASE("a client that sends more than is read is made to wait, and loses nothing") {
  Wire wire({.queued_bytes = 2000});
  wire.initialize();
  wire.hold(true);
  wire.request(2, "$/tilewright/memory", nullptr);
  wire.wait_until_held();
  constexpr std::int64_t kMany = 200;
  std::atomic<std::int64_t> sent{0};
  auto sending = std::async(std::launch::async, [&] {
    for (std::int64_t id = 100; id < 100 + kMany; ++id) {
      wire.request(id, "$/tilewright/memory", {{"padding", std::string(100, 'x')}});
      ++sent;
    }
  });
  // As many as fit, and one that crosses the limit.
  CHECK(sending.wait_for(300ms) == std::future_status::timeout);
  CHECK(sent > 5);
  CHECK(sent < 20);
  wire.hold(false);
  REQUIRE(sending.wait_for(20s) == std::future_status::ready);
  for (std::int64_t id = 100; id < 100 + kMany; ++id) CHECK(wire.answer(id).empty());
}
