# tilewright: arch sm_90a sm_100a
"""Batches that the bulk engine fetches STAGES ahead of their use; the phase of each slot's barrier is tracked by hand.

Only the fetching thread arrives on a barrier, together with the bytes it announces; the others wait for the phase by
its parity, which flips each time the ring has gone round.
"""
from tvm.script import tirx as T

BATCHES, BATCH, STAGES = 13, 256, 3


@T.prim_func
def prefetch(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (BATCHES, BATCH), "int32")
    B = T.match_buffer(B_ptr, (BATCHES, BATCH), "int32")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([BATCH // 32])
    tid = T.thread_id([BATCH])
    ring = T.alloc_shared([STAGES, BATCH], "int32", align=128)
    full = T.alloc_shared([STAGES], "uint64")
    stage: T.int32 = 0
    parity: T.int32 = 0
    if tid == 0:
        for s in T.unroll(STAGES):
            T.ptx.mbarrier.init(full.ptr_to([s]), 1)
        T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    # Brings into the second-level cache what is fetched later.
    if tid == 0:
        T.ptx.cp_async_bulk_prefetch(A.ptr_to([STAGES, 0]), (BATCHES - STAGES) * BATCH * 4)
    if warp == 0:
        if T.ptx.elect_sync():
            for s in T.unroll(STAGES):
                T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([s]), BATCH * 4)
                T.ptx.cp_async_bulk_g2s_cluster(ring.ptr_to([s, 0]), A.ptr_to([s, 0]), BATCH * 4, full.ptr_to([s]))
    for batch in T.serial(BATCHES):
        T.ptx.mbarrier.try_wait(full.ptr_to([stage]), parity)
        B[batch, tid] = ring[stage, BATCH - 1 - tid] * 2
        # All have read the slot before it is filled again.
        T.cuda.cta_sync()
        if warp == 0:
            if T.ptx.elect_sync():
                if batch + STAGES < BATCHES:
                    T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([stage]), BATCH * 4)
                    T.ptx.cp_async_bulk_g2s_cluster(
                        ring.ptr_to([stage, 0]), A.ptr_to([batch + STAGES, 0]), BATCH * 4, full.ptr_to([stage])
                    )
        stage = stage + 1
        if stage == STAGES:
            stage = 0
            parity = parity ^ 1


# tilewright: reference python:reference
def reference(A):
    return {"B": A[:, ::-1] * 2}
