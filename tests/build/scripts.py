"""Scripts of the build server's tests."""

HEAD = "from tvm.script import tirx as T\n"
ADD = HEAD + """

# tilewright: reference plain()
@T.prim_func
def add(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([64])
    B[i] = A[i] + T.float32(1)


def plain():
    @T.prim_func
    def scalar(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for i in T.serial(64):
            B[i] = A[i] + T.float32({by})

    return scalar
"""
BARE = ADD.replace("# tilewright: reference plain()\n", "")  # then both kernels are there for their own sake
BROKEN = ADD.replace("A[i] + T", "A[j] + T")
ENDLESS = HEAD + """

@T.prim_func
def endless(A: T.Buffer((32,), "int32"), B: T.Buffer((32,), "int32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([32])
    while A[0] != 12345:
        B[i] = B[i] + 1
"""
IMPORTING = HEAD + """from {module} import N


@T.prim_func
def copy(A: T.Buffer((N,), "float32"), B: T.Buffer((N,), "float32")):
    T.device_entry()
    T.cta_id([1])
    i = T.thread_id([N])
    B[i] = A[i]
"""
# Served by the scalar fallback alone.
WARNING = HEAD + """from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


@T.prim_func
def odd(A: T.Buffer((10, 10), "float32"), B: T.Buffer((10, 10), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([32])
    A_smem = T.alloc_buffer((10, 10), "float32", scope="shared", layout=TileLayout(S[10, 10]))
    Tx.warp.copy(A_smem[:, :], A[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(B[:, :], A_smem[:, :])
"""
