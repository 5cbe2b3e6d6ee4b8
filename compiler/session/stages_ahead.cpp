#include "compiler/session/stages_ahead.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "compiler/threads/patient_wait.h"

namespace tilewright::session {
namespace {

// Kernels that are worth a thread of their own together.
constexpr std::size_t kPerThread = 4;

constexpr std::chrono::milliseconds kLookAgain{20};

}  // namespace

StagesAhead::StagesAhead(Stage stage, const text::Context& context) : stage_(stage), context_(context) {
  context_.diagnostics = nullptr;
}

StagesAhead::~StagesAhead() {
  std::lock_guard lock(mutex_);
  next_ = kernels_.size();
  closed_ = true;
  more_.notify_all();
}

void StagesAhead::add(const std::shared_ptr<KernelEntry>& kernel) {
  if (kernel->stages.has(stage_) || !known_.insert(kernel.get()).second) return;
  std::size_t known;
  {
    std::lock_guard lock(mutex_);
    kernels_.push_back(kernel);
    known = kernels_.size();
  }
  more_.notify_one();
  static const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  // The first kernels wait for company: most edits make one again, which is done sooner than a thread begins.
  if (others_.size() + 1 >= cores || known < kPerThread * (others_.size() + 1)) return;
  others_.push_back(std::make_unique<threads::LargeThreads>(1, [this] { work(true); }));
}

void StagesAhead::finish() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  more_.notify_all();
  if (!others_.empty()) work(false);
  others_.clear();
}

std::shared_ptr<KernelEntry> StagesAhead::next(bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) threads::wait_patiently(more_, lock, kLookAgain, [this] { return closed_ || next_ < kernels_.size(); });
  return next_ < kernels_.size() ? kernels_[next_++] : nullptr;
}

void StagesAhead::work(bool wait) {
  while (std::shared_ptr<KernelEntry> kernel = next(wait)) {
    if (context_.stop.stop_requested()) return;
    try {
      kernel->stages.up_to(stage_, kernel->kernel, kernel->failed, context_);
    } catch (...) {
      return;  // what asks for this kernel meets it again
    }
  }
}

}  // namespace tilewright::session
