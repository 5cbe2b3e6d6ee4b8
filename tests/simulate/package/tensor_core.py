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
