// Compilations for clients, so many at once and of each client so many that wait. Clients take turns.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "compiler/toolchain/toolchain.h"
#include "server/worker/fair_queue.h"

namespace tilewright::worker {

class Compilations {
 public:
  using Made = std::expected<toolchain::Artifacts, toolchain::Error>;

  Compilations(toolchain::Toolchain& tools, std::size_t at_once, std::size_t waiting);

  // Calls `then` on another thread; once the request is stopped, soon. False: too many of this client's wait.
  bool compile(ClientId client, toolchain::Request request, std::function<void(Made)> then);
  // Starts NVIDIA's compiler, beside whatever else happens.
  void warm();

 private:
  bool add(ClientId client, std::function<void()> work);

  toolchain::Toolchain& tools_;
  const std::size_t waiting_;
  std::mutex mutex_;
  std::condition_variable_any more_;
  FairQueue<std::function<void()>> queue_;
  std::vector<std::jthread> threads_;
};

}  // namespace tilewright::worker
