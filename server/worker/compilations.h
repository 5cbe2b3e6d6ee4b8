// Compilations for clients, so many at once and so many that wait.
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "compiler/toolchain/toolchain.h"

namespace tilewright::worker {

class Compilations {
 public:
  using Made = std::expected<toolchain::Artifacts, toolchain::Error>;

  Compilations(toolchain::Toolchain& tools, std::size_t at_once, std::size_t waiting);

  // Calls `then` on another thread; once the request is stopped, soon. False: too many wait.
  bool compile(toolchain::Request request, std::function<void(Made)> then);
  // Starts NVIDIA's compiler, beside whatever else happens.
  void warm();

 private:
  bool add(std::function<void()> work);

  toolchain::Toolchain& tools_;
  const std::size_t waiting_;
  std::mutex mutex_;
  std::condition_variable_any more_;
  std::deque<std::function<void()>> queue_;
  std::vector<std::jthread> threads_;
};

}  // namespace tilewright::worker
