# tilewright: arch sm_90a
"""A matrix product for Hopper at full speed, written with tile primitives alone: C = A B^T.

Every CTA stays and takes one tile of C after the other. One thread fills a ring of tiles by TMA, as far ahead as there
are slots. Two warpgroups multiply, each 64 rows of the tile in its own registers: while one product runs, the next one
is already given to the tensor cores. Then each writes its rows of C, in parts, and the ring fills up again meanwhile.

`gemm_async` chooses wgmma here, a variant that the reference does not have.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import Pipeline, PipelineState
from tvm.tirx.lang.tile_scheduler import ClusterPersistentScheduler2D
from tvm.tirx.lang.warp_role import WarpgroupRole
from tvm.tirx.layout import wgmma_accumulator_layout

TILE_M, TILE_N, TILE_K, STAGES = 128, 256, 64, 4
ROWS = 64  # of a warpgroup
PART_N = 64  # columns of C that leave together
BYTES = (TILE_M + TILE_N) * TILE_K * 2


# tilewright: entry gemm(256, 512, 256, ctas=2)
# tilewright: reference plain(...)
def gemm(M, N, K, ctas=132):
    @T.prim_func
    def kernel(A_ptr: T.handle, B_ptr: T.handle, C_ptr: T.handle):
        A = T.match_buffer(A_ptr, (M, K), "float16")
        B = T.match_buffer(B_ptr, (N, K), "float16")
        C = T.match_buffer(C_ptr, (M, N), "float16")
        T.device_entry()
        cta = T.cta_id([ctas])
        wg = T.warpgroup_id([3])
        warp = T.warp_id_in_wg([4])
        tid = T.thread_id_in_wg([128])
        pool = T.SMEMPool()
        a_tiles = pool.alloc_mma((STAGES, TILE_M, TILE_K), "float16")
        b_tiles = pool.alloc_mma((STAGES, TILE_N, TILE_K), "float16")
        c_parts = pool.alloc_mma((2, ROWS, PART_N), "float16")
        ring = Pipeline(pool, STAGES, full="tma", empty="mbar", init_empty=2)
        pool.commit()
        T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        tiles = ClusterPersistentScheduler2D("tile", M // TILE_M, N // TILE_N, ctas)

        with WarpgroupRole(wg, 2, regs=40):
            if warp == 0:
                if T.ptx.elect_sync():
                    fill = PipelineState(STAGES, phase=1)
                    tiles.init(cta)
                    while tiles.valid():
                        m = T.meta_var(tiles.m_idx * TILE_M)
                        n = T.meta_var(tiles.n_idx * TILE_N)
                        for step in T.serial(K // TILE_K):
                            ring.empty.wait(fill.stage, fill.phase)
                            ring.full.arrive(fill.stage, BYTES)
                            k = T.meta_var(step * TILE_K)
                            load = T.meta_var({"dispatch": "tma", "mbar": ring.full.ptr_to([fill.stage])})
                            Tx.copy_async(a_tiles[fill.stage], A[m : m + TILE_M, k : k + TILE_K], **load)
                            Tx.copy_async(b_tiles[fill.stage], B[n : n + TILE_N, k : k + TILE_K], **load)
                            fill.advance()
                        tiles.next_tile()

        with WarpgroupRole(wg, (0, 2), regs=232, increase=True):
            sums = T.alloc_buffer((ROWS, TILE_N), "float32", scope="local", layout=wgmma_accumulator_layout(TILE_N))
            part = T.alloc_buffer((ROWS, PART_N), "float16", scope="local", layout=wgmma_accumulator_layout(PART_N))
            use = PipelineState(STAGES, phase=0)
            done = PipelineState(STAGES, phase=0)
            tiles.init(cta)
            while tiles.valid():
                for step in T.serial(K // TILE_K):
                    ring.full.wait(use.stage, use.phase)
                    rows = T.meta_var(a_tiles[use.stage, wg * ROWS : wg * ROWS + ROWS, :])
                    Tx.wg.gemm_async(sums, rows, b_tiles[use.stage], accum=step > 0)
                    T.ptx.wgmma.commit_group()
                    use.advance()
                    # The product before this one is finished: its tiles may be filled again.
                    if step > 0:
                        T.ptx.wgmma.wait_group(1)
                        if tid == 0:
                            ring.empty.arrive(done.stage)
                        done.advance()
                T.ptx.wgmma.wait_group(0)
                if tid == 0:
                    ring.empty.arrive(done.stage)
                done.advance()
                for p in T.unroll(TILE_N // PART_N):
                    # The part before has left shared memory when the next one enters it.
                    if tid == 0:
                        T.ptx.cp_async.bulk.wait_group(0, read=True)
                    T.cuda.warpgroup_sync(1 + wg)
                    Tx.wg.cast(part, sums[:, p * PART_N : p * PART_N + PART_N])
                    Tx.wg.copy(c_parts[wg], part)
                    T.ptx.fence.proxy_async("shared::cta")
                    T.cuda.warpgroup_sync(1 + wg)
                    if tid == 0:
                        row = T.meta_var(tiles.m_idx * TILE_M + wg * ROWS)
                        column = T.meta_var(tiles.n_idx * TILE_N + p * PART_N)
                        Tx.copy_async(C[row : row + ROWS, column : column + PART_N], c_parts[wg], dispatch="tma")
                        T.ptx.cp_async.bulk.commit_group()
                tiles.next_tile()
            if tid == 0:
                T.ptx.cp_async.bulk.wait_group(0)

    return kernel


def plain(M, N, K, ctas):
    """What `run` expects: a thread for each element."""

    @T.prim_func
    def expected(A_ptr: T.handle, B_ptr: T.handle, C_ptr: T.handle):
        A = T.match_buffer(A_ptr, (M, K), "float16")
        B = T.match_buffer(B_ptr, (N, K), "float16")
        C = T.match_buffer(C_ptr, (M, N), "float16")
        T.device_entry()
        row, column = T.cta_id([M, N // 128])
        tid = T.thread_id([128])
        total: T.float32 = T.float32(0)
        for k in T.serial(K):
            total = total + T.cast(A[row, k], "float32") * T.cast(B[column * 128 + tid, k], "float32")
        C[row, column * 128 + tid] = T.cast(total, "float16")

    return expected


def reference(A, B):
    return {"C": (A.astype("float32") @ B.astype("float32").T).astype("float16")}
