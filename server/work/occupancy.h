// How many CTAs of a kernel one SM holds at a time.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "compiler/ir/target.h"
#include "compiler/lower/lowered.h"

namespace tilewright::work {

struct Occupancy {
  int ctas = 0;                                         // per SM
  int warps = 0;                                        // of these CTAs together
  int warp_limit = 0;                                   // that it can hold
  const char* bound = "";                               // what limits it: "registers", "shared memory", "warps", "CTAs"
  std::int64_t threads = 0, registers = 0, shared = 0;  // that it follows from; registers: 0, not known
};

// From the limits of each compute capability (CUDA C++ programming guide, "Technical specifications per compute
// capability"). `registers` a thread, `shared` bytes a CTA, static and dynamic. Nothing: the target is not known, or
// the kernel does not fit at all.
std::optional<Occupancy> occupancy(ir::Target target, std::int64_t threads, std::int64_t registers,
                                   std::int64_t shared);
// The same of a kernel's launch. Nothing too where its threads have no number.
std::optional<Occupancy> occupancy(const lower::LaunchPlan& plan, ir::Target target, std::int64_t registers = 0);
// "4 CTAs per SM, 31 % of its warps, bound by shared memory"; says so where registers are not known.
std::string occupancy_words(const Occupancy& fits);

}  // namespace tilewright::work
