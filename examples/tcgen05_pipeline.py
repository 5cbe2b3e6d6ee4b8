# tilewright: arch sm_100a sm_103a
# tilewright: reference product
"""Three roles and two rings around the tensor core: one warp loads, one multiplies, four write the results out.

`ring` hands tiles of A and B from the loading warp to the multiplying one; `results` hands accumulators in tensor memory from
there to the warpgroup, two of them in turn, so that one tile of D is written while the next one is computed.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import Pipeline, PipelineState
from tvm.tirx.lang.smem_desc import SmemDescriptor
from tvm.tirx.layout import S, TCol, TileLayout, TLane
from tvm.tirx.layout import tid_in_wg as axis_tid_in_wg

TILES, M, N, K, STEP, STAGES, ACCUMULATORS = 3, 128, 64, 192, 64, 2, 2
STEPS = K // STEP
BYTES = (M + N) * STEP * 2
SWIZZLE_128B = 3
A_UNITS, B_UNITS = M * STEP * 2 // 16, N * STEP * 2 // 16  # from one stage to the next


@T.prim_func
def gemm(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
    A = T.match_buffer(A_ptr, (TILES * M, K), "float16")
    B = T.match_buffer(B_ptr, (N, K), "float16")
    D = T.match_buffer(D_ptr, (TILES * M, N), "float32")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([8])
    warpgroup = T.warpgroup_id([2])
    tid = T.thread_id([256])
    lane = T.lane_id([32])
    pool = T.SMEMPool()
    A_smem = pool.alloc_mma((STAGES, M, STEP), "float16")
    B_smem = pool.alloc_mma((STAGES, N, STEP), "float16")
    address = pool.alloc((1,), "uint32")
    ring = Pipeline(pool, STAGES, full="tma", empty="tcgen05")
    results = Pipeline(pool, ACCUMULATORS, full="tcgen05", empty="mbar", init_empty=4)
    pool.commit()
    if warp == 0:
        T.ptx.tcgen05.alloc(T.address_of(address), n_cols=ACCUMULATORS * N, cta_group=1)
    T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    accumulators = T.decl_buffer(
        (M, ACCUMULATORS * N),
        "float32",
        scope="tmem",
        allocated_addr=address[0],
        layout=TileLayout(S[(M, ACCUMULATORS * N) : (1 @ TLane, 1 @ TCol)]),
    )
    if warp == 4:
        if lane == 0:
            fill = PipelineState(STAGES, phase=1)
            for tile in T.serial(TILES):
                for step in T.serial(STEPS):
                    ring.empty.wait(fill.stage, fill.phase)
                    ring.full.arrive(fill.stage, BYTES)
                    Tx.copy_async(
                        A_smem[fill.stage, :, :],
                        A[tile * M : tile * M + M, step * STEP : step * STEP + STEP],
                        dispatch="tma",
                        mbar=ring.full.ptr_to([fill.stage]),
                    )
                    Tx.copy_async(
                        B_smem[fill.stage, :, :],
                        B[:, step * STEP : step * STEP + STEP],
                        dispatch="tma",
                        mbar=ring.full.ptr_to([fill.stage]),
                    )
                    fill.advance()
    elif warp == 5:
        if lane == 0:
            kind = T.alloc_local((1,), "uint32")
            T.ptx.tcgen05.encode_instr_descriptor(
                kind.ptr_to([0]),
                d_dtype="float32",
                a_dtype="float16",
                b_dtype="float16",
                M=M,
                N=N,
                K=16,
                trans_a=False,
                trans_b=False,
            )
            left = SmemDescriptor()
            left.init(A_smem.ptr_to([0, 0, 0]), 1, 64, SWIZZLE_128B)
            right = SmemDescriptor()
            right.init(B_smem.ptr_to([0, 0, 0]), 1, 64, SWIZZLE_128B)
            use = PipelineState(STAGES, phase=0)
            give = PipelineState(ACCUMULATORS, phase=1)
            for tile in T.serial(TILES):
                results.empty.wait(give.stage, give.phase)
                # The warpgroup has read the accumulator: its loads come before these products.
                T.ptx.tcgen05.fence.after_thread_sync()
                for step in T.serial(STEPS):
                    ring.full.wait(use.stage, use.phase)
                    for k in T.unroll(STEP // 16):
                        T.ptx.tcgen05.mma(
                            address[0] + T.cast(give.stage * N, "uint32"),
                            left.add_16B_offset(use.stage * A_UNITS + 2 * k),
                            right.add_16B_offset(use.stage * B_UNITS + 2 * k),
                            kind[0],
                            d_dtype="float32",
                            a_dtype="float16",
                            b_dtype="float16",
                            use_a_tmem=False,
                            cta_group=1,
                            enable_input_d=T.Or(step > 0, k > 0),
                        )
                    ring.empty.arrive(use.stage)
                    use.advance()
                results.full.arrive(give.stage)
                give.advance()
    elif warpgroup == 0:
        row = T.alloc_local((N,), "float32")
        into = row.view(M, N, layout=TileLayout(S[(M, N) : (1 @ axis_tid_in_wg, 1)]))
        take = PipelineState(ACCUMULATORS, phase=0)
        for tile in T.serial(TILES):
            results.full.wait(take.stage, take.phase)
            T.ptx.tcgen05.fence.after_thread_sync()
            Tx.wg.copy_async(into[:, :], accumulators[:, take.stage * N : take.stage * N + N])
            T.ptx.tcgen05.wait.ld()
            T.ptx.tcgen05.fence.before_thread_sync()
            if lane == 0:
                results.empty.arrive(take.stage)
            take.advance()
            for column in T.unroll(N):
                D[tile * M + tid, column] = row[column]
    # No warp uses tensor memory any more when it is given back.
    T.ptx.tcgen05.fence.before_thread_sync()
    T.cuda.cta_sync()
    if warp == 0:
        T.ptx.tcgen05.relinquish_alloc_permit(cta_group=1)
        T.ptx.tcgen05.dealloc(address[0], n_cols=ACCUMULATORS * N, cta_group=1)


@T.prim_func
def product(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
    A = T.match_buffer(A_ptr, (TILES * M, K), "float16")
    B = T.match_buffer(B_ptr, (N, K), "float16")
    D = T.match_buffer(D_ptr, (TILES * M, N), "float32")
    T.device_entry()
    row = T.cta_id([TILES * M])
    column = T.thread_id([N])
    total: T.float32 = 0.0
    for k in T.serial(K):
        total = total + T.cast(A[row, k], "float32") * T.cast(B[column, k], "float32")
    D[row, column] = total


def reference(A, B):
    return {"D": A.astype("float32") @ B.astype("float32").T}
