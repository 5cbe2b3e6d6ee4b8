# tilewright: arch sm_90a sm_100a
"""Producer and consumers over a ring of tiles, with the library's pipeline: one warp loads by TMA, a warpgroup adds up.

`full` counts the bytes of a load, `empty` the warps that have read the tile. The producer waits for parity 1 first, which
a fresh barrier has behind it; the consumers for parity 0.
"""
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import Pipeline, PipelineState
from tvm.tirx.lang.warp_role import WarpRole

STAGES, STEPS, ROWS, COLS = 3, 8, 32, 128
BYTES = ROWS * COLS * 4


@T.prim_func
def column_sums(A_ptr: T.handle, B_ptr: T.handle):
    A = T.match_buffer(A_ptr, (STEPS * ROWS, COLS), "int32")
    B = T.match_buffer(B_ptr, (STEPS, COLS), "int32")
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([5])
    lane = T.lane_id([32])
    tid = T.thread_id([160])
    pool = T.SMEMPool()
    tiles = pool.alloc_mma((STAGES, ROWS, COLS), "int32")
    pipe = Pipeline(pool, STAGES, full="tma", empty="mbar", init_empty=4)
    pool.commit()
    T.ptx.fence.mbarrier_init()
    T.cuda.cta_sync()
    with WarpRole(warp, 4):
        if T.ptx.elect_sync():
            fill = PipelineState(STAGES, phase=1)
            for step in T.serial(STEPS):
                pipe.empty.wait(fill.stage, fill.phase)
                pipe.full.arrive(fill.stage, BYTES)
                Tx.copy_async(
                    tiles[fill.stage, :, :],
                    A[step * ROWS : step * ROWS + ROWS, :],
                    dispatch="tma",
                    mbar=pipe.full.ptr_to([fill.stage]),
                )
                fill.advance()
    if warp < 4:
        use = PipelineState(STAGES, phase=0)
        for step in T.serial(STEPS):
            pipe.full.wait(use.stage, use.phase)
            total: T.int32 = 0
            for row in T.serial(ROWS):
                total = total + tiles[use.stage, row, tid]
            B[step, tid] = total
            # All lanes have read before one of them gives the slot back.
            T.cuda.warp_sync()
            if lane == 0:
                pipe.empty.arrive(use.stage)
            use.advance()


# tilewright: reference python:reference
def reference(A):
    B = A[:STEPS] * 0
    for step in range(STEPS):
        for row in range(ROWS):
            B[step] += A[step * ROWS + row]
    return {"B": B}
