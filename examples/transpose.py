# tilewright: arch sm_80 sm_90a sm_100a
"""A transposition through shared memory. `tilewright run transpose.py --entry 'transpose(32)' --on sim --profile` counts
the bank conflicts of rows of 32 words, and none of rows of 33."""
from tvm.script import tirx as T


# tilewright: reference plain(...)
def transpose(row):
    @T.prim_func
    def kernel(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32")):
        T.device_entry()
        by, bx = T.cta_id([4, 4])
        thread = T.thread_id([1024])
        tile = T.alloc_shared((32, row), "float32")
        x: T.let = thread % 32
        y: T.let = thread // 32
        tile[y, x] = A[by * 32 + y, bx * 32 + x]
        T.cuda.cta_sync()
        B[bx * 32 + y, by * 32 + x] = tile[x, y]

    return kernel


def plain(row):
    """What `run` expects: one thread, one element after the other."""

    @T.prim_func
    def scalar(A: T.Buffer((128, 128), "float32"), B: T.Buffer((128, 128), "float32")):
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for i in T.serial(128):
            for j in T.serial(128):
                B[j, i] = A[i, j]

    return scalar


def reference(A, B):
    return {"B": A.T}


# tilewright: entry transpose(32)
# tilewright: entry transpose(33)
