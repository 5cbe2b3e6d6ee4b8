// Findings of the simulator: TW50xx.
#pragma once
#include "compiler/text/codes.h"

namespace tilewright::simulate {

namespace code {
inline constexpr std::string_view kOutOfBounds = "TW5001";
inline constexpr std::string_view kUnwritten = "TW5002";
inline constexpr std::string_view kMisaligned = "TW5003";
inline constexpr std::string_view kDeadlock = "TW5004";
inline constexpr std::string_view kDivergence = "TW5005";
inline constexpr std::string_view kPartialWarp = "TW5006";
inline constexpr std::string_view kStepLimit = "TW5007";
inline constexpr std::string_view kNotModelled = "TW5008";
inline constexpr std::string_view kInputMissing = "TW5009";
inline constexpr std::string_view kTrap = "TW5010";
inline constexpr std::string_view kDivision = "TW5011";
inline constexpr std::string_view kPointer = "TW5012";
inline constexpr std::string_view kMbarrier = "TW5013";
inline constexpr std::string_view kBytes = "TW5014";
inline constexpr std::string_view kRefused = "TW5015";
inline constexpr std::string_view kEndedCta = "TW5016";
inline constexpr std::string_view kTensorMemory = "TW5017";
inline constexpr std::string_view kUnfinished = "TW5018";
inline constexpr std::string_view kLaunch = "TW5019";
inline constexpr std::string_view kRace = "TW5020";
inline constexpr std::string_view kUnawaited = "TW5021";
inline constexpr std::string_view kProxy = "TW5022";
inline constexpr std::string_view kEqualStores = "TW5023";
inline constexpr std::string_view kRacesLimit = "TW5024";
inline constexpr std::string_view kUntried = "TW5025";
inline constexpr std::string_view kWarpgroup = "TW5026";
inline constexpr std::string_view kTensorFence = "TW5030";
inline constexpr std::string_view kInterleaving = "TW5040";
inline constexpr std::string_view kRegisterPool = "TW5041";
}  // namespace code

// What to do about a finding of which nothing closer is known; empty: it depends on the kernel.
std::string_view usual_hint(std::string_view code);

inline constexpr text::CodeInfo kCodes[] = {
    {code::kOutOfBounds, "access out of bounds",
     "The address lies outside the buffer. On a GPU this faults or damages other data."},
    {code::kUnwritten, "value that nothing has defined",
     "Bytes are read that were never written in this run, and what is read matters: it decides a branch or an address, "
     "is an operand of a product or of another instruction than arithmetic, or reaches global memory. An input is "
     "missing, or a copy or a synchronisation comes too late. Undefined values that only move about, such as padding, "
     "are none."},
    {code::kMisaligned, "misaligned access",
     "An access of n bytes needs an address that is a multiple of n. On a GPU a misaligned one faults."},
    {code::kDeadlock, "deadlock",
     "Every thread that is left waits: for one another in a ring, or for arrivals and bytes that no running "
     "thread can bring. The finding follows who waits for whom; what would let each of them go on is listed with it."},
    {code::kDivergence, "threads of one CTA meet at different calls",
     "Some threads wait at one cta_sync and some at another, or have ended without coming to it. The hardware counts "
     "warps, all lanes of a warp come to the same call together, and a barrier of the CTA is for all of its threads."},
    {code::kPartialWarp, "warp instruction without the whole warp",
     "A shuffle, vote or matrix instruction needs all lanes that its mask names, at the same call. Some have left the "
     "kernel or wait elsewhere."},
    {code::kStepLimit, "step limit reached", "The run was stopped: a loop may not end. The limit is an option."},
    {code::kNotModelled, "not modelled",
     "The simulator does not execute this call; the run stops here and is not a pass."},
    {code::kInputMissing, "input missing",
     "The kernel needs this parameter and the run was given none, or one of the wrong size."},
    {code::kTrap, "trap", "T.cuda.trap_when_assert_failed found its condition false."},
    {code::kDivision, "division by zero", "An integer division or remainder by zero."},
    {code::kPointer, "null or foreign pointer",
     "The pointer does not lead into any buffer of this run; or it leads into another CTA's shared memory, and the "
     "instruction takes addresses of its own CTA only (.shared::cta)."},
    {code::kMbarrier, "mbarrier misused",
     "A barrier has to be initialised, once, by one thread, and counts up to 1,048,575 arrivals and bytes. It gets as "
     "many arrivals in a phase as it was initialised for. Its memory serves nothing else, and is not initialised "
     "again, "
     "before mbarrier.inval ends its life."},
    {code::kBytes, "bytes of a barrier do not add up",
     "At the end of the CTA a barrier still expects bytes, or has received bytes without expect_tx: expect_tx and the "
     "copies differ. A barrier that expects bytes of which none has come, and that nothing waits for, is a warning."},
    {code::kRefused, "copy that the hardware refuses",
     "Sizes, alignment, tensor map or coordinates break a rule of the copy instruction. On a GPU it faults or moves "
     "other data."},
    {code::kEndedCta, "shared memory of a CTA that has ended",
     "A CTA of the cluster touches the shared memory of one that has left the kernel, by an access, a copy, or the "
     "arrival of a tcgen05.commit. A cluster_sync before the end keeps all of them alive."},
    {code::kTensorMemory, "tensor memory misused",
     "Tensor memory has 128 lanes and 512 columns, is used where it is allocated, by the warp that a lane belongs to, "
     "and given back before the CTA ends."},
    {code::kUnfinished, "asynchronous work unfinished at the end of a CTA",
     "A CTA ends while a copy still reads or writes its shared memory. Wait for it first."},
    {code::kLaunch, "launch that the driver refuses",
     "A CTA has up to 1,024 threads, a cluster up to 16 CTAs, and the grid is a whole number of clusters."},
    {code::kRace, "data race",
     "Two accesses to the same bytes, one of them a write, and no chain of barriers leads from one to the other: which "
     "comes first depends on luck."},
    {code::kUnawaited, "asynchronous work not awaited",
     "A copy or a tensor-core operation still reads or writes these bytes, and no wait for its end came before."},
    {code::kProxy, "no proxy fence between ordinary writes and an asynchronous copy",
     "Bulk and tensor copies, wgmma and tcgen05 read memory through the async proxy. What threads have written reaches "
     "it only after fence.proxy.async."},
    {code::kEqualStores, "unordered stores of the same value",
     "Several threads write the same bytes at the same time, with equal values in this run. Lanes of one warp that do "
     "it by one instruction are not told."},
    {code::kUntried, "not all of a kernel was tried out",
     "A run on the simulator looks at the whole grid where that is affordable, else at some CTAs (and says whether "
     "addresses show that the others do the same elsewhere, or why not), at small and awkward extents, and at inputs "
     "and scalars that are not given. What it could not look at, and which values it made "
     "up, is said here; `tilewright run` looks at all of it."},
    {code::kWarpgroup, "wgmma misused",
     "The four warps of a warpgroup issue a wgmma together, with the same operands, and after a wgmma.fence when they "
     "have written its registers."},
    {code::kTensorFence, "no tcgen05 fence around a barrier",
     "PTX orders operations on tensor memory across a barrier between threads only after "
     "tcgen05.fence.before_thread_sync on the side that comes first (tcgen05.commit stands for it) and "
     "tcgen05.fence.after_thread_sync on the other one. Many kernels do without and run right; one that writes both "
     "kinds is held to them everywhere."},
    {code::kInterleaving, "phase of a barrier depends on luck",
     "In another order of the same steps a wait finds another phase than here, or an arrival counts in another one: "
     "parities tell neighbouring phases apart only, so a thread that comes too late or too early waits for ever or not "
     "at all."},
    {code::kRegisterPool, "registers of warpgroups do not add up",
     "setmaxnreg.dec gives registers back and setmaxnreg.inc takes them, for all warps of a warpgroup together; what "
     "all of them hold has to fit into the 65,536 registers of a multiprocessor."},
    {code::kRacesLimit, "races not searched for to the end",
     "The history of accesses takes memory; a run that touches very much is checked up to a limit."},
};

}  // namespace tilewright::simulate
