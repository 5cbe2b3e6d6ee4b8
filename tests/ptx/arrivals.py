# tilewright: dialect 0.27
# tilewright: arch sm_90a
# tilewright: entry arrivals
# tilewright: run arrivals reference=expected U=zeros
"""Arrivals by a generic address that leads to the barrier of another CTA: no state comes back (ptx_arrivals)."""
from tvm.script import tirx as T


@T.prim_func
def arrivals(U: T.Buffer((2,), "uint32")):
    T.device_entry()
    cta = T.cta_id_in_cluster([2])
    T.cta_id([2])
    tx = T.thread_id([32])
    bars = T.alloc_shared([2], "uint64")
    theirs: T.uint64
    if tx == 0:
        T.ptx.mbarrier.init.shared.b64(bars.ptr_to([0]), 1)
        T.ptx.mbarrier.init.shared.b64(bars.ptr_to([1]), 2)
    T.ptx.fence.mbarrier_init.release.cluster()
    T.cuda.cluster_sync()
    if tx == 0:
        T.ptx.mapa.u64(theirs, bars.ptr_to([0]), T.uint32(1 - cta))
        T.ptx.mbarrier.arrive.b64(theirs)
        T.cuda.mbarrier_wait(bars.ptr_to([0]), 0)
        T.ptx.mapa.u64(theirs, bars.ptr_to([1]), T.uint32(1 - cta))
        T.ptx.mbarrier.arrive.release.cluster.b64(theirs, T.uint32(2))
        T.cuda.mbarrier_wait(bars.ptr_to([1]), 0)
        U[cta] = T.uint32(1)
    T.cuda.cluster_sync()


@T.prim_func
def expected(U: T.Buffer((2,), "uint32")):
    T.device_entry()
    cta = T.cta_id([2])
    tx = T.thread_id([32])
    if tx == 0:
        U[cta] = T.uint32(1)
