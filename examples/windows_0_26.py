# tilewright: dialect 0.26
# tilewright: arch sm_90a sm_100a
"""Views of 0.26: windows of tensors and of tiles, `.sub`."""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


# tilewright: reference plain()
@T.prim_func
def windows(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    T.lane_id([32])
    T.thread_id([128])
    S = T.alloc_shared((32, 64), "float32")
    lower = A.sub[32:64, :]
    Tx.cta.copy(S[:, :], lower[:, :], dispatch="vec_auto")
    T.cuda.cta_sync()
    rows = S.sub[warp * 8 : warp * 8 + 8, :]  # of this warp
    Tx.warp.maximum(rows[:, :], rows[:, :], T.float32(0.0))
    T.cuda.cta_sync()
    Tx.cta.copy(B[0:32, :], S[:, :])
    Tx.cta.copy(B[32:64, :], S[:, :])


def plain():
    """What `run` expects: one thread, one element after the other."""

    @T.prim_func
    def scalar(A: T.Buffer((64, 64), "float32"), B: T.Buffer((64, 64), "float32")):
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for i, j in T.grid(64, 64):
            B[i, j] = T.max(A[32 + i % 32, j], T.float32(0.0))

    return scalar


def reference(A, B):
    lower = A[32:64].clip(min=0)
    B[0:32], B[32:64] = lower, lower
    return {"B": B}
