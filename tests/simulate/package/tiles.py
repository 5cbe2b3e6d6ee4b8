# tilewright: arch sm_90a
# tilewright: dialect 0.27
"""T.cuda.tile of tvm_tirx: instructions and functions repeated over views, each kernel beside a plain one."""
from tvm_tirx.script import tirx as T
from tvm_tirx.tirx.layout import Axis, ComposeLayout, S, TileLayout

laneid = Axis.get("laneid")
warpid = Axis.get("warpid")
ONE = T.cuda.LaunchConfig(grid=1, block=1)


@T.function
def plain_copy(A: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    T.device_entry(launch=ONE)
    for i in T.serial(1024):
        C[i] = A[i]


# tilewright: reference plain_copy
@T.function
def copy_thread(A: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=128))
    i = (T.cuda.block_idx("x") * 128 + T.cuda.thread_idx("x")) * 4
    r = T.alloc_local((4,), "float32", layout="default")
    T.cuda.tile.apply("ld.global.v4.f32", r[0:4], A[i : i + 4])
    T.cuda.tile.apply("st.global.v4.f32", C[i : i + 4], r[0:4])


# tilewright: reference plain_copy
@T.function
def copy_repeated(A: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    t = T.cuda.thread_idx("x")
    src = A.view(4, 128, 2)
    dst = C.view(4, 128, 2)
    r = T.alloc_local((4, 1, 2), "float32", layout="default")
    T.cuda.tile.apply("ld.global.v2.f32", r, src[:, t : t + 1, :])
    T.cuda.tile.apply(T.ptx.st.global_.v2.f32, dst[:, t : t + 1, :], r)


# tilewright: reference plain_copy
@T.function
def copy_named(A: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    """As the package prints it: names by T.let, and the bits of the words by their type."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=128))
    i: T.let[T.int32] = (T.cuda.block_idx("x") * 128 + T.cuda.thread_idx("x")) * 4
    r = T.alloc_local((4,), "float32", layout="default")
    T.cuda.tile.apply("ld.global.v4.f32", r[0:4], A[i : i + 4])
    r[0] = T.reinterpret(T.reinterpret(r[0], ty=T.uint32), ty=T.float32)
    T.cuda.tile.apply("st.global.v4.f32", C[i : i + 4], r[0:4])


# tilewright: reference plain_copy
@T.function
def copy_warp(A: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    r = T.alloc_local((32, 8, 4), "float32", layout=TileLayout(S[(32, 8, 4) : (1 @ laneid, 4, 1)]))
    T.cuda.tile.apply("ld.global.v4.f32", r, A.view(32, 8, 4), scope="warp")
    T.cuda.tile.apply("st.global.v4.f32", C.view(32, 8, 4), r, scope="warp")


# tilewright: reference plain_copy
@T.function
def copy_cta(A: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    r = T.alloc_local(
        (4, 32, 2, 4), "float32", layout=TileLayout(S[(4, 32, 2, 4) : (1 @ warpid, 1 @ laneid, 4, 1)])
    )
    T.cuda.tile.apply("ld.global.v4.f32", r, A.view(4, 32, 2, 4), scope="cta")
    T.cuda.tile.apply("st.global.v4.f32", C.view(4, 32, 2, 4), r, scope="cta")


# tilewright: reference plain_copy
@T.function
def copy_async(A: T.Tensor((1024,), "float32"), C: T.Tensor((1024,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    t = T.cuda.thread_idx("x")
    src = A.view(128, 2, 4)
    stage = T.alloc_shared((128, 2, 4), "float32", align=128, layout="default")
    T.cuda.tile.apply(
        "cp.async.cg.shared.global", stage[t : t + 1, :, :], src[t : t + 1, :, :], chunk_bytes=16
    )
    T.ptx["cp.async.commit_group"]()
    T.ptx["cp.async.wait_group"](0)
    T.cuda.cta_sync()
    for i in T.serial(8):
        C[i * 128 + t] = stage[i * 16 + t // 8, t // 4 % 2, t % 4]


@T.function
def plain_line(A: T.Tensor((512,), "float32"), C: T.Tensor((512,), "float32")):
    T.device_entry(launch=ONE)
    for i in T.serial(512):
        C[i] = A[i] * T.float32(2) + T.float32(1)


@T.function(private=True)
def line(x: T.float32, y: T.float32) -> T.float32:
    z = x * y
    return z + T.float32(1)


# tilewright: reference plain_line
@T.function
def line_ewise(A: T.Tensor((512,), "float32"), C: T.Tensor((512,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    i = T.cuda.thread_idx("x") * 4
    r = T.alloc_local((4,), "float32", layout="default")
    T.cuda.tile.apply("ld.global.v4.f32", r, A[i : i + 4])
    T.cuda.tile.ewise(line, r, r, T.float32(2))
    T.cuda.tile.apply("st.global.v4.f32", C[i : i + 4], r)


@T.inline
def affine(x, scale, offset):
    y = x * scale
    return y + offset


@T.inline
def halves_of(x):
    return x * T.float32(0.5), x - x * T.float32(0.5)


# tilewright: reference plain_line
@T.function
def line_inlined(A: T.Tensor((512,), "float32"), C: T.Tensor((512,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=512))
    t = T.cuda.thread_idx("x")
    first, second = halves_of(A[t])
    C[t] = affine(first + second, T.float32(2), T.float32(1))


# tilewright: reference plain_line
@T.function
def line_instructions(A: T.Tensor((512,), "float32"), C: T.Tensor((512,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    t = T.cuda.thread_idx("x")
    r = T.alloc_local((4, 1), "float32", layout="default")
    T.cuda.tile.apply("ld.global.f32", r, A.view(4, 128)[:, t : t + 1])
    T.cuda.tile.apply("fma.rn.f32", r, r, T.float32(2), T.float32(1))
    T.cuda.tile.apply("st.global.f32", C.view(4, 128)[:, t : t + 1], r)


@T.function
def plain_halves(A: T.Tensor((128, 2), "float32"), C: T.Tensor((128, 2), "float16")):
    T.device_entry(launch=ONE)
    for i, j in T.grid(128, 2):
        C[i, j] = T.cast(A[i, j], "float16")


# tilewright: reference plain_halves
@T.function
def halves(A: T.Tensor((128, 2), "float32"), C: T.Tensor((128, 2), "float16")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    t = T.cuda.thread_idx("x")
    words = C.view("uint32")
    r = T.alloc_local((1, 2), "float32", layout="default")
    w = T.alloc_local((1, 1), "uint32", layout="default")
    T.cuda.tile.apply("ld.global.v2.f32", r, A[t : t + 1, :])
    T.cuda.tile.apply("cvt.rn.f16x2.f32", w, r[:, 1:2], r[:, 0:1])
    T.cuda.tile.apply("st.global.b32", words[t : t + 1, :], w)


@T.function
def plain_product(A: T.Tensor((16, 16), "float16"), B: T.Tensor((8, 16), "float16"), C: T.Tensor((16, 8), "float32")):
    T.device_entry(launch=ONE)
    for i, j in T.grid(16, 8):
        total: T.float32 = 0.0
        for k in T.serial(16):
            total += T.cast(A[i, k], "float32") * T.cast(B[j, k], "float32")
        C[i, j] = total


# tilewright: reference plain_product
@T.function
def product(A: T.Tensor((16, 16), "float16"), B: T.Tensor((8, 16), "float16"), C: T.Tensor((16, 8), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    lane = T.cuda.lane_id()
    sa = T.alloc_shared((16, 16), "float16", align=128, layout="default")
    sb = T.alloc_shared((8, 16), "float16", align=128, layout="default")
    for q in T.serial(8):
        sa[q * 2 + lane // 16, lane % 16] = A[q * 2 + lane // 16, lane % 16]
    for q in T.serial(4):
        sb[q * 2 + lane // 16, lane % 16] = B[q * 2 + lane // 16, lane % 16]
    T.cuda.warp_sync()
    fragment = TileLayout(S[(4, 8, 4) : (1, 4 @ laneid, 1 @ laneid)])
    ra = T.alloc_local((4, 8, 4), "uint32", layout=fragment)
    rb = T.alloc_local((2, 8, 4), "uint32", layout=TileLayout(S[(2, 8, 4) : (1, 4 @ laneid, 1 @ laneid)]))
    wa = sa.view("uint32").view(2, 8, 2, 4).permute(2, 0, 1, 3).view(4, 8, 4)
    wb = sb.view("uint32").view(8, 2, 4).permute(1, 0, 2)
    T.cuda.tile.apply("ldmatrix.sync.aligned.m8n8.x4.shared.b16", ra, wa, scope="warp")
    T.cuda.tile.apply("ldmatrix.sync.aligned.m8n8.x2.shared.b16", rb, wb, scope="warp")
    fa = ra.view(2, 2, 8, 4).permute(1, 2, 0, 3).view(1, 1, 16, 8)
    fb = rb.permute(1, 0, 2).view(1, 1, 8, 8)
    d = T.alloc_local(
        (1, 1, 16, 8),
        "float32",
        layout=TileLayout(S[(1, 1, 2, 8, 4, 2) : (4, 4, 2, 4 @ laneid, 1 @ laneid, 1)]),
    )
    T.cuda.tile.apply("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", d, fa, fb, T.float32(0), scope="warp")
    words = d.view(2, 8, 4, 2).permute(1, 2, 0, 3).view(32, 2, 2)
    out = C.view(2, 8, 4, 2).permute(1, 2, 0, 3).view(32, 2, 2)
    T.cuda.tile.apply("st.global.v2.f32", out, words, scope="warp")


@T.function
def plain_scaled(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
    T.device_entry(launch=ONE)
    for i, j in T.grid(64, 64):
        C[i, j] = A[i, j] * T.float16(2)


# tilewright: reference plain_scaled
@T.function
def scaled_tensor_copy(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=128))
    b = T.cuda.block_idx("x")
    t = T.cuda.thread_idx("x")
    # Two boxes of 32 rows and 32 columns, one beside the other.
    stage = T.alloc_shared((2, 32, 32), "float16", align=1024, layout="default")
    full = T.alloc_shared((1,), "uint64")
    if t == 0:
        T.ptx.mbarrier.init.shared.b64(full.ptr_to([0]), T.uint32(1))
        T.ptx.fence.proxy.async_.shared__cta()
        T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([0]), T.uint32(4096))
        T.cuda.tile.apply(
            "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes",
            stage,
            A,
            box=(32, 32),
            coords=(b * 32, 0),
            coord_steps=((0, 32),),
            mbar=full.ptr_to([0]),
        )
    T.cuda.cta_sync()
    T.cuda.mbarrier_wait(full.ptr_to([0]), 0)
    for q in T.serial(16):
        stage[q // 8, q % 8 * 4 + t // 32, t % 32] = stage[q // 8, q % 8 * 4 + t // 32, t % 32] * T.float16(2)
    T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    if t == 0:
        T.cuda.tile.apply(
            "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group",
            C,
            stage,
            box=(32, 32),
            coords=(b * 32, 0),
            coord_steps=((0, 32),),
        )
        T.ptx["cp.async.bulk.commit_group"]()
        T.ptx["cp.async.bulk.wait_group"](0)


SLICE = "cp.async.bulk.tensor.4d.shared::cta.global.tile.mbarrier::complete_tx::bytes"


@T.function
def plain_twice(A: T.Tensor((2, 4, 8, 8, 8), "float16"), C: T.Tensor((2, 4, 8, 8, 8), "float16")):
    T.device_entry(launch=ONE)
    for n, s, h, w, c in T.grid(2, 4, 8, 8, 8):
        C[n, s, h, w, c] = A[n, s, h, w, c] * T.float16(2)


# tilewright: reference plain_twice
@T.function
def slices(A: T.Tensor((2, 4, 8, 8, 8), "float16"), C: T.Tensor((2, 4, 8, 8, 8), "float16")):
    """Images in slices of 8 channels, one slice a copy: (N, C / 8, H, W, 8)."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=128))
    n = T.cuda.block_idx("x")
    t = T.cuda.thread_idx("x")
    stage = T.alloc_shared((4, 1, 1, 8, 8, 8), "float16", align=128, layout="default")
    full = T.alloc_shared((1,), "uint64")
    if t == 0:
        T.ptx.mbarrier.init.shared.b64(full.ptr_to([0]), T.uint32(1))
        T.ptx.fence.proxy.async_.shared__cta()
        T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([0]), T.uint32(4096))
        T.cuda.tile.apply(SLICE, stage, A, box=(1, 1, 8, 8), coords=(n, 0, 0, 0), coord_steps=((0, 1, 0, 0),),
                          interleave=1, mbar=full.ptr_to([0]))
    T.cuda.cta_sync()
    T.cuda.mbarrier_wait(full.ptr_to([0]), 0)
    for q in T.serial(16):
        i = q * 128 + t
        C[n, i // 512, i // 64 % 8, i // 8 % 8, i % 8] = stage[i // 512, 0, 0, i // 64 % 8, i // 8 % 8, i % 8] * T.float16(2)


@T.function
def plain_edge(A: T.Tensor((2, 4, 6, 16, 16), "float16"), C: T.Tensor((2, 4, 8, 8, 16), "float16")):
    T.device_entry(launch=ONE)
    for n, s, h, w, c in T.grid(2, 4, 8, 8, 16):
        if h < 6:
            C[n, s, h, w, c] = A[n, s, h, w + 4, c]
        else:
            C[n, s, h, w, c] = T.float16(0)


# tilewright: reference plain_edge
@T.function
def wide_slices(A: T.Tensor((2, 4, 6, 16, 16), "float16"), C: T.Tensor((2, 4, 8, 8, 16), "float16")):
    """Slices of 32 bytes under their swizzle; two rows of the box lie outside."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=128))
    n = T.cuda.block_idx("x")
    t = T.cuda.thread_idx("x")
    stage = T.alloc_shared((1, 1, 8, 8, 16), "float16", align=1024, layout=ComposeLayout(3, 1, 3, TileLayout(S[(1, 1, 8, 8, 16) : (1024, 1024, 128, 16, 1)])))
    full = T.alloc_shared((1,), "uint64")
    if t == 0:
        T.ptx.mbarrier.init.shared.b64(full.ptr_to([0]), T.uint32(1))
        T.ptx.fence.proxy.async_.shared__cta()
    T.cuda.cta_sync()
    for s in T.serial(4):
        if t == 0:
            T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([0]), T.uint32(2048))
            T.cuda.tile.apply(SLICE, stage, A, box=(1, 1, 8, 8), coords=(n, s, 0, 4), swizzle=1,
                              interleave=2, mbar=full.ptr_to([0]))
        T.cuda.mbarrier_wait(full.ptr_to([0]), s % 2)
        for q in T.serial(8):
            i = q * 128 + t
            C[n, s, i // 128, i // 16 % 8, i % 16] = stage[0, 0, i // 128, i // 16 % 8, i % 16]
        T.cuda.cta_sync()
