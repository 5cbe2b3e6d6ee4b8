# tilewright: arch sm_100a
# A commit arrives in the shared memory of another CTA: that one must not end before. Waiting on a later commit of the
# same thread is enough.
# verdict make("later", 2): clean
# verdict make("each", 2): clean
# verdict make("cluster_sync", 2): clean
# verdict make("nothing", 2): TW5016 at `T.ptx.tcgen05.commit`
# verdict make("earlier", 2): TW5016 at `cta_mask=3)  # the last`
# verdict make("cluster_sync", 4): clean
# verdict make("nothing", 4): TW5016 at `T.ptx.tcgen05.commit`
from tvm.script import tirx as T


def make(waits, ctas):
    @T.prim_func
    def k(B: T.Buffer((ctas,), "int32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([ctas])
        T.cta_id([ctas])
        tid = T.thread_id([32])
        bar = T.alloc_shared([2], "uint64")
        if tid == 0:
            for i in T.unroll(2):
                T.ptx.mbarrier.init(bar.ptr_to([i]), 1)
        T.ptx.fence.mbarrier_init()
        T.cuda.cluster_sync()
        if tid == 0:
            if rank == 0:
                T.ptx.tcgen05.commit(bar.ptr_to([0]), cta_group=2, cta_mask=3)
                T.ptx.tcgen05.commit(bar.ptr_to([1]), cta_group=2, cta_mask=3)  # the last
            if rank == 1:
                if waits == "later":
                    T.ptx.mbarrier.try_wait(bar.ptr_to([1]), 0)
                if waits == "earlier":
                    T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
                if waits == "each":
                    T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
                    T.ptx.mbarrier.try_wait(bar.ptr_to([1]), 0)
            B[rank] = 1
        if waits == "cluster_sync":
            T.cuda.cluster_sync()

    return k
