#include "server/work/stalls.h"

#include <algorithm>

namespace tilewright::work {
namespace {

constexpr StallReason kStalls[] = {
    {"selected", "issued an instruction", ""},
    {"not_selected", "ready, but another warp of its scheduler issued", ""},
    {"wait", "a fixed latency of the instruction before",
     "put independent instructions between those that need each other: unroll, or use more accumulators"},
    {"long_scoreboard", "data from global or local memory, or an mbarrier",
     "start the loads earlier (more stages), access neighbouring elements, and see that nothing is spilled"},
    {"short_scoreboard", "data from shared memory, or a special function",
     "remove bank conflicts, read 16 bytes a lane at once, and keep values in registers"},
    // The hardware counts waits for wgmma (WARPGROUP.DEPBAR) with those at barriers.
    {"barrier", "other warps at a barrier of the CTA, or, at a wait for wgmma, tensor cores",
     "at a wait for wgmma tensor cores are busy, as they should be in a GEMM; at a barrier give the warps equal work "
     "before it, or let those wait alone that need the data (an mbarrier, a named barrier)"},
    {"membar", "a memory fence", "fence once after several writes, and no wider than its readers (cta, cluster, gpu)"},
    {"mio_throttle", "room in the queue of shared memory and special functions",
     "access shared memory with fewer and wider instructions (ldmatrix, 16 bytes a lane)"},
    {"lg_throttle", "room in the queue of global and local memory",
     "access global memory with fewer and wider instructions (16 bytes a lane, TMA), and see that nothing is spilled"},
    {"tex_throttle", "room in the queue of texture accesses", "spread texture accesses over more arithmetic"},
    {"math_pipe_throttle", "an arithmetic pipe that other warps use",
     "the pipe is full: move work to tensor cores or to another pipe, or do less of it"},
    {"gmma", "wgmma operations that are still running",
     "tensor cores are busy, as they should be in a GEMM; if they are not, keep more wgmma in flight before waiting"},
    {"warpgroup_arrive", "the other warps of its warpgroup, before a wgmma",
     "let the four warps of the warpgroup reach the wgmma together: no divergent work right before it"},
    {"imc_miss", "a constant that is not in the cache",
     "read fewer constants, or read them at the same index in all lanes"},
    {"no_instructions", "its next instruction, which is not in the cache",
     "make the code shorter: unroll less, and let warps of different roles not jump far"},
    {"branch_resolving", "the target of a branch",
     "branch less in the inner loop: unroll, or use predicates (T.if_then_else)"},
    {"dispatch_stall", "the dispatcher, which held the instruction back", ""},
    {"drain", "its last writes to memory, before it ended",
     "write results with fewer and wider instructions (16 bytes a lane, a TMA store)"},
    {"sleeping", "its own sleep (nanosleep)", "wait on an mbarrier instead of polling"},
    {"misc", "something else", ""},
};

}  // namespace

StallReason stall_reason(std::string_view name) {
  const auto found = std::ranges::find(kStalls, name, &StallReason::name);
  return found == std::end(kStalls) ? StallReason{name, name, {}} : *found;
}

}  // namespace tilewright::work
