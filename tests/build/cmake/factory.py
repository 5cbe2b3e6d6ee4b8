from tvm.script import tirx as T


def make(n, dtype):
    @T.prim_func
    def copy(A: T.Buffer((n,), dtype), B: T.Buffer((n,), dtype)):
        T.device_entry()
        T.cta_id([1])
        i = T.thread_id([n])
        B[i] = A[i]

    return copy


# tilewright: entry make(256, "float32")
# tilewright: entry make(256, "int32")
