// How much shared memory an architecture has for a CTA.
#pragma once
#include <cstdint>

#include "compiler/ir/target.h"

namespace tilewright::ir {

// Bytes that a CTA may have when its launch asks for them, static and dynamic together ("Maximum amount of shared
// memory per thread block" in the table of compute capabilities of the CUDA programming guide).
inline std::int64_t shared_memory_limit(Target target) {
  const int number = target.number();
  const auto kilobytes = [&]() -> std::int64_t {
    if (number < 75) return 96;
    if (number < 80) return 64;
    if (number == 80 || number == 87) return 163;
    if (number < 90 || number >= 120) return 99;
    return 227;
  };
  return kilobytes() * 1024;
}

}  // namespace tilewright::ir
