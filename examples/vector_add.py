# tilewright: arch sm_80 sm_90a sm_100a
"""A kernel without tile primitives: element by element, for any length."""
from tvm.script import tirx as T


# tilewright: reference plain("float32")
@T.prim_func
def vector_add(a: T.handle, b: T.handle, c: T.handle):
    n = T.int32()
    A = T.match_buffer(a, (n,), "float32")
    B = T.match_buffer(b, (n,), "float32")
    C = T.match_buffer(c, (n,), "float32")
    T.device_entry()
    block = T.cta_id([(n + 255) // 256])
    thread = T.thread_id([256])
    i: T.let = block * 256 + thread
    if i < n:
        C[i] = A[i] + B[i]


def plain(dtype):
    """What `run` expects: one thread, one element after the other."""

    @T.prim_func
    def scalar(a: T.handle, b: T.handle, c: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), dtype)
        B = T.match_buffer(b, (n,), dtype)
        C = T.match_buffer(c, (n,), dtype)
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for i in T.serial(n):
            C[i] = A[i] + B[i]

    return scalar


def reference(A, B):
    return {"C": A + B}


# tilewright: run vector_add n=10000
