// Sessions of the language server in one process: whatever a client sends, the server answers with messages, and it
// ends with the connection.
//
// The first byte says whether the session begins with a proper `initialize`, and how the rest is read: as bytes of the
// wire, or as one message a line, which are put into frames.
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

#include "server/lsp/server.h"

using namespace tilewright;

namespace {

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
      if (protocol::parse_message(frame->text).kind == protocol::Message::Kind::Invalid) std::abort();
    }
  }

 private:
  std::string bytes_;
  std::mutex mutex_;
  protocol::FrameReader reader_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string bytes;
  if (data[0] & 1) {
    bytes += protocol::framed(protocol::request_text(std::int64_t{1}, "initialize",
                                                     {{"processId", nullptr},
                                                      {"rootUri", nullptr},
                                                      {"capabilities", {{"window", {{"workDoneProgress", true}}}}},
                                                      {"initializationOptions", {{"diagnostics", "both"}}}}));
    bytes += protocol::framed(protocol::notification_text("initialized", protocol::Json::object()));
  }
  if (data[0] & 2) {
    bytes += rest;
  } else {
    while (!rest.empty()) {
      std::size_t end = std::min(rest.find('\n'), rest.size());
      bytes += protocol::framed(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  Wire wire(std::move(bytes));
  int status = lsp::Server(wire).run();
  if (status != 0 && status != 1) std::abort();
  return 0;
}
