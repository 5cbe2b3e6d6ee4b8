#include "server/ide/pool.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>

#include "compiler/threads/patient_wait.h"

namespace tilewright::ide {

namespace {
constexpr std::chrono::seconds kLookAgain{1};
}  // namespace

Pool::Pool(unsigned count) {
  threads_.emplace(count, [this] { work(); });
  if (threads_->none()) throw std::runtime_error("no thread could be started");
}

Pool::~Pool() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    for (auto& jobs : jobs_) jobs.clear();
  }
  wake_.notify_all();
  threads_.reset();
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
      auto waiting = [](const auto& jobs) { return !jobs.empty(); };
      threads::wait_patiently(wake_, lock, kLookAgain, [&] { return ending_ || std::ranges::any_of(jobs_, waiting); });
      if (ending_) return;
      auto& jobs = *std::ranges::find_if(jobs_, waiting);
      job = std::move(jobs.front());
      jobs.pop_front();
    }
    try {
      job();
    } catch (const std::bad_alloc&) {  // not even for the words that say so
    }
  }
}

}  // namespace tilewright::ide
