// Sessions of a worker in one process: whatever a client sends, the worker answers with messages, keeps no memory of it
// and ends with the connection. Nothing is executed: there are no slots, so jobs that are accepted wait.
//
// The first byte says whether the session begins with a proper `initialize`, what the worker executes, and how the rest
// is read: as bytes of the wire, or as one message a line with its payload behind a `|`.
#include <cstdlib>

#include "server/worker/session.h"

using namespace tilewright;

namespace {

class Wire final : public transport::Connection {
 public:
  explicit Wire(std::string bytes) : bytes_(std::move(bytes)) {}
  void start(transport::Handler handler) override {
    for (std::size_t at = 0; at < bytes_.size(); at += 997) handler.received(std::string_view(bytes_).substr(at, 997));
    handler.closed();
  }
  void stop() override {}
  void drain(int) override {}
  bool watch_process(int, std::function<void()>) override { return true; }
  void send(std::string bytes) override {
    std::lock_guard lock(mutex_);
    reader_.feed(bytes);
    while (auto frame = reader_.next())
      if (frame->malformed || protocol::parse_message(frame->text).kind == protocol::Message::Kind::Invalid)
        std::abort();
  }

 private:
  std::string bytes_;
  std::mutex mutex_;
  protocol::FrameReader reader_;
};

worker::Worker& shared(bool gpu) {
  auto make = [](worker::Executes executes) {
    worker::Options options;
    options.executes = executes;
    options.compiles = false;
    options.limits = {.job_seconds = 1,
                      .host_bytes = 4 << 20,
                      .device_bytes = 4 << 20,
                      .output_bytes = 4 << 20,
                      .message_bytes = 1 << 20,
                      .queued_jobs = 4};
    options.held_bytes = 8 << 20;
    auto* made = new worker::Worker(std::move(options));
    if (!made->prepare()) std::abort();
    return made;
  };
  static worker::Worker *simulator = make(worker::Executes::Simulator), *device = make(worker::Executes::Gpu);
  return gpu ? *device : *simulator;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string bytes;
  if (data[0] & 1) bytes += protocol::framed(protocol::request_text(std::int64_t{0}, "initialize", {{"protocol", 1}}));
  if (data[0] & 2) {
    bytes += rest;
  } else {
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      const std::string_view line = rest.substr(0, end);
      const std::size_t bar = std::min(line.find('|'), line.size());
      bytes += protocol::framed(line.substr(0, bar), line.substr(std::min(bar + 1, line.size())));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  worker::Worker& worker = shared(data[0] & 4);
  Wire wire(std::move(bytes));
  worker::WorkerSession(wire, worker).run();
  if (worker.budget->held() != 0 || worker.jobs.counts().queued != 0) std::abort();
  return 0;
}
