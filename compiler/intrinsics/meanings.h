// What a row does, for the simulator and the hazard analysis: the operation behind all spellings of it.
//
// Rows that differ only in text, attribute or width share one meaning; the bound arguments carry the rest. A row of
// meaning `Unmodelled` has an effect that no stage of ours executes: analyses call a kernel that uses it incomplete.
#pragma once
#include <cstdint>

namespace tilewright::intrinsics {

enum class Meaning : std::uint16_t {
  None,        // no effect on values or order: hints, scheduling, register counts
  Unmodelled,  // see above
  // Threads meeting.
  CtaSync, WarpSync, WarpgroupSync, ClusterSync, GridSync, NamedBarrierSync, NamedBarrierArrive, ClusterArrive,
  ClusterWait, CtaReduceAnd, CtaReduceOr,
  // mbarrier.
  MbarrierInit, MbarrierInval, MbarrierArrive, MbarrierArriveRemote, MbarrierArriveExpectTx,
  MbarrierArriveExpectTxRemote, MbarrierArriveState, MbarrierArriveDrop, MbarrierExpectTx, MbarrierCompleteTx,
  MbarrierWait, MbarrierTestWait, MbarrierTestWaitState, MbarrierPendingCount,
  // Ordering.
  Fence, FenceProxyAsync, FenceMbarrierInit, FenceProxyTensormapRelease, FenceProxyTensormapAcquire, FenceProxyAlias,
  // Lanes and launch.
  Elect, AnySync, Ballot, ShuffleIndex, ShuffleUp, ShuffleDown, ShuffleXor, ActiveMask, WarpReduce, CtaReduce,
  ReduceSync, ThreadRank, ReadRegister, MapSharedRank, GetCtaRank, DependentWait, DependentLaunch, LaunchControlTryCancel,
  LaunchControlQueryCancel,
  // Asynchronous copies.
  AsyncCopy, AsyncCopyCommit, AsyncCopyWait, AsyncCopyWaitAll, AsyncCopyArrive, BulkGlobalToShared, BulkSharedToShared,
  BulkSharedToGlobal, BulkReduceToGlobal, BulkReduceToShared, BulkPrefetch, BulkCommit, BulkWait, TensorGlobalToShared,
  TensorSharedToGlobal, TensorReduceToGlobal, TensorPrefetch, TensormapPrefetch, TensormapCopy, TensormapReplace,
  TensormapPublish, StoreAsync, ReduceAsync,
  // Memory.
  LoadValue, LoadInto, StoreValues, StoreZeros, ReduceMemory, AtomicMemory, AtomicCas, CopyBytes, Prefetch,
  SharedAddress, TruncateAddress, TmemAddress, PeerBarrierAddress, CachePolicy,
  // Matrix units.
  LdMatrix, StMatrix, Mma, MmaSparse, MmaStore, MmaFill, WgmmaFence, WgmmaCommit, WgmmaWait, WgmmaMma,
  WgmmaDescriptor, TmemAlloc, TmemDealloc, TmemRelinquish, TmemShift, TmemLoad, TmemStore, TmemWait, TmemFence, TmemCopy,
  TmemCommit, TmemMma, TmemMmaSparse, TmemMmaBlockScale, TmemDescriptor, TmemInstructionDescriptor,
  TmemInstructionDescriptorBlockScaled, TmemInstructionDescriptorScaleId,
  // Arithmetic: named by what they compute.
  Exp2Approx, RcpApprox, Max3, Min3, MaxFloat, AddFloat, SubFloat, MulFloat, FmaFloat, AddFloat2, SubFloat2, MulFloat2,
  FmaFloat2, FindNthSet, AddMixed, HalfToFloat, BFloatToFloat, Float2ToHalf2, Half8ToFloat8, Float8ToHalf8, BitsToFloat,
  FloatToBits, PackFloat2, Float2First, Float2Second, FloatsToBFloat2, Float2ToBFloat2, BFloat2ToFloat2, BFloat2Min,
  BFloat2Max, FloatsToFp8x4, FindFirstSet,
  // Debugging and escape hatches.
  Print, TrapUnless, CallSource, Sleep, Clock, TimerInit, TimerStart, TimerEnd, TimerFinalize,
  // Several processors.
  Nvshmem,
};

}  // namespace tilewright::intrinsics
