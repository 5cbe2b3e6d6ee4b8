// A client of a worker that answers with anything: every call ends, with an answer or an error, and nothing is written
// beside what the job's results may take. The input is cut at bytes 0xFF: its pieces come after the client's messages,
// the rest of them once the client has asked for its job to be run, and then the connection ends.
#include <cstdlib>

#include "compiler/run/job_json.h"
#include "server/remote/client.h"

using namespace tilewright;

namespace {

class Wire final : public transport::Connection {
 public:
  // `greeted`: the first piece is a proper answer to the first message.
  Wire(std::string_view bytes, bool greeted) : bytes_(bytes), in_turn_(greeted ? 3 : 0) {}
  void start(transport::Handler handler) override {
    std::lock_guard lock(mutex_);
    handler_ = std::move(handler);
  }
  void stop() override {
    std::lock_guard lock(mutex_);
    handler_ = {};
  }
  void drain(int) override {}
  bool watch_process(int, std::function<void()>) override { return true; }
  void send(std::string) override {
    std::lock_guard lock(mutex_);
    if (!handler_.received) return;
    if (in_turn_-- > 0) return deliver();
    while (!bytes_.empty()) deliver();
    if (!std::exchange(closed_, true)) handler_.closed();
  }

 private:
  void deliver() {
    const std::size_t end = std::min(bytes_.find('\xFF'), bytes_.size());
    std::string piece(bytes_.substr(0, end));
    bytes_.remove_prefix(std::min(end + 1, bytes_.size()));
    // One message a line, with its payload behind a bar, as people would write it; or the wire's own bytes.
    if (piece.starts_with("{")) {
      const std::size_t bar = std::min(piece.find('|'), piece.size());
      piece = protocol::framed(std::string_view(piece).substr(0, bar),
                               std::string_view(piece).substr(std::min(bar + 1, piece.size())));
    }
    handler_.received(piece);
  }

  std::mutex mutex_;
  std::string_view bytes_;
  transport::Handler handler_;
  int in_turn_ = 0;  // messages that get a piece each
  bool closed_ = false;
};

constexpr std::string_view kHello =
    R"({"jsonrpc":"2.0","id":"tilewright-1","result":{"protocol":1,"version":"0","executes":"gpu","slots":1}})";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  std::string bytes;
  if (data[0] & 1) bytes = std::string(kHello) + '\xFF';
  bytes.append(reinterpret_cast<const char*>(data) + 1, size - 1);
  auto client =
      remote::Client::open(std::make_unique<Wire>(bytes, data[0] & 1), {}, {.greeting = std::chrono::seconds(5)}, {});
  if (!client) return 0;
  run::Job job;
  job.buffers.push_back({"A", 64, run::Role::InOut, run::Contents::of_size(64)});
  job.launches.resize(1);
  protocol::worker::JobOpenParams open;
  open.key = "k";
  const std::vector<run::Contents> results(run::kResultsPerBuffer, run::Contents::of_size(64));
  const auto end = remote::Client::Time::clock::now() + std::chrono::seconds(5);
  if (auto answer = (*client)->run(open, job, results, {}, end, {})) [[maybe_unused]]
    auto outcome = run::outcome_of(text::Json(answer->result.outcome), job, results);
  [[maybe_unused]] auto made = (*client)->compile({}, {});
  return 0;
}
