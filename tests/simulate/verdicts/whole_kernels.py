# tilewright: arch sm_90a
# tilewright: dialect 0.25
# Whole kernels, each right and with one fault: split K, a scan, a histogram, the largest of many, a router of tokens, pages
# through a table, tiles that are fetched, groups of rows, the backward pass of a normalisation.
# verdict split_k("right"): clean
# verdict split_k("no fence"): TW5020
# verdict split_k("no barrier"): TW5020
# verdict split_k("flag unsynchronised"): TW5020
# verdict split_k("one row too far"): TW5001
# verdict scan("right"): clean
# verdict scan("no barrier"): TW5020
# verdict scan("no second barrier"): TW5020
# verdict scan("upper guard"): clean
# verdict scan("reads past the warps"): TW5001
# verdict scan("uninitialised"): TW5002
# verdict histogram("right"): clean
# verdict histogram("not cleared"): TW5002
# verdict histogram("no first barrier"): TW5020
# verdict histogram("no last barrier"): TW5020
# verdict histogram("tail"): TW5001
# verdict histogram("guarded tail"): clean
# verdict topk("right"): clean
# verdict topk("half a warp leaves"): TW5006
# verdict topk("no barrier"): TW5020
# verdict topk("written over"): TW5020
# verdict router("right"): clean
# verdict router("no barrier"): TW5020
# verdict router("beyond the experts"): TW5001
# verdict router("counts not cleared"): TW5002
# verdict paged("right"): clean
# verdict paged("phase"): TW5040
# verdict paged("bytes"): TW5004
# verdict paged("no wait"): TW5021
# verdict paged("written over"): TW5021
# verdict paged("page too far"): TW5001
# verdict persistent("right"): clean
# verdict persistent("no second barrier"): TW5020
# verdict persistent("no barrier"): TW5020
# verdict persistent("barrier in the branch"): TW5005
# verdict grouped("right"): clean
# verdict grouped("no guard"): TW5001
# verdict grouped("off by one"): TW5001
# verdict norm_backward("right"): clean
# verdict norm_backward("one reduction without barrier"): TW5020
# verdict norm_backward("partials not cleared"): TW5002
# verdict norm_backward("plain sums"): TW5020
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


# Split K: each CTA sums a part, the last one to arrive adds the parts.
def split_k(kind):
    SPLITS, N = 4, 64

    # tilewright: run split_k_kernel Count=zeros
    @T.prim_func
    def split_k_kernel(A: T.Buffer((SPLITS, 8, N), "float32"), W: T.Buffer((SPLITS, N), "float32"), C: T.Buffer((N,), "float32"),
               Count: T.Buffer((1,), "int32")):
        T.device_entry()
        split = T.cta_id([SPLITS])
        tid = T.thread_id([N])
        last = T.alloc_shared((1,), "int32")
        total: T.float32 = 0.0
        for i in T.serial(9 if kind == "one row too far" else 8):
            total = total + A[split, i, tid]
        W[split, tid] = total
        if kind != "no fence":
            T.cuda.thread_fence()
        if kind != "no barrier":
            T.cuda.cta_sync()
        if tid == 0:
            before: T.let = T.cuda.atomic_add(Count.ptr_to([0]), 1)
            last[0] = T.Select(before == SPLITS - 1, 1, 0)
            T.cuda.thread_fence()
        if kind != "flag unsynchronised":
            T.cuda.cta_sync()
        if last[0] == 1:
            T.cuda.thread_fence()
            whole: T.float32 = 0.0
            for s in T.serial(SPLITS):
                whole = whole + W[s, tid]
            C[tid] = whole

    return split_k_kernel


# An inclusive scan of 256 numbers: within warps by shuffles, over the warps in shared memory.
def scan(kind):
    @T.prim_func
    def scan_kernel(A: T.Buffer((256,), "float32"), B: T.Buffer((256,), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([8])
        lane = T.lane_id([32])
        tid = T.thread_id([256])
        sums = T.alloc_shared((8,), "float32")
        v: T.float32 = A[tid]
        for step in T.unroll(5):
            up: T.let = T.tvm_warp_shuffle_up(T.uint32(0xFFFFFFFF), v, 1 << step, 32, 32)
            if lane >= 1 << step:
                v = v + up
        if kind != "uninitialised":
            if lane == 31:
                sums[warp] = v
        if kind != "no barrier":
            T.cuda.cta_sync()
        if warp == 0:
            s: T.float32 = 0.0
            if lane < (32 if kind == "reads past the warps" else 8):
                s = sums[lane]
            for step in T.unroll(3):
                up: T.let = T.tvm_warp_shuffle_up(T.uint32(0xFFFFFFFF), s, 1 << step, 32, 32)
                if lane >= 1 << step:
                    s = s + up
            if lane < 8:
                sums[lane] = s
        if kind != "no second barrier":
            T.cuda.cta_sync()
        if kind == "upper guard":
            if warp > 0:
                v = v + sums[warp - 1]
        else:
            v = v + T.if_then_else(warp > 0, sums[T.max(warp - 1, 0)], T.float32(0))
        B[tid] = v

    return scan_kernel


# A histogram in shared memory, then in global memory.
def histogram(kind):
    N = 1000

    @T.prim_func
    def histogram_kernel(A: T.Buffer((N,), "uint8"), H: T.Buffer((256,), "int32")):
        T.device_entry()
        cta = T.cta_id([4])
        tid = T.thread_id([256])
        bins = T.alloc_shared((256,), "int32")
        if kind != "not cleared":
            bins[tid] = 0
        if kind != "no first barrier":
            T.cuda.cta_sync()
        if kind == "tail":
            T.cuda.atomic_add(bins.ptr_to([T.cast(A[cta * 256 + tid], "int32")]), 1)
        else:
            if cta * 256 + tid < N:
                T.cuda.atomic_add(bins.ptr_to([T.cast(A[cta * 256 + tid], "int32")]), 1)
        if kind != "no last barrier":
            T.cuda.cta_sync()
        T.cuda.atomic_add(H.ptr_to([tid]), bins[tid])

    return histogram_kernel


# The four largest of 128 numbers, one after the other.
def topk(kind):
    @T.prim_func
    def topk_kernel(A: T.Buffer((128,), "float32"), V: T.Buffer((4,), "float32"), I: T.Buffer((4,), "int32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        lane = T.lane_id([32])
        tid = T.thread_id([128])
        best_v = T.alloc_shared((2, 4), "float32")
        best_i = T.alloc_shared((2, 4), "int32")
        mine: T.float32 = A[tid]
        for k in T.unroll(4):
            slot = T.meta_var(0 if kind == "written over" else k % 2)
            v: T.float32 = mine
            i: T.int32 = tid
            for step in T.unroll(5):
                if kind == "half a warp leaves":
                    if lane < 16:
                        ov: T.let = T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), v, 1 << step, 32, 32)
                        oi: T.let = T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), i, 1 << step, 32, 32)
                        if ov > v or (ov == v and oi < i):
                            v = ov
                            i = oi
                else:
                    ov: T.let = T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), v, 1 << step, 32, 32)
                    oi: T.let = T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), i, 1 << step, 32, 32)
                    if ov > v or (ov == v and oi < i):
                        v = ov
                        i = oi
            if lane == 0:
                best_v[slot, warp] = v
                best_i[slot, warp] = i
            if kind != "no barrier":
                T.cuda.cta_sync()
            w: T.int32 = 0
            for o in T.unroll(1, 4):
                if best_v[slot, o] > best_v[slot, w]:
                    w = o
            if tid == 0:
                V[k] = best_v[slot, w]
                I[k] = best_i[slot, w]
            if best_i[slot, w] == tid:
                mine = T.float32(-3.0e38)

    return topk_kernel


# Tokens to experts: counts, offsets, places.
def router(kind):
    EXPERTS, TOKENS = 8, 128

    # tilewright: run router_kernel E=random(low=0, high=8)
    @T.prim_func
    def router_kernel(E: T.Buffer((TOKENS,), "int32"), Place: T.Buffer((TOKENS,), "int32"), Offsets: T.Buffer((EXPERTS,), "int32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([TOKENS])
        counts = T.alloc_shared((EXPERTS,), "int32")
        offsets = T.alloc_shared((EXPERTS,), "int32")
        if kind != "counts not cleared":
            if tid < EXPERTS:
                counts[tid] = 0
        T.cuda.cta_sync()
        e: T.let = E[tid]
        mine: T.let = T.cuda.atomic_add(counts.ptr_to([e]), 1)
        if kind != "no barrier":
            T.cuda.cta_sync()
        if tid == 0:
            total: T.int32 = 0
            for i in T.serial(EXPERTS + 1 if kind == "beyond the experts" else EXPERTS):
                offsets[i] = total
                total = total + counts[i]
        T.cuda.cta_sync()
        Place[tid] = offsets[e] + mine
        if tid < EXPERTS:
            Offsets[tid] = offsets[tid]

    return router_kernel


# Decoding: pages of keys through a table, by bulk copies in a ring of three.
def paged(kind):
    PAGES, ROWS, D, STEPS, STAGES = 16, 4, 32, 7, 3

    # tilewright: run paged_kernel Table=random(low=0, high=16)
    @T.prim_func
    def paged_kernel(K: T.Buffer((PAGES, ROWS, D), "float32"), Table: T.Buffer((STEPS,), "int32"), Q: T.Buffer((D,), "float32"),
               O: T.Buffer((STEPS, ROWS), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([32])
        tiles = T.alloc_shared((STAGES, ROWS, D), "float32", align=128)
        full = T.alloc_shared((STAGES,), "uint64", align=8)
        if tid == 0:
            for s in T.unroll(STAGES):
                T.ptx.mbarrier.init(full.ptr_to([s]), 1)
            T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        BYTES = T.meta_var(ROWS * D * 4)

        @T.inline
        def load(step):
            if tid == 0:
                T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([step % STAGES]), BYTES * 2 if kind == "bytes" else BYTES)
                page: T.let = Table[step] + (1 if kind == "page too far" else 0) * PAGES
                T.ptx.cp_async_bulk_g2s_cluster(tiles.ptr_to([step % STAGES, 0, 0]), K.ptr_to([page, 0, 0]), BYTES,
                                                full.ptr_to([step % STAGES]))

        for step in T.unroll(STAGES - 1):
            load(step)
        for step in T.serial(STEPS):
            if kind == "phase":
                T.ptx.mbarrier.try_wait(full.ptr_to([step % STAGES]), step % 2)
            elif kind != "no wait":
                T.ptx.mbarrier.try_wait(full.ptr_to([step % STAGES]), step // STAGES % 2)
            if kind != "written over":
                if step + STAGES - 1 < STEPS:
                    load(step + STAGES - 1)
            else:
                if step + STAGES < STEPS:
                    load(step + STAGES)
            for r in T.unroll(ROWS):
                part: T.float32 = tiles[step % STAGES, r, tid] * Q[tid]
                for j in T.unroll(5):
                    part = part + T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), part, 1 << j, 32, 32)
                if tid == 0:
                    O[step, r] = part
            T.cuda.warp_sync()

    return paged_kernel


# A persistent kernel whose first thread fetches the next tile.
def persistent(kind):
    TILES = 7

    # tilewright: run persistent_kernel Next=zeros
    @T.prim_func
    def persistent_kernel(A: T.Buffer((TILES, 64), "float32"), B: T.Buffer((TILES, 64), "float32"), Next: T.Buffer((1,), "int32")):
        T.device_entry()
        T.cta_id([2])
        tid = T.thread_id([64])
        tile = T.alloc_shared((1,), "int32")
        go: T.int32 = 1
        while go == 1:
            if tid == 0:
                tile[0] = T.cuda.atomic_add(Next.ptr_to([0]), 1)
                if kind == "barrier in the branch":
                    T.cuda.cta_sync()
            if kind != "no barrier":
                T.cuda.cta_sync()
            t: T.int32 = tile[0]
            if kind != "no second barrier":
                T.cuda.cta_sync()
            if t < TILES:
                B[t, tid] = A[t, tid] * T.float32(2)
            else:
                go = 0

    return persistent_kernel


# Groups of rows of their own lengths; the last tile of each is not full.
def grouped(kind):
    GROUPS, ROWS, D = 3, 40, 32

    # tilewright: run grouped_kernel Begin=arange(step=13)
    @T.prim_func
    def grouped_kernel(X: T.Buffer((ROWS, D), "float32"), Begin: T.Buffer((GROUPS + 1,), "int32"), W: T.Buffer((GROUPS, D), "float32"),
               Y: T.Buffer((ROWS, D), "float32")):
        T.device_entry()
        g, block = T.cta_id([GROUPS, 4])
        tid = T.thread_id([D])
        first: T.let = Begin[g]
        end: T.let = Begin[g + 1]
        for r in T.serial(4):
            row: T.let = first + block * 4 + r
            if kind == "no guard":
                Y[row, tid] = X[row, tid] * W[g, tid]
            elif kind == "off by one":
                if row <= end:
                    Y[row + 1, tid] = X[row, tid] * W[g, tid]
            else:
                if row < end:
                    Y[row, tid] = X[row, tid] * W[g, tid]

    return grouped_kernel


# The backward pass of a normalisation: sums over a row, and over rows by atomics.
def norm_backward(kind):
    ROWS, D = 8, 128

    # tilewright: run norm_backward_kernel DG=zeros
    @T.prim_func
    def norm_backward_kernel(DY: T.Buffer((ROWS, D), "float32"), X: T.Buffer((ROWS, D), "float32"), R: T.Buffer((ROWS,), "float32"),
               DX: T.Buffer((ROWS, D), "float32"), DG: T.Buffer((D,), "float32")):
        T.device_entry()
        cta = T.cta_id([4])
        warp = T.warp_id([4])
        lane = T.lane_id([32])
        tid = T.thread_id([D])
        parts = T.alloc_shared((4,), "float32")
        dg = T.alloc_local((1,), "float32")
        if kind != "partials not cleared":
            dg[0] = 0.0
        for i in T.serial(ROWS // 4):
            row: T.let = cta * (ROWS // 4) + i
            xhat: T.let = X[row, tid] * R[row]
            dy: T.let = DY[row, tid]
            s: T.float32 = dy * xhat
            for j in T.unroll(5):
                s = s + T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), s, 1 << j, 32, 32)
            if lane == 0:
                parts[warp] = s
            T.cuda.cta_sync()
            whole: T.let = parts[0] + parts[1] + parts[2] + parts[3]
            if kind != "one reduction without barrier":
                T.cuda.cta_sync()
            DX[row, tid] = (dy - xhat * whole / T.float32(D)) * R[row]
            dg[0] = dg[0] + dy * xhat
        if kind == "plain sums":
            DG[tid] = DG[tid] + dg[0]
        else:
            T.cuda.atomic_add(DG.ptr_to([tid]), dg[0])

    return norm_backward_kernel
