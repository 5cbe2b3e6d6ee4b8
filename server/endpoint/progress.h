// How far something is, told to the other side under a token that it gave or was given ($/progress).
#pragma once
#include <atomic>
#include <string>
#include <string_view>

#include "server/endpoint/endpoint.h"

namespace tilewright::endpoint {

// Safe from any thread.
class Progress {
 public:
  Progress(Endpoint& endpoint, Json token, std::string title)
      : endpoint_(endpoint), token_(std::move(token)), title_(std::move(title)) {}

  // The first word begins it. An empty message and a negative `percent` are left out.
  void say(std::string_view message, int percent);
  // Says nothing where nothing was begun.
  void end();

 private:
  Endpoint& endpoint_;
  const Json token_;
  const std::string title_;
  std::atomic<bool> begun_{false};
};

}  // namespace tilewright::endpoint
