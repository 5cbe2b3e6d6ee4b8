# tilewright: arch sm_90a
# A relaxed arrival at the cluster's barrier orders nothing; a fence before it does, within the fence's scope.
# verdict data("cluster", False): clean
# verdict data("gpu", False): clean
# verdict data("cta", False): clean
# verdict data("", False): TW5020 at `B[rank] = x[0]`
# verdict data("cluster", True): clean
# verdict data("cta", True): TW5020 at `B[rank] = `
# verdict data("", True): TW5020 at `B[rank] = `
# verdict barriers(True, False): clean
# verdict barriers(True, True): clean
# verdict barriers(False, False): TW5020
# verdict barriers(False, True): TW5020
# verdict only_barriers(1): TW5020 at `B[rank] = x[0]`
from tvm.script import tirx as T


def data(scope, remote):
    @T.prim_func
    def k(B: T.Buffer((2,), "int32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([2])
        T.cta_id([2])
        tid = T.thread_id([96])
        x = T.alloc_shared([1], "int32")
        if tid == 64:
            x[0] = rank + 5
        if scope != "":
            T.ptx.fence("acq_rel", scope)
        T.ptx.barrier.cluster.arrive(sem="relaxed", aligned=True)
        T.ptx.barrier.cluster.wait(acquire=True, aligned=True)
        if tid == 0:
            if remote:
                B[rank] = T.ptx.ld(T.ptx.map_shared_rank(x.ptr_to([0]), 1 - rank), "int32", "s32", space="shared::cluster")
            else:
                B[rank] = x[0]
        T.cuda.cluster_sync()

    return k


def barriers(fenced, ring):
    stages = 3 if ring else 1

    @T.prim_func
    def k(B: T.Buffer((2,), "int32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([2])
        T.cta_id([2])
        tid = T.thread_id([64])
        bar = T.alloc_shared([stages], "uint64")
        if tid == 32:
            for i in T.unroll(stages):
                T.ptx.mbarrier.init(bar.ptr_to([i]), 1)
            if fenced:
                T.ptx.fence.mbarrier_init()
        T.ptx.barrier.cluster.arrive(sem="relaxed", aligned=True)
        T.ptx.barrier.cluster.wait(acquire=True, aligned=True)
        if tid == 0:
            for i in T.unroll(stages):
                T.ptx.mbarrier.arrive(bar.ptr_to([i]), 1 - rank, True)
                T.ptx.mbarrier.try_wait(bar.ptr_to([i]), 0)
            B[rank] = 1
        T.cuda.cluster_sync()

    return k


def only_barriers(stages):
    @T.prim_func
    def k(B: T.Buffer((2,), "int32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([2])
        T.cta_id([2])
        tid = T.thread_id([64])
        bar = T.alloc_shared([stages], "uint64")
        x = T.alloc_shared([1], "int32")
        if tid == 32:
            x[0] = 7
            T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init()  # for the barrier, not for x
        T.ptx.barrier.cluster.arrive(sem="relaxed", aligned=True)
        T.ptx.barrier.cluster.wait(acquire=True, aligned=True)
        if tid == 0:
            B[rank] = x[0]
        T.cuda.cluster_sync()

    return k
