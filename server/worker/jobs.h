// Who runs jobs: a queue, and slots that take the next one from it, one at a time each. Clients take turns: one with a
// thousand jobs keeps no client waiting longer than one with two.
//
// A slot is one GPU, with a process that holds its context and is ready for the next job (gpu_executor.h), or one
// process of the simulator, a fresh one for each job, started before it is needed.
#pragma once
#include <condition_variable>
#include <mutex>
#include <thread>

#include "server/worker/job.h"
#include "server/worker/options.h"

namespace tilewright::worker {

class Jobs {
 public:
  explicit Jobs(const Options& options);
  ~Jobs();  // ends what runs
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // Starts the processes that will be needed. What each GPU is; the error says which cannot be used.
  std::expected<std::vector<run::DeviceInfo>, std::string> prepare();
  // False: the client has as many jobs in the queue as it may.
  bool submit(const std::shared_ptr<Job>& job);
  // Its client does not wait any more: it ends soon, and at once where it has not begun.
  void withdraw(const std::shared_ptr<Job>& job);

  struct Counts {
    int running = 0, queued = 0;
    std::int64_t done = 0, failed = 0;
  };
  Counts counts() const;

 private:
  class Slot;
  void serve(Slot& slot);
  void serve_all(Slot& slot, const std::stop_token& stop);
  void tell_queue();    // the lock is held
  void tell_running();  // now and then

  const Options& options_;
  Budget simulators_;  // memory of all simulators beside the arrays
  mutable std::mutex mutex_;
  std::condition_variable_any more_;
  FairQueue<std::shared_ptr<Job>> queue_;
  std::vector<std::shared_ptr<Job>> running_;
  Counts counts_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::vector<std::jthread> threads_;
  std::jthread teller_;
};

}  // namespace tilewright::worker
