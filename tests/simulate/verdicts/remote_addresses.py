# tilewright: arch sm_90a
# An address in another CTA is none of .shared::cta.
# verdict make("view"): clean
# verdict make("arrive_remote"): clean
# verdict make("cta_id"): clean
# verdict make("local arrive"): TW5012 at `T.ptx.mbarrier.arrive(T.reinterpret`
# verdict make("local wait"): TW5012 at `T.ptx.mbarrier.try_wait(T.reinterpret`
# verdict load("shared::cluster"): clean
# verdict load("shared"): TW5012 at `T.ptx.ld(`
# verdict load("own"): clean
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import MBarrier


def make(kind):
    @T.prim_func
    def k(B: T.Buffer((2, 128), "float32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([2])
        T.cta_id([2])
        tid = T.thread_id([128])
        pool = T.SMEMPool()
        bar = MBarrier(pool, 2)
        pool.commit()
        bar.init(1)
        T.ptx.fence.mbarrier_init()
        T.cuda.cluster_sync()
        there = bar.remote_view(1 - rank)
        if tid == 0:
            if kind == "view":
                there.arrive(1)
            if kind == "arrive_remote" or kind == "local wait":
                T.ptx.mbarrier.arrive_remote(T.ptx.map_shared_rank(bar.ptr_to([1]), 1 - rank))
            if kind == "cta_id":
                bar.arrive(1, cta_id=1 - rank)
            if kind == "local arrive":
                T.ptx.mbarrier.arrive(T.reinterpret("handle", T.ptx.map_shared_rank(bar.ptr_to([1]), 1 - rank)))
        if kind == "local wait":
            T.ptx.mbarrier.try_wait(T.reinterpret("handle", T.ptx.map_shared_rank(bar.ptr_to([1]), 1 - rank)), 0)
        else:
            bar.wait(1, 0)
        B[rank, tid] = T.float32(1)
        T.cuda.cluster_sync()

    return k


def load(space):
    @T.prim_func
    def k(A: T.Buffer((2, 128), "uint32"), B: T.Buffer((2, 128), "uint32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([2])
        T.cta_id([2])
        tid = T.thread_id([128])
        s = T.alloc_shared((128,), "uint32")
        s[tid] = A[rank, tid]
        T.cuda.cluster_sync()
        B[rank, tid] = T.ptx.ld(T.ptx.map_shared_rank(s.ptr_to([tid]), rank if space == "own" else 1 - rank), "uint32", "u32", space="shared" if space == "own" else space)
        T.cuda.cluster_sync()

    return k
