# tilewright: arch sm_80 sm_90a sm_100a
"""A kernel without tile primitives: element by element, for any length."""
from tvm.script import tirx as T


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


def reference(A, B):
    return {"C": A + B}
