# tilewright: arch sm_90a
"""A matrix product written out for Hopper: TMA fills a ring of tiles, two warpgroups multiply them with `wgmma`.

One warp loads, and each of the two warpgroups has 64 rows of the tile of C in its registers. A descriptor says where a
matrix starts and how far it is from eight rows to the next; 16 columns further on are 32 bytes, two units of 16. The
`fence` orders what threads did to the accumulators before, the `wait_group` gives them and the tiles back.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import Pipeline, PipelineState
from tvm.tirx.lang.warp_role import WarpRole

TILE_M, TILE_N, TILE_K, STAGES = 128, 128, 64, 3
BYTES = (TILE_M + TILE_N) * TILE_K * 2
EIGHT_ROWS = 8 * TILE_K * 2 // 16  # in units of 16 bytes
SWIZZLE_128 = 3


# tilewright: entry gemm(128, 128, 256)
# tilewright: reference plain(...)
def gemm(M, N, K):
    @T.prim_func
    def kernel(A_ptr: T.handle, B_ptr: T.handle, C_ptr: T.handle):
        A = T.match_buffer(A_ptr, (M, K), "float16")
        B = T.match_buffer(B_ptr, (N, K), "float16")
        C = T.match_buffer(C_ptr, (M, N), "float32")
        T.device_entry()
        tile_m, tile_n = T.cta_id([M // TILE_M, N // TILE_N])
        warp = T.warp_id([9])
        lane = T.lane_id([32])
        tid = T.thread_id([288])
        pool = T.SMEMPool()
        a_tiles = pool.alloc_mma((STAGES, TILE_M, TILE_K), "float16")
        b_tiles = pool.alloc_mma((STAGES, TILE_N, TILE_K), "float16")
        pipe = Pipeline(pool, STAGES, full="tma", empty="mbar", init_empty=2)
        pool.commit()
        T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        with WarpRole(warp, 8):
            if T.ptx.elect_sync():
                fill = PipelineState(STAGES, phase=1)
                for step in T.serial(K // TILE_K):
                    pipe.empty.wait(fill.stage, fill.phase)
                    pipe.full.arrive(fill.stage, BYTES)
                    Tx.copy_async(
                        a_tiles[fill.stage, :, :],
                        A[tile_m * TILE_M : (tile_m + 1) * TILE_M, step * TILE_K : (step + 1) * TILE_K],
                        dispatch="tma",
                        mbar=pipe.full.ptr_to([fill.stage]),
                    )
                    Tx.copy_async(
                        b_tiles[fill.stage, :, :],
                        B[tile_n * TILE_N : (tile_n + 1) * TILE_N, step * TILE_K : (step + 1) * TILE_K],
                        dispatch="tma",
                        mbar=pipe.full.ptr_to([fill.stage]),
                    )
                    fill.advance()
        if warp < 8:
            acc = T.alloc_local([64], "float32")
            desc = T.alloc_local([2], "uint64")
            for i in T.unroll(64):
                acc[i] = T.float32(0)
            use = PipelineState(STAGES, phase=0)
            for step in T.serial(K // TILE_K):
                pipe.full.wait(use.stage, use.phase)
                a_rows = a_tiles.ptr_to([use.stage, warp // 4 * 64, 0])
                T.ptx.wgmma.encode_matrix_descriptor(desc.ptr_to([0]), a_rows, 1, EIGHT_ROWS, SWIZZLE_128)
                b_rows = b_tiles.ptr_to([use.stage, 0, 0])
                T.ptx.wgmma.encode_matrix_descriptor(desc.ptr_to([1]), b_rows, 1, EIGHT_ROWS, SWIZZLE_128)
                T.ptx.wgmma.fence()
                for k in T.unroll(TILE_K // 16):
                    T.ptx.wgmma.mma_async.ss(
                        desc[0] + T.uint64(k * 2),
                        desc[1] + T.uint64(k * 2),
                        *[acc[i] for i in range(64)],
                        M=64,
                        N=TILE_N,
                        K=16,
                        in_dtype="float16",
                        out_dtype="float32",
                        transA=False,
                        transB=False,
                        scaleA=1.0,
                        scaleB=1.0,
                        scaleD=1,
                    )
                T.ptx.wgmma.commit_group()
                T.ptx.wgmma.wait_group(0)
                # The whole warpgroup has read the tiles: one of its threads gives the slot back.
                if tid % 128 == 0:
                    pipe.empty.arrive(use.stage)
                use.advance()
            # Lane L of a warp's 16 rows has row L / 4 and, eight rows on, the same columns again.
            for i in T.unroll(64):
                row = tile_m * TILE_M + warp * 16 + lane // 4 + i // 2 % 2 * 8
                C[row, tile_n * TILE_N + i // 4 * 8 + lane % 4 * 2 + i % 2] = acc[i]

    return kernel


def plain(M, N, K):
    """What `run` expects: a thread for each element."""

    @T.prim_func
    def expected(A_ptr: T.handle, B_ptr: T.handle, C_ptr: T.handle):
        A = T.match_buffer(A_ptr, (M, K), "float16")
        B = T.match_buffer(B_ptr, (N, K), "float16")
        C = T.match_buffer(C_ptr, (M, N), "float32")
        T.device_entry()
        row, column = T.cta_id([M, N // 128])
        tid = T.thread_id([128])
        total: T.float32 = T.float32(0)
        for k in T.serial(K):
            total = total + T.cast(A[row, k], "float32") * T.cast(B[column * 128 + tid, k], "float32")
        C[row, column * 128 + tid] = total

    return expected



def reference(A, B):
    return {"C": A.astype("float32") @ B.astype("float32").T}
