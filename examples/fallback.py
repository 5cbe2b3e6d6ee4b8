# tilewright: arch sm_80 sm_90a sm_100a
"""Copies that only the scalar fallback serves: correct, slow, and reported as a warning.

100 elements do not divide among 32 lanes. `tilewright check --deny fallback` makes such a warning an error; the ignore
comment accepts it where it is meant.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


@T.prim_func
def odd_tile(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (10, 10), "float32")
    B = T.match_buffer(B_ptr, (10, 10), "float32")
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([32])
    A_smem = T.alloc_buffer((10, 10), "float32", scope="shared", layout=TileLayout(S[10, 10]))
    Tx.warp.copy(A_smem[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(B[:, :], A_smem[:, :])  # tilewright: ignore[TW3106]


# tilewright: reference python:reference
def reference(A):
    return {"B": A}
