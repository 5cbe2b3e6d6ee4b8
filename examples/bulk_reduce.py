# tilewright: arch sm_90a sm_100a
"""The bulk engine adds in global memory: each CTA of a cluster adds its row to the same 1,024 sums."""
from tvm.script import tirx as T

LENGTH, BLOCKS, THREADS = 1024, 8, 128


@T.prim_func
def accumulate(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (BLOCKS, LENGTH), "int32")
    B = T.match_buffer(B_ptr, (LENGTH,), "int32")
    T.device_entry()
    rank = T.cta_id_in_cluster([BLOCKS])
    T.cta_id([BLOCKS])
    tid = T.thread_id([THREADS])
    data = T.alloc_shared([LENGTH], "int32", align=128)
    for i in T.serial(LENGTH // THREADS):
        data[i * THREADS + tid] = A[rank, i * THREADS + tid]
        # The sum starts at 0, written before any CTA of the cluster adds to it.
        if rank == 0:
            B[i * THREADS + tid] = 0
    T.ptx.fence.proxy_async("")
    T.cuda.cluster_sync()
    if tid == 0:
        T.ptx.cp_async_bulk_s2g_reduce(B.ptr_to([0]), data.ptr_to([0]), LENGTH * 4, op="add", dtype="s32")
        T.ptx.cp_async.bulk.commit_group()
        T.ptx.cp_async.bulk.wait_group(0, read=True)


# tilewright: reference python:reference
def reference(A):
    return {"B": sum(A[block] for block in range(BLOCKS))}
