// Who may take memory for tensors now: runs beside one another wait for those that are about to end, where all together
// would not fit. A run that is alone may take what it needs; whether that is too much is for others to say.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>

namespace tilewright::work {

// Safe from any thread. Outlives what it gives.
class MemoryGate {
 public:
  explicit MemoryGate(std::int64_t limit) : limit_(limit) {}
  // Waits until `bytes` fit, and keeps them taken while the result lives. Stopped: at once. A run asks once, so none
  // waits for one that waits.
  std::shared_ptr<void> enter(std::int64_t bytes, const std::stop_token& stop);

 private:
  std::int64_t limit_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::int64_t taken_ = 0;
  int inside_ = 0;
};

}  // namespace tilewright::work
