#include "compiler/run/transfer.h"

#include <algorithm>

#include "compiler/run/parallel.h"

namespace tilewright::run {
namespace {

// Enough to keep the bus busy while the cores work on the other one.
constexpr std::int64_t kStage = std::int64_t{32} << 20;

}  // namespace

Transfer::~Transfer() {
  for (Stage& s : stages_) {
    if (s.done) driver_.destroy_event(s.done);
    if (s.memory && !s.unpinned) driver_.release_host(s.memory);
  }
}

cu::Result Transfer::prepare(std::int64_t bytes) {
  std::int64_t wanted = std::min(bytes, kStage);
  for (Stage& s : stages_) {
    if (!s.done)
      if (cu::Result r = driver_.create_event(&s.done, 0)) return r;
    if (wanted <= size_) continue;
    if (s.memory && !s.unpinned) driver_.release_host(s.memory);
    s.memory = nullptr;
    s.unpinned = nullptr;
    void* memory = nullptr;
    if (driver_.allocate_host(&memory, static_cast<std::size_t>(wanted)) != cu::kSuccess) {
      s.unpinned = std::make_unique<char[]>(static_cast<std::size_t>(wanted));
      memory = s.unpinned.get();
    }
    s.memory = static_cast<char*>(memory);
  }
  size_ = std::max(size_, wanted);
  return cu::kSuccess;
}

cu::Result Transfer::upload(cu::DevicePtr to, std::string_view from) {
  auto bytes = static_cast<std::int64_t>(from.size());
  if (cu::Result r = prepare(bytes)) return r;
  for (std::int64_t at = 0, turn = 0; at < bytes; at += size_, ++turn) {
    Stage& stage = stages_[turn % 2];
    if (turn >= 2)
      if (cu::Result r = driver_.wait_event(stage.done)) return r;
    std::int64_t n = std::min(size_, bytes - at);
    copy_bytes(stage.memory, from.data() + at, n);
    if (cu::Result r = driver_.start_upload(to + static_cast<cu::DevicePtr>(at), stage.memory,
                                            static_cast<std::size_t>(n), nullptr))
      return r;
    if (cu::Result r = driver_.record_event(stage.done, nullptr)) return r;
  }
  return driver_.synchronize();
}

cu::Result Transfer::download(cu::DevicePtr from, std::int64_t bytes, const Take& take) {
  if (cu::Result r = prepare(bytes)) return r;
  auto start = [&](std::int64_t at) {
    Stage& stage = stages_[at / size_ % 2];
    cu::Result r = driver_.start_download(stage.memory, from + static_cast<cu::DevicePtr>(at),
                                          static_cast<std::size_t>(std::min(size_, bytes - at)), nullptr);
    return r ? r : driver_.record_event(stage.done, nullptr);
  };
  if (bytes > 0)
    if (cu::Result r = start(0)) return r;
  for (std::int64_t at = 0; at < bytes; at += size_) {
    const Stage& stage = stages_[at / size_ % 2];
    if (cu::Result r = driver_.wait_event(stage.done)) return r;
    if (at + size_ < bytes)
      if (cu::Result r = start(at + size_)) return r;
    take(at, {stage.memory, static_cast<std::size_t>(std::min(size_, bytes - at))});
  }
  return cu::kSuccess;
}

}  // namespace tilewright::run
