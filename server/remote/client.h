// One connection to a worker, from its greeting to its end, shared by as many runs as the worker has slots.
//
// A thread of its own handles what comes; the caller waits for its answer. A worker that says nothing for too long
// although it was asked (Patience::silence) is lost, like one whose connection ended, or who says what the protocol
// does not allow: then every call ends at once with the reason.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <stop_token>
#include <string>
#include <thread>

#include "compiler/run/job.h"
#include "protocol/worker.h"
#include "server/endpoint/endpoint.h"
#include "server/remote/patience.h"
#include "server/transport/transport.h"

namespace tilewright::remote {

struct CallError {
  enum class Kind : std::uint8_t {
    Lost,        // the connection ended; another try may use another one
    Busy,        // the worker has no room now; it may have later
    Superseded,  // a later attempt of the same job is known there
    Refused,     // it will not do it
    Stopped,     // the caller cancelled it
    GivenUp,     // no answer within the time
  } kind = Kind::Lost;
  std::string message;
};
template <class T>
using Called = std::expected<T, CallError>;

class Client final : private endpoint::Handler {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // Greets the worker. The error says why there is no worker, or none that fits.
  static Called<std::shared_ptr<Client>> open(std::unique_ptr<transport::Connection> connection,
                                              const std::string& token, const Patience& patience,
                                              const std::stop_token& stop);
  ~Client() override;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  const protocol::worker::InitializeResult& worker() const { return worker_; }
  const Patience& patience() const { return patience_; }
  // Seconds for a message there and back.
  Called<double> ping(const std::stop_token& stop);
  Called<protocol::worker::StatusResult> status(const std::stop_token& stop);

  struct Compiled {
    protocol::worker::CompileResult result;
    std::string bytes;  // PTX, cubin and SASS one after the other
  };
  Called<Compiled> compile(const protocol::worker::CompileParams& params, const std::stop_token& stop);

  // Sends the job with its bytes, waits until `end`, and has what buffers held afterwards in `results`, as run/job.h
  // has them.
  using Progress = std::function<void(const protocol::worker::JobProgress&)>;
  struct Ran {
    protocol::worker::JobResult result;
    std::vector<std::size_t> received;  // bytes of each of the results
    std::vector<std::string> marks;     // one each of the job's launches with marks
  };
  Called<Ran> run(const protocol::worker::JobOpenParams& open, const run::Job& job,
                  std::span<const run::Contents> results, const Progress& progress, Time end,
                  const std::stop_token& stop);

  bool is_lost() const { return lost_; }
  // Takes turns with the worker, a message there and one back, where a way is slow with two in a row.
  void take_turns() { in_turns_ = true; }

 private:
  using Json = protocol::Json;
  struct Reply {
    Json result;
    std::string payload;
  };
  // One answer that a caller waits for.
  struct Waiting {
    std::string id;
    bool done = false;
    Called<Reply> reply = std::unexpected(CallError{});
  };
  struct Sink {
    int attempt = 0;
    std::span<const run::Contents> results;
    const Progress* progress = nullptr;
    std::vector<std::size_t> received{};  // bytes of each result
    std::vector<std::string> marks{};     // of each launch with marks
    std::string spoilt{};                 // what was wrong with one of its pieces
  };
  // When an answer has to be there. What is late is cancelled, or, of small things, ends the connection.
  struct Until {
    Time time;
    bool cancels = true;
  };

  Client(std::unique_ptr<transport::Connection> connection, const Patience& patience);

  void request(protocol::Message& message) override;
  void notification(protocol::Message& message) override;
  void closed() override;
  void ending() override {}
  void dropped(const std::string& why) override;
  void refused(const std::string&) override {}
  void malformed(const std::string& why) override;

  Called<Reply> call(const char* method, Json params, const Until& until, const std::stop_token& stop);
  Until soon() const;
  // On the endpoint's thread.
  void ask(const std::shared_ptr<Waiting>& waiting, const char* method, const Json& params);
  Called<Reply> wait(const std::shared_ptr<Waiting>& waiting, const Until& until, const std::stop_token& stop);
  Called<Reply> send_and_run(const protocol::worker::JobOpenParams& open, const run::Job& job, const Until& until,
                             const std::stop_token& stop);
  static void take(Sink& sink, const protocol::worker::JobDataParams& where, std::string_view piece);
  static void take_marks(Sink& sink, const protocol::worker::JobDataParams& where, std::string_view piece);
  void lose(const std::string& why);
  CallError lost_error();

  std::unique_ptr<transport::Connection> connection_;
  const Patience patience_;
  endpoint::Endpoint endpoint_;
  protocol::worker::InitializeResult worker_;
  std::atomic<bool> lost_{false}, in_turns_{false};
  std::atomic<std::chrono::steady_clock::rep> heard_;  // when anything came last

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string why_lost_;
  std::map<std::string, Sink> sinks_;  // by job
  std::thread thread_;
};

}  // namespace tilewright::remote
