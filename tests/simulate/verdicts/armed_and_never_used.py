# tilewright: arch sm_90a
# Bytes that a barrier expects, that nothing brings and nothing waits for, do no harm; half of them, or too many, are a mistake.
# verdict make("unused"): warning TW5014 at `T.ptx.mbarrier.init(full`
# verdict make("used"): clean
# verdict make("half"): TW5014 at `T.ptx.mbarrier.init(full`
# verdict make("more"): TW5014 at `T.ptx.mbarrier.init(full`
# verdict make("next"): warning TW5014 at `T.ptx.mbarrier.init(full`
from tvm.script import tirx as T


def make(kind):
    @T.prim_func
    def k(A: T.Buffer((256,), "uint32"), B: T.Buffer((256,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared([256], "uint32", align=128)
        full = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(full.ptr_to([0]), 1)
        T.cuda.cta_sync()
        if tid == 0:
            T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([0]), 512 if kind == "more" else 1024)
            if kind != "unused":
                T.ptx.cp_async_bulk_g2s_cluster(s.ptr_to([0]), A.ptr_to([0]), 512 if kind == "half" else 1024, full.ptr_to([0]))
        if kind == "used" or kind == "next":
            T.ptx.mbarrier.try_wait(full.ptr_to([0]), 0)
            B[tid] = s[tid]
        if kind == "next":
            if tid == 0:
                T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([0]), 1024)

    return k
