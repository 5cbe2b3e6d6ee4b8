// Tasks as a client sees them: begun, on their way, finished. Safe from any thread.
#pragma once
#include <atomic>
#include <string>

#include "protocol/bsp.h"
#include "server/endpoint/endpoint.h"

namespace tilewright::bsp {

// Finished when it is destroyed, as cancelled where it was not finished before.
class Task {
 public:
  // A task of a request, or (with `parent`) a part of another one. `kind` and `data` as taskStart has them.
  Task(endpoint::Endpoint& endpoint, std::string origin, const std::string& message, const std::string& kind,
       const protocol::Json& data, const Task* parent = nullptr);
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  const protocol::bsp::TaskId& id() const { return id_; }
  void progress(const std::string& message, std::int64_t done, std::int64_t total, const std::string& unit);
  void finish(protocol::bsp::Status status, const std::string& message, const std::string& kind,
              const protocol::Json& data);
  std::int64_t milliseconds() const;  // since it began

 private:
  protocol::bsp::Task message(const std::string& text) const;

  endpoint::Endpoint& endpoint_;
  const std::string origin_;
  protocol::bsp::TaskId id_;
  const std::int64_t begun_;
  std::atomic<bool> finished_{false};
};

}  // namespace tilewright::bsp
