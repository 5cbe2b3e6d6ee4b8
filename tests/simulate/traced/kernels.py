# tilewright: arch sm_90a
# tilewright: dialect 0.27
"""Traced kernels that are right, each beside a plain one (traced_test.py)."""
import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T


@T.prim_func
def plain_add(A: T.Buffer((1024,), "float32"), B: T.Buffer((1024,), "float32"), C: T.Buffer((1024,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial(1024):
        C[i] = A[i] + B[i]


def load(dtype, pointer):
    value = txl.local_scalar(dtype)
    word = {"float32": "f32", "int32": "s32", "uint32": "u32", "float16": "b16"}[dtype]
    txl.ptx[f"ld.global.{word}"](value, pointer)
    return value


# tilewright: reference plain_add
@txl.kernel(warps=4, arch="sm_90a", grid=8)
def add(A: txl.gptr[txl.f32, (1024,)], B: txl.gptr[txl.f32, (1024,)], C: txl.gptr[txl.f32, (1024,)]):
    i = txl.cta_id() * 128 + txl.thread_id()
    txl.ptx.st.global_.f32(C.ptr_to([i]), load("float32", A.ptr_to([i])) + load("float32", B.ptr_to([i])))


# tilewright: reference plain_add
@txl.kernel(warps=4, arch="sm_90a", grid=2)
def add_four(A: txl.gptr[txl.f32, (1024,)], B: txl.gptr[txl.f32, (1024,)], C: txl.gptr[txl.f32, (1024,)]):
    i = (txl.cta_id() * 128 + txl.thread_id()) * 4
    a, b = txl.alloc_local([4], "float32"), txl.alloc_local([4], "float32")
    txl.ptx["ld.global.v4.f32"](*[a[k] for k in range(4)], A.ptr_to([i]))
    txl.ptx["ld.global.v4.f32"](*[b[k] for k in range(4)], B.ptr_to([i]))
    for k in range(4):
        txl.ptx.add.f32(a[k], a[k], b[k])
    txl.ptx["st.global.v4.f32"](C.ptr_to([i]), *[a[k] for k in range(4)])


# tilewright: reference plain_add
@txl.kernel(warps=2, arch="sm_90a", grid=3)
def add_strided(A: txl.gptr[txl.f32, (1024,)], B: txl.gptr[txl.f32, (1024,)], C: txl.gptr[txl.f32, (1024,)]):
    i = txl.local_scalar("int32", init=txl.cta_id() * 64 + txl.thread_id())
    with txl.While(i < 1024):
        txl.ptx.st.global_.f32(C.ptr_to([i]), load("float32", A.ptr_to([i])) + load("float32", B.ptr_to([i])))
        txl.assign(i, i + 3 * 64)


@T.prim_func
def plain_sums(A: T.Buffer((8, 128), "int32"), S: T.Buffer((8,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for r in T.serial(8):
        S[r] = 0
        for c in T.serial(128):
            S[r] = S[r] + A[r, c]


def warp_sum(value):
    other = txl.local_scalar("uint32")
    for step in range(5):
        txl.ptx.shfl_sync.bfly.b32(other, value, txl.uint32(1 << step), txl.uint32(31), txl.uint32(0xFFFFFFFF))
        txl.ptx.add.u32(value, value, other)


# tilewright: reference plain_sums
@txl.kernel(warps=4, arch="sm_90a", grid=8)
def sums(A: txl.gptr[txl.i32, (8, 128)], S: txl.gptr[txl.i32, (8,)]):
    row, tid, warp, lane = txl.cta_id(), txl.thread_id(), txl.warp_id(), txl.lane_id()
    part = txl.smem_pool().alloc((4,), txl.u32)
    value = txl.local_scalar("uint32")
    txl.ptx.ld.global_.b32(value, A.ptr_to([row, tid]))
    warp_sum(value)
    with txl.If(lane == 0), txl.Then():
        txl.ptx.st.shared.b32(part.ptr_to([warp]), value)
    txl.cuda.cta_sync()
    with txl.If(tid == 0), txl.Then():
        total = txl.local_scalar("uint32", init=txl.uint32(0))
        with txl.unroll(4) as w:
            txl.ptx.ld.shared.b32(value, part.ptr_to([w]))
            txl.assign(total, total + value)
        txl.ptx.st.global_.b32(S.ptr_to([row]), total)


# tilewright: reference plain_sums
@txl.kernel(warps=8, arch="sm_90a", grid=1)
def sums_by_atomics(A: txl.gptr[txl.i32, (8, 128)], S: txl.gptr[txl.i32, (8,)]):
    warp, lane, tid = txl.warp_id(), txl.lane_id(), txl.thread_id()
    totals = txl.smem_pool().alloc((8,), txl.i32)
    with txl.If(tid < 8), txl.Then():
        txl.ptx.st.shared.s32(totals.ptr_to([tid]), txl.int32(0))
    txl.cuda.cta_sync()
    for part in range(4):
        value = load("int32", A.ptr_to([warp, part * 32 + lane]))
        txl.ptx["red.relaxed.cta.shared.add.s32"](totals.ptr_to([warp]), value)
    txl.cuda.cta_sync()
    with txl.If(tid < 8), txl.Then():
        result = txl.local_scalar("int32")
        txl.ptx.ld.shared.s32(result, totals.ptr_to([tid]))
        txl.ptx.st.global_.s32(S.ptr_to([tid]), result)


@T.prim_func
def plain_turned(A: T.Buffer((32, 32), "float32"), B: T.Buffer((32, 32), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for r in T.serial(32):
        for c in T.serial(32):
            B[c, r] = A[r, c]


# tilewright: reference plain_turned
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def turned(A: txl.gptr[txl.f32, (32, 32)], B: txl.gptr[txl.f32, (32, 32)]):
    warp, lane = txl.warp_id(), txl.lane_id()
    tile = txl.smem_pool().alloc((32, 33), txl.f32)
    value = txl.local_scalar("float32")
    with txl.serial(8) as i:
        txl.ptx.ld.global_.f32(value, A.ptr_to([warp * 8 + i, lane]))
        txl.ptx.st.shared.f32(tile.ptr_to([warp * 8 + i, lane]), value)
    txl.cuda.cta_sync()
    with txl.serial(8) as i:
        txl.ptx.ld.shared.f32(value, tile.ptr_to([lane, warp * 8 + i]))
        txl.ptx.st.global_.f32(B.ptr_to([warp * 8 + i, lane]), value)


# tilewright: reference plain_turned
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def turned_in_swizzle(A: txl.gptr[txl.f32, (32, 32)], B: txl.gptr[txl.f32, (32, 32)]):
    warp, lane = txl.warp_id(), txl.lane_id()
    tile = txl.smem_pool().alloc((32, 32), txl.f32, swizzle=txl.SW128B)
    for i in range(8):
        txl.ptx.st.shared.f32(tile.ptr_to(warp * 8 + i, lane), load("float32", A.ptr_to([warp * 8 + i, lane])))
    txl.cuda.cta_sync()
    value = txl.local_scalar("float32")
    for i in range(8):
        txl.ptx.ld.shared.f32(value, tile.ptr_to(lane, warp * 8 + i))
        txl.ptx.st.global_.f32(B.ptr_to([warp * 8 + i, lane]), value)


@T.prim_func
def plain_scan(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    total: T.int32 = 0
    for i in T.serial(64):
        total = total + A[i]
        B[i] = total


# tilewright: reference plain_scan
@txl.kernel(warps=1, arch="sm_90a", grid=1)
def scan(A: txl.gptr[txl.i32, (64,)], B: txl.gptr[txl.i32, (64,)]):
    lane = txl.lane_id()
    values = txl.alloc_local([2], "int32")
    for i in range(2):
        txl.ptx.ld.global_.s32(values[i], A.ptr_to([i * 32 + lane]))
    txl.idioms.warp_scan_add(values, 2, lane)
    for i in range(2):
        txl.ptx.st.global_.s32(B.ptr_to([i * 32 + lane]), values[i])


@T.prim_func
def plain_widened(A: T.Buffer((256,), "float16"), B: T.Buffer((256,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial(256):
        B[i] = T.cast(A[i], "float32")


# tilewright: reference plain_widened
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def widened(A: txl.gptr[txl.f16, (256,)], B: txl.gptr[txl.f32, (256,)]):
    i = txl.thread_id() * 2
    word, wide = txl.local_scalar("uint32"), txl.alloc_local([2], "float32")
    txl.ptx.ld.global_.b32(word, A.ptr_to([i]))
    txl.idioms.cast_f16x2_to_f32x2(wide, 0, word)
    txl.ptx["st.global.v2.f32"](B.ptr_to([i]), wide[0], wide[1])


@T.prim_func
def plain_copy(A: T.Buffer((16, 128), "int32"), B: T.Buffer((16, 128), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for r in T.serial(16):
        for c in T.serial(128):
            B[r, c] = A[r, c]


# tilewright: reference plain_copy
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def copy_ahead(A: txl.gptr[txl.i32, (16, 128)], B: txl.gptr[txl.i32, (16, 128)]):
    """Groups of cp.async, one round ahead."""
    tid = txl.thread_id()
    ring = txl.smem_pool().alloc((2, 128), txl.i32)

    def fetch(row):
        txl.ptx["cp.async.ca.shared.global"](ring.ptr_to([row % 2, tid]), A.ptr_to([row, tid]), 4, txl.ptx.pred(0))
        txl.ptx["cp.async.commit_group"]()

    fetch(0)
    value = txl.local_scalar("int32")
    for row in range(16):
        if row + 1 < 16:
            fetch(row + 1)
        txl.ptx["cp.async.wait_group"](1 if row + 1 < 16 else 0)
        txl.ptx.ld.shared.s32(value, ring.ptr_to([row % 2, tid]))
        txl.ptx.st.global_.s32(B.ptr_to([row, tid]), value)


# tilewright: reference plain_copy
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def copy_in_bulk(A: txl.gptr[txl.i32, (16, 128)], B: txl.gptr[txl.i32, (16, 128)]):
    """One thread asks for rows, all wait for their bytes."""
    tid = txl.thread_id()
    pool = txl.smem_pool()
    rows = pool.alloc((16, 128), txl.i32, align=128)
    full = txl.TMABar(pool, 1)
    full.init(1)
    txl.ptx["fence.mbarrier_init.release.cluster"]()
    txl.cuda.cta_sync()
    with txl.If(tid == 0), txl.Then():
        full.arrive(0, 16 * 128 * 4)
        txl.ptx["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"](
            rows.ptr_to([0, 0]), A.ptr_to([0, 0]), txl.uint32(16 * 128 * 4), full.ptr_to([0])
        )
    full.wait(0, 0)
    value = txl.local_scalar("int32")
    with txl.serial(16) as r:
        txl.ptx.ld.shared.s32(value, rows.ptr_to([r, tid]))
        txl.ptx.st.global_.s32(B.ptr_to([r, tid]), value)


# tilewright: reference plain_copy
@txl.kernel(warps=8, arch="sm_90a", min_blocks_per_sm=1, grid=1)
def copy_by_roles(A: txl.gptr[txl.i32, (16, 128)], B: txl.gptr[txl.i32, (16, 128)]):
    """A warpgroup loads into a ring of four rows, the other one stores them."""
    pool = txl.smem_pool()
    ring = pool.alloc((4, 128), txl.i32, align=128)
    pipe = txl.Pipeline(pool, 4, full="tma", empty="mbar", init_empty=128)
    txl.ptx["fence.mbarrier_init.release.cluster"]()
    txl.cuda.cta_sync()
    roles = txl.specialize()
    load_role = roles.role("load", warps=range(4), regs=24)
    store_role = roles.role("store", warps=range(4, 8), regs=240)
    with load_role:
        with txl.If(txl.tid_in_role() == 0), txl.Then():
            state = txl.PipelineState(4, 1)
            with txl.serial(16) as r:
                pipe.empty.wait(state.stage, state.phase)
                pipe.full.arrive(state.stage, 512)
                txl.ptx["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"](
                    ring.ptr_to([state.stage, 0]), A.ptr_to([r, 0]), txl.uint32(512), pipe.full.ptr_to([state.stage])
                )
                state.advance()
    with store_role:
        state = txl.PipelineState(4, 0)
        value = txl.local_scalar("int32")
        with txl.serial(16) as r:
            pipe.full.wait(state.stage, state.phase)
            txl.ptx.ld.shared.s32(value, ring.ptr_to([state.stage, txl.tid_in_role()]))
            pipe.empty.arrive(state.stage)
            txl.ptx.st.global_.s32(B.ptr_to([r, txl.tid_in_role()]), value)
            state.advance()


# tilewright: reference plain_copy
@txl.kernel(warps=8, arch="sm_90a", grid=1)
def copy_by_named_barriers(A: txl.gptr[txl.i32, (16, 128)], B: txl.gptr[txl.i32, (16, 128)]):
    rows = txl.smem_pool().alloc((16, 128), txl.i32)
    roles = txl.specialize()
    first, second = roles.role("first", warps=range(4)), roles.role("second", warps=range(4, 8))
    with first:
        for r in range(16):
            txl.ptx.st.shared.s32(
                rows.ptr_to([r, txl.tid_in_role()]), load("int32", A.ptr_to([r, txl.tid_in_role()]))
            )
        txl.ptx.bar.arrive(txl.uint32(1), txl.uint32(256))
    with second:
        txl.ptx.bar.sync(txl.uint32(1), txl.uint32(256))
        value = txl.local_scalar("int32")
        for r in range(16):
            txl.ptx.ld.shared.s32(value, rows.ptr_to([r, txl.tid_in_role()]))
            txl.ptx.st.global_.s32(B.ptr_to([r, txl.tid_in_role()]), value)


# tilewright: reference plain_copy
@txl.kernel(warps=4, arch="sm_90a", grid=3)
def copy_by_scheduler(A: txl.gptr[txl.i32, (16, 128)], B: txl.gptr[txl.i32, (16, 128)]):
    """Tiles of four rows and 32 columns, handed out to three CTAs."""
    tiles = txl.ClusterPersistentScheduler2D("tiles", 4, 4, 3, l2_group_size=3)
    tiles.init(txl.cta_id())
    value = txl.local_scalar("int32")
    with txl.While(tiles.valid()):
        row, col = tiles.m_idx * 4 + txl.warp_id(), tiles.n_idx * 32 + txl.lane_id()
        txl.ptx.ld.global_.s32(value, A.ptr_to([row, col]))
        txl.ptx.st.global_.s32(B.ptr_to([row, col]), value)
        tiles.next_tile()


@T.prim_func
def plain_product(A: T.Buffer((16, 16), "float16"), B: T.Buffer((8, 16), "float16"), C: T.Buffer((16, 8), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for m in T.serial(16):
        for n in T.serial(8):
            C[m, n] = T.float32(0)
            for k in T.serial(16):
                C[m, n] = C[m, n] + T.cast(A[m, k], "float32") * T.cast(B[n, k], "float32")


# tilewright: reference plain_product
@txl.kernel(warps=1, arch="sm_90a", grid=1)
def product(A: txl.gptr[txl.f16, (16, 16)], B: txl.gptr[txl.f16, (8, 16)], C: txl.gptr[txl.f32, (16, 8)]):
    lane = txl.lane_id()
    a, b, c = txl.alloc_local([4], "uint32"), txl.alloc_local([2], "uint32"), txl.alloc_local([4], "float32")
    row, col = lane // 4, lane % 4 * 2
    for i in range(4):
        txl.ptx.ld.global_.b32(a[i], A.ptr_to([row + i % 2 * 8, col + i // 2 * 8]))
        txl.assign(c[i], txl.float32(0))
    for i in range(2):
        txl.ptx.ld.global_.b32(b[i], B.ptr_to([row, col + i * 8]))
    txl.ptx["mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"](
        *[c[i] for i in range(4)], *[a[i] for i in range(4)], *[b[i] for i in range(2)], *[c[i] for i in range(4)]
    )
    for i in range(2):
        txl.ptx["st.global.v2.f32"](C.ptr_to([row + i * 8, col]), c[2 * i], c[2 * i + 1])


# tilewright: reference plain_product
@txl.kernel(warps=1, arch="sm_90a", grid=1)
def product_by_ldmatrix(A: txl.gptr[txl.f16, (16, 16)], B: txl.gptr[txl.f16, (8, 16)], C: txl.gptr[txl.f32, (16, 8)]):
    lane = txl.lane_id()
    pool = txl.smem_pool()
    tile = pool.alloc((16, 16), txl.f16, align=128)
    half, word = txl.alloc_local([4], "uint32"), txl.alloc_local([4], "uint32")
    b, c = txl.alloc_local([2], "uint32"), txl.alloc_local([4], "float32")
    txl.ptx["ld.global.v4.b32"](*[word[i] for i in range(4)], A.ptr_to([lane // 2, lane % 2 * 8]))
    txl.ptx["st.shared.v4.b32"](tile.ptr_to([lane // 2, lane % 2 * 8]), *[word[i] for i in range(4)])
    txl.cuda.warp_sync()
    txl.ptx["ldmatrix.sync.aligned.m8n8.x4.shared.b16"](
        *[half[i] for i in range(4)], tile.ptr_to([lane % 16, lane // 16 * 8])
    )
    for i in range(4):
        txl.assign(c[i], txl.float32(0))
    for i in range(2):
        txl.ptx.ld.global_.b32(b[i], B.ptr_to([lane // 4, lane % 4 * 2 + i * 8]))
    txl.ptx["mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"](
        *[c[i] for i in range(4)], *[half[i] for i in range(4)], b[0], b[1], *[c[i] for i in range(4)]
    )
    for i in range(2):
        txl.ptx["st.global.v2.f32"](C.ptr_to([lane // 4 + i * 8, lane % 4 * 2]), c[2 * i], c[2 * i + 1])


@T.prim_func
def plain_swapped(A: T.Buffer((2, 32), "int32"), B: T.Buffer((2, 32), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for r in T.serial(2):
        for c in T.serial(32):
            B[r, c] = A[1 - r, c]


# tilewright: reference plain_swapped
@txl.kernel(warps=1, arch="sm_90a", grid=2)
def swapped(A: txl.gptr[txl.i32, (2, 32)], B: txl.gptr[txl.i32, (2, 32)]):
    """The two CTAs of a cluster write into each other's shared memory."""
    rank = txl.cta_id_in_cluster([2])
    lane = txl.lane_id()
    row = txl.smem_pool().alloc((32,), txl.i32)
    there = txl.local_scalar("uint32")
    txl.ptx["mapa.shared::cluster.u32"](
        there, txl.cuda.cvta_generic_to_shared(row.ptr_to([lane])), txl.cast(1 - rank, "uint32")
    )
    txl.ptx["barrier.cluster.arrive.release.aligned"]()
    txl.ptx["barrier.cluster.wait.acquire.aligned"]()
    txl.ptx["st.shared::cluster.s32"](there, load("int32", A.ptr_to([rank, lane])))
    txl.ptx["barrier.cluster.arrive.release.aligned"]()
    txl.ptx["barrier.cluster.wait.acquire.aligned"]()
    value = txl.local_scalar("int32")
    txl.ptx.ld.shared.s32(value, row.ptr_to([lane]))
    txl.ptx.st.global_.s32(B.ptr_to([rank, lane]), value)


@T.prim_func
def plain_first(A: T.Buffer((128,), "int32"), B: T.Buffer((128,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial(128):
        B[i] = A[i // 32 * 32]


# tilewright: reference plain_first
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def first(A: txl.gptr[txl.i32, (128,)], B: txl.gptr[txl.i32, (128,)]):
    i = txl.thread_id()
    value = txl.uniform(load("int32", A.ptr_to([i])))
    txl.ptx.st.global_.s32(B.ptr_to([i]), value)


# tilewright: reference plain_first
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def first_by_a_lane(A: txl.gptr[txl.i32, (128,)], B: txl.gptr[txl.i32, (128,)]):
    i, lane = txl.thread_id(), txl.lane_id()
    value = txl.local_scalar("uint32", init=txl.uint32(0))
    with txl.If(lane == 0):
        with txl.Then():
            txl.ptx.ld.global_.b32(value, A.ptr_to([i]))
        with txl.Else():
            txl.assign(value, txl.uint32(7))
    txl.ptx.shfl_sync.idx.b32(value, value, txl.uint32(0), txl.uint32(31), txl.uint32(0xFFFFFFFF))
    txl.ptx.st.global_.b32(B.ptr_to([i]), value)


@T.prim_func
def plain_ring(A: T.Buffer((12, 32), "int32"), B: T.Buffer((12, 32), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for r in T.serial(12):
        for c in T.serial(32):
            B[r, c] = A[r, c] * 2


# tilewright: reference plain_ring
@txl.kernel(warps=2, arch="sm_90a", grid=1)
def doubled(A: txl.gptr[txl.i32, (12, 32)], B: txl.gptr[txl.i32, (12, 32)]):
    """A warp hands rows to the next one over a ring of three stages."""
    pool = txl.smem_pool()
    rows = pool.alloc((3, 32), txl.i32)
    full, empty = txl.MBarrier(pool, 3), txl.MBarrier(pool, 3)
    full.init(32)
    empty.init(32)
    txl.cuda.cta_sync()
    lane = txl.lane_id()
    value = txl.local_scalar("int32")
    with txl.If(txl.warp_id() == 0):
        with txl.Then():
            state = txl.RingState(3, phase=1)
            with txl.serial(12) as r:
                empty.wait(state.stage, state.phase)
                txl.ptx.st.shared.s32(rows.ptr_to([state.stage, lane]), load("int32", A.ptr_to([r, lane])))
                full.arrive(state.stage)
                state.advance()
        with txl.Else():
            state = txl.RingState(3)
            with txl.serial(12) as r:
                full.wait(state.stage, state.phase)
                txl.ptx.ld.shared.s32(value, rows.ptr_to([state.stage, lane]))
                empty.arrive(state.stage)
                txl.ptx.st.global_.s32(B.ptr_to([r, lane]), value * 2)
                state.advance()
