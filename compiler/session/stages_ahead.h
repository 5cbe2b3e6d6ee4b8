// Kernels go through their stages while the script's next ones are still being evaluated.
//
// An edit of a helper makes many kernels again. Once a kernel is evaluated it has nothing to do with the others, so
// another core takes it from there, and a reader of the results finds them, in whatever order they were made.
#pragma once
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "compiler/session/kernel_cache.h"
#include "compiler/session/stages.h"
#include "compiler/text/context.h"
#include "compiler/threads/large_threads.h"

namespace tilewright::session {

class StagesAhead {
 public:
  // Up to `stage`. Nothing is reported: each kernel's stages keep what they have to say.
  StagesAhead(Stage stage, const text::Context& context);
  ~StagesAhead();  // what runs is waited for; what has not begun is left
  StagesAhead(const StagesAhead&) = delete;
  StagesAhead& operator=(const StagesAhead&) = delete;

  // A kernel that is final. Does nothing where its stages have run, or where it was added before. Called by one thread.
  void add(const std::shared_ptr<KernelEntry>& kernel);
  // Takes part in what is left, and returns when all are done, or a stop was requested.
  void finish();

 private:
  // `wait`: for kernels that may yet come.
  void work(bool wait);
  std::shared_ptr<KernelEntry> next(bool wait);  // null: there is none, and with `wait` none will come

  const Stage stage_;
  text::Context context_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<std::shared_ptr<KernelEntry>> kernels_;
  std::unordered_set<const KernelEntry*> known_;  // those in `kernels_`
  std::size_t next_ = 0;
  bool closed_ = false;  // no more will come
  std::vector<std::unique_ptr<threads::LargeThreads>> others_;
};

}  // namespace tilewright::session
