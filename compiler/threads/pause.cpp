#include "compiler/threads/pause.h"

#include <condition_variable>
#include <mutex>

namespace tilewright::threads {

bool pause(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  return !never.wait_for(lock, stop, time, [&] { return stop.stop_requested(); });
}

}  // namespace tilewright::threads
