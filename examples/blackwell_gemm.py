# tilewright: arch sm_100a sm_103a
# tilewright: reference product
"""A matrix product for Blackwell in tile primitives: pairs of CTAs, a ring of tiles, and a role for each warp.

A pair computes 256 x 128 elements of D: each CTA has its 128 rows in its own tensor memory. For that it loads its rows of
A and half the rows of B, by TMA; all bytes of a stage are counted in the first CTA of the pair, whose warp 5 starts the
products of both. `gemm_async` with `cta_group=2` reads both halves. Its commits arrive in both CTAs: each loader may fill
the stage again, and in the end each warpgroup may write its rows out.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import Pipeline, PipelineState, TCGen05Bar
from tvm.tirx.layout import S, TCol, TileLayout, TLane
from tvm.tirx.layout import tid_in_wg as axis_tid_in_wg

M, N, K = 512, 256, 256
TILE_M, TILE_N, STEP, STAGES = 256, 128, 64, 3
ROWS, SHARE = TILE_M // 2, TILE_N // 2  # of A and of B in one CTA
BYTES = (TILE_M + TILE_N) * STEP * 2  # of a stage in both CTAs
BOTH = 3


@T.prim_func
def gemm(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
    A = T.match_buffer(A_ptr, (M, K), "float16")
    B = T.match_buffer(B_ptr, (N, K), "float16")
    D = T.match_buffer(D_ptr, (M, N), "float32")
    T.device_entry()
    rank = T.cta_id_in_cluster([2])
    cta_m, tile_n = T.cta_id([M // ROWS, N // TILE_N])
    warp = T.warp_id([6])
    lane = T.lane_id([32])
    tid = T.thread_id([192])
    pool = T.SMEMPool()
    A_smem = pool.alloc_mma((STAGES, ROWS, STEP), "float16")
    B_smem = pool.alloc_mma((STAGES, SHARE, STEP), "float16")
    address = pool.alloc((1,), "uint32")
    ring = Pipeline(pool, STAGES, full="tma", empty="tcgen05")
    done = TCGen05Bar(pool, 1)
    done.init(1)
    pool.commit()
    counted = ring.full.remote_view(0)
    if warp == 0:
        T.ptx.tcgen05.alloc(T.address_of(address), n_cols=TILE_N, cta_group=2)
    T.ptx.fence.mbarrier_init()
    # No CTA signals a barrier, or writes the tensor memory, of a CTA that has not set it up.
    T.cuda.cluster_sync()
    accumulator = T.decl_buffer(
        (ROWS, TILE_N),
        "float32",
        scope="tmem",
        allocated_addr=address[0],
        layout=TileLayout(S[(ROWS, TILE_N) : (1 @ TLane, 1 @ TCol)]),
    )
    if warp == 4:
        if lane == 0:
            fill = PipelineState(STAGES, phase=1)
            for step in T.serial(K // STEP):
                ring.empty.wait(fill.stage, fill.phase)
                if rank == 0:
                    ring.full.arrive(fill.stage, BYTES)
                k = T.meta_var(step * STEP)
                first = T.meta_var(tile_n * TILE_N + rank * SHARE)  # of the rows of B
                Tx.copy_async(
                    A_smem[fill.stage, :, :],
                    A[cta_m * ROWS : cta_m * ROWS + ROWS, k : k + STEP],
                    dispatch="tma",
                    mbar=counted.ptr_to([fill.stage]),
                    cta_group=2,
                )
                Tx.copy_async(
                    B_smem[fill.stage, :, :],
                    B[first : first + SHARE, k : k + STEP],
                    dispatch="tma",
                    mbar=counted.ptr_to([fill.stage]),
                    cta_group=2,
                )
                fill.advance()
    elif warp == 5:
        if (rank == 0) & (lane == 0):
            use = PipelineState(STAGES, phase=0)
            for step in T.serial(K // STEP):
                ring.full.wait(use.stage, use.phase)
                Tx.gemm_async(
                    accumulator[:, :], A_smem[use.stage, :, :], B_smem[use.stage, :, :], accum=step > 0, cta_group=2
                )
                ring.empty.arrive(use.stage, cta_group=2, cta_mask=BOTH)
                use.advance()
            done.arrive(0, cta_group=2, cta_mask=BOTH)
    elif warp < 4:
        done.wait(0, 0)
        T.ptx.tcgen05.fence.after_thread_sync()
        row = T.alloc_local((TILE_N,), "float32")
        into = row.view(ROWS, TILE_N, layout=TileLayout(S[(ROWS, TILE_N) : (1 @ axis_tid_in_wg, 1)]))
        Tx.wg.copy_async(into[:, :], accumulator[:, :])
        T.ptx.tcgen05.wait.ld()
        T.ptx.tcgen05.fence.before_thread_sync()
        for column in T.unroll(TILE_N):
            D[cta_m * ROWS + tid, tile_n * TILE_N + column] = row[column]
    # Neither CTA leaves while products of both, or their arrivals, are on their way.
    T.cuda.cluster_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit(cta_group=2)
        T.ptx.tcgen05.dealloc(address[0], n_cols=TILE_N, cta_group=2)


@T.prim_func
def product(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
    A = T.match_buffer(A_ptr, (M, K), "float16")
    B = T.match_buffer(B_ptr, (N, K), "float16")
    D = T.match_buffer(D_ptr, (M, N), "float32")
    T.device_entry()
    row = T.cta_id([M])
    column = T.thread_id([N])
    total: T.float32 = 0.0
    for k in T.serial(K):
        total = total + T.cast(A[row, k], "float32") * T.cast(B[column, k], "float32")
    D[row, column] = total


def reference(A, B):
    return {"D": A.astype("float32") @ B.astype("float32").T}
