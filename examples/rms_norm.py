# tilewright: arch sm_80 sm_90a sm_100a
"""RMS norm: each row over the root of its mean square, times a weight a column.

A CTA holds a row in its registers, eight neighbours a thread and so many times over that the row is covered: each
access moves 16 bytes, and neighbouring threads touch neighbouring addresses. The weights are read once for all rows of
the CTA, and while one row is worked on the next one is on its way.
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


# tilewright: entry rms_norm(6, 4096, 2)
# tilewright: entry rms_norm(2, 2048, 1)
# tilewright: reference plain(...)
def rms_norm(rows, columns, rows_each, epsilon=1e-5):  # tilewright: tune rows_each=1,2,4,8,16
    each = columns // THREADS  # elements of a thread

    @T.prim_func
    def kernel(X_ptr: T.handle, W_ptr: T.handle, Y_ptr: T.handle):
        X = T.match_buffer(X_ptr, (rows, columns), "bfloat16")
        W = T.match_buffer(W_ptr, (columns,), "bfloat16")
        Y = T.match_buffer(Y_ptr, (rows, columns), "bfloat16")
        T.device_entry()
        cta = T.cta_id([rows // rows_each])
        warp = T.warp_id([WARPS])
        lane = T.lane_id([32])
        T.thread_id([THREADS])
        # Two of them: a warp may be a row ahead of those that still read.
        sums_of_warps = T.alloc_shared((2, WARPS), "float32")
        weight = T.alloc_buffer((columns,), "bfloat16", scope="local", layout=row_layout(columns))
        narrow = T.alloc_buffer((columns,), "bfloat16", scope="local", layout=row_layout(columns))
        row = T.alloc_buffer((columns,), "float32", scope="local", layout=row_layout(columns))
        square = T.alloc_buffer((columns,), "float32", scope="local", layout=row_layout(columns))
        of_lane = T.alloc_buffer((32,), "float32", scope="local", layout=ONE_A_LANE)
        of_warp = T.alloc_buffer((1,), "float32", scope="local", layout=SAME_IN_ALL)
        of_warps = T.alloc_local((WARPS,), "float32")
        scale = T.alloc_local((1,), "float32")

        Tx.cta.copy(weight[:], W[:])
        Tx.cta.copy(narrow[:], X[cta * rows_each, :])
        for r in T.serial(rows_each):
            Tx.cta.cast(row[:], narrow[:])
            if r + 1 < rows_each:
                Tx.cta.copy(narrow[:], X[cta * rows_each + r + 1, :])

            # The sum of the squares: of a thread, of its warp, of all warps.
            Tx.cta.mul(square[:], row[:], row[:])
            Tx.sum(of_lane.local(1)[:], square.local(each)[:])
            Tx.warp.sum(of_warp[:], of_lane[:])
            if lane == 0:
                sums_of_warps[r % 2, warp] = of_warp.local(1)[0]
            T.cuda.cta_sync()
            Tx.copy(of_warps[:], sums_of_warps[r % 2, :])
            Tx.sum(scale[:], of_warps[:])

            # 1 / sqrt(sum / columns + epsilon)
            Tx.sqrt(scale[:], scale[:], T.float32(epsilon), T.float32(1.0 / columns))
            Tx.reciprocal(scale[:])
            Tx.cta.mul(row[:], row[:], scale[0])
            Tx.cta.mul(row[:], row[:], weight[:])
            done = T.alloc_buffer((columns,), "bfloat16", scope="local", layout=row_layout(columns))
            Tx.cta.cast(done[:], row[:])
            Tx.cta.copy(Y[cta * rows_each + r, :], done[:])

    return kernel


def plain(rows, columns, rows_each, epsilon=1e-5):
    """What `run` expects: each row by one thread, one element after the other."""

    @T.prim_func
    def scalar(X_ptr: T.handle, W_ptr: T.handle, Y_ptr: T.handle):
        X = T.match_buffer(X_ptr, (rows, columns), "bfloat16")
        W = T.match_buffer(W_ptr, (columns,), "bfloat16")
        Y = T.match_buffer(Y_ptr, (rows, columns), "bfloat16")
        T.device_entry()
        r = T.cta_id([rows])
        T.thread_id([1])
        total: T.float32 = 0.0
        for c in T.serial(columns):
            total = total + T.float32(X[r, c]) * T.float32(X[r, c])
        scale: T.float32 = T.rsqrt(total / T.float32(columns) + T.float32(epsilon))
        for c in T.serial(columns):
            Y[r, c] = T.bfloat16(T.float32(X[r, c]) * scale * T.float32(W[c]))

    return scalar


def reference(X, W, epsilon=1e-5):
    x = X.astype("float32")
    return {"Y": x / numpy.sqrt((x * x).mean(axis=1, keepdims=True) + epsilon) * W.astype("float32")}
