# tilewright: arch sm_90a
# tilewright: dialect 0.27
"""Traced kernels that are right: pipelines by copies, named barriers, atomics and clusters (traced_faults_test.py)."""
import tirx_kernels.tirx_lite as txl
from tvm.script import tirx as T

BULK = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
OUT = "cp.async.bulk.global.shared::cta.bulk_group"


@T.prim_func
def plain_scaled(A: T.Buffer((12, 128), "int32"), B: T.Buffer((12, 128), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for row in T.serial(12):
        for column in T.serial(128):
            B[row, column] = A[row, 127 - column] * 3


# tilewright: reference plain_scaled
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def cp_async_stages(A: txl.gptr[txl.i32, (12, 128)], B: txl.gptr[txl.i32, (12, 128)]):
    """Rows come by cp.async, two in flight, and are read by other threads than copied them."""
    tid = txl.thread_id()
    rows = txl.smem_pool().alloc((3, 128), txl.i32, align=128)
    value = txl.local_scalar("int32")

    def bring(row):
        with txl.If(tid < 32), txl.Then():
            txl.ptx["cp.async.cg.shared.global"](rows.ptr_to([row % 3, tid * 4]), A.ptr_to([row, tid * 4]), 16, 16)
        txl.ptx["cp.async.commit_group"]()

    bring(0)
    bring(1)
    for row in range(12):
        txl.ptx["cp.async.wait_group"](1)
        txl.cuda.cta_sync()
        if row + 2 < 12:
            bring(row + 2)
        else:
            txl.ptx["cp.async.commit_group"]()
        txl.ptx.ld.shared.s32(value, rows.ptr_to([row % 3, 127 - tid]))
        txl.ptx.st.global_.s32(B.ptr_to([row, tid]), value * 3)


# tilewright: reference plain_scaled
@txl.kernel(warps=12, arch="sm_90a", grid=1)
def one_for_two(A: txl.gptr[txl.i32, (12, 128)], B: txl.gptr[txl.i32, (12, 128)]):
    """A warp brings rows in bulk; two groups of four warps take every other one."""
    pool = txl.smem_pool()
    ring = pool.alloc((2, 128), txl.i32, align=128)
    full, empty = txl.TMABar(pool, 2), txl.MBarrier(pool, 2)
    full.init(1)
    empty.init(128)
    txl.ptx["fence.mbarrier_init.release.cluster"]()
    txl.cuda.cta_sync()
    value = txl.local_scalar("int32")
    roles = txl.specialize()
    even, odd = roles.role("even", warps=range(0, 4)), roles.role("odd", warps=range(4, 8))
    brings = roles.role("brings", warps=range(8, 12))
    with brings:
        with txl.If(txl.tid_in_role() == 0), txl.Then():
            for row in range(12):
                empty.wait(row % 2, (row // 2 + 1) % 2)
                full.arrive(row % 2, 512)
                txl.ptx[BULK](ring.ptr_to([row % 2, 0]), A.ptr_to([row, 0]), txl.uint32(512), full.ptr_to([row % 2]))

    def takes(first):
        for row in range(first, 12, 2):
            full.wait(row % 2, row // 2 % 2)
            txl.ptx.ld.shared.s32(value, ring.ptr_to([row % 2, 127 - txl.tid_in_role()]))
            empty.arrive(row % 2)
            txl.ptx.st.global_.s32(B.ptr_to([row, txl.tid_in_role()]), value * 3)

    with even:
        takes(0)
    with odd:
        takes(1)


# tilewright: reference plain_scaled
@txl.kernel(warps=8, arch="sm_90a", grid=1)
def by_named_barriers(A: txl.gptr[txl.i32, (12, 128)], B: txl.gptr[txl.i32, (12, 128)]):
    """Four warps store a row and arrive, four others wait for it, and the other way round for the next."""
    row_now = txl.smem_pool().alloc((128,), txl.i32)
    value = txl.local_scalar("int32")
    roles = txl.specialize()
    stores, reads = roles.role("stores", warps=range(4)), roles.role("reads", warps=range(4, 8))
    with stores:
        for row in range(12):
            txl.ptx.ld.global_.s32(value, A.ptr_to([row, txl.tid_in_role()]))
            if row > 0:
                txl.ptx.bar.sync(2, 256)
            txl.ptx.st.shared.s32(row_now.ptr_to([txl.tid_in_role()]), value)
            txl.ptx.bar.arrive(1, 256)
    with reads:
        for row in range(12):
            txl.ptx.bar.sync(1, 256)
            txl.ptx.ld.shared.s32(value, row_now.ptr_to([127 - txl.tid_in_role()]))
            if row < 11:
                txl.ptx.bar.arrive(2, 256)
            txl.ptx.st.global_.s32(B.ptr_to([row, txl.tid_in_role()]), value * 3)


# tilewright: reference plain_scaled
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def in_and_out(A: txl.gptr[txl.i32, (12, 128)], B: txl.gptr[txl.i32, (12, 128)]):
    """Rows come and leave in bulk; what comes in is computed in between."""
    tid = txl.thread_id()
    pool = txl.smem_pool()
    rows, results = pool.alloc((2, 128), txl.i32, align=128), pool.alloc((2, 128), txl.i32, align=128)
    full = txl.TMABar(pool, 2)
    full.init(1)
    txl.ptx["fence.mbarrier_init.release.cluster"]()
    txl.cuda.cta_sync()
    value = txl.local_scalar("int32")

    def bring(row):
        with txl.If(tid == 0), txl.Then():
            full.arrive(row % 2, 512)
            txl.ptx[BULK](rows.ptr_to([row % 2, 0]), A.ptr_to([row, 0]), txl.uint32(512), full.ptr_to([row % 2]))

    bring(0)
    bring(1)
    for row in range(12):
        full.wait(row % 2, row // 2 % 2)
        txl.ptx.ld.shared.s32(value, rows.ptr_to([row % 2, 127 - tid]))
        with txl.If(tid == 0), txl.Then():
            txl.ptx["cp.async.bulk.wait_group.read"](1)
        txl.cuda.cta_sync()
        if row + 2 < 12:
            bring(row + 2)
        txl.ptx.st.shared.s32(results.ptr_to([row % 2, tid]), value * 3)
        txl.ptx["fence.proxy.async.shared::cta"]()
        txl.cuda.cta_sync()
        with txl.If(tid == 0), txl.Then():
            txl.ptx[OUT](B.ptr_to([row, 0]), results.ptr_to([row % 2, 0]), txl.uint32(512))
            txl.ptx["cp.async.bulk.commit_group"]()
    with txl.If(tid == 0), txl.Then():
        txl.ptx["cp.async.bulk.wait_group"](0)


@T.prim_func
def plain_totals(A: T.Buffer((12, 128), "int32"), S: T.Buffer((12,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for row in T.serial(12):
        S[row] = 0
        for column in T.serial(128):
            S[row] = S[row] + A[row, column]


# tilewright: reference plain_totals
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def totals_by_atomics(A: txl.gptr[txl.i32, (12, 128)], S: txl.gptr[txl.i32, (12,)]):
    """Threads add their elements to one number a row, which one thread stores."""
    tid = txl.thread_id()
    totals = txl.smem_pool().alloc((12,), txl.i32)
    value, before = txl.local_scalar("int32"), txl.local_scalar("int32")
    with txl.If(tid < 12), txl.Then():
        txl.ptx.st.shared.s32(totals.ptr_to([tid]), txl.int32(0))
    txl.cuda.cta_sync()
    for row in range(12):
        txl.ptx.ld.global_.s32(value, A.ptr_to([row, tid]))
        txl.ptx.atom.shared.add.s32(before, totals.ptr_to([row]), value)
    txl.cuda.cta_sync()
    with txl.If(tid < 12), txl.Then():
        txl.ptx.ld.shared.s32(value, totals.ptr_to([tid]))
        txl.ptx.st.global_.s32(S.ptr_to([tid]), value)


# tilewright: reference plain_totals
@txl.kernel(warps=4, arch="sm_90a", grid=1)
def totals_by_shuffles(A: txl.gptr[txl.i32, (12, 128)], S: txl.gptr[txl.i32, (12,)]):
    """Each warp adds its quarter of a row by shuffles; the first warp adds the quarters."""
    tid, warp, lane = txl.thread_id(), txl.warp_id(), txl.lane_id()
    quarters = txl.smem_pool().alloc((2, 4), txl.i32)
    value, other = txl.local_scalar("int32"), txl.local_scalar("int32")
    for row in range(12):
        txl.ptx.ld.global_.s32(value, A.ptr_to([row, tid]))
        for apart in (16, 8, 4, 2, 1):
            txl.ptx.shfl_sync.bfly.b32(other, value, txl.uint32(apart), txl.uint32(31), txl.uint32(0xFFFFFFFF))
            txl.assign(value, value + other)
        with txl.If(lane == 0), txl.Then():
            txl.ptx.st.shared.s32(quarters.ptr_to([row % 2, warp]), value)
        txl.cuda.cta_sync()
        with txl.If(tid == 0), txl.Then():
            txl.assign(value, txl.int32(0))
            for k in range(4):
                txl.ptx.ld.shared.s32(other, quarters.ptr_to([row % 2, k]))
                txl.assign(value, value + other)
            txl.ptx.st.global_.s32(S.ptr_to([row]), value)
