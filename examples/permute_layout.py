# tilewright: arch sm_80 sm_90a sm_100a
"""A tile of shared memory into another layout, in place: row-major to column-major, by one warp.

`permute_layout` reads each element of the source and writes it where the destination's layout has it. Both are views of
the same bytes: the warp holds the whole tile in its registers in between. A plain transposition would meet one bank 32
times in each access; here the lanes take turns along the rows, by an XOR, so that both sides are free of conflicts.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


# tilewright: reference plain
@T.prim_func
def transposed(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([32])
    rows = T.alloc_shared((32, 32), "float32")
    columns = rows.view(32, 32, layout=TileLayout(S[(32, 32) : (1, 32)]))
    Tx.warp.copy(rows[:, :], A[:, :])
    T.cuda.warp_sync()
    Tx.warp.permute_layout(columns[:, :], rows[:, :])
    # The bytes are column-major now: read row by row, they are the transposed tile.
    Tx.warp.copy(B[:, :], rows[:, :])


@T.prim_func
def plain(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32")):
    T.device_entry()
    row = T.cta_id([32])
    column = T.thread_id([32])
    B[column, row] = A[row, column]


def reference(A):
    return {"B": A.T}
