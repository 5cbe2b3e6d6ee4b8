# tilewright: arch sm_90a
# tilewright: dialect 0.25
# One fault, one finding: what follows from it stands beside it as a related place. And two faults stay two.
# verdict tiles("right"): clean
# verdict tiles("not fetched"): only TW5020 at `at: T.int32 = tile[0]`
# verdict tiles("not read"): only TW5020 at `at: T.int32 = tile[0]`
# verdict tiles("barrier in a branch"): only TW5005 at `T.cuda.cta_sync()  # of a part`
# verdict sort("right"): clean
# verdict sort("one too far"): only TW5001 at `b: T.float32 = s[hi]`
# verdict sort("barrier in a branch"): only TW5005 at `T.cuda.cta_sync()  # in a branch`
# verdict counts("right"): clean
# verdict counts("not cleared"): only TW5002 at `T.cuda.atomic_add(own`
# verdict counts("plain sum"): only TW5020 at `H[tid] = H[tid] + own[tid]`
# verdict gather("right"): clean
# verdict gather("not waited"): only TW5021 at `Y[p, tid] = rows[slot, tid]`
# verdict gather("not initialised in time"): only TW5020 at `T.ptx.mbarrier.try_wait(empty`
# verdict scaled("right"): clean
# verdict scaled("no fence"): only TW5022 at `Tx.copy_async(Y[row`
# verdict scaled("not waited"): only TW5021 at `s[j, tid] = s[j, tid] * T.float16(2)`
# verdict pages("right"): clean
# verdict pages("one group too late"): only TW5021 at `s = s + q[d] * kt[`
# verdict pages("no barrier"): only TW5020 at `s = s + q[d] * kt[`
# verdict lookback("right"): clean
# verdict lookback("relaxed"): only TW5020 at `T.cuda.atomic_add(Flag.ptr_to([cta]), 1)`
# verdict rows("right"): clean
# verdict rows("a row too far"): only TW5001 at `X[row, tid]`
# verdict two("right"): clean
# verdict two("both"): TW5021 at `B[0, tid] = a[127 - tid]`
# verdict two("both"): TW5002 at `B[1, tid] = b[tid]`
# verdict ring("right"): clean
# verdict ring("read too short"): only TW5018 at `Tx.copy_async(row[i % 2, :]`
# verdict ring("and another row"): TW5018 at `Tx.copy_async(row[i % 2, :]`
# verdict ring("and another row"): TW5002 at `B[8, tid] = last[tid]`
# verdict ring("filled too short"): only TW5004 at `T.ptx.mbarrier.try_wait(full.ptr_to([i % 2]), i // 2 % 2)`
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout


# Tiles that one thread fetches for all: its number decides how often each thread comes to the barriers.
def tiles(kind):
    TILES = 6

    # tilewright: run tiles_kernel Next=zeros
    @T.prim_func
    def tiles_kernel(A: T.Buffer((TILES, 64), "float32"), B: T.Buffer((TILES, 64), "float32"), Next: T.Buffer((1,), "int32")):
        T.device_entry()
        T.cta_id([2])
        tid = T.thread_id([64])
        tile = T.alloc_shared((1,), "int32")
        go: T.int32 = 1
        while go == 1:
            if tid == 0:
                tile[0] = T.cuda.atomic_add(Next.ptr_to([0]), 1)
            if kind != "not fetched":
                T.cuda.cta_sync()
            at: T.int32 = tile[0]
            if kind != "not read":
                T.cuda.cta_sync()
            if at < TILES:
                if kind == "barrier in a branch":
                    if tid < 32:
                        T.cuda.cta_sync()  # of a part
                B[at, tid] = A[at, tid] + 1.0
            else:
                go = 0

    return tiles_kernel


def sort(kind):
    N = 64

    @T.prim_func
    def sort_kernel(A: T.Buffer((2, N), "float32"), B: T.Buffer((2, N), "float32")):
        T.device_entry()
        row = T.cta_id([2])
        tid = T.thread_id([N])
        s = T.alloc_shared((N,), "float32")
        s[tid] = A[row, tid]
        T.cuda.cta_sync()
        for k_log in T.serial(1, 7):
            for j_up in T.serial(k_log):
                j: T.let = T.int32(1) << (k_log - 1 - j_up)
                lo: T.let = (tid // j) * (2 * j) + tid % j
                hi: T.let = lo + j + (1 if kind == "one too far" else 0)
                up: T.let = (lo & (T.int32(1) << k_log)) == 0
                if tid < N // 2:
                    a: T.float32 = s[lo]
                    b: T.float32 = s[hi]
                    if (a > b) == up:
                        s[lo] = b
                        s[hi] = a
                if kind == "barrier in a branch":
                    if lo < 50:
                        T.cuda.cta_sync()  # in a branch
                else:
                    T.cuda.cta_sync()
        B[row, tid] = s[tid]

    return sort_kernel


def counts(kind):
    # tilewright: run counts_kernel H=zeros
    @T.prim_func
    def counts_kernel(A: T.Buffer((2, 128), "int32"), H: T.Buffer((32,), "int32")):
        T.device_entry()
        cta = T.cta_id([2])
        tid = T.thread_id([32])
        own = T.alloc_shared((32,), "int32")
        if kind != "not cleared":
            own[tid] = 0
        T.cuda.cta_sync()
        for i in T.serial(4):
            T.cuda.atomic_add(own.ptr_to([A[cta, i * 32 + tid] & 31]), 1)
        T.cuda.cta_sync()
        if kind == "plain sum":
            H[tid] = H[tid] + own[tid]
        else:
            T.cuda.atomic_add(H.ptr_to([tid]), own[tid])

    return counts_kernel


# Rows by number through a ring of two.
def gather(kind):
    ROWS, D, PICK, STAGES = 32, 64, 8, 2

    @T.prim_func
    def gather_kernel(X: T.Buffer((ROWS, D), "float32"), Y: T.Buffer((PICK, D), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([128])
        rows = T.alloc_shared((STAGES, D), "float32", align=128, layout=TileLayout(S[STAGES, D]))
        full = T.alloc_shared((STAGES,), "uint64", align=8)
        empty = T.alloc_shared((STAGES,), "uint64", align=8)
        if tid == 0:
            for i in T.unroll(STAGES):
                T.ptx.mbarrier.init(full.ptr_to([i]), 1)
                T.ptx.mbarrier.init(empty.ptr_to([i]), 64)
        T.ptx.fence.mbarrier_init()
        if kind != "not initialised in time":
            T.cuda.cta_sync()
        if tid == 96:
            for p in T.serial(PICK):
                slot: T.let = p % STAGES
                T.ptx.mbarrier.try_wait(empty.ptr_to([slot]), (p // STAGES + 1) % 2)
                T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([slot]), D * 4)
                Tx.copy_async(rows[slot : slot + 1, :], X[p * 3 : p * 3 + 1, :], dispatch="tma", mbar=full.ptr_to([slot]))
        elif tid < 64:
            for p in T.serial(PICK):
                slot: T.let = p % STAGES
                if kind != "not waited":
                    T.ptx.mbarrier.try_wait(full.ptr_to([slot]), p // STAGES % 2)
                Y[p, tid] = rows[slot, tid] * 2.0
                T.ptx.mbarrier.arrive(empty.ptr_to([slot]))

    return gather_kernel


def scaled(kind):
    R, C = 16, 128

    @T.prim_func
    def scaled_kernel(X: T.Buffer((4 * R, C), "float16"), Y: T.Buffer((4 * R, C), "float16")):
        T.device_entry()
        cta = T.cta_id([2])
        tid = T.thread_id([128])
        s = T.alloc_shared((R, C), "float16", align=128, layout=TileLayout(S[R, C]))
        bar = T.alloc_shared((1,), "uint64", align=8)
        if tid == 0:
            T.ptx.mbarrier.init(bar.ptr_to([0]), 1)
            T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        for i in T.serial(2):
            row: T.let = (cta * 2 + i) * R
            if tid == 0:
                T.ptx.mbarrier.arrive.expect_tx(bar.ptr_to([0]), R * C * 2)
                Tx.copy_async(s[:, :], X[row : row + R, :], dispatch="tma", mbar=bar.ptr_to([0]))
            if kind != "not waited":
                T.ptx.mbarrier.try_wait(bar.ptr_to([0]), i % 2)
            for j in T.serial(R):
                s[j, tid] = s[j, tid] * T.float16(2)
            if kind != "no fence":
                T.ptx.fence.proxy_async("shared::cta")
            T.cuda.cta_sync()
            if tid == 0:
                Tx.copy_async(Y[row : row + R, :], s[:, :], dispatch="tma")
                T.ptx.cp_async.bulk.commit_group()
                T.ptx.cp_async.bulk.wait_group(0)
            T.cuda.cta_sync()

    return scaled_kernel


# Keys and values arrive in one group.
def pages(kind):
    PAGE, D, STEPS = 16, 64, 4

    @T.prim_func
    def pages_kernel(Q: T.Buffer((D,), "float32"), K: T.Buffer((STEPS, PAGE, D), "float32"), V: T.Buffer((STEPS, PAGE, D), "float32"),
                     O: T.Buffer((D,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        kt = T.alloc_shared((2, PAGE, D), "float32", align=128)
        vt = T.alloc_shared((2, PAGE, D), "float32", align=128)
        score = T.alloc_shared((PAGE,), "float32")
        q = T.alloc_shared((D,), "float32")
        q[tid] = Q[tid]

        @T.inline
        def load(step):
            Tx.cta.copy_async(kt[step % 2, :, :], K[step, :, :], dispatch="ldgsts")
            Tx.cta.copy_async(vt[step % 2, :, :], V[step, :, :], dispatch="ldgsts")

        load(0)
        T.ptx.cp_async.commit_group()
        acc: T.float32 = 0.0
        for step in T.serial(STEPS):
            if step + 1 < STEPS:
                load(step + 1)
            T.ptx.cp_async.commit_group()
            T.ptx.cp_async.wait_group(2 if kind == "one group too late" else 1)
            if kind != "no barrier":
                T.cuda.cta_sync()
            if tid < PAGE:
                s: T.float32 = 0.0
                for d in T.serial(D):
                    s = s + q[d] * kt[step % 2, tid, d]
                score[tid] = s
            T.cuda.cta_sync()
            for j in T.serial(PAGE):
                acc = acc + score[j] * vt[step % 2, j, tid]
            T.cuda.cta_sync()
        O[tid] = acc

    return pages_kernel


def lookback(kind):
    N, PART = 256, 64

    # tilewright: run lookback_kernel Flag=zeros
    @T.prim_func
    def lookback_kernel(A: T.Buffer((N,), "int32"), P: T.Buffer((N // PART,), "int32"), Flag: T.Buffer((N // PART,), "int32")):
        T.device_entry()
        cta = T.cta_id([N // PART])
        T.thread_id([1])
        total: T.int32 = 0
        for i in T.serial(PART):
            total = total + A[cta * PART + i]
        if cta > 0:
            if kind == "relaxed":
                while T.ptx.ld(Flag.ptr_to([cta - 1]), "int32", "s32", space="global") == 0:
                    T.evaluate(0)
            else:
                while T.ptx.ld_acquire(Flag.ptr_to([cta - 1]), "int32", "s32") == 0:
                    T.evaluate(0)
            total = total + P[cta - 1]
        P[cta] = total
        T.cuda.thread_fence()
        T.cuda.atomic_add(Flag.ptr_to([cta]), 1)

    return lookback_kernel


# The same index in three lines.
def rows(kind):
    R, C = 16, 64

    @T.prim_func
    def rows_kernel(X: T.Buffer((R, C), "float32"), D: T.Buffer((R, C), "float32"), M: T.Buffer((R,), "float32"), Y: T.Buffer((R, C), "float32")):
        T.device_entry()
        cta = T.cta_id([4])
        tid = T.thread_id([C])
        for r in T.serial(4):
            row: T.let = cta * 4 + r + (1 if kind == "a row too far" else 0)
            x: T.float32 = X[row, tid]
            d: T.float32 = D[row, tid]
            Y[row, tid] = x * d + M[row]

    return rows_kernel


# A wait that is missing, and elsewhere a buffer that is not written.
def two(kind):
    @T.prim_func
    def two_kernel(A: T.Buffer((128,), "float32"), B: T.Buffer((2, 128), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([128])
        a = T.alloc_shared((128,), "float32", align=16)
        b = T.alloc_shared((128,), "float32")
        Tx.cta.copy_async(a[:], A[:], dispatch="ldgsts")
        T.ptx.cp_async.commit_group()
        if kind == "right":
            T.ptx.cp_async.wait_group(0)
            b[tid] = 1.0
        T.cuda.cta_sync()
        B[0, tid] = a[127 - tid]
        B[1, tid] = b[tid]

    return two_kernel


# A ring whose two loops differ in length, and what the shorter one does not write.
def ring(kind):
    FILLED, READ = (7 if kind == "filled too short" else 8), (7 if kind in ("read too short", "and another row") else 8)

    @T.prim_func
    def ring_kernel(A: T.Buffer((8, 128), "float16"), B: T.Buffer((9, 128), "float16")):
        T.device_entry()
        T.cta_id([1])
        wg = T.warpgroup_id([2])
        tid = T.thread_id([256])
        row = T.alloc_shared((2, 128), "float16", align=128)
        out = T.alloc_shared((8, 128), "float16")
        last = T.alloc_shared((128,), "float16")
        full = T.alloc_shared((2,), "uint64")
        empty = T.alloc_shared((2,), "uint64")
        if tid == 0:
            for s in range(2):
                T.ptx.mbarrier.init(full.ptr_to([s]), 1)
                T.ptx.mbarrier.init(empty.ptr_to([s]), 128)
            T.ptx.fence.mbarrier_init()
        T.cuda.cta_sync()
        if tid == 128:
            for i in T.serial(FILLED):
                T.ptx.mbarrier.try_wait(empty.ptr_to([i % 2]), (i // 2 + 1) % 2)
                T.ptx.mbarrier.arrive.expect_tx(full.ptr_to([i % 2]), 256)
                Tx.copy_async(row[i % 2, :], A[i, :], dispatch="tma", mbar=full.ptr_to([i % 2]))
        if wg == 0:
            if kind != "and another row":
                last[tid] = T.float16(0)
            for i in T.serial(READ):
                T.ptx.mbarrier.try_wait(full.ptr_to([i % 2]), i // 2 % 2)
                out[i, tid] = row[i % 2, tid]
                T.ptx.mbarrier.arrive(empty.ptr_to([i % 2]))
        T.cuda.cta_sync()
        if wg == 0:
            for i in T.serial(8):
                B[i, tid] = out[i, 127 - tid]
            B[8, tid] = last[tid]

    return ring_kernel
