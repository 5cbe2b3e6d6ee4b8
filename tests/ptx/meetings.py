# tilewright: dialect 0.27
# tilewright: arch sm_90a
# tilewright: entry meetings
# tilewright: run meetings reference=expected U=zeros
"""How lanes and threads meet in 0.27: matches, shuffles with a clamp, reductions at barriers, mbarriers with a state."""
from tvm.script import tirx as T

THREADS = 96


@T.prim_func
def meetings(U: T.Buffer((96, 32), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([THREADS])
    S = T.alloc_shared([256], "uint32", align=128)
    bars = T.alloc_shared([4], "uint64")
    x: T.uint32
    y: T.uint32
    p: T.uint32
    i: T.int32
    state: T.int64
    wide: T.uint64
    lane: T.let[T.int32] = tx % 32
    # 0 to 5: lanes with the same value.
    T.ptx["match.any.sync.b32"](i, T.Cast("uint32", lane % 3), 0xffffffff)
    U[tx, 0] = T.Cast("uint32", i)
    T.ptx["match.all.sync.b32"](i, p, T.uint32(7), 0xffffffff)
    U[tx, 1] = T.Cast("uint32", i) + p
    T.ptx["match.all.sync.b32"](i, p, T.Cast("uint32", lane // 31), 0xffffffff)
    U[tx, 2] = T.Cast("uint32", i) + p
    wide = T.Cast("uint64", lane // 16) * T.uint64(4294967296)
    T.ptx["match.any.sync.b64"](i, wide, 0xffffffff)
    U[tx, 3] = T.Cast("uint32", i)
    # 4 to 9: shuffles with a clamp and a segment, and whether the lane was in range.
    T.ptx["shfl_sync.down.b32"](x, p, T.Cast("uint32", lane), 5, 0x1f, 0xffffffff)
    U[tx, 4] = x * 2 + p
    T.ptx["shfl_sync.up.b32"](x, p, T.Cast("uint32", lane), 3, 0x1800, 0xffffffff)
    U[tx, 5] = x * 2 + p
    T.ptx["shfl_sync.idx.b32"](x, p, T.Cast("uint32", lane), 9, 0x1807, 0xffffffff)
    U[tx, 6] = x * 2 + p
    T.ptx["shfl_sync.bfly.b32"](x, p, T.Cast("uint32", lane), 16, 0x0f, 0xffffffff)
    U[tx, 7] = x * 2 + p
    y = T.Cast("uint32", 31 - lane % 2)
    T.ptx["shfl_sync.down.b32"](x, T.Cast("uint32", lane), 1, y, 0xffffffff)
    U[tx, 8] = x
    # 9 to 15: barriers that reduce.
    T.ptx["bar.red.popc.u32"](x, 0, tx % 4 == 1)
    U[tx, 9] = x
    T.ptx["bar.red.and.pred"](x, 1, tx < 96)
    T.ptx["bar.red.or.pred"](y, 1, tx == 5)
    U[tx, 10] = x * 2 + y
    T.ptx["barrier.cta.red.popc.aligned.u32"](x, 3, 96, tx > 90)
    U[tx, 11] = x
    x = T.uint32(0)
    if tx < 64:
        T.ptx["barrier.cta.red.and.aligned.pred"](x, 2, 64, tx != 40)
    U[tx, 12] = x
    T.ptx.bar.sync(4)
    T.ptx["movmatrix.sync.aligned.m8n8.trans.b16"](x, T.Cast("uint32", lane * 2 + (lane * 2 + 1) * 65536))
    U[tx, 13] = x
    # An expression in place of a register.
    T.ptx["stmatrix.sync.aligned.m8n8.x1.shared.b16"](S.ptr_to([128 + tx // 32 * 32 + 4 * (lane % 8)]), T.Cast("uint32", lane + 5))
    T.ptx.bar.warp.sync(0xffffffff)
    U[tx, 19] = S[128 + tx]
    T.ptx["activemask.b32"](i)
    U[tx, 14] = T.Cast("uint32", i)
    T.ptx.isspacep.shared(p, S.ptr_to([0]))
    T.ptx["isspacep.global"](x, U.ptr_to([0, 0]))
    T.ptx["isspacep.global"](y, S.ptr_to([0]))
    U[tx, 15] = p * 4 + x * 2 + y
    # 16 to 19: mbarriers.
    if tx == 0:
        T.ptx.mbarrier.init.shared.b64(bars.ptr_to([0]), THREADS)
        T.ptx.mbarrier.init.shared.b64(bars.ptr_to([1]), THREADS)
        T.ptx.mbarrier.init.shared.b64(bars.ptr_to([2]), 2)
        T.ptx.fence.mbarrier_init.release.cluster()
    T.ptx.bar.sync(0)
    S[tx] = T.Cast("uint32", tx) * T.uint32(3)
    T.ptx["mbarrier.arrive.release.cluster.shared::cta.b64"](state, bars.ptr_to([0]))
    x = T.uint32(0)
    while x == 0:
        T.ptx["mbarrier.try_wait.shared.b64"](x, bars.ptr_to([0]), state)
    U[tx, 16] = S[95 - tx]
    if tx == 0:
        T.ptx["mbarrier.arrive.expect_tx.shared.b64"](state, bars.ptr_to([2]), T.uint32(16))
        T.ptx["mbarrier.complete_tx.relaxed.cluster.shared::cta.b64"](bars.ptr_to([2]), T.uint32(16))
        T.ptx["mbarrier.arrive_drop.release.cta.shared::cta.b64"](state, bars.ptr_to([2]))
    T.ptx.bar.sync(0)
    x = T.uint32(0)
    while x == 0:
        T.ptx["mbarrier.test_wait.parity.shared.b64"](x, bars.ptr_to([2]), 0)
    T.ptx.bar.sync(0)
    if tx == 1:
        T.ptx.mbarrier.arrive.shared.b64(bars.ptr_to([2]))
    x = T.uint32(0)
    while x == 0:
        T.ptx["mbarrier.test_wait.parity.shared.b64"](x, bars.ptr_to([2]), 1)
    U[tx, 17] = x
    if tx < 95:
        T.ptx["mbarrier.arrive.noComplete.release.cta.shared::cta.b64"](state, bars.ptr_to([1]), T.uint32(1))
    T.ptx.bar.sync(0)
    if tx == 95:
        T.ptx.mbarrier.arrive.shared.b64(bars.ptr_to([1]))
    x = T.uint32(0)
    while x == 0:
        T.ptx["mbarrier.test_wait.parity.shared.b64"](x, bars.ptr_to([1]), 0)
    U[tx, 18] = x


@T.prim_func
def expected(U: T.Buffer((96, 32), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([96])
    lane: T.let[T.int32] = tx % 32
    U[tx, 0] = T.if_then_else(lane % 3 == 0, T.uint32(0x49249249), T.if_then_else(lane % 3 == 1, T.uint32(0x92492492), T.uint32(0x24924924)))
    U[tx, 1] = T.uint32(0)
    U[tx, 2] = T.uint32(0)
    U[tx, 3] = T.if_then_else(lane < 16, T.uint32(0xffff), T.uint32(0xffff0000))
    U[tx, 4] = T.Cast("uint32", T.if_then_else(lane < 27, (lane + 5) * 2 + 1, lane * 2))
    U[tx, 5] = T.Cast("uint32", T.if_then_else(lane % 8 >= 3, (lane - 3) * 2 + 1, lane * 2))
    U[tx, 6] = T.Cast("uint32", (lane // 8 * 8 + 1) * 2 + 1)
    U[tx, 7] = T.Cast("uint32", T.if_then_else(lane < 16, lane * 2, (lane - 16) * 2 + 1))
    U[tx, 8] = T.Cast("uint32", T.if_then_else(lane + 1 <= 31 - lane % 2, lane + 1, lane))
    U[tx, 9] = T.uint32(24)
    U[tx, 10] = T.uint32(3)
    U[tx, 11] = T.uint32(5)
    U[tx, 12] = T.uint32(0)
    U[tx, 13] = T.Cast("uint32", (lane % 4 * 2 * 8 + lane // 4) + (lane % 4 * 2 * 8 + 8 + lane // 4) * 65536)
    U[tx, 14] = T.uint32(0xffffffff)
    U[tx, 15] = T.uint32(6)
    U[tx, 16] = T.Cast("uint32", (95 - tx) * 3)
    U[tx, 19] = T.Cast("uint32", lane + 5)
    U[tx, 17] = T.uint32(1)
    U[tx, 18] = T.uint32(1)
