# tilewright: arch sm_80 sm_90a sm_100a
# tilewright: entry prefetch(2)
# tilewright: entry prefetch(4)
# tilewright: entry prefetch(8)
"""Batches that are fetched STAGES ahead of their use, in groups of cp.async.

`wait_group(STAGES - 1)` lets the newest STAGES - 1 groups fly on, so every step commits one group, even when nothing is
left to fetch: else the last batches would be counted as the newest ones and no thread would wait for them.
"""
from tvm.script import tirx as T

BLOCKS, THREADS, BATCHES = 8, 128, 11


def prefetch(stages):
    @T.prim_func
    def prefetched(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (BATCHES, BLOCKS, THREADS), "int32")
        B = T.match_buffer(B_ptr, (BATCHES, BLOCKS, THREADS), "int32")
        T.device_entry()
        block = T.cta_id([BLOCKS])
        tid = T.thread_id([THREADS])
        ring = T.alloc_shared([stages, THREADS], "int32")
        for batch in T.unroll(stages):
            T.ptx.cp_async(ring.ptr_to([batch, tid]), A.ptr_to([batch, block, tid]), 4)
            T.ptx.cp_async.commit_group()
        for batch in T.serial(BATCHES):
            T.ptx.cp_async.wait_group(stages - 1)
            T.cuda.cta_sync()  # each thread reads what its mirror image copied
            B[batch, block, tid] = 3 * ring[batch % stages, THREADS - 1 - tid] + batch
            T.cuda.cta_sync()  # and the slot is free only when all have read
            if batch + stages < BATCHES:
                T.ptx.cp_async(ring.ptr_to([batch % stages, tid]), A.ptr_to([batch + stages, block, tid]), 4)
            T.ptx.cp_async.commit_group()

    return prefetched


# tilewright: reference python:reference
def reference(A):
    B = 3 * A[:, :, ::-1]
    for batch in range(BATCHES):
        B[batch] += batch
    return {"B": B}
