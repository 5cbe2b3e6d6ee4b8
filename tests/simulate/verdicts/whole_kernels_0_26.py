# tilewright: arch sm_90a
# tilewright: dialect 0.26
# Whole kernels of 0.26, each right and with one fault: a ring with two consumers, a softmax over pages, windows of a tile that
# warps own, weights whose groups have tails.
# verdict ring("right"): clean
# verdict ring("bytes"): TW5004
# verdict ring("one consumer"): TW5013
# verdict ring("phase"): TW5004
# verdict ring("not waited"): TW5002
# verdict attend("right"): clean
# verdict attend("no barrier"): TW5020
# verdict attend("sum not cleared"): TW5002
# verdict attend("page beyond"): TW5001
# verdict windows("right"): clean
# verdict windows("no barrier"): TW5020
# verdict windows("no second barrier"): TW5020
# verdict windows("rows beyond"): TW5001
# verdict tails("right"): clean
# verdict tails("no guard"): TW5001
# verdict tails("guard of the wrong extent"): TW5001
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import Pipeline, PipelineState


def ring(kind):
    STEPS, STAGES, ROWS, COLS = 7, 3, 8, 32
    BYTES = ROWS * COLS * 4

    @T.prim_func
    def ring_kernel(A: T.Buffer((STEPS, ROWS, COLS), "float32"), B: T.Buffer((STEPS, 2, 32), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([3])
        lane = T.lane_id([32])
        pool = T.SMEMPool()
        tiles = pool.alloc((STAGES, ROWS, COLS), "float32", align=128)
        pipe = Pipeline(pool, STAGES, full="tma", empty="mbar", init_empty=1 if kind == "one consumer" else 2)
        pool.commit()
        T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        if warp == 2:
            if T.ptx.elect_sync():
                fill = PipelineState(STAGES, phase=0 if kind == "phase" else 1)
                for step in T.serial(STEPS):
                    pipe.empty.wait(fill.stage, fill.phase)
                    pipe.full.arrive(fill.stage, BYTES // 2 if kind == "bytes" else BYTES)
                    Tx.copy_async(tiles[fill.stage, :, :], A[step, :, :], dispatch="tma_auto", mbar=pipe.full.ptr_to([fill.stage]))
                    fill.advance()
        else:
            use = PipelineState(STAGES, phase=0)
            for step in T.serial(STEPS):
                if kind != "not waited":
                    pipe.full.wait(use.stage, use.phase)
                total: T.float32 = 0.0
                for r in T.serial(ROWS // 2):
                    total = total + tiles[use.stage, warp * (ROWS // 2) + r, lane]
                T.cuda.warp_sync()
                if lane == 0:
                    pipe.empty.arrive(use.stage)
                use.advance()
                B[step, warp, lane] = total

    return ring_kernel


# One query over the pages of its keys and values: a running maximum and sum.
def attend(kind):
    PAGES, TABLE, ROWS, D = 8, 5, 4, 32

    # tilewright: run attend_kernel Table=random(low=0, high=8)
    @T.prim_func
    def attend_kernel(Q: T.Buffer((D,), "float32"), K: T.Buffer((PAGES, ROWS, D), "float32"), V: T.Buffer((PAGES, ROWS, D), "float32"),
                      Table: T.Buffer((TABLE,), "int32"), O: T.Buffer((D,), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        lane = T.lane_id([32])
        tid = T.thread_id([128])
        scores = T.alloc_shared((ROWS,), "float32")
        largest: T.float32 = T.float32(-3.0e38)
        total = T.alloc_local((1,), "float32")
        if kind != "sum not cleared":
            total[0] = T.float32(0)
        out: T.float32 = 0.0
        for p in T.serial(TABLE):
            page: T.let = Table[p] + (PAGES if kind == "page beyond" else 0)
            s: T.float32 = Q[lane] * K[page, warp, lane]
            for j in T.unroll(5):
                s = s + T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), s, 1 << j, 32, 32)
            if lane == 0:
                scores[warp] = s
            T.cuda.cta_sync()
            before: T.float32 = largest
            for r in T.serial(ROWS):
                largest = T.max(largest, scores[r])
            total[0] = total[0] * T.exp(before - largest)
            out = out * T.exp(before - largest)
            for r in T.serial(ROWS):
                w: T.let = T.exp(scores[r] - largest)
                total[0] = total[0] + w
                out = out + w * V[page, r, lane]
            if kind != "no barrier":
                T.cuda.cta_sync()
        if tid < D:
            O[tid] = out / total[0]

    return attend_kernel


# Warps own windows of a tile.
def windows(kind):
    @T.prim_func
    def windows_kernel(A: T.Buffer((64, 64), "float32"), B: T.Buffer((32, 64), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        lane = T.lane_id([32])
        T.thread_id([128])
        tile = T.alloc_shared((32, 64), "float32")
        Tx.cta.copy(tile[:, :], A[32:64, :])
        if kind != "no barrier":
            T.cuda.cta_sync()
        mine = tile.sub[warp * 8 : warp * 8 + 8, :]
        for r in T.unroll(8):
            mine[r, lane] = mine[r, lane] + mine[r, lane + 32]
        if kind != "no second barrier":
            T.cuda.cta_sync()
        if kind == "rows beyond":
            B[lane, warp] = tile[lane + 1, warp]
        else:
            B[lane, warp] = tile[lane, warp]

    return windows_kernel


# Weights in groups of 96, tiles of 64 columns.
def tails(kind):
    GROUPS, N, D = 3, 96, 16

    @T.prim_func
    def tails_kernel(X: T.Buffer((GROUPS, D), "float32"), W: T.Buffer((GROUPS, D, N), "float32"), Y: T.Buffer((GROUPS, N), "float32")):
        T.device_entry()
        g, block = T.cta_id([GROUPS, 2])
        tid = T.thread_id([64])
        column: T.let = block * 64 + tid
        limit = T.meta_var(10000 if kind == "no guard" else N + 16 if kind == "guard of the wrong extent" else N)
        if column < limit:
            total: T.float32 = 0.0
            for d in T.serial(D):
                total = total + X[g, d] * W[g, d, column]
            Y[g, column] = total

    return tails_kernel
