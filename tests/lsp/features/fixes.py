# What fixes a finding, and what is left to silence.
from tvm.script import tirx as T
from tvm.tirx.layout import S


@T.prim_func
def kernel(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (256, 64), "float16")
    B = T.match_buffer(B_ptr, (256, 64), "flaot16")
    #                                    ^ fixes:
#| TW2004 at 9:42 "flaot16"
#| * Replace by float16
#|         B = T.match_buffer(B_ptr, (256, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    pool = T.SMEMPool()
    tile = pool.alloc_mma((64, 64), "float16", swizle_mode="auto")
    #                                          ^ fixes:
#| TW2006 at 17:48 swizle_mode
#| * Replace by swizzle_mode
#|         tile = pool.alloc_mma((64, 64), "float16", swizzle_mode="auto")
    smem = pool.alloc((64, 64), "float16")
    full = T.TMABar(pool, 1)
    full.init(1)
    pool.commit()
    layout = TileLayout(S[64, 64])
    #        ^ fixes:
#| TW2002 at 23:14 TileLayout
#| * Import TileLayout from tvm.tirx.layout
#|     from tvm.tirx.layout import S, TileLayout
    Tx.cta.copy(smem[:, :], A[0:64, :])
    # @5 fixes:
#| TW2002 at 25:5 Tx
#| * Write from tvm.script.tirx import tile as Tx
#|     from tvm.script.tirx import tile as Tx
#|   Replace by T
#|         T.cta.copy(smem[:, :], A[0:64, :])
    if wrap == 0:
        #  ^ fixes:
#| TW2002 at 27:8 wrap
#| * Replace by warp
#|         if warp == 0:
        T.cuda.cta_sync()
    T.ptx.mbarrier.try_wait(full.buf.ptr_to([0]), phse=0)
    #                                             ^ fixes:
#| TW2111 at 30:51 phse
#| * Replace by phase
#|         T.ptx.mbarrier.try_wait(full.buf.ptr_to([0]), phase=0)


@T.prim_func
def scopes(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (256, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    smem = T.alloc_buffer((64, 64), "float16", scope="shared")
    bar = T.alloc_shared([1], "uint64")
    T.tile.warp.copy_async(smem[:, :], A[0:64, :], dispatch="tma", mbar=bar.ptr_to([0]))
    # @5 fixes:
#| TW3104 at 44:5 T.tile.warp.copy_async(smem[:, :], A[0:64, :], dispatch="tma", mbar=bar.ptr_to([0]))
#| * Guard with tid == 0
#|         if tid == 0:
#|             T.tile.copy_async(smem[:, :], A[0:64, :], dispatch="tma", mbar=bar.ptr_to([0]))
    T.tile.copy_async(smem[:, :], A[0:64, :], dispatch="tma", mbar=bar.ptr_to([0]))
    # @5 fixes:
#| TW3107 at 46:5 T.tile.copy_async(smem[:, :], A[0:64, :], dispatch="tma", mbar=bar.ptr_to([0]))
#| * Guard with tid == 0
#|         if tid == 0:
#|             T.tile.copy_async(smem[:, :], A[0:64, :], dispatch="tma", mbar=bar.ptr_to([0]))
#|   Silence TW3107 here
#|         T.tile.copy_async(smem[:, :], A[0:64, :], dispatch="tma", mbar=bar.ptr_to([0]))  # tilewright: ignore[TW3107]
    T.tile.cta.copy(smem[:, :], A[0:64, :], dispatch="gmem_sme")
    #                                                ^ fixes:
#| TW3102 at 48:54 "gmem_sme"
#| * Replace by gmem_smem
#|         T.tile.cta.copy(smem[:, :], A[0:64, :], dispatch="gmem_smem")
    if tid == 0:
        T.tile.cta.copy(smem[:, :], A[0:64, :])
        # @9 fixes:
#| TW3106 at 51:9 T.tile.cta.copy(smem[:, :], A[0:64, :])
#| * Write T.tile.copy
#|             T.tile.copy(smem[:, :], A[0:64, :])
#|   Silence TW3106 here
#|             T.tile.cta.copy(smem[:, :], A[0:64, :])  # tilewright: ignore[TW3106]
        T.tile.copy_async(smem[:, :], A[0:64, :], dispatch="tma", mbra=bar.ptr_to([0]))
        #                                                         ^ fixes:
#| TW3105 at 53:67 mbra
#| * Replace by mbar
#|             T.tile.copy_async(smem[:, :], A[0:64, :], dispatch="tma", mbar=bar.ptr_to([0]))


@T.prim_func
def operands(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (256, 64), "float16")
    B = T.match_buffer(B_ptr, (256, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([4])
    T.lane_id([32])
    T.thread_id([128])
    smem = T.alloc_buffer((64, 64), "float32", scope="shared")
    other = T.alloc_buffer((64, 64), "float16", scope="shared")
    T.tile.cta.copy(smem[:, :], A[0:64, :])
    #               ^ fixes:
#| TW3104 at 68:21 smem[:, :]
#| * Make smem float16
#|         smem = T.alloc_buffer((64, 64), "float16", scope="shared")
    T.cuda.cta_sync()
    T.tile.cta.copy(B[64:128, :], smem[:, :])
    T.tile.cta.copy(other[:, :], A[64:64 + 32, :])
    #                            ^ fixes:
#| TW3104 at 72:34 A[64:64 + 32, :]
#| * Write 64:64 + 64
#|         T.tile.cta.copy(other[:, :], A[64:64 + 64, :])
#|   Write :32
#|         T.tile.cta.copy(other[:32, :], A[64:64 + 32, :])
    T.tile.cluster.copy(B[0:64, :], other[:, :])
    # @5 fixes:
#| TW3104 at 74:5 T.tile.cluster.copy(B[0:64, :], other[:, :])
#| * Write T.tile.cta.copy
#|         T.tile.cta.copy(B[0:64, :], other[:, :])
#|   Write T.tile.wg.copy
#|         T.tile.wg.copy(B[0:64, :], other[:, :])


@dataclass
# @2 fixes:
#| TW2002 at 78:2 dataclass
#| * Write from dataclasses import dataclass
#|     from dataclasses import dataclass
class Config:
    rows: int = 1


size = math.prod((2, 3))
#      ^ fixes:
#| TW2002 at 84:8 math
#| * Write import math
#|     import math
other = scale(3)
#       ^ fixes:
#| TW2002 at 86:9 scale
#| * Write from neighbour import scale
#|     from neighbour import scale


#--- file neighbour.py
def scale(x):
    return 2 * x
