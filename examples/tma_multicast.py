# tilewright: arch sm_90a sm_100a
"""One load for all CTAs of a cluster: each CTA fetches a quarter of the tile and multicasts it to everyone.

Global memory is read once. Every CTA arms its own barrier with the bytes of the whole tile, since all four copies land
in its shared memory.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

CTAS, ROWS, COLS = 4, 64, 64
PART = ROWS // CTAS


@T.prim_func
def shared_load(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (ROWS, COLS), "float16")
    B = T.match_buffer(B_ptr, (CTAS, ROWS, COLS), "float16")
    T.device_entry()
    rank = T.cta_id_in_cluster([CTAS])
    T.cta_id([CTAS])
    tid = T.thread_id([128])
    tile = T.alloc_shared([ROWS, COLS], "float16", align=128, layout=TileLayout(S[ROWS, COLS]))
    arrived = T.alloc_shared([1], "uint64")
    if tid == 0:
        T.ptx.mbarrier.init(arrived.ptr_to([0]), 1)
        T.ptx.fence.mbarrier_init()
        T.ptx.mbarrier.arrive.expect_tx(arrived.ptr_to([0]), ROWS * COLS * 2)
    # No copy may land before the barrier that counts it exists.
    T.cuda.cluster_sync()
    if tid == 0:
        Tx.copy_async(
            tile[rank * PART : rank * PART + PART, :],
            A[rank * PART : rank * PART + PART, :],
            dispatch="tma",
            mbar=arrived.ptr_to([0]),
            cta_mask=(1 << CTAS) - 1,
        )
    T.ptx.mbarrier.try_wait(arrived.ptr_to([0]), 0)
    Tx.cta.copy(B[rank, :, :], tile[:, :])
    # Nor may a CTA leave while the copies of others are on their way to it.
    T.cuda.cluster_sync()


# tilewright: reference python:reference
def reference(A):
    return {"B": A[None].repeat(CTAS, axis=0)}
