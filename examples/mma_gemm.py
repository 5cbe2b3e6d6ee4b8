# tilewright: arch sm_80 sm_90a sm_100a
# tilewright: reference product
"""A matrix product for Ampere in tile primitives: cp.async fills a ring, ldmatrix the registers, mma.sync multiplies.

A CTA of four warps computes 64 x 64 elements of D, each warp a quarter of them, by steps of 64 along K. What a lane of
a warp holds of a matrix is written down once, for one instruction of 16 x 8 x 16; larger tiles repeat it. The copy from
shared memory finds ldmatrix in that layout, and the product finds mma.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, laneid

M, N, K = 128, 128, 320
TILE, STEP, STAGES, PART = 64, 64, 3, 32

# Lane 4g + t holds rows g and g + 8; of D their columns 2t and 2t + 1, of A their K of 2t, 2t + 1 and 8 further. Of B it
# holds those K of column g: B comes as N x K here.
D_16x8 = TileLayout(S[(2, 8, 4, 2) : (2, 4 @ laneid, 1 @ laneid, 1)])
A_16x16 = TileLayout(S[(2, 8, 2, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])
B_8x16 = TileLayout(S[(8, 2, 4, 2) : (4 @ laneid, 2, 1 @ laneid, 1)])


@T.prim_func
def gemm(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
    A = T.match_buffer(A_ptr, (M, K), "float16")
    B = T.match_buffer(B_ptr, (N, K), "float16")
    D = T.match_buffer(D_ptr, (M, N), "float32")
    T.device_entry()
    tile_m, tile_n = T.cta_id([M // TILE, N // TILE])
    warp = T.warp_id([4])
    lane = T.lane_id([32])
    T.thread_id([128])
    pool = T.SMEMPool()
    A_smem = pool.alloc_mma((STAGES, TILE, STEP), "float16")
    B_smem = pool.alloc_mma((STAGES, TILE, STEP), "float16")
    pool.commit()
    a = T.alloc_buffer((PART, STEP), "float16", scope="local", layout=A_16x16.tile_to((PART, STEP), (16, 16)))
    b = T.alloc_buffer((PART, STEP), "float16", scope="local", layout=B_8x16.tile_to((PART, STEP), (8, 16)))
    d = T.alloc_buffer((PART, PART), "float32", scope="local", layout=D_16x8.tile_to((PART, PART), (16, 8)))
    row = T.meta_var(warp // 2 * PART)  # of this warp's part of the tile
    column = T.meta_var(warp % 2 * PART)

    @T.inline
    def load(step):
        if step < K // STEP:
            k = T.meta_var(step * STEP)
            Tx.cta.copy_async(A_smem[step % STAGES, :, :], A[tile_m * TILE : tile_m * TILE + TILE, k : k + STEP])
            Tx.cta.copy_async(B_smem[step % STAGES, :, :], B[tile_n * TILE : tile_n * TILE + TILE, k : k + STEP])
        # A group a step, even an empty one, so that the number of newer groups is always the same.
        T.ptx.cp_async.commit_group()

    mine = d.local(PART * PART // 32)
    for i in T.unroll(PART * PART // 32):
        mine[i] = 0.0
    for step in T.unroll(STAGES - 1):
        load(step)
    for step in T.serial(K // STEP):
        T.ptx.cp_async.wait_group(STAGES - 2)
        # All of the tile is there, and the stage that is loaded next has been read by everyone.
        T.cuda.cta_sync()
        load(step + STAGES - 1)
        Tx.warp.copy(a[:, :], A_smem[step % STAGES, row : row + PART, :])
        Tx.warp.copy(b[:, :], B_smem[step % STAGES, column : column + PART, :])
        Tx.warp.gemm(d[:, :], a[:, :], b[:, :], d[:, :], transpose_B=True, beta=1.0)
    for i, half, j, pair in T.grid(PART // 16, 2, PART // 8, 2):
        D[
            tile_m * TILE + row + i * 16 + half * 8 + lane // 4,
            tile_n * TILE + column + j * 8 + lane % 4 * 2 + pair,
        ] = mine[(i * 2 + half) * (PART // 4) + j * 2 + pair]


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
