# tilewright: dialect 0.27
# tilewright: arch sm_90a sm_100a
"""Instructions of 0.27 by their words: each warp sums its 32 numbers by an exchange of registers."""
from tvm.script import tirx as T


# tilewright: reference plain(4)
@T.prim_func
def warp_sums(A: T.Buffer((4, 32), "int32"), B: T.Buffer((4, 32), "int32")):
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    lane = T.lane_id([32])
    T.thread_id([128])
    value: T.uint32
    other: T.uint32
    T.ptx.ld.global_.b32(value, A.ptr_to([warp, lane]))
    for step in T.unroll(5):
        # What is written comes first; the text may also stand in brackets: T.ptx["shfl_sync.bfly.b32"].
        T.ptx.shfl_sync.bfly.b32(other, value, T.uint32(1) << T.cast(step, "uint32"), T.uint32(31), T.uint32(0xFFFFFFFF))
        T.ptx.add.u32(value, value, other)
    T.ptx.st.global_.b32(B.ptr_to([warp, lane]), value)


def plain(warps):
    """What `run` expects: one thread after the other."""

    @T.prim_func
    def sums(A: T.Buffer((warps, 32), "int32"), B: T.Buffer((warps, 32), "int32")):
        T.device_entry()
        T.cta_id([1])
        T.thread_id([1])
        for w in T.serial(warps):
            total: T.int32 = 0
            for i in T.serial(32):
                total += A[w, i]
            for i in T.serial(32):
                B[w, i] = total

    return sums


def reference(A, B):
    B[:] = A.sum(axis=1, keepdims=True)
    return {"B": B}
