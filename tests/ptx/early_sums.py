# tilewright: dialect 0.27
# tilewright: arch sm_90a
# tilewright: entry early
# tilewright: run early reference=expected U=zeros
"""mma of eight by eight by four whose sums of float32 begin from float16, beside the one that begins from float32."""
from tvm.script import tirx as T


@T.prim_func
def early(U: T.Buffer((32, 8), "float32")):
    T.device_entry()
    T.cta_id([1])
    lane = T.thread_id([32])
    a = T.alloc_local([2], "uint32")
    b = T.alloc_local([2], "uint32")
    c = T.alloc_local([4], "uint32")
    d = T.alloc_local([8], "float32")
    # Halves from 1 to 2; all sums begin from -3.
    for i in T.unroll(2):
        a[i] = T.uint32(0x3C003C00) + T.Cast("uint32", lane * 16 + i)
        b[i] = T.uint32(0x3D003C80) + T.Cast("uint32", lane * 32 + i * 64)
    for i in T.unroll(4):
        c[i] = T.uint32(0xC200C200)
    T.ptx["mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16"](
        *[d[i] for i in range(8)], a[0], a[1], b[0], b[1], *[c[i] for i in range(4)])
    for i in T.unroll(8):
        U[lane, i] = d[i]


@T.prim_func
def expected(U: T.Buffer((32, 8), "float32")):
    T.device_entry()
    T.cta_id([1])
    lane = T.thread_id([32])
    a = T.alloc_local([2], "uint32")
    b = T.alloc_local([2], "uint32")
    d = T.alloc_local([8], "float32")
    for i in T.unroll(2):
        a[i] = T.uint32(0x3C003C00) + T.Cast("uint32", lane * 16 + i)
        b[i] = T.uint32(0x3D003C80) + T.Cast("uint32", lane * 32 + i * 64)
    for i in T.unroll(8):
        d[i] = T.float32(-3)
    T.ptx["mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32"](
        *[d[i] for i in range(8)], a[0], a[1], b[0], b[1], *[d[i] for i in range(8)])
    for i in T.unroll(8):
        U[lane, i] = d[i]
