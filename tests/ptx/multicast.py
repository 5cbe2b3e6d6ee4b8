# tilewright: dialect 0.27
# tilewright: arch sm_107a
# tilewright: entry multicast
# tilewright: run multicast reference=expected U=zeros
"""Arrivals and bytes at the same barrier of several CTAs, and arrivals that are dropped, as sm_107 has them."""
from tvm.script import tirx as T


@T.prim_func
def multicast(U: T.Buffer((64, 4), "uint32")):
    T.device_entry()
    cta = T.cta_id_in_cluster([2])
    T.cta_id([2])
    tx = T.thread_id([32])
    S = T.alloc_shared([32], "uint32", align=128)
    bars = T.alloc_shared([2], "uint64")
    done: T.uint32
    state: T.int64
    if tx == 0:
        T.ptx.mbarrier.init.shared.b64(bars.ptr_to([0]), 64)
        T.ptx.mbarrier.init.shared.b64(bars.ptr_to([1]), 2)
        T.ptx.fence.mbarrier_init.release.cluster()
    T.ptx.barrier.cluster.arrive.release.aligned()
    T.ptx.barrier.cluster.wait.acquire.aligned()
    S[tx] = T.Cast("uint32", cta * 32 + tx)
    T.ptx["mbarrier.arrive.release.cluster.shared::cluster.multicast::cluster::32b.b64"](bars.ptr_to([0]), T.uint32(3))
    done = T.uint32(0)
    while done == 0:
        T.ptx["mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64"](done, bars.ptr_to([0]), 0)
    U[cta * 32 + tx, 0] = S[31 - tx]
    if tx == 0:
        if cta == 0:
            T.ptx["mbarrier.expect_tx.relaxed.cluster.shared::cluster.multicast::cluster::32b.b64"](bars.ptr_to([1]), T.uint32(8), T.uint32(3))
            T.ptx["mbarrier.complete_tx.relaxed.cluster.shared::cluster.multicast::cluster::32b.b64"](bars.ptr_to([1]), T.uint32(8), T.uint32(3))
    T.ptx.barrier.cluster.arrive.release.aligned()
    T.ptx.barrier.cluster.wait.acquire.aligned()
    if tx == 0:
        T.ptx["mbarrier.arrive_drop.expect_tx.release.cta.shared::cta.b64"](state, bars.ptr_to([1]), T.uint32(4))
        T.ptx["mbarrier.complete_tx.relaxed.cta.shared::cta.b64"](bars.ptr_to([1]), T.uint32(4))
        T.ptx.mbarrier.arrive.shared.b64(bars.ptr_to([1]))
    done = T.uint32(0)
    while done == 0:
        T.ptx.mbarrier.try_wait.parity.shared.b64(done, bars.ptr_to([1]), 0)
    U[cta * 32 + tx, 1] = done
    T.ptx.barrier.cluster.arrive.release.aligned()
    T.ptx.barrier.cluster.wait.acquire.aligned()


@T.prim_func
def expected(U: T.Buffer((64, 4), "uint32")):
    T.device_entry()
    row = T.cta_id([64])
    T.thread_id([1])
    U[row, 0] = T.Cast("uint32", row // 32 * 32 + 31 - row % 32)
    U[row, 1] = T.uint32(1)
