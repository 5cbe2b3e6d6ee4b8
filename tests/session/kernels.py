# Kernels that share helpers, constants, layouts and classes, for random edits.
from dataclasses import dataclass
import math
import storm_helpers
from storm_helpers import twice
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, mma_shared_layout


ROWS = 32
COLS = 64
LOG = []
COUNT = 0
LAYOUT = mma_shared_layout("float16", 3, (ROWS, COLS))


@dataclass
class Shape:
    rows: int
    cols: int = COLS

    def pair(self):
        return (self.rows, self.cols)


SHAPE = Shape(ROWS)


def offset(lane, by=twice(2)):
    return lane * by + storm_helpers.WIDTH


@T.inline
def touch(tile, row, lane):
    first = tile[row, lane]
    tile[row, lane] = tile[row + 1, lane]
    tile[row + 1, lane] = first


@T.prim_func
def first(a: T.handle, b: T.handle):
    A = T.match_buffer(a, (ROWS, COLS), "float16")
    B = T.match_buffer(b, SHAPE.pair(), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    lane = T.lane_id([32])
    tile = T.alloc_buffer((ROWS, COLS), "float16", scope="shared", layout=LAYOUT)
    Tx.warp.copy(tile[:, :], A[:, :])
    T.cuda.cta_sync()
    touch(tile, 3, lane)
    Tx.warp.copy(B[:, :], tile[:, :])


@T.prim_func
def second(a: T.handle):
    A = T.match_buffer(a, (ROWS, COLS), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    lane = T.lane_id([32])
    tile = T.alloc_buffer((ROWS, COLS), "float16", scope="shared")
    x: T.int32 = offset(lane)
    for i in range(math.ceil(3.5)):
        tile[i, lane] = A[i, x % COLS]
    Tx.warp.copy(A[:, :], tile[:, :])


@T.prim_func
def noisy(a: T.handle):
    A = T.match_buffer(a, (ROWS, COLS), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    lane = T.lane_id([32])
    n = T.meta_var(storm_helpers.note(1))
    A[n, lane] = A[n + 1, lane]


def make(rows, dtype="float16", layout="default"):
    bound = rows * 2

    @T.prim_func
    def made(a: T.handle, b: T.handle):
        A = T.match_buffer(a, (bound, COLS), dtype)
        B = T.match_buffer(b, (bound, COLS), dtype)
        T.device_entry()
        T.cta_id([2])
        T.warp_id([1])
        T.lane_id([32])
        tile = T.alloc_buffer((rows, COLS), dtype, scope="shared", layout=layout)
        Tx.warp.copy(tile[:, :], A[0:rows, :])
        T.cuda.cta_sync()
        Tx.warp.copy(B[rows:bound, :], tile[:, :])

    return made


k32 = make(32)
k16 = make(16, "float32")
again = make(32)
# tilewright: entry make(8, layout=TileLayout(S[(8, 64)]))


@T.jit
def shifted(a: T.handle, *, N: T.constexpr = 4, UNUSED: T.constexpr = 0):
    A = T.match_buffer(a, (ROWS, COLS), "float32")
    T.device_entry()
    T.cta_id([1])
    T.warp_id([1])
    lane = T.lane_id([32])
    A[N, lane] = A[N + 1, lane] * T.float32(COUNT)


four = shifted.specialize(N=4)
six = shifted.specialize(N=6, UNUSED=ROWS)
