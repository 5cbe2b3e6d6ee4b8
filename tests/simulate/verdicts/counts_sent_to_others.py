# tilewright: arch sm_90a
# tilewright: dialect 0.27
# Counts sent to other CTAs by red.async, which is no operation of the async proxy: zeros written before need no fence of
# it, and a CTA may leave before what it sent has arrived (PTX ISA 9.7.9.25.2; 9.7.9.12).
# verdict histogram("right"): clean
# verdict histogram("not zeroed"): only TW5002 at `B[rank, tid] = own[tid]`
# verdict histogram("bytes"): only TW5004 at `T.ptx["mbarrier.try_wait`
# verdict histogram("own barrier"): only TW5020 at `T.ptx["red_async.relaxed`
# verdict histogram("no wait"): only TW5021 at `B[rank, tid] = own[tid]`
from tvm.script import tirx as T


def histogram(kind):
    CTAS, BINS = 4, 64

    @T.prim_func
    def histo(A: T.Buffer((CTAS, BINS), "uint32"), B: T.Buffer((CTAS, BINS // CTAS), "uint32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([CTAS])
        T.cta_id([CTAS])
        tid = T.thread_id([BINS])
        own = T.alloc_shared((BINS // CTAS,), "uint32")
        bar = T.alloc_shared((1,), "uint64")
        there: T.uint32
        bar_there: T.uint32
        done: T.uint32
        if tid < BINS // CTAS and kind != "not zeroed":
            own[tid] = T.uint32(0)
        if tid == 0:
            T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), 1)
            T.ptx.mbarrier.arrive.expect_tx.shared.b64(bar.ptr_to([0]), 4 * BINS * (2 if kind == "bytes" else 1))
            T.ptx.fence.mbarrier_init.release.cluster()
        if kind == "own barrier":
            T.cuda.cta_sync()
        else:
            T.ptx.barrier.cluster.arrive.release.aligned()
            T.ptx.barrier.cluster.wait.acquire.aligned()
        target: T.let = tid // (BINS // CTAS)
        T.ptx["mapa.shared::cluster.u32"](there, T.cuda.cvta_generic_to_shared(own.ptr_to([tid % (BINS // CTAS)])), T.cast(target, "uint32"))
        T.ptx["mapa.shared::cluster.u32"](bar_there, T.cuda.cvta_generic_to_shared(bar.ptr_to([0])), T.cast(target, "uint32"))
        T.ptx["red_async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32"](there, A[rank, tid], bar_there)
        if kind != "no wait":
            done = T.uint32(0)
            while done == T.uint32(0):
                T.ptx["mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64"](done, bar.ptr_to([0]), 1 if kind == "parity" else 0)
        if tid < BINS // CTAS:
            B[rank, tid] = own[tid]

    return histo
