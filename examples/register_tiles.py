# tilewright: arch sm_80 sm_90a sm_100a
"""Tiles in registers: the layout of the register side says which thread holds which element (variant `reg`).

The copies move each thread's own elements; between them a thread works on its registers through `.local()`.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, laneid


# tilewright: reference plain(32, 8)
@T.prim_func
def rows_of_a_warp(A_ptr: T.handle, B_ptr: T.handle):
    # Lane i holds row i: 8 floats, moved as two vectors of 4.
    A = T.match_buffer(A_ptr, (32, 8), "float32")
    B = T.match_buffer(B_ptr, (32, 8), "float32")
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([32])
    rows = T.alloc_buffer((32, 8), "float32", scope="local", layout=TileLayout(S[(32, 8) : (1 @ laneid, 1)]))
    Tx.warp.copy(rows[:, :], A[:, :])
    mine = rows.local(8)
    for i in range(8):
        mine[i] = mine[i] * T.float32(2)
    Tx.warp.copy(B[:, :], rows[:, :])


# tilewright: reference plain(128, 16)
@T.prim_func
def rows_of_a_warpgroup(A_ptr: T.handle, B_ptr: T.handle):
    # The register tile of a warpgroup, through shared memory on the way in.
    A = T.match_buffer(A_ptr, (128, 16), "float32")
    B = T.match_buffer(B_ptr, (128, 16), "float32")
    T.device_entry()
    T.cta_id([1])
    T.warpgroup_id([1])
    T.warp_id_in_wg([4])
    T.lane_id([32])
    T.thread_id([128])
    A_smem = T.alloc_buffer((128, 16), "float32", scope="shared", layout=TileLayout(S[128, 16]))
    rows = T.wg_reg_tile(16, "float32")
    Tx.warpgroup.copy(A_smem[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warpgroup.copy(rows[:, :], A_smem[:, :])
    mine = rows.local(16)
    for i in range(16):
        mine[i] = mine[i] * T.float32(2)
    Tx.warpgroup.copy(B[:, :], rows[:, :])


def plain(rows, columns):
    """What `run` expects of the kernels of this file: every element on its own, no tile primitive."""

    @T.prim_func
    def scalar(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (rows, columns), "float32")
        B = T.match_buffer(B_ptr, (rows, columns), "float32")
        T.device_entry()
        r = T.cta_id([rows])
        T.thread_id([1])
        for c in T.serial(columns):
            B[r, c] = A[r, c] * T.float32(2)

    return scalar


def reference(A):
    return {"B": A * 2}
