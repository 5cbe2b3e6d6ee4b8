# tilewright: arch sm_90a
# Every arrival from another CTA has to come before the CTA's end, not only the last one.
# verdict make("told of both"): clean
# verdict make("told of the last"): TW5016 at `T.ptx.mbarrier.arrive(bar`
# verdict make("waits"): clean
# verdict make("cluster"): clean
from tvm.script import tirx as T


def make(kind):
    @T.prim_func
    def k(turn: T.Buffer((1,), "int32"), B: T.Buffer((2, 64), "int32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([2])
        T.cta_id([2])
        tid = T.thread_id([64])
        bar = T.alloc_shared([1], "uint64")
        told = T.alloc_shared([1], "uint64")
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 2 if kind == "waits" else 3)
            T.ptx.mbarrier.init(told.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init()
        T.cuda.cluster_sync()
        if rank == 0:
            if tid == 0:
                T.ptx.mbarrier.arrive(bar.ptr_to([0]), 1, True)
                if kind == "told of both":
                    T.cuda.thread_fence()
                T.cuda.atomic_add(turn.ptr_to([0]), 1)
            if tid == 32:
                while T.cuda.atomic_add(turn.ptr_to([0]), 0) < 1:  # relaxed: behind the other arrival, and not ordered so
                    pass
                if kind == "told of both":
                    T.cuda.thread_fence()
                T.ptx.mbarrier.arrive(bar.ptr_to([0]), 1, True)
                T.ptx.mbarrier.arrive(told.ptr_to([0]), 1, True)
        else:
            T.ptx.mbarrier.try_wait(told.ptr_to([0]), 0)
            if kind == "waits":
                T.ptx.mbarrier.try_wait(bar.ptr_to([0]), 0)
        B[rank, tid] = 1
        if kind == "cluster":
            T.cuda.cluster_sync()

    return k
