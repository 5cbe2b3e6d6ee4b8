# tilewright: arch sm_90a
# tilewright: dialect 0.26
# One fault, one finding, in products of float8 with scales, rows that are quantised, multicasts and named barriers.
# verdict block_scaled("right"): clean
# verdict block_scaled("no barrier"): only TW5020 at `ring.empty.wait(fill.stage`
# verdict block_scaled("parity"): only TW5040 at `ring.full.wait(use.stage`
# verdict block_scaled("product not waited"): only TW5021 at `total[i] = total[i] + own[i]`
# verdict quantise("right"): clean
# verdict quantise("no barrier"): only TW5020 at `m = T.max(m, largest[w])`
# verdict quantise("no fence"): only TW5022 at `Tx.copy_async(Q[row`
# verdict quantise("not waited"): only TW5018 at `Tx.copy_async(Q[row`
# verdict multicast("right"): clean
# verdict multicast("own half"): only TW5004 at `T.ptx.mbarrier.try_wait(full`
# verdict multicast("own arrivals"): only TW5013 at `T.ptx.mbarrier.init(empty`
# verdict multicast("leaves"): only TW5016 at `T.ptx.mbarrier.arrive(empty`
# verdict named("right"): clean
# verdict named("does not wait"): only TW5040 at `T.ptx.bar.arrive(1 + step % 2`
# verdict named("not announced"): only TW5004 at `T.ptx.bar.sync(1 if kind`
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.lang.pipeline import Pipeline, PipelineState
from tvm.tirx.layout import S, TileLayout, wgmma_accumulator_layout


# Scales of blocks: each step multiplies into sums of its own, which are scaled and added.
def block_scaled(kind):
    M, N, K, STEP, STAGES = 64, 64, 384, 128, 2
    BYTES = (M + N) * STEP

    @T.prim_func
    def scaled_kernel(A: T.Buffer((M, K), "float8_e4m3fn"), B: T.Buffer((N, K), "float8_e4m3fn"), SA: T.Buffer((K // STEP,), "float32"), SB: T.Buffer((K // STEP,), "float32"), C: T.Buffer((M, N), "float32")):
        T.device_entry()
        T.cta_id([1])
        wg = T.warpgroup_id([2])
        tid = T.thread_id_in_wg([128])
        pool = T.SMEMPool()
        a = pool.alloc_tcgen05_mma_AB((STAGES, M, STEP), "float8_e4m3fn")
        b = pool.alloc_tcgen05_mma_AB((STAGES, N, STEP), "float8_e4m3fn")
        scales = pool.alloc((K // STEP,), "float32")
        ring = Pipeline(pool, STAGES, full="tma", empty="mbar", init_empty=128)
        pool.commit()
        T.ptx.fence.mbarrier_init()
        if wg == 0:
            if tid < (K // STEP - 1 if kind == "a scale less" else K // STEP):
                scales[tid] = SA[tid] * SB[tid]
        if kind == "no barrier":
            if wg == 1:
                T.cuda.warpgroup_sync(3)
        else:
            T.cuda.cta_sync()
        if wg == 1:
            if tid == 0:
                fill = PipelineState(STAGES, phase=1)
                for step in T.serial(K // STEP):
                    ring.empty.wait(fill.stage, fill.phase)
                    ring.full.arrive(fill.stage, BYTES + 128 if kind == "bytes" else BYTES)
                    k = T.meta_var(step * STEP)
                    Tx.copy_async(a[fill.stage], A[:, k : k + STEP], dispatch="tma_auto", mbar=ring.full.ptr_to([fill.stage]))
                    Tx.copy_async(b[fill.stage], B[:, k : k + STEP], dispatch="tma_auto", mbar=ring.full.ptr_to([fill.stage]))
                    if kind != "stage kept":
                        fill.advance()
        else:
            part = T.alloc_buffer((M, N), "float32", scope="local", layout=wgmma_accumulator_layout(N))
            total = T.alloc_local((N // 2,), "float32")
            for i in T.unroll(N // 2):
                total[i] = T.float32(0)
            own = part.local(N // 2)
            use = PipelineState(STAGES, phase=1 if kind == "parity" else 0)
            for step in T.serial(K // STEP):
                ring.full.wait(use.stage, use.phase)
                Tx.wg.gemm_async(part, a[use.stage], b[use.stage], accum=False)
                T.ptx.wgmma.commit_group()
                if kind != "product not waited":
                    T.ptx.wgmma.wait_group(0)
                if kind == "arrives early":
                    ring.empty.arrive(use.stage)
                for i in T.unroll(N // 2):
                    total[i] = total[i] + own[i] * scales[step + 1 if kind == "next scale" else step]
                if kind != "arrives early":
                    ring.empty.arrive(use.stage)
                use.advance()
            for i in T.unroll(N // 2):
                C[tid // 32 * 16 + i % 4 // 2 * 8 + tid % 32 // 4, i // 4 * 8 + tid % 4 * 2 + i % 2] = total[i]

    return scaled_kernel


# Rows are quantised: their largest element by shuffles and shared memory, a float8 row leaves by a bulk copy.
def quantise(kind):
    R, C = 4, 512

    @T.prim_func
    def quantise_kernel(X: T.Buffer((R, C), "float32"), Q: T.Buffer((R, C), "float8_e4m3fn"), Scale: T.Buffer((R,), "float32")):
        T.device_entry()
        row = T.cta_id([R])
        warp = T.warp_id([4])
        lane = T.lane_id([32])
        tid = T.thread_id([128])
        x = T.alloc_local((4,), "float32")
        largest = T.alloc_shared((4,), "float32")
        q = T.alloc_shared((1, C), "float8_e4m3fn", align=128, layout=TileLayout(S[1, C]))
        m: T.float32 = T.float32(0)
        for i in T.unroll(4):
            x[i] = X[row, tid * 4 + i]
            m = T.max(m, T.abs(x[i]))
        for j in T.unroll(4 if kind == "a step less" else 5):
            m = T.max(m, T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), m, 1 << j, 32, 32))
        if lane == 0:
            largest[warp + 1 if kind == "wrong warp" else warp] = m
        if kind != "no barrier":
            T.cuda.cta_sync()
        for w in T.unroll(4):
            m = T.max(m, largest[w])
        scale: T.float32 = T.max(m, T.float32(1e-6)) / T.float32(448)
        for i in T.unroll(4):
            q[0, tid * 4 + i] = T.cast(x[i] / scale, "float8_e4m3fn")
        if kind != "no fence":
            T.ptx.fence.proxy_async("shared::cta")
        if kind != "no second barrier":
            T.cuda.cta_sync()
        if tid == 0:
            Scale[row] = scale
            Tx.copy_async(Q[row : row + 1, :], q[:, :], dispatch="tma_auto")
            if kind != "not committed":
                T.ptx.cp_async.bulk.commit_group()
            if kind != "not waited":
                T.ptx.cp_async.bulk.wait_group(0, read=True)

    return quantise_kernel


# Each CTA of a cluster loads a half of B for both; A is its own.
def multicast(kind):
    CTAS, M, N, K, STEP, STAGES = 2, 64, 64, 256, 64, 2
    BYTES = (M + N) * STEP * 2

    @T.prim_func
    def multicast_kernel(A: T.Buffer((CTAS * M, K), "float16"), B: T.Buffer((N, K), "float16"), C: T.Buffer((CTAS * M, N), "float32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([CTAS])
        T.cta_id([CTAS])
        wg = T.warpgroup_id([2])
        tid = T.thread_id_in_wg([128])
        pool = T.SMEMPool()
        a = pool.alloc_tcgen05_mma_AB((STAGES, M, STEP), "float16")
        b = pool.alloc_tcgen05_mma_AB((STAGES, N, STEP), "float16")
        full = pool.alloc((STAGES,), "uint64")
        empty = pool.alloc((STAGES,), "uint64")
        pool.commit()
        if wg == 0:
            if tid == 0:
                for s in T.unroll(STAGES):
                    T.ptx.mbarrier.init(full.ptr_to([s]), 1)
                    T.ptx.mbarrier.init(empty.ptr_to([s]), 1 if kind == "own arrivals" else CTAS)
                T.ptx.fence.mbarrier_init()
        if kind == "no cluster barrier":
            T.cuda.cta_sync()
        else:
            T.cuda.cluster_sync()
        if wg == 1:
            if tid == 0:
                for step in T.serial(K // STEP):
                    T.ptx.mbarrier.try_wait(empty.ptr_to([step % STAGES]), (step // STAGES + 1) % 2)
                    T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([step % STAGES]), BYTES // 2 if kind == "own half" else BYTES)
                    k = T.meta_var(step * STEP)
                    half = T.meta_var(rank * (N // 2))
                    Tx.copy_async(a[step % STAGES], A[rank * M : rank * M + M, k : k + STEP], dispatch="tma_auto", mbar=full.ptr_to([step % STAGES]))
                    Tx.copy_async(b[step % STAGES, half : half + N // 2, :], B[half : half + N // 2, k : k + STEP], dispatch="tma_auto", mbar=full.ptr_to([step % STAGES]), cta_mask=1 if kind == "mask" else 3)
        else:
            sums = T.alloc_buffer((M, N), "float32", scope="local", layout=wgmma_accumulator_layout(N))
            for step in T.serial(K // STEP):
                T.ptx.mbarrier.try_wait(full.ptr_to([step % STAGES]), step % 2 if kind == "parity" else step // STAGES % 2)
                Tx.wg.gemm_async(sums, a[step % STAGES], b[step % STAGES], accum=step > 0)
                T.ptx.wgmma.commit_group()
                T.ptx.wgmma.wait_group(0)
                if tid == 0:
                    if kind == "arrives at home":
                        T.ptx.mbarrier.arrive(empty.ptr_to([step % STAGES]))
                    else:
                        for other in T.unroll(CTAS):
                            T.ptx.mbarrier.arrive(empty.ptr_to([step % STAGES]), remote=other)
            Tx.wg.copy(C[rank * M : rank * M + M, :], sums)
        if kind != "leaves":
            T.cuda.cluster_sync()

    return multicast_kernel


# Warps hand tiles on by named barriers: two fill, two read.
def named(kind):
    N, STEPS = 64, 5

    @T.prim_func
    def named_kernel(A: T.Buffer((STEPS, N), "float32"), B: T.Buffer((STEPS, N), "float32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([4])
        tid = T.thread_id([128])
        s = T.alloc_shared((2, N), "float32")
        if warp < 2:
            for step in T.serial(STEPS):
                if step >= 2:
                    if kind != "does not wait":
                        T.ptx.bar.sync(3 + step % 2, 128)
                s[step % 2, tid] = A[step, tid] + T.float32(1)
                if kind != "not announced":
                    T.ptx.bar.arrive(1 + step % 2, 96 if kind == "count" else 128)
        else:
            for step in T.serial(STEPS):
                T.ptx.bar.sync(1 if kind == "one name" else 1 + step % 2, 96 if kind == "count" else 128)
                B[step, tid - 64] = s[step % 2, 127 - tid]
                if step + 2 < STEPS:
                    T.ptx.bar.arrive(3 + step % 2, 128)

    return named_kernel
