# tilewright: arch sm_90a sm_100a
"""A contiguous array by the bulk engine (TMA without a tensor map): read, modified, written.

One elected thread moves it, and its bytes count on a barrier. Addresses are multiples of 16 bytes, sizes too. What the
engine wrote is there when the barrier's phase has completed; what threads wrote must pass a proxy fence before the
engine may read it.
"""
from tvm.script import tirx as T

LENGTH, BLOCKS, THREADS = 1024, 6, 128


@T.prim_func
def add_one(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (BLOCKS, LENGTH), "int32")
    B = T.match_buffer(B_ptr, (BLOCKS, LENGTH), "int32")
    T.device_entry()
    block = T.cta_id([BLOCKS])
    warp = T.warp_id([THREADS // 32])
    tid = T.thread_id([THREADS])
    data = T.alloc_shared([LENGTH], "int32", align=128)
    arrived = T.alloc_shared([1], "uint64")
    if tid == 0:
        T.ptx.mbarrier.init(arrived.ptr_to([0]), THREADS)
        T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    # All threads arrive on the barrier; one of them announces the bytes, too.
    if warp == 0:
        if T.ptx.elect_sync():
            T.ptx.mbarrier.expect_tx(arrived.ptr_to([0]), LENGTH * 4)
            T.ptx.cp_async_bulk_g2s_cluster(data.ptr_to([0]), A.ptr_to([block, 0]), LENGTH * 4, arrived.ptr_to([0]))
    token: T.let = T.ptx.mbarrier.arrive_state(arrived.ptr_to([0]))
    while T.ptx.mbarrier.try_wait_state(arrived.ptr_to([0]), token) == T.uint32(0):
        pass
    for i in T.serial(LENGTH // THREADS):
        data[i * THREADS + tid] = data[i * THREADS + tid] + 1
    # Each writer makes its writes visible to the engine; behind the barrier all of them are.
    T.ptx.fence.proxy_async("shared::cta")
    T.cuda.cta_sync()
    if warp == 0:
        if T.ptx.elect_sync():
            T.ptx.cp_async_bulk_s2g(B.ptr_to([block, 0]), data.ptr_to([0]), LENGTH * 4)
            T.ptx.cp_async.bulk.commit_group()
            # Shared memory must outlive the engine's reading of it.
            T.ptx.cp_async.bulk.wait_group(0, read=True)
    if tid == 0:
        T.ptx.mbarrier.inval(arrived.ptr_to([0]))


# tilewright: reference python:reference
def reference(A):
    return {"B": A + 1}
