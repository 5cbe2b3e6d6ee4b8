#include "server/worker/compilations.h"

namespace tilewright::worker {

Compilations::Compilations(toolchain::Toolchain& tools, std::size_t at_once, std::size_t waiting)
    : tools_(tools), waiting_(waiting) {
  for (std::size_t i = 0; i < at_once; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) {
      std::unique_lock lock(mutex_);
      while (more_.wait(lock, stop, [&] { return !queue_.empty(); })) {
        std::function<void()> work = queue_.pop();
        lock.unlock();
        work();
        work = {};
        lock.lock();
      }
    });
}

bool Compilations::add(ClientId client, std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    if (queue_.of(client) >= waiting_) return false;
    queue_.push(client, std::move(work));
  }
  more_.notify_one();
  return true;
}

bool Compilations::compile(ClientId client, toolchain::Request request, std::function<void(Made)> then) {
  return add(client, [this, request = std::move(request), then = std::move(then)] { then(tools_.compile(request)); });
}

void Compilations::warm() {
  add(nullptr, [this] { tools_.warm(); });
}

}  // namespace tilewright::worker
