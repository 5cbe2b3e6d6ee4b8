# tilewright: arch sm_80 sm_90a sm_100a
# tilewright: reference plain
"""Recipe: softmax over fragments, the rows of a tile that lie in the registers of a warp as mma.sync leaves them.

Lane 4g + t holds rows g and g + 8, of each the columns 2t, 2t + 1 and every eighth after them. So a row lies in the four
lanes of a quad: each lane reduces its own share, two exchanges of registers complete the row, and the rest is
arithmetic of each lane alone.
"""
import math

from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, laneid

ROWS, COLUMNS = 16, 64
FRAGMENT = TileLayout(S[(2, 8, 4, 2) : (2, 4 @ laneid, 1 @ laneid, 1)]).tile_to((ROWS, COLUMNS), (16, 8))


@T.inline
def across_quad(values, row, combine):
    """Combines a row's shares of the four lanes that hold it; all of them have the result."""
    for step in T.unroll(2):
        values[row] = combine(values[row], T.cuda.__shfl_xor_sync(T.uint32(0xFFFFFFFF), values[row], 1 << step, 32))


@T.prim_func
def softmax(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (ROWS, COLUMNS), "float32")
    B = T.match_buffer(B_ptr, (ROWS, COLUMNS), "float32")
    T.device_entry()
    T.cta_id([1])
    lane = T.lane_id([32])
    T.thread_id([32])
    scores = T.alloc_buffer((ROWS, COLUMNS), "float32", scope="local", layout=FRAGMENT)
    # The same registers as a lane sees them: its two rows, and in each its share of the columns.
    mine = scores.local(2, COLUMNS // 4, layout=TileLayout(S[(2, COLUMNS // 8, 2) : (2, 4, 1)]))
    largest = T.alloc_local((2,), "float32")
    total = T.alloc_local((2,), "float32")
    for row, j, pair in T.grid(2, COLUMNS // 8, 2):
        mine[row, j * 2 + pair] = A[row * 8 + lane // 4, j * 8 + lane % 4 * 2 + pair]
    for row in T.unroll(2):
        Tx.max(largest[row : row + 1], mine[row, :])
        across_quad(largest, row, T.max)
        # exp(x - largest) as a power of two.
        scale = T.meta_var(T.float32(math.log2(math.e)))
        Tx.fma(mine[row, :], mine[row, :], scale, -largest[row] * scale)
        Tx.exp2(mine[row, :], mine[row, :])
        Tx.sum(total[row : row + 1], mine[row, :])
        across_quad(total, row, lambda a, b: a + b)
        Tx.mul(mine[row, :], mine[row, :], T.float32(1) / total[row])
    for row, j, pair in T.grid(2, COLUMNS // 8, 2):
        B[row * 8 + lane // 4, j * 8 + lane % 4 * 2 + pair] = mine[row, j * 2 + pair]


@T.prim_func
def plain(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (ROWS, COLUMNS), "float32")
    B = T.match_buffer(B_ptr, (ROWS, COLUMNS), "float32")
    T.device_entry()
    T.cta_id([1])
    row = T.thread_id([ROWS])
    largest: T.float32 = A[row, 0]
    for column in T.serial(COLUMNS):
        largest = T.max(largest, A[row, column])
    total: T.float32 = 0.0
    for column in T.serial(COLUMNS):
        total = total + T.exp(A[row, column] - largest)
    for column in T.serial(COLUMNS):
        B[row, column] = T.exp(A[row, column] - largest) / total


def reference(A):
    import numpy

    weights = numpy.exp(A - A.max(axis=1, keepdims=True))
    return {"B": weights / weights.sum(axis=1, keepdims=True)}
