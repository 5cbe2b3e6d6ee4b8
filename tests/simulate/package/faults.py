# tilewright: arch sm_90a
# tilewright: dialect 0.27
"""Kernels of tvm_tirx that are right, and what makes them wrong: a line below one, `#! CODE: TEXT`, takes its place."""
from tvm_tirx.backend.cuda.lang import ClusterPersistentScheduler2D, MBarrier, Pipeline, PipelineState, SMEMPool, TMABar
from tvm_tirx.script import tirx as T
from tvm_tirx.tirx.layout import Axis, ComposeLayout, S, TileLayout

laneid = Axis.get("laneid")
n = T.dynamic("n")
ONE = T.cuda.LaunchConfig(grid=1, block=1)
BULK = "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"
OUT = "cp.async.bulk.global.shared::cta.bulk_group"
LOAD = "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes"
STORE = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
MMA = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"


@T.function
def plain_doubled(A: T.Tensor((8, 128), "int32"), C: T.Tensor((8, 128), "int32")):
    T.device_entry(launch=ONE)
    for r, c in T.grid(8, 128):
        C[r, c] = A[r, c] * 2


# tilewright: reference plain_doubled
@T.function
def ring(A: T.Tensor((8, 128), "int32"), C: T.Tensor((8, 128), "int32")):
    """A warp that copies rows into a ring, and four that double them."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=160))
    pool = SMEMPool()
    rows = pool.alloc((3, 128), "int32", align=128)
    #! TW5001 at `T.ptx[BULK](rows.ptr_to([fill.`: rows = pool.alloc((2, 128), "int32", align=128)
    full = TMABar(pool, 3)
    empty = MBarrier(pool, 3)
    pool.commit()
    full.init(1)
    #! TW5004 at `full.wait(use.stage, use.phase`: full.init(2)
    empty.init(128)
    #! TW5004 at `empty.wait(fill.stage, fill.ph`: empty.init(129)
    #! TW5013: empty.init(64)
    T.ptx["fence.mbarrier_init.release.cluster"]()
    T.cuda.cta_sync()
    #! TW5020 at `empty.wait(fill.stage, fill.phase`: pass
    t = T.cuda.thread_idx("x")
    if t == 128:
        #! TW5013 at `full.arrive(fill.stage, 512)`: if t >= 128:
        fill = PipelineState(3, 1)
        #! TW5004 at `full.wait(use.stage, use.phase`: fill = PipelineState(3, 0)
        for r in T.serial(8):
            #! TW5004 at `full.wait(use.stage, use.phase`: for r in T.serial(7):
            empty.wait(fill.stage, fill.phase)
            #! TW5013 at `full.arrive(fill.stage, 512)`: pass
            full.arrive(fill.stage, 512)
            #! TW5004 at `full.wait(use.stage, use.phase`: full.arrive(fill.stage, 528)
            #! TW5004 at `full.wait(use.stage, use.phase`: pass
            T.ptx[BULK](rows.ptr_to([fill.stage, 0]), A.ptr_to([r, 0]), T.uint32(512), full.ptr_to([fill.stage]))
            #! TW5004 at `full.wait(use.stage, use.phase`: T.ptx[BULK](rows.ptr_to([fill.stage, 0]), A.ptr_to([r, 0]), T.uint32(256), full.ptr_to([fill.stage]))
            #! TW5001: T.ptx[BULK](rows.ptr_to([fill.stage, 0]), A.ptr_to([r + 1, 0]), T.uint32(512), full.ptr_to([fill.stage]))
            #! TW5021 and others: T.ptx[BULK](rows.ptr_to([0, 0]), A.ptr_to([r, 0]), T.uint32(512), full.ptr_to([fill.stage]))
            #! TW5004 at `full.wait(use.stage, use.phase`: T.ptx[BULK](rows.ptr_to([fill.stage, 0]), A.ptr_to([r, 0]), T.uint32(512), full.ptr_to([0]))
            fill.advance()
    if t < 128:
        use = PipelineState(3, 0)
        #! TW5040 at `full.wait(use.stage, use.phase)`: use = PipelineState(3, 1)
        for r in T.serial(8):
            full.wait(use.stage, use.phase)
            #! TW5002 at `C[r, t] = rows[use.stage, t] *` and others: pass
            #! TW5040: full.wait(use.stage, 0)
            C[r, t] = rows[use.stage, t] * 2
            empty.arrive(use.stage)
            #! TW5004 at `empty.wait(fill.stage, fill.ph`: pass
            #! TW5040 and others: empty.arrive(0)
            use.advance()


# tilewright: reference plain_doubled
@T.function
def named(A: T.Tensor((8, 128), "int32"), C: T.Tensor((8, 128), "int32")):
    """Two groups of threads that hand one row over by named barriers."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=256))
    row = T.alloc_shared((128,), "int32")
    t = T.cuda.thread_idx("x")
    if t < 128:
        for r in T.serial(8):
            if r > 0:
                T.ptx.bar.sync(T.uint32(2), T.uint32(256))
                #! TW5040 at `T.ptx.bar.arrive(T.uint32(1)`: pass
            row[t] = A[r, t]
            T.ptx.bar.arrive(T.uint32(1), T.uint32(256))
            #! TW5005 at `T.ptx.bar.sync(T.uint32(1), T.`: T.ptx.bar.arrive(T.uint32(1), T.uint32(128))
            #! TW5004 at `T.ptx.bar.sync(T.uint32(1), T.`: pass
    else:
        for r in T.serial(8):
            T.ptx.bar.sync(T.uint32(1), T.uint32(256))
            #! TW5040 at `T.ptx.bar.arrive(T.uint32(2)`: pass
            #! TW5004: T.ptx.bar.sync(T.uint32(3), T.uint32(256))
            C[r, t - 128] = row[t - 128] * 2
            if r < 7:
                T.ptx.bar.arrive(T.uint32(2), T.uint32(256))


# tilewright: reference plain_doubled
@T.function
def staged(A: T.Tensor((8, 128), "int32"), C: T.Tensor((8, 128), "int32")):
    """Two buffers filled by cp.async, repeated over views."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    t = T.cuda.thread_idx("x")
    src = A.view(8, 32, 4)
    stage = T.alloc_shared((2, 32, 4), "int32", align=128, layout="default")
    #! TW5001 at `T.cuda.tile.apply(`: stage = T.alloc_shared((1, 32, 4), "int32", align=128, layout="default")
    T.cuda.tile.apply("cp.async.cg.shared.global", stage[0, t : t + 1, :], src[0, t : t + 1, :], chunk_bytes=16)
    T.ptx["cp.async.commit_group"]()
    #! TW5021 at `C[r, k * 32 + t] = stage[r % 2`: pass
    for r in T.serial(8):
        if r < 7:
            T.cuda.tile.apply(
                "cp.async.cg.shared.global", stage[(r + 1) % 2, t : t + 1, :], src[r + 1, t : t + 1, :], chunk_bytes=16
            )
        T.ptx["cp.async.commit_group"]()
        T.ptx["cp.async.wait_group"](1)
        #! TW5021 at `C[r, k * 32 + t] = stage[r % 2` and others: T.ptx["cp.async.wait_group"](2)
        T.cuda.cta_sync()
        #! TW5020 at `C[r, k * 32 + t] = stage[r % 2` and others: pass
        for k in T.serial(4):
            C[r, k * 32 + t] = stage[r % 2, k * 8 + t // 4, t % 4] * 2
            #! TW5021: C[r, k * 32 + t] = stage[(r + 1) % 2, k * 8 + t // 4, t % 4] * 2
        T.cuda.cta_sync()
        #! TW5021 at `C[r, k * 32 + t] = stage[r % 2`: pass


@T.function
def plain_tile(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
    T.device_entry(launch=ONE)
    for i, j in T.grid(64, 64):
        C[i, j] = A[i, j] * T.float16(2)


# tilewright: reference plain_tile
@T.function
def boxes(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float16")):
    """A box in and out under a swizzle of 128 bytes."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=128))
    b = T.cuda.block_idx("x")
    t = T.cuda.thread_idx("x")
    tile = T.alloc_shared((32, 64), "float16", align=1024, layout=ComposeLayout(3, 3, 3, TileLayout(S[(32, 64) : (64, 1)])))
    #! TW3104 at `T.cuda.tile.apply(LOAD, tile, ` and others: tile = T.alloc_shared((32, 64), "float16", align=1024, layout=ComposeLayout(3, 2, 3, TileLayout(S[(32, 64) : (64, 1)])))
    #! TW3104 at `T.cuda.tile.apply(LOAD, tile, ` and others: tile = T.alloc_shared((32, 64), "float16", align=128, layout=ComposeLayout(3, 3, 3, TileLayout(S[(32, 64) : (64, 1)])))
    full = T.alloc_shared((1,), "uint64")
    if t == 0:
        T.ptx.mbarrier.init.shared.b64(full.ptr_to([0]), T.uint32(1))
        #! TW5013 at `T.ptx.mbarrier.arrive.expect_t`: pass
        T.ptx.fence.proxy.async_.shared__cta()
        T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([0]), T.uint32(4096))
        #! TW5004 at `T.cuda.mbarrier_wait(full.ptr_`: T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([0]), T.uint32(2048))
        T.cuda.tile.apply(LOAD, tile, A, box=(32, 64), coords=(b * 32, 0), swizzle=3, mbar=full.ptr_to([0]))
        #! TW3104: T.cuda.tile.apply(LOAD, tile, A, box=(32, 64), coords=(b * 32, 0), swizzle=2, mbar=full.ptr_to([0]))
        #! TW3104: T.cuda.tile.apply(LOAD, tile, A, box=(16, 64), coords=(b * 32, 0), swizzle=3, mbar=full.ptr_to([0]))
    T.cuda.cta_sync()
    #! TW5020 at `T.cuda.mbarrier_wait(full.ptr_` and others: pass
    T.cuda.mbarrier_wait(full.ptr_to([0]), 0)
    #! TW5040 and others: T.cuda.mbarrier_wait(full.ptr_to([0]), 1)
    #! TW5021 at `tile[q * 2 + t // 64, t % 64] `: pass
    for q in T.serial(16):
        tile[q * 2 + t // 64, t % 64] = tile[q * 2 + t // 64, t % 64] * T.float16(2)
    T.ptx.fence.proxy.async_.shared__cta()
    #! TW5022 at `T.cuda.tile.apply(STORE, C, ti`: pass
    T.cuda.cta_sync()
    #! TW5020 at `T.cuda.tile.apply(STORE, C, ti`: pass
    if t == 0:
        T.cuda.tile.apply(STORE, C, tile, box=(32, 64), coords=(b * 32, 0), swizzle=3)
        T.ptx["cp.async.bulk.commit_group"]()
        #! TW5018 at `T.cuda.tile.apply(STORE, C, ti`: pass
        T.ptx["cp.async.bulk.wait_group"](0)
        #! TW5018 at `T.cuda.tile.apply(STORE, C, ti`: pass


@T.function
def plain_product(A: T.Tensor((16, 32), "float16"), B: T.Tensor((8, 32), "float16"), C: T.Tensor((16, 8), "float32")):
    T.device_entry(launch=ONE)
    for i, j in T.grid(16, 8):
        total: T.float32 = 0.0
        for k in T.serial(32):
            total += T.cast(A[i, k], "float32") * T.cast(B[j, k], "float32")
        C[i, j] = total


# tilewright: reference plain_product
@T.function
def product(A: T.Tensor((16, 32), "float16"), B: T.Tensor((8, 32), "float16"), C: T.Tensor((16, 8), "float32")):
    """Two steps of a product by a warp."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=32))
    lane = T.cuda.lane_id()
    tile_a = T.alloc_shared((16, 32), "float16", align=128)
    tile_b = T.alloc_shared((8, 32), "float16", align=128)
    a = T.alloc_local((4,), "uint32")
    b = T.alloc_local((2,), "uint32")
    d = T.alloc_local((4,), "float32")
    for q in T.serial(16):
        tile_a[q, lane] = A[q, lane]
    for q in T.serial(8):
        #! TW5002 at `T.ptx[MMA](d[0], d[1], d[2], d`: for q in T.serial(7):
        tile_b[q, lane] = B[q, lane]
    T.cuda.warp_sync()
    #! TW5020 at `T.ptx.ldmatrix.sync.aligned.m8`: pass
    for q in T.unroll(4):
        #! TW5002 at `T.ptx[MMA](d[0], d[1], d[2], d`: for q in T.unroll(3):
        d[q] = T.float32(0)
    for step in T.unroll(2):
        T.ptx.ldmatrix.sync.aligned.m8n8.x4.shared.b16(
            a[0], a[1], a[2], a[3], tile_a.ptr_to([lane % 16, step * 16 + lane // 16 * 8])
        )
        T.ptx.ldmatrix.sync.aligned.m8n8.x2.shared.b16(b[0], b[1], tile_b.ptr_to([lane % 8, step * 16 + lane // 8 % 2 * 8]))
        #! TW5003: T.ptx.ldmatrix.sync.aligned.m8n8.x2.shared.b16(b[0], b[1], tile_b.ptr_to([lane % 8, step * 16 + lane // 8 % 2 * 4]))
        #! TW5001: T.ptx.ldmatrix.sync.aligned.m8n8.x2.shared.b16(b[0], b[1], tile_b.ptr_to([lane % 16, step * 16 + lane // 8 % 2 * 8]))
        T.ptx[MMA](d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], d[0], d[1], d[2], d[3])
    for q in T.unroll(4):
        C[lane // 4 + 8 * (q // 2), 2 * (lane % 4) + q % 2] = d[q]
        #! TW5001: C[lane // 4 + 8 * (q // 2), 2 * (lane % 4) + q] = d[q]


@T.function
def plain_total(A: T.Tensor((4, 256), "int32"), C: T.Tensor((4,), "int32")):
    T.device_entry(launch=ONE)
    for r in T.serial(4):
        total: T.int32 = 0
        for c in T.serial(256):
            total += A[r, c]
        C[r] = total


# tilewright: reference plain_total
@T.function
def tree(A: T.Tensor((4, 256), "int32"), C: T.Tensor((4,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=4, block=256))
    #! TW5001 at `part[t] = A[b, t]`: T.device_entry(launch=T.cuda.LaunchConfig(grid=5, block=256))
    part = T.alloc_shared((256,), "int32")
    b = T.cuda.block_idx("x")
    t = T.cuda.thread_idx("x")
    part[t] = A[b, t]
    T.cuda.cta_sync()
    #! TW5020 at `part[t] = part[t] + part[t + h`: pass
    for step in T.unroll(8):
        half = 128 >> step
        if t < half:
            #! TW5001 at `part[t] = part[t] + part[t + h`: if t <= half:
            part[t] = part[t] + part[t + half]
        T.cuda.cta_sync()
        #! TW5020 at `part[t] = part[t] + part[t + h`: T.cuda.warp_sync()
    if t == 0:
        C[b] = part[0]


# tilewright: reference plain_total
@T.function
def shuffled(A: T.Tensor((4, 256), "int32"), C: T.Tensor((4,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=4, block=256))
    part = T.alloc_shared((8,), "int32")
    b = T.cuda.block_idx("x")
    t = T.cuda.thread_idx("x")
    v: T.int32 = A[b, t]
    total = T.cuda.warp_sum(v)
    if T.cuda.lane_id() == 0:
        part[T.cuda.warp_id()] = total
        #! TW5001: part[T.cuda.warp_id() + 1] = total
    T.cuda.cta_sync()
    #! TW5020 at `w = part[T.cuda.lane_id()]`: pass
    if T.cuda.warp_id() == 0:
        w: T.int32 = 0
        if T.cuda.lane_id() < 8:
            #! TW5001 at `w = part[T.cuda.lane_id()]`: if T.cuda.lane_id() < 9:
            w = part[T.cuda.lane_id()]
        all_of_them = T.cuda.warp_sum(w)
        if t == 0:
            C[b] = all_of_them


# tilewright: reference plain_total
@T.function
def pairs(A: T.Tensor((4, 256), "int32"), C: T.Tensor((4,), "int32")):
    """Two CTAs of a cluster add into the memory of the first."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=128, cluster=2))
    #! TW5001 at `T.ptx.red.shared__cluster.add.`: T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=128))
    part = T.alloc_shared((1,), "int32")
    rank = T.cuda.cluster_cta_id("x")
    r = T.cuda.cluster_id("x")
    t = T.cuda.thread_idx("x")
    if t == 0:
        part[0] = 0
        #! TW5002 at `T.ptx.red.shared__cluster.add.`: pass
    T.cuda.cluster_sync()
    #! TW5020 at `T.ptx.red.shared__cluster.add.` and others: T.cuda.cta_sync()
    address: T.uint32
    T.ptx.mapa.shared__cluster.u32(address, T.cuda.cvta_generic_to_shared(part.ptr_to([0])), T.uint32(0))
    #! TW5012: T.ptx.mapa.shared__cluster.u32(address, T.cuda.cvta_generic_to_shared(part.ptr_to([0])), T.uint32(2))
    T.ptx.red.shared__cluster.add.s32(address, A[r, rank * 128 + t])
    T.cuda.cluster_sync()
    #! TW5020 at `C[r] = part[0]` and others: pass
    if (rank == 0) and (t == 0):
        C[r] = part[0]


@T.function
def plain_reversed(A: T.Tensor((512,), "float32"), C: T.Tensor((512,), "float32")):
    T.device_entry(launch=ONE)
    for i in T.serial(512):
        C[i] = A[511 - i] + T.float32(1)


@T.function(private=True)
def more(x: T.float32) -> T.float32:
    return x + T.float32(1)


# tilewright: reference plain_reversed
@T.function
def turned(A: T.Tensor((512,), "float32"), C: T.Tensor((512,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    t = T.cuda.thread_idx("x")
    s = T.alloc_shared((128, 4), "float32", align=16, layout="default")
    r = T.alloc_local((4,), "float32", layout="default")
    T.cuda.tile.apply("ld.global.v4.f32", r, A[t * 4 : t * 4 + 4])
    #! TW3104: T.cuda.tile.apply("ld.global.v4.f32", r, A[t * 4 + 1 : t * 4 + 5])
    #! TW3104: T.cuda.tile.apply("ld.shared.v4.f32", r, A[t * 4 : t * 4 + 4])
    #! TW3104: T.cuda.tile.apply("ld.global.v2.f32", r, A[t * 4 : t * 4 + 4])
    #! TW5002 at `T.cuda.tile.ewise(more, r, r)`: pass
    T.cuda.tile.ewise(more, r, r)
    for k in T.unroll(4):
        s[127 - t, 3 - k] = r[k]
        #! TW5001: s[128 - t, 3 - k] = r[k]
    T.cuda.cta_sync()
    #! TW5020 at `T.cuda.tile.apply("ld.shared.v`: pass
    T.cuda.tile.apply("ld.shared.v4.f32", r, s.view(512)[t * 4 : t * 4 + 4])
    T.cuda.tile.apply("st.global.v4.f32", C[t * 4 : t * 4 + 4], r)
    #! TW3104: T.cuda.tile.apply("st.global.v4.f32", r, C[t * 4 : t * 4 + 4])


# tilewright: run scaled n=500 reference=plain_scaled
@T.function
def scaled(A: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=T.ceildiv(n, 128), block=128))
    i = T.cuda.block_idx("x") * 128 + T.cuda.thread_idx("x")
    if i < n:
        #! TW5001 at `C[i] = A[i] * T.float32(3)`: if i <= n:
        #! differs: if i < n - 1:
        C[i] = A[i] * T.float32(3)


@T.function
def plain_scaled(A: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
    T.device_entry(launch=ONE)
    for i in T.serial(n):
        C[i] = A[i] * T.float32(3)


@T.function
def plain_prefix(A: T.Tensor((128,), "int32"), C: T.Tensor((128,), "int32")):
    T.device_entry(launch=ONE)
    total: T.int32 = 0
    for i in T.serial(128):
        total += A[i]
        C[i] = total


# tilewright: reference plain_prefix
@T.function
def prefix(A: T.Tensor((128,), "int32"), C: T.Tensor((128,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=128))
    s = T.alloc_shared((128,), "int32")
    t = T.cuda.thread_idx("x")
    v: T.int32 = A[t]
    s[t] = v
    T.cuda.cta_sync()
    for step in T.unroll(7):
        if t >= (1 << step):
            #! TW5001 at `v += s[t - (1 << step)]`: if t >= (1 << step) - 1:
            v += s[t - (1 << step)]
        T.cuda.cta_sync()
        #! TW5020 at `s[t] = v`: pass
        s[t] = v
        T.cuda.cta_sync()
        #! TW5020 at `s[t] = v`: T.cuda.warp_sync()
    C[t] = v


@T.function
def plain_count(A: T.Tensor((1024,), "int32"), C: T.Tensor((16,), "int32")):
    T.device_entry(launch=ONE)
    for i in T.serial(16):
        C[i] = 0
    for i in T.serial(1024):
        C[A[i] % 16] = C[A[i] % 16] + 1


# tilewright: run counts A=random(low=0,high=1000) reference=plain_count
@T.function
def counts(A: T.Tensor((1024,), "int32"), C: T.Tensor((16,), "int32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=256))
    s = T.alloc_shared((16,), "int32")
    t = T.cuda.thread_idx("x")
    if t < 16:
        #! TW5002 at `T.ptx.red.shared__cta.add.s32(`: if t < 15:
        s[t] = 0
    T.cuda.cta_sync()
    #! TW5020 at `T.ptx.red.shared__cta.add.s32(`: pass
    for k in T.serial(4):
        T.ptx.red.shared__cta.add.s32(s.ptr_to([A[k * 256 + t] % 16]), 1)
        #! TW5020: s[A[k * 256 + t] % 16] = s[A[k * 256 + t] % 16] + 1
    T.cuda.cta_sync()
    #! TW5020 at `C[t] = s[t]`: pass
    if t < 16:
        C[t] = s[t]


@T.function
def plain_last(A: T.Tensor((4, 128), "int32"), W: T.Tensor((4, 128), "int32"), L: T.Tensor((1,), "uint32"), C: T.Tensor((128,), "int32")):
    T.device_entry(launch=ONE)
    L[0] = T.uint32(4)
    for t in T.serial(128):
        C[t] = 0
        for b in T.serial(4):
            W[b, t] = A[b, t] + 1
            C[t] = C[t] + A[b, t] + 1


# tilewright: run last L=zeros reference=plain_last
@T.function
def last(A: T.Tensor((4, 128), "int32"), W: T.Tensor((4, 128), "int32"), L: T.Tensor((1,), "uint32"), C: T.Tensor((128,), "int32")):
    """The CTA that comes last adds what all have left in global memory."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=4, block=128))
    seen = T.alloc_shared((1,), "uint32")
    b = T.cuda.block_idx("x")
    t = T.cuda.thread_idx("x")
    W[b, t] = A[b, t] + 1
    T.cuda.cta_sync()
    #! TW5020 at `total += W[k, t]`: pass
    if t == 0:
        old: T.uint32
        T.ptx.atom.acq_rel.gpu.global_.add.u32(old, L.ptr_to([0]), T.uint32(1))
        #! TW5020 at `total += W[k, t]`: T.ptx.atom.relaxed.gpu.global_.add.u32(old, L.ptr_to([0]), T.uint32(1))
        #! TW5020 at `total += W[k, t]`: T.ptx.atom.acq_rel.cta.global_.add.u32(old, L.ptr_to([0]), T.uint32(1))
        seen[0] = old
    T.cuda.cta_sync()
    #! TW5020 at `if seen[0] == T.uint32(3):` and others: pass
    if seen[0] == T.uint32(3):
        #! TW5020 at `total += W[k, t]`: if seen[0] == T.uint32(2):
        total: T.int32 = 0
        for k in T.serial(4):
            total += W[k, t]
        C[t] = total


# tilewright: reference plain_doubled
@T.function
def elected(A: T.Tensor((8, 128), "int32"), C: T.Tensor((8, 128), "int32")):
    """One elected lane copies in and out in bulk."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=128))
    row = T.alloc_shared((128,), "int32", align=128)
    full = T.alloc_shared((1,), "uint64")
    b = T.cuda.block_idx("x")
    t = T.cuda.thread_idx("x")
    if T.cuda.warp_id() == 0:
        if T.cuda.elect_sync():
            #! TW5013 at `T.ptx.mbarrier.arrive.expect_t`: if T.cuda.lane_id() < 2:
            T.ptx.mbarrier.init.shared.b64(full.ptr_to([0]), T.uint32(1))
            T.ptx.fence.proxy.async_.shared__cta()
            T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([0]), T.uint32(512))
            T.ptx[BULK](row.ptr_to([0]), A.ptr_to([b, 0]), T.uint32(512), full.ptr_to([0]))
            #! TW5001: T.ptx[BULK](row.ptr_to([1]), A.ptr_to([b, 0]), T.uint32(512), full.ptr_to([0]))
            #! TW5001: T.ptx[BULK](row.ptr_to([0]), A.ptr_to([b, 4]), T.uint32(512), full.ptr_to([0]))
    T.cuda.cta_sync()
    T.cuda.mbarrier_wait(full.ptr_to([0]), 0)
    row[t] = row[t] * 2
    T.ptx.fence.proxy.async_.shared__cta()
    #! TW5022 at `T.ptx[OUT](C.ptr_to([b, 0]), r`: pass
    T.cuda.cta_sync()
    #! TW5020 at `T.ptx[OUT](C.ptr_to([b, 0]), r`: pass
    if T.cuda.warp_id() == 0:
        if T.cuda.elect_sync():
            T.ptx[OUT](C.ptr_to([b, 0]), row.ptr_to([0]), T.uint32(512))
            #! differs: T.ptx[OUT](C.ptr_to([b, 0]), row.ptr_to([0]), T.uint32(256))
            T.ptx["cp.async.bulk.commit_group"]()
            T.ptx["cp.async.bulk.wait_group"](0)


@T.function
def plain_transposed(A: T.Tensor((32, 64), "float32"), C: T.Tensor((64, 32), "float32")):
    T.device_entry(launch=ONE)
    for i, j in T.grid(64, 32):
        C[i, j] = A[j, i]


# tilewright: reference plain_transposed
@T.function
def transposed(A: T.Tensor((32, 64), "float32"), C: T.Tensor((64, 32), "float32")):
    T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=(32, 8)))
    #! TW5002 at `C[b * 32 + y + 8 * k, x] = til`: T.device_entry(launch=T.cuda.LaunchConfig(grid=2, block=(32, 4)))
    #! differs: T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=(32, 8)))
    tile = T.alloc_shared((32, 33), "float32")
    #! TW5001 at `tile[y + 8 * k, x] = A[y + 8 *`: tile = T.alloc_shared((32, 31), "float32")
    x = T.cuda.thread_idx("x")
    y = T.cuda.thread_idx("y")
    b = T.cuda.block_idx("x")
    for k in T.unroll(4):
        #! TW5002 at `C[b * 32 + y + 8 * k, x] = til`: for k in T.unroll(3):
        tile[y + 8 * k, x] = A[y + 8 * k, b * 32 + x]
    T.cuda.cta_sync()
    #! TW5020 at `C[b * 32 + y + 8 * k, x] = til`: pass
    for k in T.unroll(4):
        C[b * 32 + y + 8 * k, x] = tile[x, y + 8 * k]


# tilewright: reference plain_doubled
@T.function
def pipelined(A: T.Tensor((8, 128), "int32"), C: T.Tensor((8, 128), "int32")):
    """The same ring by Pipeline, with a consumer warp for each part of the row."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=1, block=160))
    pool = SMEMPool()
    rows = pool.alloc((2, 128), "int32", align=128)
    pipe = Pipeline(pool, 2, full="tma", empty="mbar", init_empty=4)
    #! TW5004 at `pipe.empty.wait(fill.stage, fi`: pipe = Pipeline(pool, 2, full="tma", empty="mbar", init_empty=128)
    #! TW5013: pipe = Pipeline(pool, 2, full="tma", empty="mbar", init_empty=3)
    pool.commit()
    #! TW4006 at `pool = SMEMPool()`: pass
    T.ptx["fence.mbarrier_init.release.cluster"]()
    T.cuda.cta_sync()
    w = T.cuda.warp_id()
    if w == 4:
        if T.cuda.elect_sync():
            fill = PipelineState(2, 1)
            #! TW5001 at `pipe.empty.wait(fill.stage, fi`: fill = PipelineState(3, 1)
            for r in T.serial(8):
                pipe.empty.wait(fill.stage, fill.phase)
                pipe.full.arrive(fill.stage, 512)
                T.ptx[BULK](rows.ptr_to([fill.stage, 0]), A.ptr_to([r, 0]), T.uint32(512), pipe.full.ptr_to([fill.stage]))
                fill.advance()
                #! TW5013 at `pipe.full.arrive(fill.stage, 5`: pass
    else:
        use = PipelineState(2, 0)
        for r in T.serial(8):
            pipe.full.wait(use.stage, use.phase)
            #! TW5040: pipe.full.wait(use.stage, use.phase ^ 1)
            C[r, w * 32 + T.cuda.lane_id()] = rows[use.stage, w * 32 + T.cuda.lane_id()] * 2
            T.cuda.warp_sync()
            #! TW5020 at `C[r, w * 32 + T.cuda.lane_id()`: pass
            if T.cuda.lane_id() == 0:
                #! TW5013 at `pipe = Pipeline(pool, 2, full=`: if T.cuda.lane_id() < 2:
                pipe.empty.arrive(use.stage)
            use.advance()

@T.function
def plain_swapped(A: T.Tensor((2, 128), "float32"), C: T.Tensor((2, 128), "float32")):
    T.device_entry(launch=ONE)
    for r, c in T.grid(2, 128):
        C[r, c] = A[1 - r, c]


# tilewright: reference plain_swapped
@T.function
def swapped(A: T.Tensor((2, 128), "float32"), C: T.Tensor((2, 128), "float32")):
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
        #! TW5021 at `C[rank, q * 32 + lane] = inbox` and others: T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([0]), T.uint32(256))
    for q in T.serial(4):
        outbox[q // 2, q % 2 * 32 + lane] = A[rank, q * 32 + lane]
    T.ptx.fence.proxy.async_.shared__cta()
    #! TW5022 at `T.cuda.tile.apply("cp.async.bu`: pass
    T.cuda.cluster_sync()
    #! TW5020 at `T.cuda.tile.apply("cp.async.bu` and others: T.cuda.cta_sync()
    if lane == 0:
        T.cuda.tile.apply("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", inbox, outbox, chunk_bytes=256, mbar=full.ptr_to([0]), remote_cta_id=1 - rank)
        #! TW5012: T.cuda.tile.apply("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", inbox, outbox, chunk_bytes=256, mbar=full.ptr_to([0]), remote_cta_id=rank + 1)
        #! TW3104: T.cuda.tile.apply("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes", inbox, outbox, chunk_bytes=200, mbar=full.ptr_to([0]), remote_cta_id=1 - rank)
    T.cuda.mbarrier_wait(full.ptr_to([0]), 0)
    #! TW5020 at `C[rank, q * 32 + lane] = inbox` and others: pass
    for q in T.serial(4):
        C[rank, q * 32 + lane] = inbox[q // 2, q % 2 * 32 + lane]
    T.cuda.cluster_sync()
    #! TW5018 at `T.cuda.tile.apply("cp.async.bu`: pass


@T.function
def plain_sums(A: T.Tensor((4, 32, 64), "float32"), C: T.Tensor((32, 64), "float32")):
    T.device_entry(launch=ONE)
    for i, j in T.grid(32, 64):
        C[i, j] = T.float32(0)
        for k in T.serial(4):
            C[i, j] = C[i, j] + A[k, i, j]


# tilewright: run sums C=zeros A=arange reference=plain_sums
@T.function
def sums(A: T.Tensor((4, 32, 64), "float32"), C: T.Tensor((32, 64), "float32")):
    """CTAs add boxes to one tensor."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=4, block=64))
    b = T.cuda.block_idx("x")
    t = T.cuda.thread_idx("x")
    tile = T.alloc_shared((32, 64), "float32", align=128, layout="default")
    for i in T.serial(32):
        #! TW5002 at `T.cuda.tile.apply("cp.reduce.a`: for i in T.serial(31):
        tile[i, t] = A[b, i, t]
    T.ptx.fence.proxy.async_.shared__cta()
    #! TW5022 at `T.cuda.tile.apply("cp.reduce.a`: pass
    T.cuda.cta_sync()
    #! TW5020 at `T.cuda.tile.apply("cp.reduce.a`: pass
    if t == 0:
        T.cuda.tile.apply("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group", C, tile, box=(32, 64), coords=(0, 0))
        #! TW5020: T.cuda.tile.apply("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", C, tile, box=(32, 64), coords=(0, 0))
        #! TW5015: T.cuda.tile.apply("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group", C, tile, box=(32, 64), coords=(-1, 0))
        T.ptx["cp.async.bulk.commit_group"]()
        T.ptx["cp.async.bulk.wait_group"](0)


@T.function
def plain_walk(A: T.Tensor((6, 4), "int32"), C: T.Tensor((6, 4), "int32")):
    T.device_entry(launch=ONE)
    for i, j in T.grid(6, 4):
        C[i, j] = A[i, j] + 10


# tilewright: reference plain_walk
@T.function
def walk(A: T.Tensor((6, 4), "int32"), C: T.Tensor((6, 4), "int32")):
    """Tiles given out to CTAs by a scheduler."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=5, block=32))
    scheduler = ClusterPersistentScheduler2D("tile", num_m_tiles=6, num_n_tiles=4, num_clusters=5)
    #! TW5001 at `C[scheduler.m_idx, scheduler.n`: scheduler = ClusterPersistentScheduler2D("tile", num_m_tiles=7, num_n_tiles=4, num_clusters=5)
    scheduler.init(T.cuda.block_idx("x"))
    #! differs: scheduler.init(T.cuda.block_idx("x") + 1)
    while scheduler.valid():
        if T.cuda.lane_id() == 0:
            C[scheduler.m_idx, scheduler.n_idx] = A[scheduler.m_idx, scheduler.n_idx] + 10
            #! TW5001: C[scheduler.m_idx, scheduler.n_idx + 1] = A[scheduler.m_idx, scheduler.n_idx] + 10
        scheduler.next_tile()


@T.function
def plain_softmax(A: T.Tensor((8, 32, 4), "float32"), C: T.Tensor((8, 32, 4), "float32")):
    T.device_entry(launch=ONE)
    for r in T.serial(8):
        total: T.float32 = 0.0
        for i, j in T.grid(32, 4):
            total += T.exp2(A[r, i, j])
        for i, j in T.grid(32, 4):
            C[r, i, j] = T.exp2(A[r, i, j]) / total


@T.function(private=True)
def power(x: T.float32) -> T.float32:
    return T.exp2(x)


@T.function(private=True)
def share(x: T.float32, total: T.float32) -> T.float32:
    return x / total


# tilewright: reference plain_softmax
@T.function
def softmax(A: T.Tensor((8, 32, 4), "float32"), C: T.Tensor((8, 32, 4), "float32")):
    """A row a warp, in registers of a layout."""
    T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=32))
    #! TW5020 at `T.cuda.tile.apply("st.global.v`: T.device_entry(launch=T.cuda.LaunchConfig(grid=8, block=33))
    b = T.cuda.block_idx("x")
    r = T.alloc_local((32, 1, 4), "float32", layout=TileLayout(S[(32, 1, 4) : (1 @ laneid, 4, 1)]))
    #! TW3104 at `T.cuda.tile.apply("ld.global.v` and others: r = T.alloc_local((32, 1, 4), "float32", layout=TileLayout(S[(32, 1, 4) : (4, 4, 1)]))
    rows = A.view(256, 1, 4)
    out = C.view(256, 1, 4)
    T.cuda.tile.apply("ld.global.v4.f32", r, rows[b * 32 : b * 32 + 32, :, :], scope="warp")
    #! TW3104: T.cuda.tile.apply("ld.global.v4.f32", r, rows[b * 32 : b * 32 + 32, :, :], scope="cta")
    #! TW3104: T.cuda.tile.apply("ld.global.v4.f32", r, rows[b * 32 : b * 32 + 31, :, :], scope="warp")
    mine = r.local(4)
    T.cuda.tile.ewise(power, r, r, scope="warp")
    part: T.float32 = mine[0] + mine[1] + mine[2] + mine[3]
    total = T.cuda.warp_sum(part)
    T.cuda.tile.ewise(share, r, r, total, scope="warp")
    #! TW2006: T.cuda.tile.ewise(share, r, r, scope="warp")
    T.cuda.tile.apply("st.global.v4.f32", out[b * 32 : b * 32 + 32, :, :], r, scope="warp")
