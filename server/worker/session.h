// One client of a worker, from its first message to its last.
//
// Three kinds of threads: the endpoint's, which handles messages in order; those of slots and compilations, which end
// jobs; and one of the session's own, which sends what ended jobs left, so that a client who reads slowly keeps no GPU
// waiting. A client that is gone takes its jobs along.
#pragma once
#include <map>
#include <set>
#include <thread>

#include "server/endpoint/clients.h"
#include "server/endpoint/endpoint.h"
#include "server/worker/worker.h"

namespace tilewright::worker {

class WorkerSession final : public endpoint::Handler, public endpoint::Served {
 public:
  // A client that the listener's door has admitted, or that started this process.
  WorkerSession(transport::Connection& connection, Worker& worker);
  ~WorkerSession() override;

  // Serves until the client has gone; the exit status.
  int run() override;
  // Ends it, from any thread.
  void end() override {
    endpoint_.post([this] { endpoint_.end(0); });
  }

 private:
  using Message = protocol::Message;
  using Json = protocol::Json;
  using Error = protocol::Error;

  void request(Message& message) override;
  void notification(Message& message) override;
  void closed() override { endpoint_.end(0); }
  void ending() override;
  void dropped(const std::string& why) override;
  void refused(const std::string&) override {}

  std::expected<Json, Error> initialize(const Json& params);
  std::expected<Json, Error> open(const Json& params);
  void run_job(const Message& message);
  void compile(const Message& message);
  void data(const Json& params, std::string_view payload);
  void close_job(const std::string& key);
  void give_up_stalled();
  std::shared_ptr<Job> job_of(const Json& params) const;

  void deliver(const std::shared_ptr<endpoint::Open>& open, const std::shared_ptr<Job>& job, Ending ending);
  bool send_contents(const Job& job, const run::Outcome& outcome);
  bool send_pieces(const Job& job, const char* what, std::size_t index, std::string_view bytes,
                   const std::shared_ptr<const void>& owner);
  // Something will call back from another thread, and has: the session does not end between the two.
  void expect_call();
  void called();
  // Work for the session's own thread, in order.
  void later(std::function<void()> work);

  transport::Connection& connection_;
  Worker& worker_;
  endpoint::Endpoint endpoint_;
  bool initialized_ = false;
  std::jthread impatient_;          // ends a client that does not say who it is; then gives up what stalls
  std::set<std::string> given_up_;  // jobs whose client was not told yet
  Shares shares_;                   // once it is initialized
  std::map<std::string, std::shared_ptr<Job>> open_;  // of the endpoint's thread

  std::mutex mutex_;
  std::condition_variable_any more_;
  std::deque<std::function<void()>> deliveries_;
  std::size_t unfinished_ = 0;  // jobs and compilations that will still call back
  std::condition_variable quiet_;
  std::jthread sender_;
};

}  // namespace tilewright::worker
