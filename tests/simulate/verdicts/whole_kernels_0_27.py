# tilewright: arch sm_90a
# tilewright: dialect 0.27
# Whole kernels in the words of 0.27, each right and with one fault: a ring of an odd number of stages, a transpose by ldmatrix, a
# product in float8 with scales, sums that leave by bulk reductions, sums that CTAs of a cluster send to one.
# verdict ring("right", 3): clean
# verdict ring("right", 5): clean
# verdict ring("right", 1): clean
# verdict ring("parity of the step", 3): TW5040
# verdict ring("parity of the step", 1): clean
# verdict ring("not armed", 3): TW5004
# verdict ring("armed twice", 3): TW5013
# verdict ring("bytes of a half", 3): TW5004
# verdict ring("no barrier behind the use", 3): TW5021
# verdict ring("one step too many", 3): TW5001
# verdict ring("misaligned", 3): TW5003
# verdict ldmatrix("right"): clean
# verdict ldmatrix("no barrier"): TW5020
# verdict ldmatrix("stride"): TW5003
# verdict ldmatrix("half written"): TW5002
# verdict ldmatrix("rows beyond"): TW5001
# verdict float8("right"): clean
# verdict float8("sums not cleared"): TW5002
# verdict float8("scale by another thread"): TW5020
# verdict float8("type"): TW2111
# verdict bulk_sums("right"): clean
# verdict bulk_sums("no fence"): TW5022
# verdict bulk_sums("no barrier"): TW5020
# verdict bulk_sums("not waited"): TW5018
# verdict bulk_sums("written over"): TW5021
# verdict sent("right"): clean
# verdict sent("no wait"): TW5020
# verdict sent("one short"): TW5004
# verdict sent("no first"): TW5020 at `mbarrier.try_wait.parity`
# verdict sent("leaves"): clean
from tvm.script import tirx as T


# Tiles by bulk copies through a ring.
def ring(kind, STAGES):
    STEPS, N = 7, 64

    @T.prim_func
    def ring_kernel(A: T.Buffer((STEPS * N + 4,), "float32"), B: T.Buffer((STEPS, N), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([N])
        tiles = T.alloc_shared((STAGES, N), "float32", align=128)
        full = T.alloc_shared((STAGES,), "uint64", align=8)
        done: T.uint32
        if tid == 0:
            for s in T.unroll(STAGES):
                T.ptx.mbarrier.init.shared.b64(full.ptr_to([s]), 1)
            T.ptx.fence.mbarrier_init.release.cluster()
        T.ptx.bar.sync(0)

        @T.inline
        def load(step):
            if tid == 0:
                if kind != "not armed" or step != 4:
                    T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([step % STAGES]), N * 4)
                if kind == "armed twice":
                    T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([step % STAGES]), 0)
                size = T.meta_var(N * 2 if kind == "bytes of a half" else N * 4)
                first = T.meta_var(step * N + (2 if kind == "misaligned" else 0))
                T.ptx["cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"](
                    tiles.ptr_to([step % STAGES, 0]), A.ptr_to([first]), size, full.ptr_to([step % STAGES]))

        for s in T.unroll(STAGES):
            load(s)
        for step in T.serial(STEPS):
            done = T.uint32(0)
            while done == T.uint32(0):
                if kind == "parity of the step":
                    T.ptx.mbarrier.try_wait.parity.shared.b64(done, full.ptr_to([step % STAGES]), T.cast(step % 2, "uint32"))
                else:
                    T.ptx.mbarrier.try_wait.parity.shared.b64(done, full.ptr_to([step % STAGES]), T.cast(step // STAGES % 2, "uint32"))
            B[step, tid] = tiles[step % STAGES, N - 1 - tid]
            if kind != "no barrier behind the use":
                T.ptx.bar.sync(0)
            if step + STAGES < (STEPS + 1 if kind == "one step too many" else STEPS):
                load(step + STAGES)

    return ring_kernel


# A tile of 8 x 8 halves, read by its columns.
def ldmatrix(kind):
    @T.prim_func
    def ldmatrix_kernel(A: T.Buffer((8, 8), "float16"), B: T.Buffer((32,), "uint32")):
        T.device_entry()
        T.cta_id([1])
        warp = T.warp_id([2])
        lane = T.lane_id([32])
        s = T.alloc_shared((8, 9 if kind == "stride" else 8), "float16", align=16)
        x: T.uint32
        if warp == 1:
            if lane < (4 if kind == "half written" else 8):
                for c in T.unroll(8):
                    s[lane, c] = A[lane, c]
        if kind != "no barrier":
            T.ptx.bar.sync(0)
        if warp == 0:
            row = T.meta_var(lane % 16 if kind == "rows beyond" else lane % 8)
            if kind == "rows beyond":
                T.ptx["ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16"](x, s.ptr_to([lane % 8 + 1, 0]))
            else:
                T.ptx["ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16"](x, s.ptr_to([row, 0]))
            B[lane] = x

    return ldmatrix_kernel


# 16 x 8 x 32 in float8, a scale a row and a column.
def float8(kind):
    @T.prim_func
    def float8_kernel(A: T.Buffer((32, 4), "uint32"), B: T.Buffer((32, 2), "uint32"), SA: T.Buffer((16,), "float32"),
                      C: T.Buffer((32, 4), "float32")):
        T.device_entry()
        T.cta_id([1])
        T.warp_id([1])
        lane = T.lane_id([32])
        d = T.alloc_local((4,), "float32")
        scales = T.alloc_shared((16,), "float32")
        if lane < 16:
            scales[lane] = SA[lane] * T.float32(0.5)
        if kind != "scale by another thread":
            T.cuda.warp_sync()
        if kind != "sums not cleared":
            for i in T.unroll(4):
                d[i] = T.float32(0)
        if kind == "type":
            T.ptx["mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e4m3.f32"](
                d[0], d[1], d[2], d[3], A[lane, 0], A[lane, 1], A[lane, 2], A[lane, 3], B[lane, 0], B[lane, 1], d[0], d[1], d[2], d[3])
        else:
            T.ptx["mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"](
                d[0], d[1], d[2], d[3], A[lane, 0], A[lane, 1], A[lane, 2], A[lane, 3], B[lane, 0], B[lane, 1], d[0], d[1], d[2], d[3])
        for i in T.unroll(4):
            C[lane, i] = d[i] * scales[lane // 4 + i // 2 * 8]

    return float8_kernel


# Sums of a CTA leave by a bulk reduction.
def bulk_sums(kind):
    N = 64

    # tilewright: run bulk_sums_kernel S=zeros
    @T.prim_func
    def bulk_sums_kernel(A: T.Buffer((4, N), "float32"), S: T.Buffer((N,), "float32")):
        T.device_entry()
        cta = T.cta_id([2])
        tid = T.thread_id([N])
        s = T.alloc_shared((N,), "float32", align=128)
        for i in T.unroll(2):
            s[tid] = A[cta * 2 + i, tid]
            if kind != "no fence":
                T.ptx.fence.proxy.async_.shared__cta()
            if kind != "no barrier":
                T.ptx.bar.sync(0)
            if tid == 0:
                T.ptx["cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32"](S.ptr_to([0]), s.ptr_to([0]), N * 4)
                T.ptx.cp.async_.bulk.commit_group()
                if kind != "written over" and kind != "not waited":
                    T.ptx.cp.async_.bulk.wait_group.read(0)
                elif kind == "not waited" and i == 0:
                    T.ptx.cp.async_.bulk.wait_group.read(0)
            T.ptx.bar.sync(0)
        if tid == 0:
            if kind == "written over":
                T.ptx.cp.async_.bulk.wait_group(0)

    return bulk_sums_kernel


# Each CTA of a cluster stores its sum at the first one and arrives there.
def sent(kind):
    CTAS = 4

    @T.prim_func
    def sent_kernel(A: T.Buffer((CTAS, 32), "float32"), B: T.Buffer((1,), "float32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([CTAS])
        T.cta_id([CTAS])
        lane = T.thread_id([32])
        parts = T.alloc_shared((CTAS,), "float32")
        bar = T.alloc_shared((1,), "uint64", align=8)
        there: T.uint32
        bar_there: T.uint32
        done: T.uint32
        if lane == 0:
            T.ptx.mbarrier.init.shared.b64(bar.ptr_to([0]), CTAS + 1 if kind == "one short" else CTAS)
            T.ptx.fence.mbarrier_init.release.cluster()
        if kind != "no first":
            T.ptx.barrier.cluster.arrive.release.aligned()
            T.ptx.barrier.cluster.wait.acquire.aligned()
        v: T.float32 = A[rank, lane]
        for j in T.unroll(5):
            v = v + T.tvm_warp_shuffle_xor(T.uint32(0xFFFFFFFF), v, 1 << j, 32, 32)
        if lane == 0:
            T.ptx["mapa.shared::cluster.u32"](there, T.cuda.cvta_generic_to_shared(parts.ptr_to([rank])), 0)
            T.ptx["mapa.shared::cluster.u32"](bar_there, T.cuda.cvta_generic_to_shared(bar.ptr_to([0])), 0)
            T.ptx["st.shared::cluster.f32"](there, v)
            T.ptx["mbarrier.arrive.release.cluster.shared::cluster.b64"](bar_there)
        if rank == 0:
            if kind != "no wait":
                done = T.uint32(0)
                while done == T.uint32(0):
                    T.ptx["mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64"](done, bar.ptr_to([0]), 0)
            if lane == 0:
                B[0] = parts[0] + parts[1] + parts[2] + parts[3]
        if kind != "leaves":
            T.ptx.barrier.cluster.arrive.release.aligned()
            T.ptx.barrier.cluster.wait.acquire.aligned()

    return sent_kernel
