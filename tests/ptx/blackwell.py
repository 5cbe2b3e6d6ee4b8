# tilewright: dialect 0.27
# tilewright: arch sm_103a
# tilewright: entry blackwell
# tilewright: run blackwell reference=expected U=zeros
"""What sm_100 and sm_103 add: fragments of tensor memory in two halves and with a reduction, floats of 4 and 6 bits, scales."""
from tvm.script import tirx as T


@T.prim_func
def blackwell(U: T.Buffer((128, 32), "uint32")):
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    tx = T.thread_id([128])
    address = T.alloc_shared([1], "uint32")
    row = T.alloc_local([4], "uint32")
    half = T.alloc_local([2], "uint32")
    most: T.uint32
    least: T.int32
    signed = T.alloc_local([4], "int32")
    b: T.uint8
    h: T.uint16
    x: T.uint32
    f: T.float32
    if warp == 0:
        T.ptx.tcgen05.alloc.cta_group__1.sync.aligned.shared__cta.b32(address.ptr_to([0]), 32)
    T.ptx.bar.sync(0)
    at: T.let[T.uint32] = address[0] + T.Cast("uint32", warp * 32 * 65536)
    for i in T.unroll(4):
        row[i] = T.Cast("uint32", tx * 10 + i)
    T.ptx["tcgen05.st.sync.aligned.32x32b.x4.b32"](at, row[0], row[1], row[2], row[3])
    T.ptx.tcgen05.wait__st.sync.aligned()
    # 0, 1: two halves, the second one two columns further on.
    T.ptx["tcgen05.ld.sync.aligned.16x32bx2.x2.b32"](half[0], half[1], at, 2)
    T.ptx.tcgen05.wait__ld.sync.aligned()
    U[tx, 0] = half[0]
    U[tx, 1] = half[1]
    # 2 to 5: with a reduction of what each thread loads.
    T.ptx["tcgen05.ld.red.sync.aligned.32x32b.x4.max.u32"](row[0], row[1], row[2], row[3], most, at)
    T.ptx.tcgen05.wait__ld.sync.aligned()
    U[tx, 2] = most
    U[tx, 3] = row[2]
    T.ptx["tcgen05.ld.red.sync.aligned.32x32b.x4.min.s32"](signed[0], signed[1], signed[2], signed[3], least, at)
    T.ptx.tcgen05.wait__ld.sync.aligned()
    U[tx, 4] = T.Cast("uint32", least)
    half[0] = T.Cast("uint32", tx)
    half[1] = T.uint32(7)
    T.ptx["tcgen05.st.sync.aligned.16x32bx2.x2.b32"](at, 1, half[0], half[1])
    T.ptx.tcgen05.wait__st.sync.aligned()
    T.ptx["tcgen05.ld.sync.aligned.32x32b.x4.b32"](row[0], row[1], row[2], row[3], at)
    T.ptx.tcgen05.wait__ld.sync.aligned()
    U[tx, 5] = row[0]
    T.ptx.bar.sync(0)
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit.cta_group__1.sync.aligned()
        T.ptx.tcgen05.dealloc.cta_group__1.sync.aligned.b32(address[0], 32)
    # 8 to 15: narrow numbers.
    T.ptx["cvt.rn.satfinite.e2m1x2.f32"](b, T.float32(1.5), T.float32(-6.0))
    U[tx, 8] = T.Cast("uint32", b)
    T.ptx["cvt.rn.f16x2.e2m1x2"](x, b)
    U[tx, 9] = x
    T.ptx["cvt.rn.satfinite.e2m3x2.f32"](h, T.float32(7.5), T.float32(0.125))
    U[tx, 10] = T.Cast("uint32", h)
    T.ptx["cvt.rn.satfinite.e3m2x2.f32"](h, T.float32(100.0), T.float32(-1.0))
    U[tx, 11] = T.Cast("uint32", h)
    T.ptx["cvt.rn.f16x2.e3m2x2"](x, h)
    U[tx, 12] = x
    T.ptx["cvt.rp.satfinite.ue8m0x2.f32"](h, T.float32(3.0), T.float32(2.0))
    U[tx, 13] = T.Cast("uint32", h)
    T.ptx["cvt.rn.bf16x2.ue8m0x2"](x, h)
    U[tx, 14] = x
    T.ptx["cvt.rna.tf32.f32"](x, T.reinterpret("float32", T.uint32(0x3f801000)))
    U[tx, 15] = x
    # 16, 17: halves that are approximated, floats of all lanes.
    T.ptx["ex2.approx.f16x2"](x, T.uint32(0x40003c00))
    U[tx, 16] = x
    T.ptx["redux_sync.max.abs.f32"](f, T.Cast("float32", tx % 32 - 20), 0xffffffff)
    U[tx, 17] = T.reinterpret("uint32", f)


@T.prim_func
def expected(U: T.Buffer((128, 32), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([128])
    lane: T.let[T.int32] = tx % 32
    first: T.let[T.int32] = (tx // 32 * 32 + lane % 16) * 10 + T.if_then_else(lane < 16, 0, 2)
    U[tx, 0] = T.Cast("uint32", first)
    U[tx, 1] = T.Cast("uint32", first + 1)
    U[tx, 2] = T.Cast("uint32", tx * 10 + 3)
    U[tx, 3] = T.Cast("uint32", tx * 10 + 2)
    U[tx, 4] = T.Cast("uint32", tx * 10)
    U[tx, 5] = T.Cast("uint32", T.if_then_else(lane < 16, tx, tx * 10))
    U[tx, 8] = T.uint32(0x3f)
    U[tx, 9] = T.uint32(0x3e00c600)
    U[tx, 10] = T.uint32(0x1f01)
    U[tx, 11] = T.uint32(0x1f2c)
    U[tx, 12] = T.uint32(0x4f00bc00)
    U[tx, 13] = T.uint32(0x8180)
    U[tx, 14] = T.uint32(0x40804000)
    U[tx, 15] = T.uint32(0x3f802000)
    U[tx, 16] = T.uint32(0x44004000)
    U[tx, 17] = T.uint32(0x41a00000)
