// How many CTAs of a kernel one multiprocessor holds at a time.
#pragma once
#include <cstdint>
#include <optional>

#include "compiler/ir/target.h"

namespace tilewright::ide {

struct Occupancy {
  int ctas = 0;            // a multiprocessor
  int warps = 0;           // of these CTAs together
  int warp_limit = 0;      // that it can hold
  const char* bound = "";  // what limits it: "registers", "shared memory", "warps", "CTAs"
};

// From the limits of each compute capability (CUDA C++ programming guide, "Technical specifications per compute
// capability"). `registers` a thread, `shared` bytes a CTA, static and dynamic. Nothing: the target is not known, or
// the kernel does not fit at all.
std::optional<Occupancy> occupancy(ir::Target target, std::int64_t threads, std::int64_t registers,
                                   std::int64_t shared);

}  // namespace tilewright::ide
