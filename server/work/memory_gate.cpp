#include "server/work/memory_gate.h"

namespace tilewright::work {

std::shared_ptr<void> MemoryGate::enter(std::int64_t bytes, const std::stop_token& stop) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] { return inside_ == 0 || taken_ + bytes <= limit_; });
    taken_ += bytes;
    ++inside_;
  }
  // A pointer to nothing but the gate, whose end gives the bytes back.
  return {this, [bytes](void* gate) {
            auto* self = static_cast<MemoryGate*>(gate);
            std::lock_guard lock(self->mutex_);
            self->taken_ -= bytes;
            --self->inside_;
            self->changed_.notify_all();
          }};
}

}  // namespace tilewright::work
