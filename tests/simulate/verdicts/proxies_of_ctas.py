# tilewright: arch sm_90a
# What another CTA has written by ordinary stores reaches an asynchronous copy behind a fence of the async proxy, on
# either side of the flag (PTX ISA 8.9.5, causality order; 9.7.9.25.2).
# verdict make("none", "tma"): TW5022 at `Tx.copy_async(s`
# verdict make("none", "bulk"): TW5022 at `T.ptx.cp_async_bulk_g2s_cluster(s`
# verdict make("reader", "tma"): clean
# verdict make("reader", "bulk"): clean
# verdict make("writer", "tma"): clean
# verdict make("none", "plain"): clean
# verdict make("volatile", "plain"): TW5020
# verdict make("volatile fence", "plain"): clean
# verdict make("relaxed", "plain"): TW5020
# verdict make("relaxed fence", "plain"): clean
# verdict make("unfenced writer", "plain"): TW5020
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx


def make(fence, how):
    @T.prim_func
    def k(A: T.Buffer((64, 64), "float16"), W: T.Buffer((64, 64), "float16"), flag: T.Buffer((1,), "int32"), B: T.Buffer((64, 64), "float16")):
        T.device_entry()
        cta = T.cta_id([2])
        tid = T.thread_id([128])
        s = T.alloc_shared((64, 64), "float16", align=128)
        full = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(full.ptr_to([0]), 1)
        T.cuda.cta_sync()
        if cta == 0:
            for i in T.serial(32):
                W[i * 2 + tid // 64, tid % 64] = A[i * 2 + tid // 64, tid % 64]
            T.cuda.cta_sync()
            if tid == 0:
                if fence == "writer":
                    T.ptx.fence.proxy_async()
                if fence != "unfenced writer":
                    T.cuda.thread_fence()
                T.cuda.atomic_add(flag.ptr_to([0]), 1)
        else:
            if tid == 0:
                if fence == "volatile" or fence == "volatile fence":
                    while T.ptx.ld_volatile(flag.ptr_to([0]), "int32", "s32") < 1:
                        pass
                elif fence == "relaxed" or fence == "relaxed fence":
                    while T.cuda.atomic_add(flag.ptr_to([0]), 0) < 1:
                        pass
                else:
                    while T.ptx.ld_acquire(flag.ptr_to([0]), "int32", "s32") < 1:
                        pass
                if fence == "volatile fence" or fence == "relaxed fence":
                    T.cuda.thread_fence()
                if fence == "reader":
                    T.ptx.fence.proxy_async()
                if how != "plain":
                    T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([0]), 8192)
                if how == "tma":
                    Tx.copy_async(s[:, :], W[:, :], dispatch="tma", mbar=full.ptr_to([0]))
                if how == "bulk":
                    T.ptx.cp_async_bulk_g2s_cluster(s.ptr_to([0, 0]), W.ptr_to([0, 0]), 8192, full.ptr_to([0]))
            if how == "plain":
                T.cuda.cta_sync()
                for i in T.serial(32):
                    B[i * 2 + tid // 64, tid % 64] = W[i * 2 + tid // 64, 63 - tid % 64]
            else:
                T.ptx.mbarrier.try_wait(full.ptr_to([0]), 0)
                Tx.cta.copy(B[:, :], s[:, :])

    return k
