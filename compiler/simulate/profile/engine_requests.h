// What operations beside the threads ask of shared memory: tensor and bulk copies, operands of tensor cores.
//
// Shared memory has 32 banks of 4 bytes, each of which serves 4 bytes a cycle (CUDA C++ Programming Guide, shared
// memory). The engines move units of 16 bytes: a swizzle permutes these, and a core matrix of wgmma and tcgen05 is 8
// rows of one (PTX ISA, "swizzling modes", "canonical layouts"). So an operation needs at least as many wavefronts as
// the busiest group of four banks has units. In which order an engine takes the units is not published: the number is
// a bound that its addresses set, modelled, and no counter of Nsight Compute has it beside (its wavefronts of shared
// memory are those of the LSU, that is of threads).
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "compiler/simulate/profile/record.h"

namespace tilewright::simulate {

class EngineRequest {
 public:
  static constexpr std::uint64_t kUnit = 16, kGroups = 8;

  // The operation it is of, the place that issued it, by its number in the kernel's code, and the CTA whose memory it
  // is.
  struct Of {
    std::uint32_t operation = 0, place = 0, rank = 0;
    friend bool operator==(const Of&, const Of&) = default;
  } of;

  // Bytes at this address of the shared window. False: they are no whole units, and nothing is added.
  bool add(std::uint64_t at, std::uint64_t bytes) {
    if (at % kUnit != 0 || bytes % kUnit != 0) return false;
    const std::uint64_t first = at / kUnit, count = bytes / kUnit;
    units_ += count;
    for (std::uint64_t group = 0; group < kGroups; ++group)
      busy_[(first + group) % kGroups] += count / kGroups + (group < count % kGroups);
    return true;
  }

  std::uint64_t bytes() const { return units_ * kUnit; }
  // A single unit says nothing: lanes that write elsewhere one by one (st.async) are served together or not.
  bool is_figured() const { return units_ > 1; }
  Traffic traffic() const {
    const std::uint64_t busiest = std::ranges::max(busy_);
    return {
        .requests = 1, .units = busiest, .ideal = (units_ + kGroups - 1) / kGroups, .bytes = bytes(), .worst = busiest};
  }

 private:
  std::array<std::uint64_t, kGroups> busy_{};  // units by group of four banks
  std::uint64_t units_ = 0;
};

}  // namespace tilewright::simulate
