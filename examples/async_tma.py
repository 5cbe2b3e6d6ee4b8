# tilewright: arch sm_90a sm_100a
"""A pipeline of tensor copies: one thread loads tiles by TMA, all threads scale them, one thread stores them again.

The loads count their bytes on a barrier; the stores belong to the bulk group of the thread that issues them.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.cuda.operator.tile_primitive.tma_utils import mma_shared_layout
from tvm.tirx.layout import S, TileLayout

ROWS, COLUMNS, TILE = 256, 512, 64
BYTES = TILE * TILE * 2


# tilewright: reference plain(ROWS, COLUMNS)
@T.prim_func
def async_tma(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (ROWS, COLUMNS), "float16", layout=TileLayout(S[ROWS, COLUMNS]))
    B = T.match_buffer(B_ptr, (ROWS, COLUMNS), "float16", layout=TileLayout(S[ROWS, COLUMNS]))
    T.device_entry()
    bx = T.cta_id([ROWS // TILE])
    tid = T.thread_id([128])
    dyn = T.alloc_buffer([2 * BYTES + 16], "uint8", scope="shared.dyn")
    tiles = T.decl_buffer((2, TILE, TILE), "float16", dyn.data, elem_offset=0,
                          layout=mma_shared_layout("float16", 3, (2, TILE, TILE)))
    full = T.decl_buffer([2], "uint64", dyn.data, elem_offset=2 * BYTES // 8)
    if tid == 0:
        T.ptx.mbarrier.init(full.ptr_to([0]), 1)
        T.ptx.mbarrier.init(full.ptr_to([1]), 1)
    T.ptx.fence.proxy_async("shared::cta")
    T.cuda.cta_sync()
    for k in T.serial(COLUMNS // TILE):
        if tid == 0:
            # The slot's last store has been read before it is filled again.
            T.ptx.cp_async.bulk.wait_group(1, True)
            T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([k % 2]), BYTES)
            Tx.copy_async(tiles[k % 2, 0:TILE, 0:TILE], A[bx * TILE:bx * TILE + TILE, k * TILE:k * TILE + TILE],
                          dispatch="tma", mbar=full.ptr_to([k % 2]), cache_hint="evict_first",
                          prefetch_tensormap=True)
        T.ptx.mbarrier.try_wait(full.ptr_to([k % 2]), k // 2 % 2)
        for i in T.serial(TILE * TILE // 128):
            r: T.let = (i * 128 + tid) // TILE
            c: T.let = (i * 128 + tid) % TILE
            tiles[k % 2, r, c] = tiles[k % 2, r, c] * T.float16(2)
        T.ptx.fence.proxy_async("shared::cta")
        T.cuda.cta_sync()
        if tid == 0:
            Tx.copy_async(B[bx * TILE:bx * TILE + TILE, k * TILE:k * TILE + TILE], tiles[k % 2, 0:TILE, 0:TILE])
            T.ptx.cp_async.bulk.commit_group()
    if tid == 0:
        T.ptx.cp_async.bulk.wait_group(0)


def plain(rows, columns):
    """What `run` expects: every element on its own, no tile primitive."""

    @T.prim_func
    def scalar(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (rows, columns), "float16")
        B = T.match_buffer(B_ptr, (rows, columns), "float16")
        T.device_entry()
        r = T.cta_id([rows])
        T.thread_id([1])
        for c in T.serial(columns):
            B[r, c] = A[r, c] * T.float16(2)

    return scalar


def reference(A):
    return {"B": A * 2}
