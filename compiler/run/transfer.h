// Large copies between the host and the device, at the speed of the bus.
//
// The bus takes memory only where it is pinned, and pinning a tensor costs as much as copying it. Two pinned buffers
// are made once instead: while the bus empties or fills the one, all cores fill or read the other.
#pragma once
#include <functional>
#include <memory>

#include "compiler/run/driver.h"

namespace tilewright::run {

class Transfer {
 public:
  explicit Transfer(const Driver& driver) : driver_(driver) {}
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // Both return the driver's first refusal, or success when everything has arrived.
  cu::Result upload(cu::DevicePtr to, std::string_view from);
  // Gives what lies at `from` to `take` piece by piece, in order.
  using Take = std::function<void(std::int64_t at, std::string_view piece)>;
  cu::Result download(cu::DevicePtr from, std::int64_t bytes, const Take& take);

 private:
  struct Stage {
    char* memory = nullptr;
    std::unique_ptr<char[]> unpinned{};  // where the system pins no more memory
    cu::Event done = nullptr;
  };
  cu::Result prepare(std::int64_t bytes);

  const Driver& driver_;
  Stage stages_[2];
  std::int64_t size_ = 0;  // of a stage
};

}  // namespace tilewright::run
