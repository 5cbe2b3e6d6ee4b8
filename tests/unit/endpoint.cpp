// One end of a JSON-RPC connection against a wire that the test holds.
#include "server/endpoint/endpoint.h"

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "server/endpoint/progress.h"
#include "tests/unit/catch.h"

using namespace tilewright;
using namespace std::chrono_literals;
using endpoint::Endpoint;
using endpoint::Open;
using protocol::ErrorCode;
using protocol::Json;
using protocol::Message;

namespace {

class Wire final : public transport::Connection {
 public:
  Wire(bool socket, protocol::Framing framing) : socket_(socket), reader_({.framing = framing}) {}
  bool is_socket() const override { return socket_; }
  void start(transport::Handler handler) override { started_.set_value(std::move(handler)); }
  void stop() override {}
  void drain(int) override {}
  bool watch_process(int, std::function<void()>) override { return true; }
  void send(std::string bytes) override {
    std::lock_guard lock(mutex_);
    reader_.feed(bytes);
    while (auto frame = reader_.next()) said_.push_back(protocol::parse_message(frame->text));
    changed_.notify_all();
  }
  transport::Handler handler() { return started_.get_future().get(); }
  // What was said as the n-th message, from 0.
  Message said(std::size_t n) {
    std::unique_lock lock(mutex_);
    REQUIRE(changed_.wait_for(lock, 20s, [&] { return said_.size() > n; }));
    return said_[n];
  }
  std::size_t count() {
    std::lock_guard lock(mutex_);
    return said_.size();
  }

 private:
  const bool socket_;
  std::promise<transport::Handler> started_;
  std::mutex mutex_;
  std::condition_variable changed_;
  protocol::FrameReader reader_;
  std::vector<Message> said_;
};

// Keeps what it is asked; `echo` is answered at once, `throw` throws, `exit` ends.
class Speaker final : public endpoint::Handler {
 public:
  explicit Speaker(endpoint::Limits limits = {}, bool socket = false)
      : wire(socket, limits.frames.framing),
        end(wire, limits),
        framing_(limits.frames.framing),
        thread_([this] { status = end.run(*this); }) {
    handler_ = wire.handler();
  }
  ~Speaker() override {
    feed(protocol::notification_text("exit", nullptr));
    thread_.join();
  }
  void feed(const std::string& message) { raw(protocol::framed(message, {}, framing_)); }
  void raw(const std::string& bytes) { handler_.received(bytes); }
  void ask(std::int64_t id, const char* method, const Json& params = nullptr) {
    feed(protocol::request_text(id, method, params));
  }
  // Runs on the endpoint's thread, after all that was fed before.
  template <class F>
  auto there(F f) {
    std::promise<decltype(f())> done;
    end.post([&] { done.set_value(f()); });
    return done.get_future().get();
  }

  Wire wire;
  Endpoint end;
  std::map<std::int64_t, std::shared_ptr<Open>> open;
  std::vector<std::string> troubles;
  std::atomic<bool> told_to_stop = false;
  std::atomic<int> status = -1;

 private:
  void request(Message& m) override {
    if (m.method == "echo") return end.answer(m.id, m.params.at("say"));
    if (m.method == "throw") throw std::runtime_error("of the speaker");
    auto opened = end.open(m.id, m.method, m.params.is_null() ? "" : m.params.at("about").get<std::string>());
    if (!opened) return end.answer(m.id, std::unexpected(opened.error()));
    open[std::get<std::int64_t>(m.id)] = *opened;
  }
  void notification(Message& m) override {
    if (m.method == "exit") end.end(7);
  }
  void closed() override { end.end(1); }
  void ending() override { told_to_stop = true; }
  void dropped(const std::string& why) override { troubles.push_back("dropped: " + why); }
  void refused(const std::string& why) override { troubles.push_back("refused: " + why); }

  const protocol::Framing framing_;
  transport::Handler handler_;
  std::thread thread_;
};

const protocol::Error kCancelled{ErrorCode::RequestCancelled, "cancelled", nullptr};

}  // namespace

TEST_CASE("what is no message is answered, and the next one is read") {
  Speaker s;
  s.raw("Content-Length: x\r\n\r\n");
  CHECK(s.wire.said(0).error.code == ErrorCode::ParseError);
  s.feed("[1]");
  CHECK(s.wire.said(1).error.code == ErrorCode::InvalidRequest);
  s.ask(1, "echo", {{"say", "here"}});
  CHECK(s.wire.said(2).result == "here");
  s.ask(2, "echo", {{"shout", "here"}});  // parameters that do not fit
  CHECK(s.wire.said(3).error.code == ErrorCode::InvalidParams);
  s.ask(3, "throw");
  CHECK(s.there([&] { return s.troubles; }) == std::vector<std::string>{"dropped: of the speaker"});
  s.ask(4, "echo", {{"say", "still here"}});
  CHECK(s.wire.said(4).result == "still here");
}

TEST_CASE("an endpoint can speak a line a message") {
  endpoint::Limits limits;
  limits.frames.framing = protocol::Framing::Line;
  Speaker s(limits);
  s.ask(1, "echo", {{"say", "two\nlines"}});
  CHECK(s.wire.said(0).result == "two\nlines");
  s.raw("\r\n{\"jsonrpc\":\n");
  CHECK(s.wire.said(1).error.code == ErrorCode::ParseError);
  s.ask(2, "echo", {{"say", "still here"}});
  CHECK(s.wire.said(2).result == "still here");
}

TEST_CASE("on a socket what is no message ends the connection, and nothing behind it is heard") {
  Speaker s({}, true);
  s.ask(1, "echo", {{"say", "here"}});
  s.raw("POST / HTTP/1.1\r\n\r\n" + protocol::framed(protocol::request_text(std::int64_t{2}, "echo", {{"say", "no"}})));
  CHECK(s.wire.said(0).result == "here");
  CHECK(s.wire.said(1).error.code == ErrorCode::ParseError);
  for (int i = 0; i < 2000 && s.status < 0; ++i) std::this_thread::sleep_for(10ms);
  CHECK(s.status == 1);
  CHECK(s.wire.count() == 2);
}

TEST_CASE("a message of more values than are accepted is refused before they are made") {
  Speaker s({.values = 1000});
  s.ask(1, "echo", {{"say", std::vector<int>(2000)}});
  CHECK(s.wire.said(0).error.message == "the message holds more than 1000 values");
  s.ask(2, "echo", {{"say", "still here"}});
  CHECK(s.wire.said(1).result == "still here");
}

TEST_CASE("a request has one answer, and none after it was cancelled") {
  Speaker s;
  s.ask(1, "work");
  s.ask(2, "work", {{"about", "a.py"}});
  s.ask(3, "rest", {{"about", "a.py"}});
  s.ask(1, "work");  // the id is taken
  CHECK(s.wire.said(0).error.message == "a request with this id is still open");
  auto open = s.there([&] { return s.open; });
  CHECK(open[2]->subject == "a.py");
  s.end.answer(open[1], Json("done"));
  s.end.answer(open[1], Json("again"));
  CHECK(s.wire.said(1).result == "done");
  CHECK_FALSE(open[1]->stop.stop_requested());
  s.end.cancel([](const Open& o) { return o.subject == "a.py" && o.method == "rest"; }, kCancelled);
  CHECK(s.wire.said(2).error.code == ErrorCode::RequestCancelled);
  CHECK(open[3]->stop.stop_requested());
  CHECK(open[3]->answered());
  CHECK_FALSE(open[2]->answered());
  s.end.cancel(protocol::Id(std::int64_t(2)), kCancelled);
  s.end.cancel(protocol::Id(std::int64_t(2)), kCancelled);   // it is answered
  s.end.cancel(protocol::Id(std::int64_t(99)), kCancelled);  // of no request
  s.end.answer(open[2], Json("too late"));
  s.ask(1, "echo", {{"say", "last"}});
  CHECK(s.wire.said(3).error.code == ErrorCode::RequestCancelled);
  CHECK(s.wire.said(4).result == "last");
}

TEST_CASE("requests without an answer, and work without an end, are bounded") {
  Speaker s({.open_requests = 2, .unfinished_requests = 4});
  for (int id = 1; id <= 3; ++id) s.ask(id, "work");
  CHECK(s.wire.said(0).error.message == "too many requests are open");
  // Cancelled ones make room for others, until as many are still at work as may be.
  for (int id = 1; id <= 2; ++id) s.end.cancel(protocol::Id(std::int64_t(id)), kCancelled);
  for (int id = 11; id <= 12; ++id) s.ask(id, "work");
  CHECK(s.there([&] { return s.open.size(); }) == 4);
  for (int id = 11; id <= 12; ++id) s.end.cancel(protocol::Id(std::int64_t(id)), kCancelled);
  s.ask(21, "work");
  CHECK(s.wire.said(5).error.message == "too many requests are open");
  s.there([&] { return s.open.erase(1); });  // its work has ended
  s.ask(22, "work");
  CHECK(s.there([&] { return s.open.contains(22); }));
}

TEST_CASE("what we ask is answered once; the oldest is given up without an answer") {
  Speaker s({.asked = 2});
  std::vector<std::string> heard;
  auto hear = [&](const char* who) {
    return [&heard, who](const Json* result) {
      heard.push_back(std::string(who) + (result ? result->dump() : " nothing"));
    };
  };
  s.there([&] {
    s.end.ask("a", nullptr, hear("a"));
    s.end.ask("b", nullptr, hear("b"));
    s.end.ask("c", nullptr, hear("c"));
    return 0;
  });
  CHECK(s.there([&] { return heard; }) == std::vector<std::string>{"a nothing"});
  for (std::size_t i : {0u, 1u, 1u}) s.feed(protocol::result_text(s.wire.said(i).id, 5));
  s.feed(protocol::error_text(s.wire.said(2).id, kCancelled));
  CHECK(s.there([&] { return heard; }) == std::vector<std::string>{"a nothing", "b5", "c nothing"});
  CHECK(s.troubles == std::vector<std::string>{"refused: cancelled"});
}

TEST_CASE("progress begins with its first word, and ends only where it began") {
  Speaker s;
  endpoint::Progress silent(s.end, "t0", "Title");
  silent.end();
  endpoint::Progress progress(s.end, "t1", "Title");
  progress.say("", 0);
  progress.say("a.py", -1);
  progress.end();
  CHECK(s.wire.said(0).params ==
        Json::parse(
            R"({"token": "t1", "value": {"kind": "begin", "title": "Title", "cancellable": true, "percentage": 0}})"));
  CHECK(s.wire.said(1).params == Json::parse(R"({"token": "t1", "value": {"kind": "report", "message": "a.py"}})"));
  CHECK(s.wire.said(2).params == Json::parse(R"({"token": "t1", "value": {"kind": "end"}})"));
  CHECK(s.wire.count() == 3);
}

TEST_CASE("the end stops what is open, and gives the first status") {
  auto s = std::make_unique<Speaker>();
  s->ask(1, "work");
  auto open = s->there([&] { return s->open; });
  s->there([&] {
    s->end.end(3);
    s->end.end(4);
    return 0;
  });
  for (int i = 0; i < 2000 && !open[1]->stop.stop_requested(); ++i) std::this_thread::sleep_for(10ms);
  CHECK(open[1]->stop.stop_requested());
  open.clear();
  for (int i = 0; i < 2000 && s->status < 0; ++i) std::this_thread::sleep_for(10ms);
  CHECK(s->status == 3);
  CHECK(s->told_to_stop);
}
