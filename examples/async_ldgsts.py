# Tiles on their way to shared memory while the threads go on: cp.async, committed and waited for in groups.
# tilewright: arch sm_80 sm_90a sm_100a
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, SwizzleLayout, ComposeLayout, TileLayout

ROWS, COLS, TILES = 64, 64, 4


# tilewright: reference plain(TILES * ROWS, COLS, 0, COLS, 1)
@T.prim_func
def add_one(A_ptr: T.handle, B_ptr: T.handle):
    """Two buffers in shared memory: while one tile is worked on, the next one arrives."""
    A = T.match_buffer(A_ptr, (TILES, ROWS, COLS), "float16")
    B = T.match_buffer(B_ptr, (TILES, ROWS, COLS), "float16")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    stage = T.alloc_shared([2, ROWS, COLS], "float16")
    Tx.cta.copy_async(stage[0, :, :], A[0, :, :])
    T.ptx.cp_async.commit_group()
    for i in T.unroll(TILES):
        if i + 1 < TILES:
            Tx.cta.copy_async(stage[(i + 1) % 2, :, :], A[i + 1, :, :])
        T.ptx.cp_async.commit_group()
        T.ptx.cp_async.wait_group(1)
        T.cuda.cta_sync()
        for j in T.serial(ROWS * COLS // 128):
            row = (j * 128 + tid) // COLS
            col = (j * 128 + tid) % COLS
            B[i, row, col] = stage[i % 2, row, col] + T.float16(1)
        T.cuda.cta_sync()


# tilewright: reference plain(128, 64, 0, 64, 0)
@T.prim_func
def swizzled(A_ptr: T.handle, B_ptr: T.handle):
    """Rows of 128 bytes, XORed as matrix instructions want them; a warp at a time."""
    A = T.match_buffer(A_ptr, (128, 64), "float16")
    B = T.match_buffer(B_ptr, (128, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    lane = T.lane_id([32])
    tile = T.alloc_shared([128, 64], "float16", layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[128, 64])))
    Tx.warp.copy_async(tile[warp * 32 : warp * 32 + 32, :], A[warp * 32 : warp * 32 + 32, :])
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(0)
    T.cuda.warp_sync()
    for r in T.serial(32):
        B[warp * 32 + r, lane] = tile[warp * 32 + r, lane]
        B[warp * 32 + r, lane + 32] = tile[warp * 32 + r, lane + 32]


# tilewright: reference plain(32, 64, 2, 16, 0)
@T.prim_func
def narrow(A_ptr: T.handle, B_ptr: T.handle):
    """A start that is aligned to 4 bytes only, so each instruction moves two halves."""
    A = T.match_buffer(A_ptr, (32, 64), "float16")
    B = T.match_buffer(B_ptr, (32, 16), "float16")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    lane = T.lane_id([32])
    tile = T.alloc_shared([32, 16], "float16")
    Tx.warp.copy_async(tile[:, :], A[:, 2:18])
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(0)
    T.cuda.warp_sync()
    for c in T.serial(16):
        B[lane, c] = tile[lane, c]


def plain(rows, columns, first, width, plus):
    """What `run` expects: every element on its own. Tiles lie one after the other, so that they are rows here."""

    @T.prim_func
    def scalar(A_ptr: T.handle, B_ptr: T.handle):
        A = T.match_buffer(A_ptr, (rows, columns), "float16")
        B = T.match_buffer(B_ptr, (rows, width), "float16")
        T.device_entry()
        r = T.cta_id([rows])
        T.thread_id([1])
        for c in T.serial(width):
            B[r, c] = A[r, first + c] + T.float16(plus)

    return scalar


def reference(A):
    if A.ndim == 3:  # add_one
        return {"B": A + 1}
    if A.shape == (32, 64):  # narrow
        return {"B": A[:, 2:18]}
    return {"B": A}
