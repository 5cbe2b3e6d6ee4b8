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
    if (number == 107) return 327;  // as published kernels for it have it: the guide does not list it yet
    return 227;
  };
  return kilobytes() * 1024;
}

// Bytes of them that may be static: what the assembler of CUDA 13 takes. Architecture-specific code (sm_90a, sm_100a,
// sm_120a, ...) may have all of it; other code has the 48 KB of the first architectures.
inline std::int64_t static_shared_memory_limit(Target target) {
  return target.suffix == 'a' && target.number() >= 90 ? shared_memory_limit(target) : std::int64_t{48} * 1024;
}

}  // namespace tilewright::ir
