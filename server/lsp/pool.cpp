#include "server/lsp/pool.h"

namespace tilewright::lsp {

Pool::Pool(unsigned threads) {
  for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

Pool::~Pool() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    for (auto& jobs : jobs_) jobs.clear();
  }
  wake_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Pool::run(std::function<void()> job, Urgency urgency) {
  {
    std::lock_guard lock(mutex_);
    if (ending_) return;
    jobs_[static_cast<int>(urgency)].push_back(std::move(job));
  }
  wake_.notify_one();
}

void Pool::work() {
  for (;;) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return ending_ || !jobs_[0].empty() || !jobs_[1].empty(); });
      if (ending_) return;
      auto& jobs = jobs_[jobs_[0].empty() ? 1 : 0];
      job = std::move(jobs.front());
      jobs.pop_front();
    }
    job();
  }
}

}  // namespace tilewright::lsp
