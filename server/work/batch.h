// Every entry of many scripts, run beside one another.
//
// A batch has no threads: the caller lets each of its own `work()`, which takes the next entry that is free until
// nothing is left. Scripts are opened only when their turn comes, each entry is compiled by the thread that runs it,
// and what is left of a run goes to the sink, so memory is that of as many runs as there are threads, however long the
// list.
//
// What goes wrong with a run costs that run: a script that cannot be read, a kernel that faults, an exception. The
// batch ends early when it is stopped, and when there is nothing left to run on; then it knows what was not run.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "server/work/run.h"
#include "server/work/runnables.h"
#include "server/work/slots.h"

namespace tilewright::work {

// A run that came to an end, well or not.
struct BatchRun {
  std::size_t file = 0, number = 0;  // which script of the list, and which of its entries
  std::string path{}, entry{};       // no entry: the script could not be looked at, or yields no kernel
  RunAnswer answer{};
  std::string where{};  // the slot; empty: nothing was executed
  int attempts = 0;     // more than one: slots lost it, as its notes say
  double seconds = 0;
};

class Batch {
 public:
  struct Asked {
    std::vector<std::string> files;
    std::set<std::string> named;  // files that were named: they have to have something to run
    RunRequest request;           // without entry and comment
    std::optional<text::Dialect> dialect;
    std::vector<std::string> entries{};  // these alone; empty: all
  };
  // Called by the threads that work, several at once.
  struct Sink {
    std::function<void(std::size_t file, const std::vector<std::string>& entries)> opened;  // whose runs come
    std::function<void(BatchRun run)> ran;
    std::function<void(const BatchRun& run)> began{};  // its place and names are known; may be missing
    std::function<void(std::size_t left)> left;        // so many, at least, are not done yet; before each run
  };
  // The pool, and what the request points to, outlive the batch. After `stop` runs are ended, and no others begin.
  Batch(Asked asked, SlotPool& pool, Sink sink, const std::stop_token& stop);

  void work();
  // As `stop` of the constructor.
  void stop() { stop_.request_stop(); }

  struct State {
    std::size_t files = 0, opened = 0;    // scripts
    std::size_t known = 0, done = 0;      // runs of the opened ones
    std::vector<std::string> running;     // their entries, in the order in which they began
    std::optional<std::string> stranded;  // why there is nothing left to run on
    std::size_t empty = 0;                // scripts that have nothing to run
  };
  State state() const;
  // When all work has ended: what was not run. Without an entry: the script was not opened.
  struct Left {
    std::size_t file = 0, number = 0;
    std::string path, entry;
  };
  std::vector<Left> left() const;

 private:
  struct Task {
    std::size_t file = 0, number = 0;
    std::shared_ptr<const project::LoadedFile> script;
    Runnable runnable;
    std::optional<BatchRun> known;  // there is nothing to run: this is the answer
  };
  std::optional<Task> take();
  void open(std::size_t file);
  void run(Task& task);

  Asked asked_;
  project::KnownConfigs configs_;
  SlotPool& pool_;
  Sink sink_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> outer_;

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable_any changed_;
  std::size_t next_file_ = 0, opening_ = 0;
  std::deque<Task> queue_;
  std::vector<Left> running_, ended_;
  State state_;
};

}  // namespace tilewright::work
