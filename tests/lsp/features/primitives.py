# Tile primitives beyond copies: what they take is told by their rows.
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


@T.prim_func
def kernel(a: T.handle):
    A = T.match_buffer(a, (32, 32), "float32")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    B = T.alloc_local((32, 32), "float32")
    Tx.warp.gemm(B, B, B, B, alpha=2.0)
    #       ^ hover:
#| 13:5 Tx.warp.gemm
#| gemm → no variant    warp, 32 lanes
#|   A: B[0:32, 0:32] float32 local
#|   B: B[0:32, 0:32] float32 local
#|   C: B[0:32, 0:32] float32 local
#|   alpha: T.float32(2.0)
#| → D: B[0:32, 0:32] float32 local
#| together laneid 0..31; instances warpid 0, cta_id 0
#| 4,096 bytes
#| not chosen: mma.m16n8k* (only alpha=1 can be computed, not T.float32(2.0))
    Tx.warp.exp(B)
    #       ^ hover:
#| 15:5 Tx.warp.exp
#| exp → no variant    warp, 32 lanes
#| → B[0:32, 0:32] float32 local
#| together laneid 0..31; instances warpid 0, cta_id 0
#| 4,096 bytes
#| not chosen: reg (B is a thread-local view: at warp scope its layout would spread it over ...) · smem (B[0:32, 0:32] is local, smem works on tiles in shared memory)
    Tx.warp.binary_chain(B, B, B, 1.0, "add", "mul")
    #                         ^ signatureHelp:
#| Tx.warp.binary_chain(output, data, operand0, operand1, op0, op1, reverse1=False, dispatch=None)
#| active: operand0
    Tx.warp.reduce_negate(B, B, "sum", )
    #                                 ^ completion(^reduce_axes|^accum):
#| accum= kind 5 accum=False
#| reduce_axes= kind 5 reduce_axes=-1
    Tx.warp.copy_async(B, A, )
    #                       ^ completion(=$):
#| cache_hint= kind 5 cache_hint=""  for tma
#| cta_group= kind 5 cta_group=1  for smem->tmem, tma
#| cta_mask= kind 5 cta_mask=0  for tma
#| dispatch= kind 5 dispatch=None
#| mbar= kind 5 mbar=None  for dsmem, tma
#| oob= kind 5 oob=None  for tma
#| prefetch_tensormap= kind 5 prefetch_tensormap=False  for tma
#| remote_cta_id= kind 5 remote_cta_id=None  for dsmem
#| use_tma_reduce= kind 5 use_tma_reduce=None  for tma
