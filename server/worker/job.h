// A job from its opening to its answer: what a client has sent of it, and what came of it.
//
// Its bytes come in order, piece by piece, into memory that the process which runs it is given as it is.
#pragma once
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "compiler/run/job.h"
#include "protocol/worker.h"
#include "server/worker/fair_queue.h"

namespace tilewright::worker {

// Bytes or open files that all jobs together may hold. Beside others a client takes at most half of what those leave,
// alone seven eighths of all, so that the next client finds something; its first piece is what fits.
class Budget {
 public:
  // What one client holds. It lives as long as anything of it is held.
  class Share {
   public:
    explicit Share(std::shared_ptr<Budget> budget);
    ~Share();
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    bool take(std::int64_t amount);
    void give(std::int64_t amount);
    const Budget& all() const { return *budget_; }

   private:
    friend class Budget;
    const std::shared_ptr<Budget> budget_;
    std::int64_t held_ = 0;  // the budget's mutex guards it
  };

  explicit Budget(std::int64_t most) : most_(most) {}
  // Of no client's share.
  bool take(std::int64_t amount);
  void give(std::int64_t amount);
  std::int64_t held() const;
  std::int64_t most() const { return most_; }

 private:
  const std::int64_t most_;
  mutable std::mutex mutex_;
  std::int64_t held_ = 0;
  int shares_ = 0;
};

// The shares of one client.
struct Shares {
  std::shared_ptr<Budget::Share> bytes, files;
};

// How a job ended, as its client is told; contents are in the outcome.
struct Ending {
  run::Outcome outcome;
  std::vector<protocol::worker::Finding> findings;
};

class Job {
 public:
  // Refused: the error says which limit it is over, or what is wrong with it. `busy` where it would fit later.
  static std::expected<std::shared_ptr<Job>, protocol::Error> open(const protocol::worker::JobOpenParams& params,
                                                                   const protocol::worker::Limits& limits, bool gpu,
                                                                   const Shares& shares);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  // The next piece of a cubin or of a buffer. What does not follow on what came before spoils the job.
  void add(const protocol::worker::JobDataParams& where, std::string_view piece);
  // What is wrong with what came, or what is missing; empty: all is there.
  std::string lacks() const;
  void spoil(std::string why);

  const std::string key;
  const int attempt;
  const std::optional<protocol::worker::Script> script;
  const std::chrono::milliseconds deadline;  // of its kernels
  run::Job order;
  std::stop_source stop;
  // Of a simulated launch, told by the process that runs it: clusters that have ended, and all.
  run::Contents clusters = run::Contents::of_size(2 * sizeof(std::uint64_t));

  // When something of it came last; of the session's thread.
  std::chrono::steady_clock::time_point touched = std::chrono::steady_clock::now();

  // Was it told that it runs? A short job ends before its client would hear of it.
  bool told_running = false;

  // Set before it is submitted; `ended` is called once, by what runs it.
  ClientId client = nullptr;
  std::function<void(const protocol::worker::JobProgress&)> progress;
  std::function<void(Ending)> ended;

 private:
  Job(const protocol::worker::JobOpenParams& params, run::Job order, std::chrono::milliseconds deadline,
      std::int64_t bytes, std::int64_t files, Shares shares);

  std::vector<std::int64_t> cubin_bytes_;
  std::vector<std::int64_t> received_;  // of each cubin, then of each buffer
  std::string spoilt_;
  std::int64_t bytes_ = 0, files_ = 0;
  Shares shares_;
};

}  // namespace tilewright::worker
