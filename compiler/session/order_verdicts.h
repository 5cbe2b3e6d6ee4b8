// Whether what a document makes depends on an order that Python draws for a set, as found out last. To find out takes
// several evaluations, so that while one types it is taken that still nothing does, until the document rests.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace tilewright::session {

class OrderVerdicts {
 public:
  // None: not found out yet.
  std::optional<bool> find(const std::string& target) const {
    std::lock_guard lock(mutex_);
    const auto found = verdicts_.find(target);
    return found == verdicts_.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(const std::string& target, bool order_matters) {
    std::lock_guard lock(mutex_);
    verdicts_[target] = order_matters;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, bool> verdicts_;  // by architecture
};

}  // namespace tilewright::session
