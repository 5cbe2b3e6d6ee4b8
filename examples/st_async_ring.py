# tilewright: arch sm_90a sm_100a
"""Registers to the shared memory of the next CTA (STAS): a ring of eight CTAs passes numbers round and adds them up.

In each step a thread stores into its right neighbour's buffer; the store counts its bytes on the barrier `filled` there.
The neighbour's threads tell the sender over its barrier `free` that they have read, so that the next store may come.
After seven steps every CTA has seen the numbers of all others.
"""
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import MBarrier

CTAS, THREADS = 8, 128


# tilewright: reference plain(CTAS, THREADS)
@T.prim_func
def ring_sum(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (CTAS, THREADS), "int32")
    B = T.match_buffer(B_ptr, (CTAS, THREADS), "int32")
    T.device_entry()
    rank = T.cta_id_in_cluster([CTAS])
    T.cta_id([CTAS])
    tid = T.thread_id([THREADS])
    pool = T.SMEMPool()
    buffer = pool.alloc((THREADS,), "int32", align=16)
    filled = MBarrier(pool, 1)
    free = MBarrier(pool, 1)
    pool.commit()
    filled.init(1)
    free.init(THREADS)
    T.ptx.fence.mbarrier_init()
    # The barriers of the neighbours exist before anyone counts on them.
    T.cuda.cluster_sync()
    right: T.let = (rank + 1) % CTAS
    left: T.let = (rank + CTAS - 1) % CTAS
    to_right: T.let = T.ptx.map_shared_rank(buffer.ptr_to([tid]), right)
    filled_right = filled.remote(right)
    free_left = free.remote(left)
    passing: T.int32 = A[rank, tid]
    total: T.int32 = passing
    parity: T.int32 = 0
    for step in T.serial(CTAS - 1):
        T.ptx.st_async(to_right, passing, bar_u64=filled_right.ptr, ptx_type="s32")
        if tid == 0:
            T.ptx.mbarrier.arrive_expect_tx_cluster(filled.ptr_to([0]), THREADS * 4)
        T.ptx.mbarrier.wait(filled.ptr_to([0]), parity, sem="acquire", scope="cluster")
        passing = buffer[tid]
        total = total + passing
        free_left.arrive()
        T.ptx.mbarrier.wait(free.ptr_to([0]), parity, sem="acquire", scope="cluster")
        parity = parity ^ 1
    B[rank, tid] = total
    # No CTA leaves while a neighbour may still store or arrive in its shared memory.
    T.cuda.cluster_sync()


def plain(rows, columns):
    """What `run` expects: every sum on its own, nothing passed round."""

    @T.prim_func
    def scalar(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (rows, columns), "int32")
        B = T.match_buffer(B_ptr, (rows, columns), "int32")
        T.device_entry()
        r = T.cta_id([rows])
        c = T.thread_id([columns])
        total: T.int32 = 0
        for other in T.serial(rows):
            total = total + A[other, c]
        B[r, c] = total

    return scalar


def reference(A):
    B = A * 0
    for rank in range(CTAS):
        B += A[rank]
    return {"B": B}
