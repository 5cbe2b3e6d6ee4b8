# tilewright: arch sm_90a sm_100a
# tilewright: reference product
"""Recipe: from an mma accumulator to memory, through stmatrix and shared memory, in stores of 16 bytes.

A lane of a warp holds pairs of an accumulator's elements, far from each other: stored as they lie, each store would move
4 bytes. So the accumulator is rounded in registers, written to a swizzled tile of shared memory by stmatrix, and leaves
that tile by the whole CTA.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, laneid

M, N, K, PART = 64, 64, 64, 16

# What lane 4g + t holds for one mma.sync of 16 x 8 x 16.
D_16x8 = TileLayout(S[(2, 8, 4, 2) : (2, 4 @ laneid, 1 @ laneid, 1)])
A_16x16 = TileLayout(S[(2, 8, 2, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])
B_8x16 = TileLayout(S[(8, 2, 4, 2) : (4 @ laneid, 2, 1 @ laneid, 1)])


@T.prim_func
def gemm(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
    A = T.match_buffer(A_ptr, (M, K), "float16")
    B = T.match_buffer(B_ptr, (N, K), "float16")
    D = T.match_buffer(D_ptr, (M, N), "float16")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    T.lane_id([32])
    T.thread_id([128])
    pool = T.SMEMPool()
    A_smem = pool.alloc_mma((M, K), "float16")
    B_smem = pool.alloc_mma((N, K), "float16")
    D_smem = pool.alloc_mma((M, N), "float16")
    pool.commit()
    a = T.alloc_buffer((PART, K), "float16", scope="local", layout=A_16x16.tile_to((PART, K), (16, 16)))
    b = T.alloc_buffer((N, K), "float16", scope="local", layout=B_8x16.tile_to((N, K), (8, 16)))
    d = T.alloc_buffer((PART, N), "float32", scope="local", layout=D_16x8.tile_to((PART, N), (16, 8)))
    rounded = T.alloc_buffer((PART, N), "float16", scope="local", layout=D_16x8.tile_to((PART, N), (16, 8)))
    row = T.meta_var(warp * PART)  # of this warp's part of the tile
    Tx.cta.copy(A_smem[:, :], A[:, :])
    Tx.cta.copy(B_smem[:, :], B[:, :])
    T.cuda.cta_sync()
    Tx.warp.copy(a[:, :], A_smem[row : row + PART, :])
    Tx.warp.copy(b[:, :], B_smem[:, :])
    Tx.warp.gemm(d[:, :], a[:, :], b[:, :], d[:, :], transpose_B=True)
    # From here on: the recipe.
    Tx.warp.cast(rounded[:, :], d[:, :])
    Tx.warp.copy(D_smem[row : row + PART, :], rounded[:, :])
    T.cuda.cta_sync()
    Tx.cta.copy(D[:, :], D_smem[:, :])


@T.prim_func
def product(A_ptr: T.handle, B_ptr: T.handle, D_ptr: T.handle):
    A = T.match_buffer(A_ptr, (M, K), "float16")
    B = T.match_buffer(B_ptr, (N, K), "float16")
    D = T.match_buffer(D_ptr, (M, N), "float16")
    T.device_entry()
    row = T.cta_id([M])
    column = T.thread_id([N])
    total: T.float32 = 0.0
    for k in T.serial(K):
        total = total + T.cast(A[row, k], "float32") * T.cast(B[column, k], "float32")
    D[row, column] = T.cast(total, "float16")


def reference(A, B):
    return {"D": (A.astype("float32") @ B.astype("float32").T).astype("float16")}
