# tilewright: arch sm_90a
# The whole grid is tried where that fits the budget; else its first, middle and last CTA and neighbours along each axis,
# and it is said which, unless their addresses show that the others do the same (other_ctas.py).
# verdict last(100, 1, 1): TW5020 at `B[row, tid] = A[`
# verdict last(100, 1, 0): clean
# verdict last(2000, 20000, 1): TW5020 at `B[row, tid] = A[`
# verdict unchecked last(100, 1, 0): nothing
# verdict unchecked last(2000, 20000, 0): nothing
# verdict middle(1000, 1): TW5020 at `B[row, tid] = A[`
# verdict middle(1000, 0): clean
# verdict unchecked planes(1, 1): nothing
# verdict unchecked planes(40000, 0): nothing
# verdict unchecked planes(40000, 1): only CTA (0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (7, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 2), (6, 5, 3) and (7, 5, 3) of 8 x 6 x 4 were tried
# verdict along(1): TW5020 at `B[row, tid] = A[row`
# verdict along(30000): TW5020 at `B[row, tid] = A[`
# verdict unchecked clusters(1, 1): nothing
# verdict unchecked clusters(80000, 0): nothing
# verdict unchecked clusters(80000, 1): only the clusters of CTA 0, 2, 4, 6, 64, 124 and 126 of 128 were tried
# verdict unchecked scaled(40): nothing
# verdict chain(12): clean
# verdict unchecked chain(12): nothing
# verdict long(200000): clean
# verdict unchecked long(200000): nothing
# verdict wrong_at_the_end(200000): TW5020 at `B[tid] = s[63 - tid]`
from tvm.script import tirx as T


def last(n, rounds, off):
    @T.prim_func
    def k(A: T.Buffer((n, 64), "float32"), B: T.Buffer((n, 64), "float32"), C: T.Buffer((n, 64), "float32")):
        T.device_entry()
        cta = T.cta_id([n])
        tid = T.thread_id([64])
        row: T.let = T.min(cta, n - 1 - off)
        x: T.float32 = 0.0
        for i in T.serial(rounds):
            x = x * T.float32(0.5) + T.float32(1)
        C[cta, tid] = x
        B[row, tid] = A[cta, tid]

    return k


def middle(n, off):
    @T.prim_func
    def k(A: T.Buffer((n, 64), "float32"), B: T.Buffer((n, 64), "float32")):
        T.device_entry()
        cta = T.cta_id([n])
        tid = T.thread_id([64])
        row: T.let = T.if_then_else(cta == 701, 701 + off, cta)
        B[row, tid] = A[cta, tid]

    return k


def planes(rounds, counts):
    @T.prim_func
    def k(B: T.Buffer((8, 6, 4, 64), "float32"), count: T.Buffer((1,), "int32")):
        T.device_entry()
        bx, by, bz = T.cta_id([8, 6, 4])
        tid = T.thread_id([64])
        x: T.float32 = 0.0
        for i in T.serial(rounds):
            x = x * T.float32(0.5) + T.float32(1)
        B[bx, by, bz, tid] = x
        if T.meta_var(counts == 1):
            T.cuda.atomic_add(count.ptr_to([0]), 1)

    return k


def along(rounds):
    @T.prim_func
    def k(A: T.Buffer((8, 64), "float32"), B: T.Buffer((8, 64), "float32"), C: T.Buffer((4, 8, 64), "float32")):
        T.device_entry()
        row, by, bz = T.cta_id([8, 1, 4])
        tid = T.thread_id([64])
        x: T.float32 = 0.0
        for i in T.serial(rounds):
            x = x * T.float32(0.5) + T.float32(1)
        C[bz, row, tid] = x
        B[row, tid] = A[row, tid] + T.cast(bz, "float32")

    return k


def clusters(rounds, counts):
    @T.prim_func
    def k(B: T.Buffer((128, 64), "float32"), count: T.Buffer((1,), "int32")):
        T.device_entry()
        T.cta_id_in_cluster([2])
        cta = T.cta_id([128])
        tid = T.thread_id([64])
        x: T.float32 = 0.0
        for i in T.serial(rounds):
            x = x * T.float32(0.5) + T.float32(1)
        B[cta, tid] = x
        if T.meta_var(counts == 1):
            T.cuda.atomic_add(count.ptr_to([0]), 1)

    return k


def chain(n):
    @T.prim_func
    def k(A: T.Buffer((n, 64), "float32"), flags: T.Buffer((n,), "int32"), B: T.Buffer((n, 64), "float32")):
        T.device_entry()
        cta = T.cta_id([n])
        tid = T.thread_id([64])
        if cta > 0:
            if tid == 0:
                while T.ptx.ld_acquire(flags.ptr_to([cta - 1]), "int32", "s32") < 1:
                    pass
            T.cuda.cta_sync()
            B[cta, tid] = B[cta - 1, tid] + A[cta, tid]
        else:
            B[cta, tid] = A[cta, tid]
        T.cuda.cta_sync()
        if tid == 0:
            T.cuda.thread_fence()
            T.cuda.atomic_add(flags.ptr_to([cta]), 1)

    return k


def long(rounds):
    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32")
        x: T.float32 = A[tid]
        for i in T.serial(rounds):
            x = x * T.float32(0.5) + T.float32(1)
        s[tid] = x
        T.cuda.cta_sync()
        B[tid] = s[63 - tid]

    return k


def wrong_at_the_end(rounds):
    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32")
        x: T.float32 = A[tid]
        for i in T.serial(rounds):
            x = x * T.float32(0.5) + T.float32(1)
        s[tid] = x
        B[tid] = s[63 - tid]

    return k


def scaled(n):
    @T.prim_func
    def k(A: T.Buffer((n, 64), "float32"), B: T.Buffer((n, 64), "float32"), by: T.int32):
        T.device_entry()
        cta = T.cta_id([n])
        tid = T.thread_id([64])
        B[cta, tid] = A[cta, tid] * T.cast(by, "float32")

    return k
