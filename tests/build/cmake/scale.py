from tvm.script import tirx as T
from width import WIDTH


@T.prim_func
def scale(A: T.Buffer((WIDTH,), "float32"), B: T.Buffer((WIDTH,), "float32")):
    T.device_entry()
    i = T.thread_id([128])
    cta = T.cta_id([2])
    B[cta * 128 + i] = A[cta * 128 + i] * T.float32(1)
