// What the sessions of one worker share: who runs their jobs, who compiles, which attempts are known, what it all is.
#pragma once
#include <chrono>
#include <list>
#include <map>
#include <mutex>

#include "compiler/toolchain/toolchain.h"
#include "server/worker/compilations.h"
#include "server/worker/jobs.h"

namespace tilewright::worker {

// The latest attempt of each job, from any client: a client that lost its connection comes again by another one, and of
// what it asked for twice only the last may end.
class Attempts {
 public:
  // False: a later one is known, or this very one. An earlier one that still runs is told to stop.
  bool enter(const std::shared_ptr<Job>& job);
  bool is_latest(const Job& job) const;

 private:
  struct Known {
    int attempt = 0;
    std::weak_ptr<Job> job;
    std::list<std::string>::iterator age;
  };
  mutable std::mutex mutex_;
  std::map<std::string, Known, std::less<>> known_;
  std::list<std::string> ages_;  // the oldest first; the oldest are forgotten
};

class Worker {
 public:
  explicit Worker(Options options);

  // Starts what jobs will need. The error says which device cannot be used.
  std::expected<void, std::string> prepare();
  const protocol::worker::InitializeResult& self() const { return self_; }
  protocol::worker::StatusResult status() const;
  // A line on standard error, with the time; never of what a client keeps secret.
  static void log(const std::string& line);

  const Options options;
  const std::shared_ptr<Budget> budget, files;  // bytes, and open files
  Attempts attempts;
  toolchain::Toolchain tools;
  Compilations compilations;
  Jobs jobs;

 private:
  protocol::worker::InitializeResult self_;
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace tilewright::worker
