# tilewright: dialect 0.27
# tilewright: arch sm_100a
# tilewright: entry values
# tilewright: run values reference=expected F=zeros U=zeros
"""Instructions of 0.27 that kernels use most, beside what their results must be (ptx_values)."""
from tvm.script import tirx as T

@T.prim_func
def values(F: T.Buffer((32, 64), "float32"), U: T.Buffer((32, 64), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    S = T.alloc_shared([512], "uint32", align=128)
    G = T.alloc_shared([256], "uint16")
    x: T.uint32
    y: T.uint32
    z: T.uint64
    w: T.uint64
    h: T.uint16
    f: T.float32
    g: T.float32
    i: T.int32
    v = T.alloc_local([4], "uint32")
    vd = T.alloc_local([2], "uint64")
    T.ptx.mov.b32(x, tx)
    U[tx, 0] = x
    T.ptx.mov.b64(z, x, T.uint32(7))
    T.ptx.mov.b64(x, y, z)
    U[tx, 1] = y
    T.ptx.st.shared.b32(S.ptr_to([tx]), x)
    T.ptx.bar.sync(0)
    T.ptx.bar.warp.sync(0xffffffff)
    T.ptx.ld.shared.b32(y, S.ptr_to([31 - tx]))
    U[tx, 2] = y
    T.ptx.ex2.approx.ftz.f32(f, T.Cast("float32", tx % 5))
    F[tx, 0] = f
    T.ptx.st.shared.f32(S.ptr_to([32 + tx]), f)
    T.ptx.ld.shared.f32(g, S.ptr_to([32 + tx]))
    T.ptx.mul.f32(g, g, 3.0)
    F[tx, 1] = g
    T.ptx.st.shared.v4.b32(S.ptr_to([64 + 4 * tx]), x, x, 5, 6)
    T.ptx.ld.shared.v4.b32(v[0], v[1], v[2], v[3], S.ptr_to([64 + 4 * tx]))
    U[tx, 3] = v[0] + v[1] + v[2] + v[3]
    T.ptx.ld.shared.s32(i, S.ptr_to([tx]))
    T.ptx.ld.shared.u32(y, S.ptr_to([tx]))
    U[tx, 4] = T.Cast("uint32", i) + y
    T.ptx.max.f32(f, T.Cast("float32", tx), 10.0)
    F[tx, 2] = f
    T.ptx.max.NaN.f32(f, T.Cast("float32", tx), 11.0)
    F[tx, 3] = f
    T.ptx.add.f32(f, f, 0.5)
    T.ptx.sub.f32(f, f, 1.0)
    T.ptx.add.ftz.f32(f, f, 1.0)
    T.ptx.mul.ftz.f32(f, f, 2.0)
    F[tx, 4] = f
    T.ptx.fma.rn.f32(f, f, 2.0, 1.0)
    F[tx, 5] = f
    T.ptx.mov.b64(z, T.float32(1.5), T.float32(2.5))
    T.ptx.mul.rn.f32x2(w, z, z)
    T.ptx.add.rn.f32x2(w, w, z)
    T.ptx.fma.rn.f32x2(w, w, z, z)
    T.ptx.mov.b64(f, g, w)
    F[tx, 6] = f
    F[tx, 7] = g
    T.ptx.cvt.rn.bf16.f32(h, T.float32(1.5))
    T.ptx.cvt.f32.bf16(f, h)
    F[tx, 8] = f
    T.ptx.cvt.rn.bf16x2.f32(x, T.float32(1.0), T.float32(2.0))
    U[tx, 5] = x
    T.ptx.cvt.rn.f16x2.f32(x, T.float32(1.0), T.float32(2.0))
    U[tx, 6] = x
    T.ptx.cvt.rn.satfinite.e4m3x2.f32(h, T.float32(1.0), T.float32(2.0))
    U[tx, 7] = T.Cast("uint32", h)
    T.ptx.cvt.f32.f16(f, T.uint16(0x3c00))
    F[tx, 9] = f
    T.ptx.rcp.approx.ftz.f32(f, 4.0)
    F[tx, 10] = f
    T.ptx.lg2.approx.ftz.f32(f, 8.0)
    F[tx, 11] = f
    T.ptx.rsqrt.approx.ftz.f32(f, 4.0)
    F[tx, 12] = f
    T.ptx.st.shared.b16(G.ptr_to([tx]), h)
    T.ptx.ld.shared.b16(h, G.ptr_to([tx]))
    U[tx, 8] = T.Cast("uint32", h)
    T.ptx.shfl_sync.bfly.b32(x, T.Cast("uint32", tx), 1, 31, 0xffffffff)
    U[tx, 9] = x
    T.ptx.shfl_sync.idx.b32(x, T.Cast("uint32", tx), 3, 31, 0xffffffff)
    U[tx, 10] = x
    T.ptx.elect_sync(x, y, 0xffffffff)
    U[tx, 11] = x
    T.ptx.shl.b32(x, T.uint32(3), 4)
    U[tx, 12] = x
    T.ptx.popc.b32(x, T.uint32(0xff))
    U[tx, 13] = x
    T.ptx.mov.b16(h, T.uint16(77))
    U[tx, 14] = T.Cast("uint32", h)
    T.ptx.st.shared.v2.b32(S.ptr_to([256 + 4 * tx]), tx, 9)
    T.ptx.ld.shared.v2.b32(v[0], v[1], S.ptr_to([256 + 4 * tx]))
    T.ptx.st.shared.v2.b32(S.ptr_to([256 + 4 * tx + 2]), 1, 2)
    T.ptx.ld.shared.v2.b64(vd[0], vd[1], S.ptr_to([256 + 4 * tx]))
    U[tx, 15] = v[0] + v[1]
    U[tx, 16] = T.Cast("uint32", vd[1])
    T.ptx.ld.volatile.shared.s32(i, S.ptr_to([tx]))
    U[tx, 17] = T.Cast("uint32", i)
    T.ptx.vote_sync.ballot.b32(x, tx < 3, 0xffffffff)
    U[tx, 18] = x
    T.ptx.redux_sync.add.u32(x, T.Cast("uint32", tx), 0xffffffff)
    U[tx, 19] = x
    T.ptx.setp.lt.s32(x, T.int32(3), tx)
    U[tx, 20] = x
    T.ptx.selp.b32(x, T.uint32(1), T.uint32(2), tx < 7)
    U[tx, 21] = x
    T.ptx.prmt.b32(x, T.uint32(0x03020100), T.uint32(0x07060504), T.uint32(0x3715))
    U[tx, 22] = x
    T.ptx.bfind.u32(x, T.uint32(256))
    U[tx, 23] = x
    T.ptx.abs.f32(f, T.float32(-3.0))
    T.ptx.neg.f32(f, f)
    F[tx, 13] = f
    T.ptx.div.rn.f32(f, T.float32(3.0), T.float32(4.0))
    F[tx, 14] = f
    T.ptx.tanh.approx.f32(f, T.float32(0.0))
    F[tx, 15] = f
    T.ptx.atom.shared.add.u32(x, S.ptr_to([500]), 0)
    U[tx, 24] = 0
    T.ptx.min.s32(i, T.int32(-4), tx)
    U[tx, 25] = T.Cast("uint32", i + 4)
    T.ptx.shr.u32(x, T.uint32(256), 4)
    U[tx, 26] = x
    T.ptx.add.u32(x, x, 100, pred=tx < 4, preserve_dst=True)
    U[tx, 27] = x
    T.ptx.bar.sync(0)
    T.ptx.st.shared.b32(S.ptr_to([tx]), tx * 2)
    T.ptx.bar.sync(0)
    T.ptx.cvta.to.shared.u64(z, S.ptr_to([0]))
    T.ptx.ld.shared.b32(x, T.ptx.addr(S.ptr_to([tx]), 0))
    U[tx, 28] = x
    T.ptx.vote_sync.all.pred(x, tx < 40, 0xffffffff)
    T.ptx.vote_sync.any.pred(y, tx < 0, 0xffffffff)
    U[tx, 29] = x * 2 + y
    T.ptx.bar.sync(0)
    T.ptx.atom.shared.add.u32(x, S.ptr_to([31]), 1)
    T.ptx.bar.sync(0)
    T.ptx.ld.shared.u32(x, S.ptr_to([31]))
    U[tx, 30] = x
    T.ptx.lop3.b32(x, T.uint32(0xf0), T.uint32(0xcc), T.uint32(0xaa), 0x80)
    U[tx, 31] = x


@T.prim_func
def expected(F: T.Buffer((32, 64), "float32"), U: T.Buffer((32, 64), "uint32")):
    T.device_entry()
    T.cta_id([1])
    tx = T.thread_id([32])
    power = T.if_then_else(tx % 5 == 0, 1, T.if_then_else(tx % 5 == 1, 2, T.if_then_else(tx % 5 == 2, 4, T.if_then_else(tx % 5 == 3, 8, 16))))
    F[tx, 0] = T.Cast("float32", power)
    F[tx, 1] = T.Cast("float32", power * 3)
    F[tx, 2] = T.Cast("float32", T.max(tx, 10))
    F[tx, 3] = T.Cast("float32", T.max(tx, 11))
    F[tx, 4] = T.Cast("float32", T.max(tx, 11)) * T.float32(2) + T.float32(1)
    F[tx, 5] = T.Cast("float32", T.max(tx, 11)) * T.float32(4) + T.float32(3)
    F[tx, 6] = T.float32(7.125)
    F[tx, 7] = T.float32(24.375)
    F[tx, 8] = T.float32(1.5)
    F[tx, 9] = T.float32(1.0)
    F[tx, 10] = T.float32(0.25)
    F[tx, 11] = T.float32(3.0)
    F[tx, 12] = T.float32(0.5)
    F[tx, 13] = T.float32(-3.0)
    F[tx, 14] = T.float32(0.75)
    F[tx, 15] = T.float32(0.0)
    U[tx, 0] = T.Cast("uint32", tx)
    U[tx, 1] = T.uint32(7)
    U[tx, 2] = T.Cast("uint32", 31 - tx)
    U[tx, 3] = T.Cast("uint32", tx * 2 + 11)
    U[tx, 4] = T.Cast("uint32", tx * 2)
    U[tx, 5] = T.uint32(0x3f804000)
    U[tx, 6] = T.uint32(0x3c004000)
    U[tx, 7] = T.uint32(0x3840)
    U[tx, 8] = T.uint32(0x3840)
    U[tx, 9] = T.Cast("uint32", T.bitwise_xor(tx, 1))
    U[tx, 10] = T.uint32(3)
    U[tx, 11] = T.uint32(0)
    U[tx, 12] = T.uint32(48)
    U[tx, 13] = T.uint32(8)
    U[tx, 14] = T.uint32(77)
    U[tx, 15] = T.Cast("uint32", tx + 9)
    U[tx, 16] = T.uint32(1)
    U[tx, 17] = T.Cast("uint32", tx)
    U[tx, 18] = T.uint32(7)
    U[tx, 19] = T.uint32(496)
    U[tx, 20] = T.Cast("uint32", T.if_then_else(tx > 3, 1, 0))
    U[tx, 21] = T.Cast("uint32", T.if_then_else(tx < 7, 1, 2))
    U[tx, 22] = T.uint32(0x03070105)
    U[tx, 23] = T.uint32(8)
    U[tx, 24] = T.uint32(0)
    U[tx, 25] = T.uint32(0)
    U[tx, 26] = T.uint32(16)
    U[tx, 27] = T.Cast("uint32", T.if_then_else(tx < 4, 116, 16))
    U[tx, 28] = T.Cast("uint32", tx * 2)
    U[tx, 29] = T.uint32(2)
    U[tx, 30] = T.uint32(94)
    U[tx, 31] = T.uint32(0x80)
