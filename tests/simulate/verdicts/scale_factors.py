# tilewright: arch sm_90a
# tilewright: dialect 0.25
# Scale factors by blocks of K and of N: a slice of the wrong block computes something near the right result (a cosine of
# the whole passes), which every element beside the reference shows.
# verdict run scaled("right"): verified
# verdict run scaled("staged"): verified
# verdict run scaled("in the sum"): verified
# verdict run scaled("row of the tile"): failed
# verdict run scaled("first block"): failed
# verdict run scaled("block of the next tile"): failed
# verdict run scaled("staged for one block"): failed
# verdict scaled("staged"): clean
# verdict scaled("staged without a barrier"): TW5020 at `f: T.float32 = s[tid // 16]`
from tvm.script import tirx as T

M, N, K, BLOCK, TILE = 32, 32, 64, 16, 16


# tilewright: reference plain(...)
def scaled(kind):
    @T.prim_func
    def k(
        A: T.Buffer((M, K), "float32"),
        B: T.Buffer((N, K), "float32"),
        SA: T.Buffer((M, K // BLOCK), "float32"),
        SB: T.Buffer((N // BLOCK, K // BLOCK), "float32"),
        C: T.Buffer((M, N), "float32"),
    ):
        T.device_entry()
        bx, by = T.cta_id([M // TILE, N // TILE])
        tid = T.thread_id([TILE * TILE])
        s = T.alloc_shared((TILE,), "float32")
        row: T.let = bx * TILE + tid // TILE
        column: T.let = by * TILE + tid % TILE
        total: T.float32 = 0.0
        for block in T.serial(K // BLOCK):
            part: T.float32 = 0.0
            if T.meta_var(kind.startswith("staged")):
                if tid < TILE:
                    if T.meta_var(kind != "staged for one block") or block == 0:
                        s[tid] = SA[bx * TILE + tid, block]
                if T.meta_var(kind != "staged without a barrier"):
                    T.cuda.cta_sync()
                f: T.float32 = s[tid // 16]
                for i in T.serial(BLOCK):
                    part = part + A[row, block * BLOCK + i] * B[column, block * BLOCK + i]
                total = total + part * f * SB[by, block]
                T.cuda.cta_sync()
            elif T.meta_var(kind == "in the sum"):
                for i in T.serial(BLOCK):
                    part = part + A[row, block * BLOCK + i] * B[column, block * BLOCK + i] * SA[row, block]
                total = total + part * SB[column // BLOCK, block]
            else:
                for i in T.serial(BLOCK):
                    part = part + A[row, block * BLOCK + i] * B[column, block * BLOCK + i]
                total = total + part * SA[
                    T.meta_var(tid // TILE if kind == "row of the tile" else row),
                    T.meta_var(0 if kind == "first block" else block),
                ] * SB[T.meta_var((by + 1) % 2 if kind == "block of the next tile" else by), block]
        C[row, column] = total

    return k


def plain(kind):
    @T.prim_func
    def expected(
        A: T.Buffer((M, K), "float32"),
        B: T.Buffer((N, K), "float32"),
        SA: T.Buffer((M, K // BLOCK), "float32"),
        SB: T.Buffer((N // BLOCK, K // BLOCK), "float32"),
        C: T.Buffer((M, N), "float32"),
    ):
        T.device_entry()
        row = T.cta_id([M])
        column = T.thread_id([N])
        total: T.float32 = 0.0
        for k in T.serial(K):
            total = total + A[row, k] * SA[row, k // BLOCK] * B[column, k] * SB[column // BLOCK, k // BLOCK]
        C[row, column] = total

    return expected
