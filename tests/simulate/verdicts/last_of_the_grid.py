# tilewright: arch sm_90a
# tilewright: dialect 0.27
# The last CTA adds up what all have left: one missing barrier is one finding, and what another thread of the CTA has
# acquired needs a barrier of the CTA, no other algorithm.
# verdict last_block("right"): clean
# verdict last_block("no barrier"): only TW5020 at `s = s + Part[c, tid]`
# verdict last_block("no fence"): only TW5020 at `s = s + Part[c, tid]`
# verdict last_block("no last barrier"): only TW5020 at `if last[0] == T.uint32(CTAS - 1):`
from tvm.script import tirx as T


def last_block(kind):
    CTAS, N = 5, 64

    # tilewright: run total Count=zeros
    @T.prim_func
    def total(A: T.Buffer((CTAS, N), "float32"), Part: T.Buffer((CTAS, N), "float32"), Count: T.Buffer((1,), "uint32"), Out: T.Buffer((N,), "float32")):
        T.device_entry()
        cta = T.cta_id([CTAS])
        tid = T.thread_id([N])
        last = T.alloc_shared((1,), "uint32")
        old: T.uint32
        Part[cta, tid] = A[cta, tid] * 2.0
        if kind != "no barrier":
            T.cuda.cta_sync()
        if tid == 0:
            if kind != "no fence":
                T.ptx.fence.acq_rel.gpu()
            if kind == "cta atomic":
                T.ptx["atom.relaxed.cta.global.add.u32"](old, Count.ptr_to([0]), T.uint32(1))
            else:
                T.ptx["atom.relaxed.gpu.global.add.u32"](old, Count.ptr_to([0]), T.uint32(1))
            last[0] = old
            if kind != "no second fence":
                T.ptx.fence.acq_rel.gpu()
        if kind != "no last barrier":
            T.cuda.cta_sync()
        if last[0] == T.uint32(CTAS - 1):
            s: T.float32 = 0.0
            for c in T.serial(CTAS + (1 if kind == "one too many" else 0)):
                s = s + Part[c, tid]
            Out[tid] = s

    return total
