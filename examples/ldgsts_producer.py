# tilewright: arch sm_80 sm_90a sm_100a
"""One warp fetches, three warps work: producer and consumers with two buffers between them.

Each buffer has two barriers. `ready` says that it may be filled, `filled` that it has been; all threads of both sides
arrive once a phase on each of them. A wait names the phase by its parity, or by the token that an arrival returned.
"""
from tvm.script import tirx as T

WARPS, BATCHES, LANES = 4, 10, 32
THREADS = WARPS * LANES
LENGTH = 2 * LANES  # of a buffer: the producer's lanes move 8 bytes each


@T.inline
def fetch(filled, buffers, A, i, lane):
    """The producer's half of step i, once the buffer is free."""
    T.ptx.cp_async(buffers.ptr_to([i % 2, lane * 2]), A.ptr_to([i, lane * 2]), 8)
    # Raises the count by one now and lowers it when the copies land, so the arrival itself is still due.
    T.ptx.cp_async.mbarrier.arrive(filled.ptr_to([i % 2]))


@T.inline
def use(B, buffers, i, warp, lane):
    """The consumers' half of step i: each warp writes its own multiple of the batch."""
    for j in T.unroll(2):
        B[i, warp - 1, j * LANES + lane] = buffers[i % 2, j * LANES + lane] * warp


@T.inline
def initialise(filled, ready, tid):
    if tid < 2:
        T.ptx.mbarrier.init(filled.ptr_to([tid]), THREADS)
        T.ptx.mbarrier.init(ready.ptr_to([tid]), THREADS)
    T.cuda.cta_sync()


@T.prim_func
def by_parity(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (BATCHES, LENGTH), "int32")
    B = T.match_buffer(B_ptr, (BATCHES, WARPS - 1, LENGTH), "int32")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([WARPS])
    lane = T.lane_id([LANES])
    tid = T.thread_id([THREADS])
    buffers = T.alloc_shared([2, LENGTH], "int32")
    filled = T.alloc_shared([2], "uint64")
    ready = T.alloc_shared([2], "uint64")
    initialise(filled, ready, tid)
    if warp == 0:
        for i in T.serial(BATCHES):
            T.ptx.mbarrier.arrive(ready.ptr_to([i % 2]))
            T.ptx.mbarrier.wait(ready.ptr_to([i % 2]), i // 2 % 2)
            fetch(filled, buffers, A, i, lane)
            T.ptx.mbarrier.arrive(filled.ptr_to([i % 2]))
    else:
        # Both buffers start empty.
        T.ptx.mbarrier.arrive(ready.ptr_to([0]))
        T.ptx.mbarrier.arrive(ready.ptr_to([1]))
        for i in T.serial(BATCHES):
            T.ptx.mbarrier.arrive(filled.ptr_to([i % 2]))
            T.ptx.mbarrier.wait(filled.ptr_to([i % 2]), i // 2 % 2)
            use(B, buffers, i, warp, lane)
            T.ptx.mbarrier.arrive(ready.ptr_to([i % 2]))


@T.prim_func
def by_token(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (BATCHES, LENGTH), "int32")
    B = T.match_buffer(B_ptr, (BATCHES, WARPS - 1, LENGTH), "int32")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([WARPS])
    lane = T.lane_id([LANES])
    tid = T.thread_id([THREADS])
    buffers = T.alloc_shared([2, LENGTH], "int32")
    filled = T.alloc_shared([2], "uint64")
    ready = T.alloc_shared([2], "uint64")
    initialise(filled, ready, tid)
    if warp == 0:
        for i in T.serial(BATCHES):
            token: T.let = T.ptx.mbarrier.arrive_state(ready.ptr_to([i % 2]))
            while T.ptx.mbarrier.test_wait_state(ready.ptr_to([i % 2]), token) == T.uint32(0):
                pass
            fetch(filled, buffers, A, i, lane)
            T.ptx.mbarrier.arrive(filled.ptr_to([i % 2]))
    else:
        T.ptx.mbarrier.arrive(ready.ptr_to([0]))
        T.ptx.mbarrier.arrive(ready.ptr_to([1]))
        for i in T.serial(BATCHES):
            token: T.let = T.ptx.mbarrier.arrive_state(filled.ptr_to([i % 2]))
            while T.ptx.mbarrier.test_wait_state(filled.ptr_to([i % 2]), token) == T.uint32(0):
                pass
            use(B, buffers, i, warp, lane)
            T.ptx.mbarrier.arrive(ready.ptr_to([i % 2]))


# tilewright: reference python:reference
def reference(A):
    B = A[:, None, :].repeat(WARPS - 1, axis=1)
    for warp in range(1, WARPS):
        B[:, warp - 1] *= warp
    return {"B": B}
