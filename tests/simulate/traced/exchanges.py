# tilewright: arch sm_90a
# tilewright: dialect 0.27
"""More traced kernels that are right: exchanges within CTAs, clusters and grids (traced_faults_test.py)."""
import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T


@T.prim_func
def plain_sum(A: T.Buffer((1024,), "int32"), S: T.Buffer((1,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    S[0] = 0
    for i in T.serial(1024):
        S[0] = S[0] + A[i]


def load(value, pointer):
    txl.ptx.ld.global_.s32(value, pointer)
    return value


# tilewright: reference plain_sum
@txl.kernel(warps=8, arch="sm_90a", grid=1)
def tree(A: txl.gptr[txl.i32, (1024,)], S: txl.gptr[txl.i32, (1,)]):
    """Half of the threads add the other half's sums, again and again."""
    tid = txl.thread_id()
    sums = txl.smem_pool().alloc((256,), txl.i32)
    a, b = txl.local_scalar("int32"), txl.local_scalar("int32")
    txl.assign(b, txl.int32(0))
    for k in range(4):
        txl.assign(b, b + load(a, A.ptr_to([k * 256 + tid])))
    txl.ptx.st.shared.s32(sums.ptr_to([tid]), b)
    txl.cuda.cta_sync()
    for half in (128, 64, 32, 16, 8, 4, 2, 1):
        with txl.If(tid < half), txl.Then():
            txl.ptx.ld.shared.s32(a, sums.ptr_to([tid]))
            txl.ptx.ld.shared.s32(b, sums.ptr_to([tid + half]))
            txl.ptx.st.shared.s32(sums.ptr_to([tid]), a + b)
        txl.cuda.cta_sync()
    with txl.If(tid == 0), txl.Then():
        txl.ptx.ld.shared.s32(a, sums.ptr_to([0]))
        txl.ptx.st.global_.s32(S.ptr_to([0]), a)


# tilewright: reference plain_sum
@txl.kernel(warps=2, arch="sm_90a", grid=1)
def warps_in_turn(A: txl.gptr[txl.i32, (1024,)], S: txl.gptr[txl.i32, (1,)]):
    """Two warps add to one number in turn, by two named barriers."""
    pool = txl.smem_pool()
    total = pool.alloc((1,), txl.i32)
    a, b, other = txl.local_scalar("int32"), txl.local_scalar("int32"), txl.local_scalar("uint32")
    roles = txl.specialize()
    first, second = roles.role("first", warps=range(0, 1)), roles.role("second", warps=range(1, 2))
    with first:
        txl.assign(b, txl.int32(0))
        with txl.serial(16) as r:
            txl.assign(b, b + load(a, A.ptr_to([r * 64 + txl.tid_in_role()])))
        with txl.If(txl.tid_in_role() == 0), txl.Then():
            txl.ptx.st.shared.s32(total.ptr_to([0]), txl.int32(0))
        txl.cuda.warp_sync()
        txl.ptx["red.relaxed.cta.shared.add.s32"](total.ptr_to([0]), b)
        txl.ptx.bar.arrive(txl.uint32(1), txl.uint32(64))
        txl.ptx.bar.sync(txl.uint32(2), txl.uint32(64))
        with txl.If(txl.tid_in_role() == 0), txl.Then():
            txl.ptx.ld.shared.s32(a, total.ptr_to([0]))
            txl.ptx.st.global_.s32(S.ptr_to([0]), a)
    with second:
        txl.assign(b, txl.int32(0))
        with txl.serial(16) as r:
            txl.assign(b, b + load(a, A.ptr_to([r * 64 + 32 + txl.tid_in_role()])))
        txl.ptx.bar.sync(txl.uint32(1), txl.uint32(64))
        txl.ptx["red.relaxed.cta.shared.add.s32"](total.ptr_to([0]), b)
        txl.ptx.bar.arrive(txl.uint32(2), txl.uint32(64))


@T.prim_func
def plain_copy(A: T.Buffer((16, 128), "int32"), B: T.Buffer((16, 128), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for r in T.serial(16):
        for c in T.serial(128):
            B[r, c] = A[r, c]


# tilewright: reference plain_copy
@txl.kernel(warps=8, arch="sm_90a", grid=1)
def ring_of_words(A: txl.gptr[txl.i32, (16, 128)], B: txl.gptr[txl.i32, (16, 128)]):
    """Threads store into a ring of three rows, and others read them, by barriers that count threads."""
    pool = txl.smem_pool()
    ring = pool.alloc((3, 128), txl.i32)
    full, empty = txl.MBarrier(pool, 3), txl.MBarrier(pool, 3)
    full.init(128)
    empty.init(128)
    txl.ptx["fence.mbarrier_init.release.cluster"]()
    txl.cuda.cta_sync()
    value = txl.local_scalar("int32")
    roles = txl.specialize()
    stores, reads = roles.role("stores", warps=range(4)), roles.role("reads", warps=range(4, 8))
    with stores:
        state = txl.PipelineState(3, 1)
        with txl.serial(16) as r:
            load(value, A.ptr_to([r, txl.tid_in_role()]))
            empty.wait(state.stage, state.phase)
            txl.ptx.st.shared.s32(ring.ptr_to([state.stage, txl.tid_in_role()]), value)
            full.arrive(state.stage)
            state.advance()
    with reads:
        state = txl.PipelineState(3, 0)
        with txl.serial(16) as r:
            full.wait(state.stage, state.phase)
            txl.ptx.ld.shared.s32(value, ring.ptr_to([state.stage, 127 - txl.tid_in_role()]))
            empty.arrive(state.stage)
            txl.ptx.st.global_.s32(B.ptr_to([r, 127 - txl.tid_in_role()]), value)
            state.advance()


# tilewright: reference plain_copy
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def out_in_bulk(A: txl.gptr[txl.i32, (16, 128)], B: txl.gptr[txl.i32, (16, 128)]):
    """Rows are gathered in two buffers and leave by bulk copies."""
    tid = txl.thread_id()
    rows = txl.smem_pool().alloc((2, 128), txl.i32, align=128)
    value = txl.local_scalar("int32")
    for row in range(16):
        with txl.If(tid == 0), txl.Then():
            txl.ptx["cp.async.bulk.wait_group.read"](1)
        txl.cuda.cta_sync()
        txl.ptx.st.shared.s32(rows.ptr_to([row % 2, 127 - tid]), load(value, A.ptr_to([row, 127 - tid])))
        txl.ptx["fence.proxy.async.shared::cta"]()
        txl.cuda.cta_sync()
        with txl.If(tid == 0), txl.Then():
            txl.ptx["cp.async.bulk.global.shared::cta.bulk_group"](B.ptr_to([row, 0]), rows.ptr_to([row % 2, 0]), txl.uint32(512))
            txl.ptx["cp.async.bulk.commit_group"]()
    with txl.If(tid == 0), txl.Then():
        txl.ptx["cp.async.bulk.wait_group"](0)


@T.prim_func
def plain_swapped(A: T.Buffer((2, 128), "int32"), B: T.Buffer((2, 128), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for r in T.serial(2):
        for c in T.serial(128):
            B[r, c] = A[1 - r, c]


# tilewright: reference plain_swapped
@txl.kernel(warps=4, arch="sm_90a", grid=False)
def read_of_the_other(A: txl.gptr[txl.i32, (2, 128)], B: txl.gptr[txl.i32, (2, 128)]):
    """Each CTA of a pair reads what the other one stored into its own memory."""
    txl.cta_id([2])
    rank = txl.cta_id_in_cluster([2])
    tid = txl.thread_id()
    row = txl.smem_pool().alloc((128,), txl.i32)
    value, there = txl.local_scalar("int32"), txl.local_scalar("uint32")
    txl.ptx.st.shared.s32(row.ptr_to([tid]), load(value, A.ptr_to([rank, tid])))
    txl.ptx["barrier.cluster.arrive.release.aligned"]()
    txl.ptx["barrier.cluster.wait.acquire.aligned"]()
    txl.ptx["mapa.shared::cluster.u32"](there, txl.cuda.cvta_generic_to_shared(row.ptr_to([tid])), txl.cast(1 - rank, "uint32"))
    txl.ptx["ld.shared::cluster.s32"](value, there)
    txl.ptx.st.global_.s32(B.ptr_to([rank, tid]), value)
    txl.ptx["barrier.cluster.arrive.release.aligned"]()
    txl.ptx["barrier.cluster.wait.acquire.aligned"]()


# tilewright: reference plain_swapped
@txl.kernel(warps=1, arch="sm_90a", grid=False)
def store_to_the_other(A: txl.gptr[txl.i32, (2, 128)], B: txl.gptr[txl.i32, (2, 128)]):
    """Asynchronous stores into the other CTA of a pair, counted by its barrier."""
    txl.cta_id([2])
    rank = txl.cta_id_in_cluster([2])
    lane = txl.lane_id()
    pool = txl.smem_pool()
    row = pool.alloc((128,), txl.i32)
    full = txl.TMABar(pool, 1)
    full.init(1)
    txl.ptx["fence.mbarrier_init.release.cluster"]()
    txl.ptx["barrier.cluster.arrive.release.aligned"]()
    txl.ptx["barrier.cluster.wait.acquire.aligned"]()
    value, there, bar = txl.local_scalar("int32"), txl.local_scalar("uint32"), txl.local_scalar("uint32")
    other = txl.cast(1 - rank, "uint32")
    with txl.If(lane == 0), txl.Then():
        full.arrive(0, 512)
    txl.cuda.warp_sync()
    txl.ptx["mapa.shared::cluster.u32"](bar, txl.cuda.cvta_generic_to_shared(full.ptr_to([0])), other)
    for k in range(4):
        txl.ptx["mapa.shared::cluster.u32"](there, txl.cuda.cvta_generic_to_shared(row.ptr_to([k * 32 + lane])), other)
        load(value, A.ptr_to([rank, k * 32 + lane]))
        txl.ptx["st_async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32"](there, value, bar)
    full.wait(0, 0)
    for k in range(4):
        txl.ptx.ld.shared.s32(value, row.ptr_to([k * 32 + lane]))
        txl.ptx.st.global_.s32(B.ptr_to([rank, k * 32 + lane]), value)
    txl.ptx["barrier.cluster.arrive.release.aligned"]()
    txl.ptx["barrier.cluster.wait.acquire.aligned"]()


# tilewright: reference plain_copy
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def rows_ahead(A: txl.gptr[txl.i32, (16, 128)], B: txl.gptr[txl.i32, (16, 128)]):
    """Three groups of cp.async under way; each thread reads what its neighbour fetched."""
    tid = txl.thread_id()
    ring = txl.smem_pool().alloc((4, 128), txl.i32)

    def fetch(row):
        if row < 16:
            txl.ptx["cp.async.ca.shared.global"](ring.ptr_to([row % 4, tid]), A.ptr_to([row, tid]), 4, txl.ptx.pred(0))
        txl.ptx["cp.async.commit_group"]()

    for row in range(3):
        fetch(row)
    value = txl.local_scalar("int32")
    for row in range(16):
        txl.ptx["cp.async.wait_group"](2)
        txl.cuda.cta_sync()
        txl.ptx.ld.shared.s32(value, ring.ptr_to([row % 4, tid ^ 1]))
        txl.ptx.st.global_.s32(B.ptr_to([row, tid ^ 1]), value)
        fetch(row + 3)
