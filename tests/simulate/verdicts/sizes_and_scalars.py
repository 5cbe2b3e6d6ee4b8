# tilewright: arch sm_90a
# Scalars get values that lead no access out of its tensor, extents also sizes at which the last block is not full.
# verdict scalar(8): clean
# verdict scalar(3): clean
# verdict trips(True): clean
# verdict trips(False): TW5022 at `T.ptx.cp_async_bulk_s2g`
# verdict tail("guarded"): clean
# verdict tail("parted"): TW5005 at `T.cuda.cta_sync()`
# verdict tail("outside"): warning TW5001 at `s[tid] = A[i]`
# verdict never_inside(4): TW5001
# verdict race(True): clean
# verdict race(False): TW5020
# verdict turned(True): clean
# verdict turned(False): warning TW5001 at `B[c, r] = A[r, c]`
# verdict rounds_of_row(True): clean
# verdict rounds_of_row(False): TW5020
from tvm.script import tirx as T


def scalar(rows):
    @T.prim_func
    def k(A: T.Buffer((rows, 64), "float32"), B: T.Buffer((64,), "float32"), layer: T.int32):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        B[tid] = A[layer, tid]

    return k


def never_inside(rows):
    @T.prim_func
    def k(A: T.Buffer((rows, 64), "float32"), B: T.Buffer((64,), "float32"), layer: T.int32):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        B[tid] = A[layer + rows, tid]

    return k


def trips(fenced):
    @T.prim_func
    def k(A: T.Buffer((8, 64), "float32"), B: T.Buffer((64,), "float32"), n: T.int32):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32", align=128)
        s[tid] = T.float32(0)
        if fenced:
            T.ptx.fence.proxy_async("shared::cta")
        for i in T.serial(n):
            s[tid] = s[tid] + A[i, tid]
            T.ptx.fence.proxy_async("shared::cta")
        T.cuda.cta_sync()
        if tid == 0:
            T.ptx.cp_async_bulk_s2g(B.ptr_to([0]), s.ptr_to([0]), 256)
            T.ptx.cp_async.bulk.commit_group()
            T.ptx.cp_async.bulk.wait_group(0)

    return k


def tail(kind):
    @T.prim_func
    def k(a: T.handle, b: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        T.device_entry()
        bx = T.cta_id([(n + 63) // 64])
        tid = T.thread_id([64])
        i: T.let = bx * 64 + tid
        s = T.alloc_shared((64,), "float32")
        if kind == "parted":
            if i < n:
                s[tid] = A[i]
                T.cuda.cta_sync()
                B[i] = s[tid]
        elif kind == "guarded":
            if i < n:
                s[tid] = A[i]
            T.cuda.cta_sync()
            if i < n:
                B[i] = s[tid]
        else:
            s[tid] = A[i]
            T.cuda.cta_sync()
            B[i] = s[tid]

    return k


def race(synced):
    @T.prim_func
    def k(a: T.handle, b: T.handle):
        n = T.int32()
        A = T.match_buffer(a, (n,), "float32")
        B = T.match_buffer(b, (n,), "float32")
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32")
        for i in T.serial((n + 63) // 64):
            if i * 64 + tid < n:
                s[tid] = A[i * 64 + tid]
            T.cuda.cta_sync()
            if i * 64 + 63 - tid < n:
                B[i * 64 + 63 - tid] = s[63 - tid]
            if synced or n % 64 == 0:
                T.cuda.cta_sync()

    return k


def turned(guarded):
    """Two extents that are equal only by chance."""

    @T.prim_func
    def k(A_ptr: T.handle, B_ptr: T.handle):
        m = T.int32()
        n = T.int32()
        A = T.match_buffer(A_ptr, (m, n), "float32")
        B = T.match_buffer(B_ptr, (n, m), "float32")
        T.device_entry()
        bx, by = T.cta_id([T.ceildiv(m, 16), T.ceildiv(n, 16)])
        tx, ty = T.thread_id([16, 16])
        r: T.let = bx * 16 + tx
        c: T.let = by * 16 + ty
        rows = T.meta_var(m if guarded else n)
        columns = T.meta_var(n if guarded else m)
        if r < rows and c < columns:
            B[c, r] = A[r, c]

    return k


def rounds_of_row(synced):
    """One row, and many rounds over it."""

    @T.prim_func
    def k(A: T.Buffer((1, 64), "int32"), B: T.Buffer((1, 64), "int32"), rounds: T.int32, rows: T.int32):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "int32")
        for row in T.serial(rows):
            v: T.int32 = A[row, tid]
            for i in T.serial(rounds):
                s[tid] = v
                T.cuda.cta_sync()
                v = v + s[63 - tid]
                if synced:
                    T.cuda.cta_sync()
            B[row, tid] = v

    return k
