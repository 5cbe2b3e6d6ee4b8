#include "server/project/codes.h"

#include "compiler/cuda/codes.h"
#include "compiler/dispatch/codes.h"
#include "compiler/lower/codes.h"
#include "compiler/scope/codes.h"
#include "compiler/script/codes.h"
#include "compiler/session/codes.h"
#include "compiler/simulate/codes.h"
#include "server/project/time_codes.h"

namespace tilewright::project {

namespace {

constexpr text::CodeInfo kOwn[] = {
    {kToolsCode, "message of the CUDA compiler",
     "NVRTC or ptxas said something about the generated CUDA. The message is theirs; the place is the line of the "
     "script that the CUDA line came from. An error here is a fault of Tilewright unless the script holds CUDA source "
     "of its own (T.cuda.func_call): `tilewright compile FILE --emit cuda` shows the text that was compiled."},
    {kRunCode, "result of a run",
     "A run that was asked for in the editor left something else than expected, or ended by a fault. It stands at the "
     "statement that wrote the first wrong element, or where the simulator finds the fault on the same inputs, else at "
     "the kernel, and goes with the next edit. `tilewright run FILE --entry EXPR --on TARGET` says all of it."},
    {kConflictsCode, "bank conflicts",
     "Lanes of a warp ask one bank of shared memory for different 4-byte words, so that a request takes more "
     "wavefronts "
     "than it would without conflicts (CUDA C++ Programming Guide, shared memory; layout::bank_conflicts counts). "
     "Counted from the addresses of a simulated run, `tilewright run FILE --on sim --profile`; how long it takes on a "
     "GPU is not known. Rows whose length in 4-byte words is odd have no conflicts along a column, and a swizzled "
     "layout has none along rows and columns."},
    {kScatteredCode, "scattered accesses to global memory",
     "Global memory is moved in sectors of 32 bytes (CUDA C++ Best Practices Guide, coalesced access). The lanes of a "
     "warp touch more of them with one request than the bytes that they ask for need: they lie apart, or follow each "
     "other and begin in the middle of a sector. Counted from the addresses of a "
     "simulated run, before caches: what another request finds in a cache costs less."},
    {kNarrowCode, "narrow accesses to global memory",
     "Each lane moves 1 or 2 bytes at a time, and could move up to 16 with one instruction. Of a tile copy the hint "
     "says what keeps it from wider accesses: rows whose distance or length is no multiple of 16 bytes, a region or "
     "tensor that begins between such multiples, a swizzle, a declared alignment, too few elements for the threads. "
     "Counted as the script writes the accesses; NVIDIA's compiler may join some of them."},
    {kSmallCopiesCode, "small bulk or tensor copies",
     "Copies beside the threads (TMA) that move less than 1024 bytes each, boxes of one row most often: what a copy "
     "costs whatever its size is then more than what its bytes cost. Counted on a simulated run, `tilewright run FILE "
     "--on sim --profile`."},
    {kCollisionsCode, "atomic accesses to one address",
     "Lanes of a warp change the same address by atomic accesses, which are served one after the other there; counted "
     "from the addresses of a simulated run, `tilewright run FILE --on sim --profile`, as the script writes the "
     "accesses. NVIDIA's compiler lets a warp combine some of them first; how long they take on a GPU is not known."},
    {kSpareBarrierCode, "a barrier that orders nothing",
     "In a simulated run, `tilewright run FILE --on sim --profile`, no two warps of a CTA accessed the same memory on "
     "both sides of this barrier, at least one of them writing, in all its rounds: the warps waited for each other, "
     "and "
     "nothing depended on it. It is looked at alone: of barriers that follow each other one is named, and without it "
     "the other may be needed. What mbarriers and waits for copies order counts as if only barriers did, and kernels "
     "with fences, clusters or tensor memory are not looked at. Other inputs may need the barrier; a barrier of the "
     "warp, `T.cuda.warp_sync()`, orders lanes of one warp."},
    {kScatteredLanesCode, "idle lanes between those that work",
     "A branch is taken by lanes of many warps with idle lanes between them, `t % 4 == 0` for example, so that each of "
     "these warps executes it for a few lanes. Counted from the accesses of a simulated run, `tilewright run FILE --on "
     "sim --profile`, where they are at least a tenth of the kernel's. Where the threads that work are neighbours, "
     "whole warps execute the branch and the others skip it."},
    {kRepeatedCode, "atomic accesses again and again",
     "Lanes change by an atomic access what they have changed by the one before, in a loop most often; counted on a "
     "simulated run, `tilewright run FILE --on sim --profile`. A sum that is kept in a register, and added to memory "
     "once, needs one of them."},
    {kSplitWarpsCode, "lanes of a warp take both arms of a branch",
     "A warp executes one path at a time: where its lanes disagree about a branch, it executes both arms one after the "
     "other, each with the other lanes idle (CUDA C++ Programming Guide, \"SIMT architecture\"). Counted on a "
     "simulated "
     "run, where the arm that costs less has some instructions and all of them are at least a twentieth of what the "
     "kernel's warps execute; which lanes take which arm may depend on the inputs. Where the condition is the same for "
     "all lanes of a warp, each warp executes one arm."},
    {kDoublesCode, "float64 in a kernel without float64",
     "An expression is computed in float64 although no tensor and no scalar argument of the kernel has that type: a "
     "constant or an intermediate of float64 makes all that is computed with it float64. An SM of sm_90 does 64 "
     "additions or products of float64 a cycle where it does 128 of float32, one of sm_86, sm_89 and sm_120 two (CUDA "
     "C++ Programming Guide, \"Throughput of Native Arithmetic Instructions\"), and values change their type on the "
     "way. Counted on a simulated run; a sum that needs the digits may want it so."},
    {kShallowCode, "a ring too shallow for its copies",
     "Warps wait for copies in most steps of a pipeline, and not in its first ones alone, and the wait is a good part "
     "of the longest path through a CTA: copies that are under way do not cover how long one takes. Modelled by "
     "`tilewright explain FILE --time` from the order of events on the simulator and from constants that were measured "
     "on an H100; not measured on this kernel. More stages, or copies that start earlier, hide it, where the time of "
     "the copies themselves is not what bounds the kernel."},
    {kRegistersIgnoredCode, "setmaxnreg is ignored",
     "NVIDIA's compiler leaves setmaxnreg out (PTX ISA, setmaxnreg) and gives all warps as many registers as each "
     "other. It says why, and here is what that means for the script: most often it does not know how many registers "
     "the kernel starts with, which the attribute tirx.launch_bounds_min_blocks_per_sm tells it. The result is right, "
     "and slower than meant."},
    {kSerializedCode, "wgmma is serialized",
     "NVIDIA's compiler could not prove that registers are used by one wgmma at a time (PTX ISA, wgmma.mma_async: "
     "accumulators and fragments must not be accessed before the wait), and made each wait for the one before. The "
     "result is right, and tensor cores idle in between. It is told where the compiler says so, once a "
     "place: where the wgmma is, or where its results are used too early."},
    {kSpilledCode, "spilled registers",
     "A thread keeps more values than it has registers, at most 255, fewer where launch bounds or setmaxnreg say so. "
     "The rest goes to local memory, which lies in global memory and its caches. As ptxas reports it."},
    {kLocalMemoryCode, "an array in local memory",
     "Registers cannot be indexed by a number that is known at run time alone, so that an array which is indexed so "
     "lies in local memory, in global memory and its caches. As ptxas reports it (stack frame)."},
};

}  // namespace

std::vector<text::CodeInfo> all_codes() {
  std::vector<text::CodeInfo> all;
  auto add = [&](std::span<const text::CodeInfo> table) { all.insert(all.end(), table.begin(), table.end()); };
  add(script::code::table());
  add(session::kCodes);
  add(scope::kCodes);
  add(dispatch::kCodes);
  add(lower::kCodes);
  add(cuda::kCodes);
  add(simulate::kCodes);
  add(kOwn);
  return all;
}

const text::CodeInfo* code_info(std::string_view code) {
  static const std::vector<text::CodeInfo> all = all_codes();
  for (const text::CodeInfo& info : all) {
    if (info.code == code) return &info;
  }
  return nullptr;
}

}  // namespace tilewright::project
