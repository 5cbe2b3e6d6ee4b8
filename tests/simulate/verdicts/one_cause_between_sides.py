# tilewright: arch sm_90a
# tilewright: dialect 0.27
# Neighbours of a cluster, a ring between two CTAs, a product whose copies arrive at barriers, tiles that one thread hands
# out: right, and with faults that many findings could tell of.
# verdict neighbours("right"): clean
# verdict neighbours("own barrier"): only TW5020 at `T.ptx["ld.shared::cluster.f32"]`
# verdict neighbours("leaves"): only TW5016 at `T.ptx["ld.shared::cluster.f32"]`
# verdict remote_ring("right"): clean
# verdict remote_ring("not free"): only TW5040 at `T.ptx["st_async.weak`
# verdict remote_ring("half the bytes"): only TW5014 at `T.ptx.mbarrier.init.shared.b64(full`
# verdict remote_ring("not waited"): only TW5021 at `B[r, lane] = ring[s, N - 1 - lane]`
# verdict product("right"): clean
# verdict scheduler("right"): clean
# verdict scheduler("not free"): only TW5020 at `tile: T.int32 = slot[r % 2]`
# verdict scheduler("other slot"): only TW5040 at `T.ptx.mbarrier.arrive.shared.b64(empty.ptr_to(`
from tvm.script import tirx as T

TRY = "mbarrier.try_wait.parity.shared::cta.b64"


def neighbours(kind):
    CTAS, N = 4, 64

    @T.prim_func
    def ne(A: T.Buffer((CTAS * N,), "float32"), B: T.Buffer((CTAS * N,), "float32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([CTAS])
        T.cta_id([CTAS])
        tid = T.thread_id([N])
        s = T.alloc_shared((N,), "float32")
        at: T.uint32
        left: T.float32
        right: T.float32
        s[tid] = A[rank * N + tid]
        if kind == "own barrier":
            T.cuda.cta_sync()
        elif kind == "relaxed":
            T.ptx.barrier.cluster.arrive.relaxed.aligned()
            T.ptx.barrier.cluster.wait.acquire.aligned()
        else:
            T.ptx.barrier.cluster.arrive.release.aligned()
            T.ptx.barrier.cluster.wait.acquire.aligned()
        left = 0.0
        right = 0.0
        if tid > 0:
            left = s[tid - 1]
        elif rank > 0:
            T.ptx["mapa.shared::cluster.u32"](at, T.cuda.cvta_generic_to_shared(s.ptr_to([N - 1])), T.cast(rank - (1 if kind != "two away" else 2), "uint32"))
            T.ptx["ld.shared::cluster.f32"](left, at)
        if tid < N - 1:
            right = s[tid + 1]
        elif rank < (CTAS - 1 if kind != "beyond" else CTAS):
            T.ptx["mapa.shared::cluster.u32"](at, T.cuda.cvta_generic_to_shared(s.ptr_to([0])), T.cast(rank + 1, "uint32"))
            T.ptx["ld.shared::cluster.f32"](right, at)
        if kind != "leaves":
            T.ptx.barrier.cluster.arrive.release.aligned()
            T.ptx.barrier.cluster.wait.acquire.aligned()
        B[rank * N + tid] = left + s[tid] + right

    return ne


def remote_ring(kind):
    ROUNDS, N, STAGES = 6, 32, 2

    @T.prim_func
    def rr(A: T.Buffer((ROUNDS, N), "float32"), B: T.Buffer((ROUNDS, N), "float32")):
        T.device_entry()
        rank = T.cta_id_in_cluster([2])
        T.cta_id([2])
        lane = T.thread_id([N])
        ring = T.alloc_shared((STAGES, N), "float32", align=16)
        full = T.alloc_shared((STAGES,), "uint64")
        empty = T.alloc_shared((STAGES,), "uint64")
        there: T.uint32
        bar_there: T.uint32
        done: T.uint32
        if lane == 0:
            for s in T.unroll(STAGES):
                T.ptx.mbarrier.init.shared.b64(full.ptr_to([s]), 1)
                T.ptx.mbarrier.init.shared.b64(empty.ptr_to([s]), N if kind != "one arrival" else 1)
            T.ptx.fence.mbarrier_init.release.cluster()
        T.ptx.barrier.cluster.arrive.release.aligned()
        T.ptx.barrier.cluster.wait.acquire.aligned()
        for r in T.serial(ROUNDS):
            s: T.let = r % STAGES
            if rank == 0:
                if kind != "not free":
                    done = T.uint32(0)
                    while done == T.uint32(0):
                        T.ptx["mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64"](done, empty.ptr_to([s]), T.cast((r // STAGES + 1) % 2, "uint32"))
                T.ptx["mapa.shared::cluster.u32"](there, T.cuda.cvta_generic_to_shared(ring.ptr_to([s, lane])), T.uint32(1))
                T.ptx["mapa.shared::cluster.u32"](bar_there, T.cuda.cvta_generic_to_shared(full.ptr_to([s])), T.uint32(1))
                T.ptx["st_async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32"](there, A[r, lane], bar_there)
            else:
                if lane == 0:
                    T.ptx.mbarrier.arrive.expect_tx.shared.b64(full.ptr_to([s]), N * (4 if kind != "half the bytes" else 2))
                if kind != "not waited":
                    done = T.uint32(0)
                    while done == T.uint32(0):
                        T.ptx["mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64"](done, full.ptr_to([s]), T.cast(r // STAGES % 2, "uint32"))
                B[r, lane] = ring[s, N - 1 - lane]
                if kind != "never free":
                    T.ptx["mapa.shared::cluster.u32"](bar_there, T.cuda.cvta_generic_to_shared(empty.ptr_to([s])), T.uint32(0))
                    T.ptx["mbarrier.arrive.release.cluster.shared::cluster.b64"](bar_there)
        if kind != "ends":
            T.ptx.barrier.cluster.arrive.release.aligned()
            T.ptx.barrier.cluster.wait.acquire.aligned()

    return rr


def product(kind):
    M, N, K = 16, 8, 64

    @T.prim_func
    def mm(A: T.Buffer((M, K), "float16"), W: T.Buffer((N, K), "float16"), C: T.Buffer((M, N), "float32")):
        T.device_entry()
        T.cta_id([1])
        lane = T.thread_id([32])
        a = T.alloc_shared((2, M, 24), "float16", align=16)
        w = T.alloc_shared((2, N, 24), "float16", align=16)
        full = T.alloc_shared((2,), "uint64")
        fa = T.alloc_local((4,), "uint32")
        fb = T.alloc_local((2,), "uint32")
        c = T.alloc_local((4,), "float32")
        done: T.uint32
        if lane == 0:
            for s in T.unroll(2):
                T.ptx.mbarrier.init.shared.b64(full.ptr_to([s]), 32)
        T.cuda.warp_sync()

        @T.inline
        def fetch(k):
            T.ptx.cp.async_.cg.shared.global_(a.ptr_to([k % 2, lane // 2, lane % 2 * 8]), A.ptr_to([lane // 2, k * 16 + lane % 2 * 8]), 16)
            if lane < (16 if kind != "whole warp" else 32):
                T.ptx.cp.async_.cg.shared.global_(w.ptr_to([k % 2, lane // 2, lane % 2 * 8]), W.ptr_to([lane // 2, k * 16 + lane % 2 * 8]), 16)
            if kind == "counts more":
                T.ptx["cp.async.mbarrier.arrive.shared.b64"](full.ptr_to([k % 2]))
            else:
                T.ptx["cp.async.mbarrier.arrive.noinc.shared.b64"](full.ptr_to([k % 2]))

        for i in T.unroll(4):
            c[i] = 0.0
        fetch(0)
        for k in T.unroll(K // 16):
            if k + 1 < K // 16:
                fetch(k + 1)
            if kind != "not waited":
                done = T.uint32(0)
                while done == T.uint32(0):
                    T.ptx[TRY](done, full.ptr_to([k % 2]), T.uint32((k // 2 + (1 if kind == "parity" else 0)) % 2))
            T.ptx.ldmatrix.sync.aligned.m8n8.x4.shared.b16(fa[0], fa[1], fa[2], fa[3], a.ptr_to([k % 2, lane % 16, lane // 16 * 8]))
            T.ptx.ldmatrix.sync.aligned.m8n8.x2.shared.b16(fb[0], fb[1], w.ptr_to([k % 2, lane % 8, lane // 8 % 2 * 8]))
            T.ptx.mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32(c[0], c[1], c[2], c[3], fa[0], fa[1], fa[2], fa[3], fb[0], fb[1], c[0], c[1], c[2], c[3])
            if kind != "slot":
                T.cuda.warp_sync()
        for h in T.unroll(2):
            for j in T.unroll(2):
                C[lane // 4 + h * 8, lane % 4 * 2 + j] = c[h * 2 + j]

    return mm


def scheduler(kind):
    TILES, N = 7, 64

    # tilewright: run sc Next=zeros
    @T.prim_func
    def sc(A: T.Buffer((TILES, N), "float32"), B: T.Buffer((TILES, N), "float32"), Next: T.Buffer((1,), "uint32")):
        T.device_entry()
        T.cta_id([2])
        warp = T.warp_id([3])
        lane = T.lane_id([32])
        T.thread_id([96])
        slot = T.alloc_shared((2,), "int32")
        full = T.alloc_shared((2,), "uint64")
        empty = T.alloc_shared((2,), "uint64")
        done: T.uint32
        ticket: T.uint32
        if warp == 0 and lane == 0:
            for s in T.unroll(2):
                T.ptx.mbarrier.init.shared.b64(full.ptr_to([s]), 1)
                T.ptx.mbarrier.init.shared.b64(empty.ptr_to([s]), 64)
        T.cuda.cta_sync()
        go: T.int32 = 1
        r: T.int32 = 0
        if warp == 2:
            if lane == 0:
                while go == 1:
                    if kind != "not free":
                        done = T.uint32(0)
                        while done == T.uint32(0):
                            T.ptx[TRY](done, empty.ptr_to([r % 2]), T.cast((r // 2 + 1) % 2, "uint32"))
                    T.ptx["atom.relaxed.gpu.global.add.u32"](ticket, Next.ptr_to([0]), T.uint32(1))
                    slot[r % 2] = T.cast(ticket, "int32")
                    if kind != "never full":
                        T.ptx.mbarrier.arrive.shared.b64(full.ptr_to([r % 2]))
                    if T.cast(ticket, "int32") >= TILES:
                        go = 0
                    r = r + 1
        else:
            while go == 1:
                done = T.uint32(0)
                while done == T.uint32(0):
                    T.ptx[TRY](done, full.ptr_to([r % 2]), T.cast(r // 2 % 2, "uint32"))
                tile: T.int32 = slot[r % 2]
                if kind == "released first":
                    T.ptx.mbarrier.arrive.shared.b64(empty.ptr_to([r % 2]))
                if tile < TILES + (1 if kind == "one more" else 0):
                    B[tile, warp * 32 + lane] = A[tile, warp * 32 + lane] * 2.0
                else:
                    go = 0
                if kind != "released first":
                    T.ptx.mbarrier.arrive.shared.b64(empty.ptr_to([r % 2 if kind != "other slot" else 0]))
                r = r + 1

    return sc
