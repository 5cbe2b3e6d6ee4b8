# tilewright: dialect 0.27
# tilewright: arch sm_90a
"""fence.release and fence.acquire are one half each of fence.acq_rel: a flag needs the one of its writer, the other of its reader."""
from tvm.script import tirx as T

# verdict make("acq_rel", "acq_rel"): clean
# verdict make("release", "acquire"): clean
# verdict make("release", "acq_rel"): clean
# verdict make("acquire", "acquire"): TW5020 at `B[0] = x[0]`
# verdict make("release", "release"): TW5020 at `B[0] = x[0]`


def make(of_writer, of_reader):
    @T.prim_func
    def kernel(A: T.Buffer((1,), "uint32"), B: T.Buffer((1,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        tx = T.thread_id([64])
        x = T.alloc_shared([1], "uint32")
        flag = T.alloc_shared([1], "uint32")
        seen: T.uint32
        if tx == 0:
            flag[0] = T.uint32(0)
        T.cuda.cta_sync()
        if tx == 0:
            x[0] = A[0]
            T.ptx[f"fence.{of_writer}.cta"]()
            T.ptx.st.relaxed.cta.shared.u32(flag.ptr_to([0]), T.uint32(1))
        if tx == 32:
            seen = T.uint32(0)
            while seen == 0:
                T.ptx.ld.relaxed.cta.shared.u32(seen, flag.ptr_to([0]))
            T.ptx[f"fence.{of_reader}.cta"]()
            B[0] = x[0]

    return kernel
