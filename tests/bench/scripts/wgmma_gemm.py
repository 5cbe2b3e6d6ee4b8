# tilewright: arch sm_90a
"""Work for simulate_bench: a GEMM of 1024 x 1024 x 1024 as one writes it for speed, with a product always under way.

The tiles of a step are given back one step later, when `wait_group(1)` says that its products have been made.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import Pipeline, PipelineState
from tvm.tirx.lang.warp_role import WarpRole

N, TILE, TILE_K, STAGES = 1024, 128, 64, 4
STEPS, BYTES = N // TILE_K, 2 * TILE * TILE_K * 2


@T.prim_func
def wgmma_gemm(A_ptr: T.handle, B_ptr: T.handle, C_ptr: T.handle):
    A = T.match_buffer(A_ptr, (N, N), "float16")
    B = T.match_buffer(B_ptr, (N, N), "float16")
    C = T.match_buffer(C_ptr, (N, N), "float32")
    T.device_entry()
    tile_m, tile_n = T.cta_id([N // TILE, N // TILE])
    warp = T.warp_id([9])
    lane = T.lane_id([32])
    tid = T.thread_id([288])
    pool = T.SMEMPool()
    a_tiles = pool.alloc_mma((STAGES, TILE, TILE_K), "float16")
    b_tiles = pool.alloc_mma((STAGES, TILE, TILE_K), "float16")
    pipe = Pipeline(pool, STAGES, full="tma", empty="mbar", init_empty=2)
    pool.commit()
    T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    with WarpRole(warp, 8):
        if T.ptx.elect_sync():
            fill = PipelineState(STAGES, phase=1)
            for step in T.serial(STEPS):
                pipe.empty.wait(fill.stage, fill.phase)
                pipe.full.arrive(fill.stage, BYTES)
                Tx.copy_async(
                    a_tiles[fill.stage, :, :],
                    A[tile_m * TILE : (tile_m + 1) * TILE, step * TILE_K : (step + 1) * TILE_K],
                    dispatch="tma",
                    mbar=pipe.full.ptr_to([fill.stage]),
                )
                Tx.copy_async(
                    b_tiles[fill.stage, :, :],
                    B[tile_n * TILE : (tile_n + 1) * TILE, step * TILE_K : (step + 1) * TILE_K],
                    dispatch="tma",
                    mbar=pipe.full.ptr_to([fill.stage]),
                )
                fill.advance()
    if warp < 8:
        acc = T.alloc_local([64], "float32")
        desc = T.alloc_local([2], "uint64")
        use = PipelineState(STAGES, phase=0)
        done = PipelineState(STAGES, phase=0)
        for step in T.serial(STEPS):
            pipe.full.wait(use.stage, use.phase)
            T.ptx.wgmma.encode_matrix_descriptor(desc.ptr_to([0]), a_tiles.ptr_to([use.stage, warp // 4 * 64, 0]), 1, 64, 3)
            T.ptx.wgmma.encode_matrix_descriptor(desc.ptr_to([1]), b_tiles.ptr_to([use.stage, 0, 0]), 1, 64, 3)
            T.ptx.wgmma.fence()
            for k in T.unroll(TILE_K // 16):
                T.ptx.wgmma.mma_async.ss(
                    desc[0] + T.uint64(k * 2),
                    desc[1] + T.uint64(k * 2),
                    *[acc[i] for i in range(64)],
                    M=64,
                    N=TILE,
                    K=16,
                    in_dtype="float16",
                    out_dtype="float32",
                    transA=False,
                    transB=False,
                    scaleA=1.0,
                    scaleB=1.0,
                    scaleD=step * 4 + k,
                )
            T.ptx.wgmma.commit_group()
            T.ptx.wgmma.wait_group(1)
            if step > 0:
                if tid % 128 == 0:
                    pipe.empty.arrive(done.stage)
                done.advance()
            use.advance()
        T.ptx.wgmma.wait_group(0)
        for i in T.unroll(64):
            row = tile_m * TILE + warp * 16 + lane // 4 + i // 2 % 2 * 8
            C[row, tile_n * TILE + i // 4 * 8 + lane % 4 * 2 + i % 2] = acc[i]
