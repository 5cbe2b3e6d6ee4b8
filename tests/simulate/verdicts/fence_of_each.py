# tilewright: arch sm_90a
# The last CTA adds up what all have left: each thread fences its stores, one of them counts the CTA, and each fences before
# it reads (PTX ISA 8.9.3, Fence-SC order). A fence of the counting thread alone, before the barrier, is not enough.
# verdict last_adds("each", "each"): clean
# verdict last_adds("behind", "before"): clean
# verdict last_adds("behind", "each"): clean
# verdict last_adds("each", "no"): TW5020 at `total = total + W[k, t]`
# verdict last_adds("no", "each"): TW5020 at `total = total + W[k, t]`
# verdict last_adds("one", "each"): TW5020 at `total = total + W[k, t]`
# verdict last_adds("acq_rel", "each"): TW5020 at `total = total + W[k, t]`
# verdict last_adds("unmet", "each"): TW5020 at `total = total + W[k, t]`
from tvm.script import tirx as T

SPLITS, N = 4, 64


def last_adds(writers, readers):
    @T.prim_func
    def k(A: T.Buffer((SPLITS, N), "float32"), W: T.Buffer((SPLITS, N), "float32"), C: T.Buffer((1,), "int32"), B: T.Buffer((N,), "float32")):
        T.device_entry()
        split = T.cta_id([SPLITS])
        t = T.thread_id([N])
        last = T.alloc_shared((1,), "int32")
        W[split, t] = A[split, t]
        if writers == "each" or writers == "unmet":
            T.cuda.thread_fence()
        if writers == "acq_rel":
            T.ptx.fence("acq_rel", "gpu")
        if writers == "one":
            if t == 0:
                T.cuda.thread_fence()
        if writers != "unmet":
            T.cuda.cta_sync()
        if t == 0:
            if writers == "behind":
                T.cuda.thread_fence()
            last[0] = T.cuda.atomic_add(C.ptr_to([0]), 1)
            if readers == "before":
                T.cuda.thread_fence()
        T.cuda.cta_sync()
        if last[0] == SPLITS - 1:
            if readers == "each":
                T.cuda.thread_fence()
            total: T.float32 = T.float32(0)
            for k in T.serial(SPLITS):
                total = total + W[k, t]
            B[t] = total

    return k
