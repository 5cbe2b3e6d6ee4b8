# tilewright: arch sm_90a sm_100a
"""Stores that add: the copy engine combines a box with what global memory holds (`use_tma_reduce`).

Each CTA stores its tile, waits until that is complete, and adds the tile two more times.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

TILES, ROWS, COLS = 4, 32, 64


@T.prim_func
def tripled(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (TILES * ROWS, COLS), "int32")
    B = T.match_buffer(B_ptr, (TILES * ROWS, COLS), "int32")
    T.device_entry()
    first: T.let = T.cta_id([TILES]) * ROWS
    tid = T.thread_id([128])
    tile = T.alloc_shared([ROWS, COLS], "int32", align=128, layout=TileLayout(S[ROWS, COLS]))
    Tx.cta.copy(tile[:, :], A[first : first + ROWS, :])
    T.ptx.fence.proxy_async("shared::cta")
    T.cuda.cta_sync()
    if tid == 0:
        Tx.copy_async(B[first : first + ROWS, :], tile[:, :])
        T.ptx.cp_async.bulk.commit_group()
        # Until the writes are complete, not only the reads of shared memory: what follows reads them.
        T.ptx.cp_async.bulk.wait_group(0, read=False)
        for i in T.unroll(2):
            Tx.copy_async(B[first : first + ROWS, :], tile[:, :], use_tma_reduce="add")
        T.ptx.cp_async.bulk.commit_group()
        T.ptx.cp_async.bulk.wait_group(0, read=True)


# tilewright: reference python:reference
def reference(A):
    return {"B": A * 3}
