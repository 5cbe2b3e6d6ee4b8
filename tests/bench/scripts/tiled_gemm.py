"""Work for simulate_bench: a GEMM whose tiles go through shared memory, element by element."""
from tvm.script import tirx as T

N, K, TILE = 128, 256, 16


@T.prim_func
def tiled_gemm(A_ptr: T.handle, B_ptr: T.handle, C_ptr: T.handle):
    A = T.match_buffer(A_ptr, (N, K), "float32")
    B = T.match_buffer(B_ptr, (K, N), "float32")
    C = T.match_buffer(C_ptr, (N, N), "float32")
    T.device_entry()
    bx, by = T.cta_id([N // TILE, N // TILE])
    tx, ty = T.thread_id([TILE, TILE])
    a = T.alloc_shared([TILE, TILE + 1], "float32")
    b = T.alloc_shared([TILE, TILE + 1], "float32")
    total: T.float32 = T.float32(0)
    for k in T.serial(K // TILE):
        a[ty, tx] = A[by * TILE + ty, k * TILE + tx]
        b[ty, tx] = B[k * TILE + ty, bx * TILE + tx]
        T.cuda.cta_sync()
        for j in T.serial(TILE):
            total = total + a[ty, j] * b[j, tx]
        T.cuda.cta_sync()
    C[by * TILE + ty, bx * TILE + tx] = total
