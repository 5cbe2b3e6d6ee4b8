# tilewright: arch sm_90a
# fence.proxy.async may be for one state space alone (PTX ISA 9.7.13.4): it makes visible what was written there.
# verdict shared("shared::cta"): clean
# verdict shared("shared::cluster"): clean
# verdict shared(""): clean
# verdict shared("global"): TW5022 at `T.ptx.cp_async_bulk_s2g(`
# verdict through_global("global", "writer"): clean
# verdict through_global("", "writer"): clean
# verdict through_global("shared::cta", "writer"): TW5022 at `T.ptx.cp_async_bulk_g2s_cluster(`
# verdict through_global("global", "reader"): clean
# verdict through_global("shared::cta", "reader"): TW5022 at `T.ptx.cp_async_bulk_g2s_cluster(`
# verdict both("global", "shared::cta"): clean
# verdict both("shared::cta", "shared::cta"): TW5022 at `T.ptx.cp_async_bulk_g2s_cluster(`
# verdict across("global"): clean
# verdict across("shared::cta"): TW5022 at `T.ptx.cp_async_bulk_g2s_cluster(`
from tvm.script import tirx as T


def shared(space):
    @T.prim_func
    def k(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([128])
        s = T.alloc_shared((128,), "float32", align=128)
        s[tid] = A[tid]
        T.ptx.fence.proxy_async(space)
        T.cuda.cta_sync()
        if tid == 0:
            T.ptx.cp_async_bulk_s2g(B.ptr_to([0]), s.ptr_to([0]), 512)
            T.ptx.cp_async.bulk.commit_group()
            T.ptx.cp_async.bulk.wait_group(0)

    return k


def through_global(space, where):
    @T.prim_func
    def k(A: T.Buffer((128,), "float32"), W: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([128])
        s = T.alloc_shared((128,), "float32", align=128)
        bar = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
        W[tid] = A[tid]
        if where == "writer":
            T.ptx.fence.proxy_async(space)
        T.cuda.cta_sync()
        if tid == 0:
            if where == "reader":
                T.ptx.fence.proxy_async(space)
            T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 512)
            T.ptx.cp_async_bulk_g2s_cluster(s.ptr_to([0]), W.ptr_to([0]), 512, bar.ptr_to([0]))
        T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
        B[tid] = s[tid]

    return k


def both(first, second):
    @T.prim_func
    def k(A: T.Buffer((128,), "float32"), W: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([128])
        s = T.alloc_shared((128,), "float32", align=128)
        bar = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
        W[tid] = A[tid]
        T.ptx.fence.proxy_async(first)
        T.cuda.cta_sync()
        if tid == 0:
            T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 512)
            T.ptx.cp_async_bulk_g2s_cluster(s.ptr_to([0]), W.ptr_to([0]), 512, bar.ptr_to([0]))
        T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
        s[tid] = s[tid] + T.float32(1)
        T.ptx.fence.proxy_async(second)
        T.cuda.cta_sync()
        if tid == 0:
            T.ptx.cp_async_bulk_s2g(B.ptr_to([0]), s.ptr_to([0]), 512)
            T.ptx.cp_async.bulk.commit_group()
            T.ptx.cp_async.bulk.wait_group(0)

    return k


def across(space):
    @T.prim_func
    def k(A: T.Buffer((128,), "float32"), W: T.Buffer((128,), "float32"), flag: T.Buffer((1,), "int32"), B: T.Buffer((128,), "float32")):
        T.device_entry()
        cta = T.cta_id([2])
        tid = T.thread_id([128])
        s = T.alloc_shared((128,), "float32", align=128)
        bar = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
        T.cuda.cta_sync()
        if cta == 0:
            W[tid] = A[tid]
            T.ptx.fence.proxy_async(space)
            T.cuda.cta_sync()
            if tid == 0:
                T.cuda.thread_fence()
                T.cuda.atomic_add(flag.ptr_to([0]), 1)
        else:
            if tid == 0:
                while T.ptx.ld_acquire(flag.ptr_to([0]), "int32", "s32") < 1:
                    pass
                T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), 512)
                T.ptx.cp_async_bulk_g2s_cluster(s.ptr_to([0]), W.ptr_to([0]), 512, bar.ptr_to([0]))
            T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
            B[tid] = s[tid]

    return k
