# For confined.py on the pretended GPU: B becomes A, by the "cubin" beside it.
from tvm.script import tirx as T


@T.prim_func
def kernel(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32")):
    T.device_entry()
    block = T.cta_id([16])
    thread = T.thread_id([64])
    B[block * 64 + thread] = A[block * 64 + thread]
