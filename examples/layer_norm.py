# tilewright: arch sm_80 sm_90a sm_100a
"""Layer norm of rows in shared memory: (x - mean) / sqrt(variance + epsilon) * gain + shift.

The plainest way to write it: a CTA brings its rows into shared memory, and each step is one call for all of them. A
result a row has the shape (rows, 1), and where such a tile meets a whole one it counts for each column. A kernel that wants
speed holds the rows in registers, as softmax_rows.py and rms_norm.py do.
"""
import numpy
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

THREADS, ROWS = 128, 8


# tilewright: entry layer_norm(16, 256)
# tilewright: entry layer_norm(8, 384)
# tilewright: reference plain(...)
def layer_norm(rows, columns, epsilon=1e-5):
    @T.prim_func
    def kernel(X_ptr: T.handle, G_ptr: T.handle, B_ptr: T.handle, Y_ptr: T.handle):
        X = T.match_buffer(X_ptr, (rows, columns), "float32")
        G = T.match_buffer(G_ptr, (columns,), "float32")
        B = T.match_buffer(B_ptr, (columns,), "float32")
        Y = T.match_buffer(Y_ptr, (rows, columns), "float32")
        T.device_entry()
        cta = T.cta_id([rows // ROWS])
        T.thread_id([THREADS])
        x = T.alloc_shared((ROWS, columns), "float32")
        square = T.alloc_shared((ROWS, columns), "float32")
        gain = T.alloc_shared((columns,), "float32")
        shift = T.alloc_shared((columns,), "float32")
        mean = T.alloc_shared((ROWS, 1), "float32")
        spread = T.alloc_shared((ROWS, 1), "float32")

        Tx.cta.copy(x[:, :], X[cta * ROWS : (cta + 1) * ROWS, :])
        Tx.cta.copy(gain[:], G[:])
        Tx.cta.copy(shift[:], B[:])
        # Copies leave it to the script to wait for all threads; arithmetic does so itself.
        T.cuda.cta_sync()
        Tx.cta.sum(mean[:, :], x[:, :])
        Tx.cta.mul(mean[:, :], mean[:, :], T.float32(1.0 / columns))
        Tx.cta.sub(x[:, :], x[:, :], mean[:, :])
        Tx.cta.mul(square[:, :], x[:, :], x[:, :])
        Tx.cta.sum(spread[:, :], square[:, :])
        Tx.cta.sqrt(spread[:, :], spread[:, :], T.float32(epsilon), T.float32(1.0 / columns))
        Tx.cta.fdiv(x[:, :], x[:, :], spread[:, :])
        Tx.cta.fma(x[:, :], x[:, :], gain[:], shift[:])
        Tx.cta.copy(Y[cta * ROWS : (cta + 1) * ROWS, :], x[:, :])

    return kernel


def plain(rows, columns, epsilon=1e-5):
    """What `run` expects: each row by one thread, one element after the other."""

    @T.prim_func
    def scalar(X_ptr: T.handle, G_ptr: T.handle, B_ptr: T.handle, Y_ptr: T.handle):
        X = T.match_buffer(X_ptr, (rows, columns), "float32")
        G = T.match_buffer(G_ptr, (columns,), "float32")
        B = T.match_buffer(B_ptr, (columns,), "float32")
        Y = T.match_buffer(Y_ptr, (rows, columns), "float32")
        T.device_entry()
        r = T.cta_id([rows])
        T.thread_id([1])
        total: T.float32 = 0.0
        for c in T.serial(columns):
            total = total + X[r, c]
        mean: T.let = total / T.float32(columns)
        squares: T.float32 = 0.0
        for c in T.serial(columns):
            squares = squares + (X[r, c] - mean) * (X[r, c] - mean)
        spread: T.let = T.sqrt(squares / T.float32(columns) + T.float32(epsilon))
        for c in T.serial(columns):
            Y[r, c] = (X[r, c] - mean) / spread * G[c] + B[c]

    return scalar


def reference(X, G, B, epsilon=1e-5):
    x = X - X.mean(axis=1, keepdims=True)
    return {"Y": x / numpy.sqrt((x * x).mean(axis=1, keepdims=True) + epsilon) * G + B}
