// Sessions of the Model Context Protocol server in one process: whatever a client sends, each line that the server
// answers is a message, a result of a tool has at most a page, and the server ends with the connection.
//
// The first byte says whether the session begins with a proper `initialize`, and which revision that asks for. There is
// no folder that could be asked about, so scripts are examples of ours.
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>

#include "server/mcp/server.h"

using namespace tilewright;

namespace {

// A page, and what stands around a result in its message.
constexpr std::size_t kMostOfResult = 4096 + 512;

class Wire final : public transport::Connection {
 public:
  explicit Wire(std::string bytes) : bytes_(std::move(bytes)) {}
  void start(transport::Handler handler) override {
    for (std::size_t at = 0; at < bytes_.size(); at += 97) handler.received(std::string_view(bytes_).substr(at, 97));
    handler.closed();
  }
  void stop() override {}
  void drain(int) override {}
  bool watch_process(int, std::function<void()>) override { return true; }
  void send(std::string bytes) override {
    std::lock_guard lock(mutex_);
    reader_.feed(bytes);
    while (auto frame = reader_.next()) {
      if (frame->malformed) std::abort();
      const protocol::Message m = protocol::parse_message(frame->text);
      if (m.kind == protocol::Message::Kind::Invalid) std::abort();
      const bool of_tool =
          m.kind == protocol::Message::Kind::Response && m.result.is_object() && m.result.contains("content");
      if (of_tool && frame->text.size() > kMostOfResult) std::abort();
    }
  }

 private:
  std::string bytes_;
  std::mutex mutex_;
  protocol::FrameReader reader_{{.framing = protocol::Framing::Line}};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string bytes;
  if (data[0] & 1) {
    const char* revision = data[0] & 2 ? "2025-11-25" : "2024-11-05";
    bytes += protocol::framed(protocol::request_text(std::int64_t{1}, "initialize",
                                                     {{"protocolVersion", revision},
                                                      {"capabilities", {{"roots", protocol::Json::object()}}},
                                                      {"clientInfo", {{"name", "fuzz"}, {"version", "1"}}}}),
                              {}, protocol::Framing::Line);
    bytes += protocol::framed(protocol::notification_text("notifications/initialized", protocol::Json::object()), {},
                              protocol::Framing::Line);
  }
  bytes.append(reinterpret_cast<const char*>(data) + 1, size - 1);
  Wire wire(std::move(bytes));
  if (mcp::Server(wire, {.roots = {}, .asks_for_roots = true}).run() != 0) std::abort();
  return 0;
}
