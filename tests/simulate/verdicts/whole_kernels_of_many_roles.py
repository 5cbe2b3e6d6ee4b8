# tilewright: arch sm_90a
# tilewright: dialect 0.25
# Whole kernels whose threads have several roles, each right and with one fault: a sum over a cluster, two consumers of one ring,
# a transpose, scaled blocks, stream K, groups of cp.async with a tail.
# verdict cluster_sum("right"): clean
# verdict cluster_sum("no first"): TW5020
# verdict cluster_sum("no last"): TW5016
# verdict cluster_sum("rank beyond"): TW5012
# verdict cluster_sum("cta barrier"): TW5020
# verdict consumers("right", 3): clean
# verdict consumers("right", 1): clean
# verdict consumers("right", 5): clean
# verdict consumers("one arrival", 3): TW5013
# verdict consumers("one arrival less", 3): TW5004
# verdict consumers("phase", 3): TW5040
# verdict consumers("bytes", 3): TW5004
# verdict consumers("not given back", 3): TW5004
# verdict consumers("given back early", 3): TW5020
# verdict consumers("producer first phase", 3): TW5004
# verdict transpose("right"): clean
# verdict transpose("no barrier"): TW5020
# verdict transpose("warps"): TW5020
# verdict transpose("row beyond"): TW5001
# verdict fp8("right"): clean
# verdict fp8("no zero"): TW5002
# verdict fp8("scale not there"): TW5002
# verdict fp8("scale race"): TW5020
# verdict streamk("right"): clean
# verdict streamk("no fence"): TW5020
# verdict streamk("fences before"): TW5020
# verdict streamk("no barrier"): TW5020
# verdict streamk("relaxed"): TW5020
# verdict streamk("no barrier behind"): TW5020
# verdict ldgsts_tail("right"): clean
# verdict ldgsts_tail("tail"): TW5001
# verdict ldgsts_tail("one group short"): TW5021
# verdict ldgsts_tail("no barrier"): TW5020
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, laneid


# Sums over a cluster: each CTA reads what its peers have.
def cluster_sum(kind):
    CTAS, N = 4, 64

    @T.prim_func
    def cluster_sum_kernel(A: T.Buffer((CTAS, N), "float32"), B: T.Buffer((CTAS, N), "float32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([CTAS])
        T.cta_id([CTAS])
        tid = T.thread_id([N])
        part = T.alloc_shared((N,), "float32")
        part[tid] = A[rank, tid]
        if kind == "cta barrier":
            T.cuda.cta_sync()
        elif kind != "no first":
            T.cuda.cluster_sync()
        total: T.float32 = 0.0
        for other in T.serial(CTAS):
            total = total + T.ptx.ld(T.ptx.map_shared_rank(part.ptr_to([tid]), other + (1 if kind == "rank beyond" else 0)), "float32", "f32",
                                     space="shared::cluster")
        B[rank, tid] = total
        if kind != "no last":
            T.cuda.cluster_sync()

    return cluster_sum_kernel


# One warp loads, two warpgroups use each tile.
def consumers(kind, STAGES):
    STEPS, ROWS, COLS = 7, 8, 32
    BYTES = ROWS * COLS * 4

    @T.prim_func
    def consumers_kernel(A: T.Buffer((STEPS, ROWS, COLS), "float32"), B: T.Buffer((2, STEPS, 128), "float32")):
        T.device_entry()
        T.cta_id([1])
        wg = T.warpgroup_id([3])
        warp = T.warp_id_in_wg([4])
        tid = T.thread_id_in_wg([128])
        tiles = T.alloc_shared((STAGES, ROWS, COLS), "float32", align=128, layout=TileLayout(S[STAGES, ROWS, COLS]))
        full = T.alloc_shared((STAGES,), "uint64", align=8)
        empty = T.alloc_shared((STAGES,), "uint64", align=8)
        if wg == 0:
            if tid == 0:
                for s in T.unroll(STAGES):
                    T.ptx.mbarrier.init(full.ptr_to([s]), 1)
                    T.ptx.mbarrier.init(empty.ptr_to([s]), 1 if kind == "one arrival" else 3 if kind == "one arrival less" else 2)
                T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        if wg == 2:
            if warp == 0:
                if T.ptx.elect_sync():
                    for step in T.serial(STEPS):
                        s: T.let = step % STAGES
                        if kind == "producer first phase":
                            T.ptx.mbarrier.try_wait(empty.ptr_to([s]), step // STAGES % 2)
                        else:
                            T.ptx.mbarrier.try_wait(empty.ptr_to([s]), (step // STAGES + 1) % 2)
                        T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([s]), BYTES + 16 if kind == "bytes" else BYTES)
                        Tx.copy_async(tiles[s, :, :], A[step, :, :], dispatch="tma", mbar=full.ptr_to([s]))
        else:
            for step in T.serial(STEPS):
                s: T.let = step % STAGES
                if kind == "phase":
                    T.ptx.mbarrier.try_wait(full.ptr_to([s]), step % 2)
                else:
                    T.ptx.mbarrier.try_wait(full.ptr_to([s]), step // STAGES % 2)
                if kind == "given back early":
                    T.cuda.warpgroup_sync(1 + wg)
                    if tid == 0:
                        T.ptx.mbarrier.arrive(empty.ptr_to([s]))
                total: T.float32 = 0.0
                for r in T.serial(ROWS // 2):
                    total = total + tiles[s, wg * (ROWS // 2) + r, tid % COLS]
                if kind != "given back early" and kind != "not given back":
                    T.cuda.warpgroup_sync(1 + wg)
                    if tid == 0:
                        T.ptx.mbarrier.arrive(empty.ptr_to([s]))
                B[wg, step, tid] = total

    return consumers_kernel


# A transpose of 32 x 32 through a padded tile.
def transpose(kind):
    N = 64

    @T.prim_func
    def transpose_kernel(A: T.Buffer((N, N), "float32"), B: T.Buffer((N, N), "float32")):
        T.device_entry()
        bx, by = T.cta_id([N // 32, N // 32])
        warp = T.warp_id([8])
        lane = T.lane_id([32])
        tile = T.alloc_shared((32, 33), "float32")
        for i in T.unroll(5 if kind == "row beyond" else 4):
            tile[i * 8 + warp, lane] = A[by * 32 + i * 8 + warp, bx * 32 + lane]
        if kind == "warps":
            T.cuda.warp_sync()
        elif kind != "no barrier":
            T.cuda.cta_sync()
        for i in T.unroll(4):
            B[bx * 32 + i * 8 + warp, by * 32 + lane] = tile[lane, i * 8 + warp]

    return transpose_kernel


# A product of float8 with scales of blocks, by hand.
def fp8(kind):
    M, N, K, BLOCK = 4, 32, 64, 32

    @T.prim_func
    def fp8_kernel(A: T.Buffer((M, K), "float8_e4m3fn"), B: T.Buffer((N, K), "float8_e4m3fn"), SA: T.Buffer((M, K // BLOCK), "float32"),
                   SB: T.Buffer((K // BLOCK,), "float32"), C: T.Buffer((M, N), "float32")):
        T.device_entry()
        m = T.cta_id([M])
        tid = T.thread_id([N])
        scales = T.alloc_shared((K // BLOCK,), "float32")
        acc = T.alloc_local((1,), "float32")
        if tid < (K // BLOCK - 1 if kind == "scale not there" else K // BLOCK):
            scales[tid] = SA[m, tid] * SB[tid]
        if kind != "scale race":
            T.cuda.cta_sync()
        if kind != "no zero":
            acc[0] = 0.0
        for b in T.serial(K // BLOCK):
            part: T.float32 = 0.0
            for k in T.serial(BLOCK):
                part = part + T.cast(A[m, b * BLOCK + k], "float32") * T.cast(B[tid, b * BLOCK + k], "float32")
            acc[0] = acc[0] + part * scales[b]
        C[m, tid] = acc[0]

    return fp8_kernel


# Stream K: the second CTA adds its part once the first one has announced its own.
def streamk(kind):
    N = 64

    # tilewright: run streamk_kernel Flag=zeros
    @T.prim_func
    def streamk_kernel(A: T.Buffer((2, N), "float32"), W: T.Buffer((N,), "float32"), C: T.Buffer((N,), "float32"),
                       Flag: T.Buffer((1,), "int32")):
        T.device_entry()
        cta = T.cta_id([2])
        tid = T.thread_id([N])
        if cta == 0:
            W[tid] = A[0, tid]
            if kind == "fences before":
                T.cuda.thread_fence()
            if kind != "no barrier":
                T.cuda.cta_sync()
            if tid == 0:
                if kind != "fences before" and kind != "no fence":
                    T.cuda.thread_fence()
                T.cuda.atomic_add(Flag.ptr_to([0]), 1)
        else:
            if tid == 0:
                seen: T.int32 = 0
                while seen == 0:
                    if kind == "relaxed":
                        seen = T.ptx.ld(Flag.ptr_to([0]), "int32", "s32", space="global")
                    else:
                        seen = T.ptx.ld_acquire(Flag.ptr_to([0]), "int32", "s32")
            if kind != "no barrier behind":
                T.cuda.cta_sync()
            C[tid] = W[tid] + A[1, tid]

    return streamk_kernel


# A ring of groups of cp.async with a tail.
def ldgsts_tail(kind):
    N, STEP, STAGES = 200, 64, 3

    @T.prim_func
    def ldgsts_kernel(A: T.Buffer((N, 4), "float32"), B: T.Buffer((N,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([STEP])
        s = T.alloc_shared((STAGES, STEP, 4), "float32", align=128)

        @T.inline
        def load(step):
            if kind == "tail":
                T.ptx.cp_async(s.ptr_to([step % STAGES, tid, 0]), A.ptr_to([step * STEP + tid, 0]), 16)
            else:
                if step * STEP + tid < N:
                    T.ptx.cp_async(s.ptr_to([step % STAGES, tid, 0]), A.ptr_to([step * STEP + tid, 0]), 16)
            T.ptx.cp_async.commit_group()

        for step in T.unroll(STAGES - 1):
            load(step)
        for step in T.serial(4):
            T.ptx.cp_async.wait_group(STAGES - 1 if kind == "one group short" else STAGES - 2)
            if kind != "no barrier":
                T.cuda.cta_sync()
            load(step + STAGES - 1)
            other: T.let = step * STEP + (STEP - 1 - tid)
            if other < N:
                B[other] = s[step % STAGES, STEP - 1 - tid, 0] + s[step % STAGES, STEP - 1 - tid, 3]

    return ldgsts_kernel
