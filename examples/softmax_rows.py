# tilewright: arch sm_80 sm_90a sm_100a
"""The softmax of each row, in registers: e to the power of (x - the largest x), over the sum of those.

A CTA holds a row in its registers, eight neighbours a thread and four times over, so that each access moves 16 bytes
and neighbouring threads touch neighbouring addresses. While one row is worked on, the next one is on its way.
What the whole row is needed for, its largest element and its sum, goes from the elements of a thread to the lanes of
its warp to the warps of the CTA.
"""
import numpy
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import R, S, TileLayout, laneid, tx

THREADS, VECTOR = 256, 8
WARPS = THREADS // 32

ONE_A_LANE = TileLayout(S[32 : 1 @ laneid])  # element i in lane i
SAME_IN_ALL = TileLayout(S[1 : 1] + R[32 : 1 @ laneid])  # one element, and every lane has it


def row_layout(columns):
    """Element c of a row lies in thread c // 8 % 256."""
    rounds = columns // (THREADS * VECTOR)
    return TileLayout(S[(rounds, THREADS, VECTOR) : (VECTOR, 1 @ tx, 1)])


# tilewright: entry softmax(6, 4096, 2)
# tilewright: entry softmax(2, 2048, 1)
# tilewright: reference plain(...)
def softmax(rows, columns, rows_each):  # tilewright: tune rows_each=1,2,4,8,16
    each = columns // THREADS  # elements of a thread

    @T.inline
    def all_warps(result, part, parts, warp, lane, reduce):
        # `part` is the same in all lanes of a warp: one of them hands it to the other warps.
        if lane == 0:
            parts[warp] = part.local(1)[0]
        T.cuda.cta_sync()
        of_warps = T.alloc_local((WARPS,), "float32")
        Tx.copy(of_warps[:], parts[:])
        reduce(result[:], of_warps[:])

    @T.prim_func
    def kernel(X_ptr: T.handle, Y_ptr: T.handle):
        X = T.match_buffer(X_ptr, (rows, columns), "bfloat16")
        Y = T.match_buffer(Y_ptr, (rows, columns), "bfloat16")
        T.device_entry()
        cta = T.cta_id([rows // rows_each])
        warp = T.warp_id([WARPS])
        lane = T.lane_id([32])
        T.thread_id([THREADS])
        largest_of_warps = T.alloc_shared((WARPS,), "float32")
        sums_of_warps = T.alloc_shared((WARPS,), "float32")
        narrow = T.alloc_buffer((columns,), "bfloat16", scope="local", layout=row_layout(columns))
        row = T.alloc_buffer((columns,), "float32", scope="local", layout=row_layout(columns))
        of_lane = T.alloc_buffer((32,), "float32", scope="local", layout=ONE_A_LANE)
        of_warp = T.alloc_buffer((1,), "float32", scope="local", layout=SAME_IN_ALL)
        largest = T.alloc_local((1,), "float32")
        total = T.alloc_local((1,), "float32")

        Tx.cta.copy(narrow[:], X[cta * rows_each, :])
        for r in T.serial(rows_each):
            Tx.cta.cast(row[:], narrow[:])
            if r + 1 < rows_each:
                Tx.cta.copy(narrow[:], X[cta * rows_each + r + 1, :])

            Tx.max(of_lane.local(1)[:], row.local(each)[:])
            Tx.warp.max(of_warp[:], of_lane[:])
            all_warps(largest, of_warp, largest_of_warps, warp, lane, Tx.max)

            Tx.cta.sub(row[:], row[:], largest[0])
            Tx.cta.exp(row[:], row[:])

            Tx.sum(of_lane.local(1)[:], row.local(each)[:])
            Tx.warp.sum(of_warp[:], of_lane[:])
            all_warps(total, of_warp, sums_of_warps, warp, lane, Tx.sum)

            Tx.reciprocal(total[:])
            Tx.cta.mul(row[:], row[:], total[0])
            done = T.alloc_buffer((columns,), "bfloat16", scope="local", layout=row_layout(columns))
            Tx.cta.cast(done[:], row[:])
            Tx.cta.copy(Y[cta * rows_each + r, :], done[:])

    return kernel


def plain(rows, columns, rows_each):
    """What `run` expects: each row by one thread, one element after the other."""

    @T.prim_func
    def scalar(X_ptr: T.handle, Y_ptr: T.handle):
        X = T.match_buffer(X_ptr, (rows, columns), "bfloat16")
        Y = T.match_buffer(Y_ptr, (rows, columns), "bfloat16")
        T.device_entry()
        r = T.cta_id([rows])
        T.thread_id([1])
        largest: T.float32 = T.float32(X[r, 0])
        for c in T.serial(columns):
            largest = T.max(largest, T.float32(X[r, c]))
        total: T.float32 = 0.0
        for c in T.serial(columns):
            total = total + T.exp(T.float32(X[r, c]) - largest)
        for c in T.serial(columns):
            Y[r, c] = T.bfloat16(T.exp(T.float32(X[r, c]) - largest) / total)

    return scalar


def reference(X):
    x = X.astype("float32")
    e = numpy.exp(x - x.max(axis=1, keepdims=True))
    return {"Y": e / e.sum(axis=1, keepdims=True)}
