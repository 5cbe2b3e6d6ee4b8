#include "server/lsp/pool.h"

#include <algorithm>
#include <chrono>
#include <new>
#include <stdexcept>

#include "compiler/run/patient_wait.h"

namespace tilewright::lsp {

namespace {
constexpr std::size_t kStackBytes = 64u << 20;  // of addresses; memory comes as it is touched
constexpr std::chrono::seconds kLookAgain{1};
}  // namespace

Pool::Pool(unsigned threads) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  for (unsigned i = 0; i < threads; ++i) {
    pthread_t thread;
    auto body = [](void* self) -> void* {
      static_cast<Pool*>(self)->work();
      return nullptr;
    };
    if (pthread_create(&thread, &attributes, body, this) == 0) threads_.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
  if (threads_.empty()) throw std::runtime_error("no thread could be started");
}

Pool::~Pool() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
    for (auto& jobs : jobs_) jobs.clear();
  }
  wake_.notify_all();
  for (pthread_t t : threads_) pthread_join(t, nullptr);
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
      run::wait_patiently(wake_, lock, kLookAgain, [&] { return ending_ || std::ranges::any_of(jobs_, waiting); });
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

}  // namespace tilewright::lsp
