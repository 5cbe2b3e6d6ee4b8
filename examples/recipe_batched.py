# tilewright: arch sm_80 sm_90a sm_100a
"""Recipe: batched and strided tensors: a CTA for each matrix of a batch, rows that lie further apart than they are long.

The batch is a dimension like any other, and its CTA one of the grid's. The pitch of the rows is a number of the
caller's: a layout says it, with the extents before the colon and the strides after it. Copies find out how wide they
may be; a pitch that is no multiple of 16 bytes makes them narrower (`tilewright explain`).
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout

ROWS, COLUMNS = 64, 64


# tilewright: entry scaled(6, 80)
# tilewright: reference plain(6, 80)
def scaled(batch, pitch):
    """B = 2 A for a batch of matrices whose rows begin `pitch` elements apart in A, and one after the other in B."""
    rows = TileLayout(S[(batch, ROWS, COLUMNS) : (ROWS * pitch, pitch, 1)])

    @T.prim_func
    def kernel(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (batch, ROWS, COLUMNS), "float16", layout=rows)
        B = T.match_buffer(B_ptr, (batch, ROWS, COLUMNS), "float16")
        T.device_entry()
        matrix = T.cta_id([batch])
        T.thread_id([128])
        tile = T.alloc_shared((ROWS, COLUMNS), "float16")
        Tx.cta.copy(tile[:, :], A[matrix, :, :])
        T.cuda.cta_sync()
        Tx.cta.mul(tile[:, :], tile[:, :], T.float16(2))
        Tx.cta.copy(B[matrix, :, :], tile[:, :])

    return kernel


def plain(batch, pitch):
    """What `run` expects: one thread a row, one element after the other."""
    rows = TileLayout(S[(batch, ROWS, COLUMNS) : (ROWS * pitch, pitch, 1)])

    @T.prim_func
    def scalar(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (batch, ROWS, COLUMNS), "float16", layout=rows)
        B = T.match_buffer(B_ptr, (batch, ROWS, COLUMNS), "float16")
        T.device_entry()
        matrix = T.cta_id([batch])
        row = T.thread_id([ROWS])
        for column in T.serial(COLUMNS):
            B[matrix, row, column] = A[matrix, row, column] * T.float16(2)

    return scalar


def reference(A):
    return {"B": A * 2}
