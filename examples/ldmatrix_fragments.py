# tilewright: arch sm_80 sm_90a sm_100a
"""Matrix fragments: shared memory to the registers of an `mma` with one ldmatrix (variant `ldstmatrix`).

In an 8 x 8 tile lane L holds (row L / 4, columns 2 (L mod 4) and the next). The fragment of 16 x 16 elements has four
such tiles; the layout says so, and the dispatcher finds `ldmatrix.x4`.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, laneid

# rows 16 = (2 tiles, 8 rows), columns 16 = (2 tiles, 4 lanes, 2 elements); in memory, a lane's registers are ordered by
# column tile, row tile, element
FRAGMENT = TileLayout(S[(2, 8, 2, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


@T.prim_func
def load_fragment(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (16, 16), "float16")
    B = T.match_buffer(B_ptr, (16, 16), "float16")
    T.device_entry()
    T.cta_id([1])
    lane = T.lane_id([32])
    T.thread_id([32])
    A_smem = T.alloc_buffer((16, 16), "float16", scope="shared", layout=TileLayout(S[16, 16]))
    fragment = T.alloc_buffer((16, 16), "float16", scope="local", layout=FRAGMENT)
    Tx.warp.copy(A_smem[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(fragment[:, :], A_smem[:, :])
    # Written out by hand, element by element: what each lane holds. `.local()` counts its elements in the order of the
    # tile's dimensions and finds the register by the layout.
    mine = fragment.local(8)
    for column_tile in T.unroll(2):
        for row_tile in T.unroll(2):
            for element in T.unroll(2):
                B[row_tile * 8 + lane // 4, column_tile * 8 + lane % 4 * 2 + element] = mine[
                    row_tile * 4 + column_tile * 2 + element
                ]


# tilewright: reference python:reference
def reference(A):
    return {"B": A}
