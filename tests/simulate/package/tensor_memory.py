# tilewright: arch sm_100a
# tilewright: dialect 0.27
"""T.cuda.tile.apply of tensor memory, of gathered rows and into another CTA, each kernel beside a plain one."""
from tvm_tirx.script import tirx as T
from tvm_tirx.tirx.layout import Axis, S, TileLayout

laneid = Axis.get("laneid")
wid = Axis.get("wid_in_wg")
TLane = Axis.get("TLane")
TCol = Axis.get("TCol")
ONE = T.cuda.LaunchConfig(grid=1, block=128)


@T.function
def plain_rows(A: T.Tensor((128, 32), "uint32"), C: T.Tensor((128, 32), "uint32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))
    for i, j in T.grid(128, 32):
        C[i, j] = A[i, j]


# tilewright: reference plain_rows
@T.function
def rows(A: T.Tensor((128, 32), "uint32"), C: T.Tensor((128, 32), "uint32")):
    T.device_entry(launch=ONE)
    place = T.alloc_shared((1,), "uint32")
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32"](place.ptr_to([0]), T.uint32(32))
    T.cuda.cta_sync()
    cells = T.cuda.decl_tmem(
        place[0],
        ty_args=[
            T.Tensor(
                (4, 32, 32),
                "uint32",
                scope="tmem",
                layout=TileLayout(S[(4, 32, 32) : (32 @ TLane, 1 @ TLane, 1 @ TCol)]),
            )
        ],
    )
    r = T.alloc_local((4, 32, 32), "uint32", layout=TileLayout(S[(4, 32, 32) : (1 @ wid, 1 @ laneid, 1)]))
    q = T.alloc_local((4, 32, 32), "uint32", layout=TileLayout(S[(4, 32, 32) : (1 @ wid, 1 @ laneid, 1)]))
    T.cuda.tile.apply("ld.global.v4.b32", r.view(4, 32, 8, 4), A.view(4, 32, 8, 4), scope="warpgroup")
    T.cuda.tile.apply("tcgen05.st.sync.aligned.32x32b.x32.b32", cells, r, scope="warpgroup")
    T.ptx["tcgen05.wait::st.sync.aligned"]()
    # The same cells in two halves of 16 columns.
    halves = q.view(4, 32, 2, 16).permute(0, 2, 1, 3)
    T.cuda.tile.apply(
        "tcgen05.ld.sync.aligned.32x32b.x16.b32",
        halves,
        cells.view(4, 32, 2, 16).permute(0, 2, 1, 3),
        scope="warpgroup",
    )
    T.ptx["tcgen05.wait::ld.sync.aligned"]()
    T.cuda.tile.apply("st.global.v4.b32", C.view(4, 32, 8, 4), q.view(4, 32, 8, 4), scope="warpgroup")
    T.cuda.cta_sync()
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.dealloc.cta_group::1.sync.aligned.b32"](place[0], T.uint32(32))


@T.function
def plain_fragments(A: T.Tensor((128, 8), "uint32"), C: T.Tensor((128, 8), "uint32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))
    for i, j in T.grid(128, 8):
        C[i, j] = A[i, j]


# tilewright: reference plain_fragments
@T.function
def fragments(A: T.Tensor((128, 8), "uint32"), C: T.Tensor((128, 8), "uint32")):
    """A row a thread is stored, and what lies there is loaded as the fragments of a product."""
    T.device_entry(launch=ONE)
    place = T.alloc_shared((1,), "uint32")
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32"](place.ptr_to([0]), T.uint32(32))
    T.cuda.cta_sync()
    cells = T.cuda.decl_tmem(
        place[0],
        ty_args=[
            T.Tensor(
                (4, 32, 8),
                "uint32",
                scope="tmem",
                layout=TileLayout(S[(4, 32, 8) : (32 @ TLane, 1 @ TLane, 1 @ TCol)]),
            )
        ],
    )
    r = T.alloc_local((4, 32, 8), "uint32", layout=TileLayout(S[(4, 32, 8) : (1 @ wid, 1 @ laneid, 1)]))
    T.cuda.tile.apply("ld.global.v4.b32", r.view(4, 32, 2, 4), A.view(4, 32, 2, 4), scope="warpgroup")
    T.cuda.tile.apply("tcgen05.st.sync.aligned.32x32b.x8.b32", cells, r, scope="warpgroup")
    T.ptx["tcgen05.wait::st.sync.aligned"]()
    q = T.alloc_local(
        (4, 2, 16, 8),
        "uint32",
        layout=TileLayout(S[(4, 2, 2, 8, 4, 2) : (1 @ wid, 4, 2, 4 @ laneid, 1 @ laneid, 1)]),
    )
    T.cuda.tile.apply("tcgen05.ld.sync.aligned.16x256b.x1.b32", q, cells.view(4, 2, 16, 8), scope="warpgroup")
    T.ptx["tcgen05.wait::ld.sync.aligned"]()
    words = q.view(4, 2, 2, 8, 4, 2).permute(0, 3, 4, 1, 2, 5).view(4, 32, 4, 2)
    out = C.view(4, 2, 2, 8, 4, 2).permute(0, 3, 4, 1, 2, 5).view(4, 32, 4, 2)
    T.cuda.tile.apply("st.global.v2.b32", out, words, scope="warpgroup")
    T.cuda.cta_sync()
    if T.cuda.warp_id() == 0:
        T.ptx["tcgen05.dealloc.cta_group::1.sync.aligned.b32"](place[0], T.uint32(32))


@T.function
def plain_gathered(A: T.Tensor((64, 64), "float16"), C: T.Tensor((4, 64), "float16")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))
    for j in T.serial(64):
        C[0, j] = A[3, j]
        C[1, j] = A[9, j]
        C[2, j] = A[1, j]
        C[3, j] = A[40, j]


# tilewright: reference plain_gathered
@T.function
def gathered(A: T.Tensor((64, 64), "float16"), C: T.Tensor((4, 64), "float16")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=64))
    t = T.cuda.thread_idx("x")
    stage = T.alloc_shared((4, 64), "float16", align=128, layout="default")
    full = T.alloc_shared((1,), "uint64")
    if t == 0:
        T.ptx.mbarrier.init.shared.b64(full.ptr_to([0]), T.uint32(1))
        T.ptx.fence.proxy.async_.shared__cta()
        T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([0]), T.uint32(512))
        T.cuda.tile.apply(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes",
            stage,
            A,
            box=(1, 64),
            coords=(0, 0),
            gather4=(3, 9, 1, 40),
            mbar=full.ptr_to([0]),
        )
    T.cuda.cta_sync()
    T.cuda.mbarrier_wait(full.ptr_to([0]), 0)
    for q in T.serial(4):
        C[q, t] = stage[q, t]


@T.function
def plain_exchange(A: T.Tensor((2, 128), "float32"), C: T.Tensor((2, 128), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=1))
    for i, j in T.grid(2, 128):
        C[i, j] = A[1 - i, j]


# tilewright: reference plain_exchange
@T.function
def exchange(A: T.Tensor((2, 128), "float32"), C: T.Tensor((2, 128), "float32")):
    """Each CTA of a pair writes its row into the shared memory of the other."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=32, cluster=2))
    lane = T.cuda.lane_id()
    rank = T.cuda.cluster_cta_id("x")
    outbox = T.alloc_shared((2, 64), "float32", align=128, layout="default")
    inbox = T.alloc_shared((2, 64), "float32", align=128, layout="default")
    full = T.alloc_shared((1,), "uint64")
    if lane == 0:
        T.ptx.mbarrier.init.shared.b64(full.ptr_to([0]), T.uint32(1))
        T.ptx.fence.mbarrier_init.release.cluster()
        T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([0]), T.uint32(512))
    for q in T.serial(4):
        outbox[q // 2, q % 2 * 32 + lane] = A[rank, q * 32 + lane]
    T.ptx.fence.proxy.async_.shared__cta()
    T.ptx["barrier.cluster.arrive.release.aligned"]()
    T.ptx["barrier.cluster.wait.acquire.aligned"]()
    if lane == 0:
        T.cuda.tile.apply(
            "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
            inbox,
            outbox,
            chunk_bytes=256,
            mbar=full.ptr_to([0]),
            remote_cta_id=1 - rank,
        )
    T.cuda.mbarrier_wait(full.ptr_to([0]), 0)
    for q in T.serial(4):
        C[rank, q * 32 + lane] = inbox[q // 2, q % 2 * 32 + lane]
    T.ptx["barrier.cluster.arrive.release.aligned"]()
    T.ptx["barrier.cluster.wait.acquire.aligned"]()
