# tilewright: arch sm_100a
# tilewright: dialect 0.27
"""T.cuda.tile.apply of tensor cores: products into tensor memory and copies there, each kernel beside a plain one."""
from tvm_tirx.script import tirx as T
from tvm_tirx.tirx.layout import Axis, ComposeLayout, R, S, TileLayout

laneid = Axis.get("laneid")
wid = Axis.get("wid_in_wg")
TLane = Axis.get("TLane")
TCol = Axis.get("TCol")
ONE = T.cuda.LaunchConfig(grid=1, block=128)


@T.function
def plain_product(A: T.Tensor((128, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((128, 64), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))
    for i, j in T.grid(128, 64):
        C[i, j] = T.float32(0)
        for k in T.serial(64):
            C[i, j] = C[i, j] + T.cast(A[i, k], "float32") * T.cast(B[j, k], "float32")


# tilewright: reference plain_product
@T.function
def product(A: T.Tensor((128, 64), "float16"), B: T.Tensor((64, 64), "float16"), C: T.Tensor((128, 64), "float32")):
    T.device_entry(launch=ONE)
    place = T.alloc_shared((1,), "uint32")
    bar = T.alloc_shared((1,), "uint64")
    a = T.alloc_shared((128, 64), "float16", layout=ComposeLayout(3, 3, 3, TileLayout(S[(128, 64) : (64, 1)])), align=1024)
    b = T.alloc_shared((64, 64), "float16", layout=ComposeLayout(3, 3, 3, TileLayout(S[(64, 64) : (64, 1)])), align=1024)
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32"](place.ptr_to([0]), T.uint32(64))
        if T.cuda.lane_id() == 0:
            T.ptx["mbarrier.init.shared.b64"](bar.ptr_to([0]), T.uint32(1))
    T.ptx["fence.mbarrier_init.release.cluster"]()
    tid = T.cuda.linear_thread_id()
    for k in T.serial(64):
        a[tid, k] = A[tid, k]
        if tid < 64:
            b[tid, k] = B[tid, k]
    T.ptx["fence.proxy.async.shared::cta"]()
    T.cuda.cta_sync()
    cells = T.cuda.decl_tmem(
        place[0],
        ty_args=[T.Tensor((1, 1, 128, 64), "float32", scope="tmem", layout=TileLayout(S[(1, 1, 128, 64) : (64 @ TCol, 64 @ TCol, 1 @ TLane, 1 @ TCol)]))],
    )
    if T.cuda.warp_id() == 0:
        if T.cuda.elect_sync():
            T.cuda.tile.apply(
                "tcgen05.mma.cta_group::1.kind::f16",
                cells,
                a.view(1, 128, 4, 16).permute(0, 2, 1, 3),
                b.view(1, 64, 4, 16).permute(0, 2, 1, 3),
                instruction_shape=(128, 64, 16),
            )
            T.ptx["tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64"](bar.ptr_to([0]))
    T.cuda.mbarrier_wait(bar.ptr_to([0]), T.uint32(0))
    T.ptx["tcgen05.fence::after_thread_sync"]()
    r = T.alloc_local((4, 32, 64), "float32", layout=TileLayout(S[(4, 32, 64) : (1 @ wid, 1 @ laneid, 1)]))
    T.cuda.tile.apply("tcgen05.ld.sync.aligned.32x32b.x64.b32", r, cells.view(4, 32, 64), scope="warpgroup")
    T.ptx["tcgen05.wait::ld.sync.aligned"]()
    T.cuda.tile.apply("st.global.v4.b32", C.view(4, 32, 16, 4), r.view(4, 32, 16, 4), scope="warpgroup")
    T.cuda.cta_sync()
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.dealloc.cta_group::1.sync.aligned.b32"](place[0], T.uint32(64))


WIDE = TileLayout(S[(128, 2, 4) : (4, 512, 1)])


@T.function
def plain_copies(A: T.Tensor((32, 4), "uint32"), B: T.Tensor((128, 8), "uint32"), C: T.Tensor((128, 12), "uint32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))
    for i in T.serial(128):
        for j in T.serial(4):
            C[i, j] = A[i % 32, j]
        for j in T.serial(8):
            C[i, j + 4] = B[i, j]


# tilewright: reference plain_copies
@T.function
def copies(A: T.Tensor((32, 4), "uint32"), B: T.Tensor((128, 8), "uint32"), C: T.Tensor((128, 12), "uint32")):
    T.device_entry(launch=ONE)
    place = T.alloc_shared((1,), "uint32")
    bar = T.alloc_shared((1,), "uint64")
    a = T.alloc_shared((32, 4), "uint32", layout=TileLayout(S[(32, 4) : (4, 1)]), align=128)
    b = T.alloc_shared((128, 8), "uint32", layout=WIDE, align=128)
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32"](place.ptr_to([0]), T.uint32(32))
        if T.cuda.lane_id() == 0:
            T.ptx["mbarrier.init.shared.b64"](bar.ptr_to([0]), T.uint32(1))
    T.ptx["fence.mbarrier_init.release.cluster"]()
    tid = T.cuda.linear_thread_id()
    for k in T.serial(8):
        b[tid, k] = B[tid, k]
        if tid < 32 and k < 4:
            a[tid, k] = A[tid, k]
    T.ptx["fence.proxy.async.shared::cta"]()
    T.cuda.cta_sync()
    four = T.cuda.decl_tmem(
        place[0],
        ty_args=[T.Tensor((32, 4), "uint32", scope="tmem", layout=TileLayout(S[(32, 4) : (1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane]))],
    )
    eight = T.cuda.decl_tmem(
        place[0] + T.uint32(4),
        ty_args=[T.Tensor((128, 8), "uint32", scope="tmem", layout=TileLayout(S[(128, 8) : (1 @ TLane, 1 @ TCol)]))],
    )
    if T.cuda.warp_id() == 0:
        if T.cuda.elect_sync():
            T.cuda.tile.apply("tcgen05.cp.cta_group::1.32x128b.warpx4", four, a)
            T.cuda.tile.apply("tcgen05.cp.cta_group::1.128x256b", eight, b)
            T.ptx["tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64"](bar.ptr_to([0]))
    T.cuda.mbarrier_wait(bar.ptr_to([0]), T.uint32(0))
    T.ptx["tcgen05.fence::after_thread_sync"]()
    both = T.cuda.decl_tmem(
        place[0],
        ty_args=[T.Tensor((4, 32, 3, 4), "uint32", scope="tmem", layout=TileLayout(S[(4, 32, 3, 4) : (32 @ TLane, 1 @ TLane, 4 @ TCol, 1 @ TCol)]))],
    )
    r = T.alloc_local((4, 32, 3, 4), "uint32", layout=TileLayout(S[(4, 32, 3, 4) : (1 @ wid, 1 @ laneid, 4, 1)]))
    T.cuda.tile.apply("tcgen05.ld.sync.aligned.32x32b.x4.b32", r.permute(0, 2, 1, 3), both.permute(0, 2, 1, 3), scope="warpgroup")
    T.ptx["tcgen05.wait::ld.sync.aligned"]()
    T.cuda.tile.apply("st.global.v4.b32", C.view(4, 32, 3, 4), r, scope="warpgroup")
    T.cuda.cta_sync()
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.dealloc.cta_group::1.sync.aligned.b32"](place[0], T.uint32(32))


# Scale factors of a row in lane row % 32 of each quarter, cell row / 32; their bytes along K.
def scale_layout(steps, rows, count):
    return TileLayout(S[(1, steps, rows // 32, 32, count) : (16 @ TCol, count @ TCol, 4 @ TCol, 1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane])


@T.function
def plain_scaled(A: T.Tensor((128, 128), "float8_e4m3fn"), B: T.Tensor((64, 128), "float8_e4m3fn"), C: T.Tensor((128, 64), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))
    for i, j in T.grid(128, 64):
        C[i, j] = T.float32(0)
        for k in T.serial(128):
            step = k // 32
            scale = T.exp2(T.cast((i + step) % 3 + (j * 2 + step) % 4 - 2, "float32"))
            C[i, j] = C[i, j] + T.cast(A[i, k], "float32") * T.cast(B[j, k], "float32") * scale


# tilewright: reference plain_scaled
@T.function
def scaled(A: T.Tensor((128, 128), "float8_e4m3fn"), B: T.Tensor((64, 128), "float8_e4m3fn"), C: T.Tensor((128, 64), "float32")):
    T.device_entry(launch=ONE)
    place = T.alloc_shared((1,), "uint32")
    bar = T.alloc_shared((1,), "uint64")
    a = T.alloc_shared((128, 128), "float8_e4m3fn", layout=ComposeLayout(4, 3, 3, TileLayout(S[(128, 128) : (128, 1)])), align=1024)
    b = T.alloc_shared((64, 128), "float8_e4m3fn", layout=ComposeLayout(4, 3, 3, TileLayout(S[(64, 128) : (128, 1)])), align=1024)
    factors = T.alloc_shared((2, 32, 4), "uint32", layout=TileLayout(S[(2, 32, 4) : (128, 4, 1)]), align=128)
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32"](place.ptr_to([0]), T.uint32(128))
        if T.cuda.lane_id() == 0:
            T.ptx["mbarrier.init.shared.b64"](bar.ptr_to([0]), T.uint32(1))
    T.ptx["fence.mbarrier_init.release.cluster"]()
    tid = T.cuda.linear_thread_id()
    for k in T.serial(128):
        a[tid, k] = A[tid, k]
        if tid < 64:
            b[tid, k] = B[tid, k]
    # A byte is an exponent, 127 for 1; the bytes of a word are the four steps along K.
    of_a: T.uint32 = T.uint32(0)
    of_b: T.uint32 = T.uint32(0)
    for step in T.serial(4):
        of_a = of_a | (T.cast((tid + step) % 3 + 126, "uint32") << T.cast(8 * step, "uint32"))
        of_b = of_b | (T.cast((tid * 2 + step) % 4 + 126, "uint32") << T.cast(8 * step, "uint32"))
    factors[0, tid % 32, tid // 32] = of_a
    factors[1, tid % 32, tid // 32] = of_b
    T.ptx["fence.proxy.async.shared::cta"]()
    T.cuda.cta_sync()
    cells = T.cuda.decl_tmem(
        place[0],
        ty_args=[T.Tensor((1, 1, 128, 64), "float32", scope="tmem", layout=TileLayout(S[(1, 1, 128, 64) : (64 @ TCol, 64 @ TCol, 1 @ TLane, 1 @ TCol)]))],
    )
    words = T.cuda.decl_tmem(
        place[0] + T.uint32(64),
        ty_args=[T.Tensor((2, 32, 4), "uint32", scope="tmem", layout=TileLayout(S[(2, 32, 4) : (4 @ TCol, 1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane]))],
    )
    sfa = T.cuda.decl_tmem(place[0] + T.uint32(64), ty_args=[T.Tensor((1, 4, 128, 1), "float8_e8m0fnu", scope="tmem", layout=scale_layout(4, 128, 1))])
    sfb = T.cuda.decl_tmem(place[0] + T.uint32(68), ty_args=[T.Tensor((1, 4, 64, 1), "float8_e8m0fnu", scope="tmem", layout=scale_layout(4, 64, 1))])
    if T.cuda.warp_id() == 0:
        if T.cuda.elect_sync():
            T.cuda.tile.apply("tcgen05.cp.cta_group::1.32x128b.warpx4", words, factors)
            T.cuda.tile.apply(
                "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X",
                cells,
                a.view(1, 128, 4, 32).permute(0, 2, 1, 3),
                b.view(1, 64, 4, 32).permute(0, 2, 1, 3),
                sfa,
                sfb,
                instruction_shape=(128, 64, 32),
            )
            T.ptx["tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64"](bar.ptr_to([0]))
    T.cuda.mbarrier_wait(bar.ptr_to([0]), T.uint32(0))
    T.ptx["tcgen05.fence::after_thread_sync"]()
    r = T.alloc_local((4, 32, 64), "float32", layout=TileLayout(S[(4, 32, 64) : (1 @ wid, 1 @ laneid, 1)]))
    T.cuda.tile.apply("tcgen05.ld.sync.aligned.32x32b.x64.b32", r, cells.view(4, 32, 64), scope="warpgroup")
    T.ptx["tcgen05.wait::ld.sync.aligned"]()
    T.cuda.tile.apply("st.global.v4.b32", C.view(4, 32, 16, 4), r.view(4, 32, 16, 4), scope="warpgroup")
    T.cuda.cta_sync()
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.dealloc.cta_group::1.sync.aligned.b32"](place[0], T.uint32(128))


def e2m1(code):
    size = T.cast(code & T.uint32(7), "float32")
    low = T.if_then_else(size < T.float32(4), size / T.float32(2), T.if_then_else(size == T.float32(7), T.float32(6), size - T.float32(2)))
    return T.if_then_else((code & T.uint32(8)) == T.uint32(0), low, T.float32(0) - low)


@T.function
def plain_of_four_bits(A: T.Tensor((128, 16), "uint32"), B: T.Tensor((64, 16), "uint32"), C: T.Tensor((128, 64), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))
    for i, j in T.grid(128, 64):
        C[i, j] = T.float32(0)
        for k in T.serial(128):
            nibble = T.cast(k % 8 * 4, "uint32")
            scale = T.exp2(T.cast((i + k // 16) % 3 + (j + k // 16) % 2 - 1, "float32"))
            C[i, j] = C[i, j] + e2m1(A[i, k // 8] >> nibble) * e2m1(B[j, k // 8] >> nibble) * scale


# Two numbers in a byte, a scale of e4m3 for each sixteen of them; only the first four columns of a cell row are read.
# tilewright: reference plain_of_four_bits
@T.function
def of_four_bits(A: T.Tensor((128, 16), "uint32"), B: T.Tensor((64, 16), "uint32"), C: T.Tensor((128, 64), "float32")):
    T.device_entry(launch=ONE)
    place = T.alloc_shared((1,), "uint32")
    bar = T.alloc_shared((1,), "uint64")
    a = T.alloc_shared((128, 16), "uint32", layout=ComposeLayout(2, 2, 3, TileLayout(S[(128, 16) : (16, 1)])), align=1024)
    b = T.alloc_shared((64, 16), "uint32", layout=ComposeLayout(2, 2, 3, TileLayout(S[(64, 16) : (16, 1)])), align=1024)
    factors = T.alloc_shared((2, 2, 32, 4), "uint32", layout=TileLayout(S[(2, 2, 32, 4) : (256, 128, 4, 1)]), align=128)
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32"](place.ptr_to([0]), T.uint32(128))
        if T.cuda.lane_id() == 0:
            T.ptx["mbarrier.init.shared.b64"](bar.ptr_to([0]), T.uint32(1))
    T.ptx["fence.mbarrier_init.release.cluster"]()
    tid = T.cuda.linear_thread_id()
    for k in T.serial(16):
        a[tid, k] = A[tid, k]
        if tid < 64:
            b[tid, k] = B[tid, k]
    # 0x38 is 1 in e4m3, 8 further on is twice as much.
    for step in T.serial(2):
        of_a: T.uint32 = T.uint32(0)
        of_b: T.uint32 = T.uint32(0)
        for block in T.serial(4):
            of_a = of_a | (T.cast((tid + step * 4 + block) % 3 * 8 + 0x30, "uint32") << T.cast(8 * block, "uint32"))
            of_b = of_b | (T.cast((tid + step * 4 + block) % 2 * 8 + 0x38, "uint32") << T.cast(8 * block, "uint32"))
        factors[step, 0, tid % 32, tid // 32] = of_a
        factors[step, 1, tid % 32, tid // 32] = of_b
    T.ptx["fence.proxy.async.shared::cta"]()
    T.cuda.cta_sync()
    cells = T.cuda.decl_tmem(
        place[0],
        ty_args=[T.Tensor((1, 1, 128, 64), "float32", scope="tmem", layout=TileLayout(S[(1, 1, 128, 64) : (64 @ TCol, 64 @ TCol, 1 @ TLane, 1 @ TCol)]))],
    )
    words = T.cuda.decl_tmem(
        place[0] + T.uint32(64),
        ty_args=[T.Tensor((2, 2, 32, 4), "uint32", scope="tmem", layout=TileLayout(S[(2, 2, 32, 4) : (8 @ TCol, 4 @ TCol, 1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane]))],
    )
    sfa = T.cuda.decl_tmem(
        place[0] + T.uint32(64),
        ty_args=[T.Tensor((1, 2, 4, 32, 4), "float8_e4m3fn", scope="tmem", layout=TileLayout(S[(1, 2, 4, 32, 4) : (1 @ TCol, 32 @ TCol, 4 @ TCol, 1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane]))],
    )
    sfb = T.cuda.decl_tmem(
        place[0] + T.uint32(68),
        ty_args=[T.Tensor((1, 2, 2, 32, 4), "float8_e4m3fn", scope="tmem", layout=TileLayout(S[(1, 2, 2, 32, 4) : (1 @ TCol, 32 @ TCol, 4 @ TCol, 1 @ TLane, 1 @ TCol)] + R[4 : 32 @ TLane]))],
    )
    left = T.decl_tensor(a.data, ty_args=[T.Tensor((128, 2, 64), "float4_e2m1fn", scope="shared", align=1024, layout=ComposeLayout(5, 2, 3, TileLayout(S[(128, 2, 64) : (128, 64, 1)])))])
    right = T.decl_tensor(b.data, ty_args=[T.Tensor((64, 2, 64), "float4_e2m1fn", scope="shared", align=1024, layout=ComposeLayout(5, 2, 3, TileLayout(S[(64, 2, 64) : (128, 64, 1)])))])
    if T.cuda.warp_id() == 0:
        if T.cuda.elect_sync():
            T.cuda.tile.apply("tcgen05.cp.cta_group::1.32x128b.warpx4", words, factors)
            T.cuda.tile.apply(
                "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X",
                cells,
                left.view(1, 128, 2, 64).permute(0, 2, 1, 3),
                right.view(1, 64, 2, 64).permute(0, 2, 1, 3),
                sfa.view(1, 2, 128, 4),
                sfb.view(1, 2, 64, 4),
                instruction_shape=(128, 64, 64),
            )
            T.ptx["tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64"](bar.ptr_to([0]))
    T.cuda.mbarrier_wait(bar.ptr_to([0]), T.uint32(0))
    T.ptx["tcgen05.fence::after_thread_sync"]()
    r = T.alloc_local((4, 32, 64), "float32", layout=TileLayout(S[(4, 32, 64) : (1 @ wid, 1 @ laneid, 1)]))
    T.cuda.tile.apply("tcgen05.ld.sync.aligned.32x32b.x64.b32", r, cells.view(4, 32, 64), scope="warpgroup")
    T.ptx["tcgen05.wait::ld.sync.aligned"]()
    T.cuda.tile.apply("st.global.v4.b32", C.view(4, 32, 16, 4), r.view(4, 32, 16, 4), scope="warpgroup")
    T.cuda.cta_sync()
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.dealloc.cta_group::1.sync.aligned.b32"](place[0], T.uint32(128))


@T.function
def plain_lanes(A: T.Tensor((4, 8), "uint32"), C: T.Tensor((4, 8), "uint32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))
    for i, j in T.grid(4, 8):
        C[i, j] = A[i, j]


# One lane of each warp's.
# tilewright: reference plain_lanes
@T.function
def lanes(A: T.Tensor((4, 8), "uint32"), C: T.Tensor((4, 8), "uint32")):
    T.device_entry(launch=ONE)
    place = T.alloc_shared((1,), "uint32")
    bar = T.alloc_shared((1,), "uint64")
    a = T.alloc_shared((4, 2, 4), "uint32", layout=TileLayout(S[(4, 2, 4) : (4, 32, 1)]), align=128)
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32"](place.ptr_to([0]), T.uint32(32))
        if T.cuda.lane_id() == 0:
            T.ptx["mbarrier.init.shared.b64"](bar.ptr_to([0]), T.uint32(1))
    T.ptx["fence.mbarrier_init.release.cluster"]()
    tid = T.cuda.linear_thread_id()
    if tid < 32:
        a[tid // 8, tid % 8 // 4, tid % 4] = A[tid // 8, tid % 8]
    T.ptx["fence.proxy.async.shared::cta"]()
    T.cuda.cta_sync()
    cells = T.cuda.decl_tmem(place[0], ty_args=[T.Tensor((4, 8), "uint32", scope="tmem", layout=TileLayout(S[(4, 8) : (32 @ TLane, 1 @ TCol)]))])
    if T.cuda.warp_id() == 0:
        if T.cuda.elect_sync():
            T.cuda.tile.apply("tcgen05.cp.cta_group::1.4x256b", cells, a.view(4, 8))
            T.ptx["tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64"](bar.ptr_to([0]))
    T.cuda.mbarrier_wait(bar.ptr_to([0]), T.uint32(0))
    T.ptx["tcgen05.fence::after_thread_sync"]()
    all_lanes = T.cuda.decl_tmem(place[0], ty_args=[T.Tensor((4, 32, 8), "uint32", scope="tmem", layout=TileLayout(S[(4, 32, 8) : (32 @ TLane, 1 @ TLane, 1 @ TCol)]))])
    r = T.alloc_local((4, 32, 8), "uint32", layout=TileLayout(S[(4, 32, 8) : (1 @ wid, 1 @ laneid, 1)]))
    T.cuda.tile.apply("tcgen05.ld.sync.aligned.32x32b.x8.b32", r, all_lanes, scope="warpgroup")
    T.ptx["tcgen05.wait::ld.sync.aligned"]()
    if T.cuda.lane_id() == 0:
        own = T.decl_tensor(r.data, ty_args=[T.Tensor((8,), "uint32", scope="local")])
        for j in T.unroll(8):
            C[tid // 32, j] = own[j]
    T.cuda.cta_sync()
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.dealloc.cta_group::1.sync.aligned.b32"](place[0], T.uint32(32))
