# tilewright: arch sm_90a
# tilewright: dialect 0.27
# Shared memory of another CTA exists once that CTA has begun (CUDA programming guide, "distributed shared memory"), also where
# nothing else touches it before.
# verdict sent("right"): clean
# verdict sent("relaxed"): clean
# verdict sent("no first"): TW5020 at `T.ptx["st.shared::cluster.f32"]`
# verdict sent("no last"): TW5020 at `B[rank, p, tid] = inbox`
from tvm.script import tirx as T


def sent(kind):
    CTAS, N = 4, 32

    @T.prim_func
    def k(A: T.Buffer((CTAS, CTAS, N), "float32"), B: T.Buffer((CTAS, CTAS, N), "float32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([CTAS])
        T.cta_id([CTAS])
        tid = T.thread_id([N])
        inbox = T.alloc_shared((CTAS, N), "float32")
        there: T.uint32
        if kind == "relaxed":
            T.ptx.barrier.cluster.arrive.relaxed.aligned()
            T.ptx.barrier.cluster.wait.aligned()
        elif kind != "no first":
            T.ptx.barrier.cluster.arrive.release.aligned()
            T.ptx.barrier.cluster.wait.acquire.aligned()
        for p in T.serial(CTAS):
            T.ptx["mapa.shared::cluster.u32"](there, T.cuda.cvta_generic_to_shared(inbox.ptr_to([rank, tid])), T.cast(p, "uint32"))
            T.ptx["st.shared::cluster.f32"](there, A[rank, p, tid])
        if kind != "no last":
            T.ptx.barrier.cluster.arrive.release.aligned()
            T.ptx.barrier.cluster.wait.acquire.aligned()
        for p in T.serial(CTAS):
            B[rank, p, tid] = inbox[p, tid]

    return k
