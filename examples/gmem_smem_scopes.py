# tilewright: arch sm_80 sm_90a sm_100a
"""One tile from global to shared memory and back, by a thread, a warp, a warpgroup and a whole CTA.

The scope in front of `copy` says who works together; the dispatcher splits the tile among them. Compare the facts of
the four kernels: `tilewright explain examples/gmem_smem_scopes.py`.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

ROWS, COLS = 64, 64
TILES = 4


# tilewright: reference plain(8, 16)
@T.prim_func
def by_thread(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (8, 16), "float16")
    B = T.match_buffer(B_ptr, (8, 16), "float16")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    A_smem = T.alloc_buffer((8, 16), "float16", scope="shared", layout=TileLayout(S[8, 16]))
    Tx.copy(A_smem[:, :], A[:, :])
    Tx.copy(B[:, :], A_smem[:, :])


# tilewright: reference plain(ROWS, COLS)
@T.prim_func
def by_warp(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (ROWS, COLS), "float16")
    B = T.match_buffer(B_ptr, (ROWS, COLS), "float16")
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([32])
    A_smem = T.alloc_buffer((ROWS, COLS), "float16", scope="shared", layout=TileLayout(S[ROWS, COLS]))
    Tx.warp.copy(A_smem[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(B[:, :], A_smem[:, :])


@T.prim_func
def by_warpgroup(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (ROWS, COLS), "float16")
    B = T.match_buffer(B_ptr, (ROWS, COLS), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warpgroup_id([1])
    T.warp_id_in_wg([4])
    T.lane_id([32])
    T.thread_id([128])
    A_smem = T.alloc_buffer((ROWS, COLS), "float16", scope="shared", layout=TileLayout(S[ROWS, COLS]))
    Tx.warpgroup.copy(A_smem[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warpgroup.copy(B[:, :], A_smem[:, :])


# tilewright: reference plain(TILES * ROWS, COLS)
@T.prim_func
def by_cta(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (TILES * ROWS, COLS), "float16")
    B = T.match_buffer(B_ptr, (TILES * ROWS, COLS), "float16")
    T.device_entry()
    tile = T.cta_id([TILES])
    T.thread_id([256])
    A_smem = T.alloc_buffer((ROWS, COLS), "float16", scope="shared", layout=TileLayout(S[ROWS, COLS]))
    Tx.cta.copy(A_smem[:, :], A[tile * ROWS : tile * ROWS + ROWS, :])
    T.cuda.cta_sync()
    Tx.cta.copy(B[tile * ROWS : tile * ROWS + ROWS, :], A_smem[:, :])


def plain(rows, columns):
    """What `run` expects of the kernels of this file: every element on its own, no tile primitive."""

    @T.prim_func
    def scalar(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (rows, columns), "float16")
        B = T.match_buffer(B_ptr, (rows, columns), "float16")
        T.device_entry()
        r = T.cta_id([rows])
        T.thread_id([1])
        for c in T.serial(columns):
            B[r, c] = A[r, c]

    return scalar


def reference(A):
    """What every kernel of this file leaves in its outputs, with the semantics of numpy."""
    return {"B": A}
