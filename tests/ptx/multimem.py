# tilewright: dialect 0.27
# tilewright: arch sm_90a
# tilewright: entry multimem
# tilewright: run multimem reference=expected M=zeros F=zeros U=zeros
"""multimem on a machine with one GPU: an address stands for one replica."""
from tvm.script import tirx as T


@T.prim_func
def multimem(M: T.Buffer((64,), "uint32"), F: T.Buffer((64,), "float32"), U: T.Buffer((64, 4), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([64])
    x: T.uint32
    h: T.uint32
    f = T.alloc_local([4], "float32")
    T.ptx["multimem_st.relaxed.sys.global.u32"](M.ptr_to([tx]), T.Cast("uint32", tx))
    T.ptx["multimem_red.relaxed.sys.global.add.u32"](M.ptr_to([tx]), T.uint32(100))
    T.ptx["multimem_red.relaxed.sys.global.add.u32"](M.ptr_to([63 - tx]), T.uint32(0))
    T.ptx.bar.sync(0)
    T.ptx["multimem_ld_reduce.relaxed.sys.global.add.u32"](x, M.ptr_to([63 - tx]))
    U[tx, 0] = x
    # Two halves: 1.5 and 2, and 0.5 and 1 added to them.
    T.ptx["multimem_st.weak.global.f16x2"](U.ptr_to([tx, 1]), T.uint32(0x40003E00))
    T.ptx["multimem_red.release.gpu.global.add.f16x2"](U.ptr_to([tx, 1]), T.uint32(0x3C003800))
    T.ptx["multimem_ld_reduce.acquire.gpu.global.add.acc::f32.f16x2"](h, U.ptr_to([tx, 1]))
    U[tx, 2] = h
    if tx < 16:
        T.ptx["multimem_st.relaxed.gpu.global.v4.f32"](F.ptr_to([tx * 4]), T.float32(1), T.float32(2), T.float32(3), T.float32(4))
        T.ptx["multimem_red.relaxed.gpu.global.add.v4.f32"](F.ptr_to([tx * 4]), T.float32(0.5), T.float32(0.5), T.float32(0.5), T.float32(0.5))
        T.ptx["multimem_ld_reduce.relaxed.gpu.global.add.v4.f32"](f[0], f[1], f[2], f[3], F.ptr_to([tx * 4]))
        for i in T.unroll(4):
            U[tx * 4 + i, 3] = T.reinterpret("uint32", f[i])


@T.prim_func
def expected(M: T.Buffer((64,), "uint32"), F: T.Buffer((64,), "float32"), U: T.Buffer((64, 4), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([64])
    M[tx] = T.Cast("uint32", tx + 100)
    F[tx] = T.Cast("float32", tx % 4) + T.float32(1.5)
    U[tx, 0] = T.Cast("uint32", 163 - tx)
    U[tx, 1] = T.uint32(0x42004000)
    U[tx, 2] = T.uint32(0x42004000)
    U[tx, 3] = T.reinterpret("uint32", T.Cast("float32", tx % 4) + T.float32(1.5))
