# tilewright: arch sm_90a
# tilewright: dialect 0.25
# Integers that are made up reach what the extents allow: rows of several rounds, and for each tensor its own numbers.
# verdict rows("right"): clean
# verdict rows("no barrier"): only warning TW5020 at `total = total + s[31 - tid]`
# verdict permuted("right"): clean
# verdict permuted("not all"): only TW5020 at `O[To[row]`
from tvm.script import tirx as T


# Rows of a sparse matrix, a CTA a row: a chunk of 32 elements a round.
def rows(kind):
    R, NNZ = 8, 512

    @T.prim_func
    def rows_kernel(P: T.Buffer((R + 1,), "int32"), I: T.Buffer((NNZ,), "int32"), V: T.Buffer((NNZ,), "float32"), X: T.Buffer((64,), "float32"), Y: T.Buffer((R,), "float32")):
        T.device_entry()
        r = T.cta_id([R])
        tid = T.thread_id([32])
        s = T.alloc_shared((64,), "float32")
        total: T.float32 = T.float32(0)
        rounds: T.int32 = (P[r + 1] - P[r] + 31) // 32
        for k in T.serial(rounds):
            at: T.int32 = P[r] + k * 32 + tid
            v: T.float32 = T.float32(0)
            if at < P[r + 1]:
                v = V[at] * X[I[at]]
            s[tid] = v
            T.cuda.cta_sync()
            total = total + s[31 - tid] + s[tid]
            if kind == "right":
                T.cuda.cta_sync()
        if tid == 0:
            Y[r] = total

    return rows_kernel


# Rows that go to other places, each to one; the number of rows is data.
def permuted(kind):
    N, D = 64, 32

    @T.prim_func
    def permuted_kernel(To: T.Buffer((N,), "int32"), Mode: T.Buffer((1,), "int32"), A: T.Buffer((N, D), "float32"), W: T.Buffer((3, D), "float32"), O: T.Buffer((N, D), "float32")):
        T.device_entry()
        row = T.cta_id([N])
        tid = T.thread_id([D])
        O[To[row] // (2 if kind == "not all" else 1), tid] = A[row, tid] * W[Mode[0], tid]

    return permuted_kernel
