# tilewright: arch sm_90a
# tilewright: dialect 0.25
"""Kernels of many kinds and sizes that the model of time and the counts of the profile are held against; none of the
model's constants comes from them."""
from tvm.script import tirx as T


def axpy(n, threads, dtype="float32"):
    @T.prim_func
    def kernel(X: T.Buffer((n,), dtype), Y: T.Buffer((n,), dtype)):
        T.device_entry()
        cta = T.cta_id([n // threads])
        t = T.thread_id([threads])
        i: T.let = cta * threads + t
        Y[i] = X[i] * T.cast(2, dtype) + Y[i]

    return kernel


def wide_scale(n, threads):
    """16 bytes a lane."""

    @T.prim_func
    def kernel(X: T.Buffer((n,), "float32"), Y: T.Buffer((n,), "float32")):
        T.device_entry()
        cta = T.cta_id([n // (threads * 4)])
        t = T.thread_id([threads])
        mine = T.alloc_local((4,), "float32")
        i: T.let = (cta * threads + t) * 4
        T.cuda.copy_128b(mine.ptr_to([0]), X.ptr_to([i]))
        for j in T.unroll(4):
            mine[j] = mine[j] * T.float32(3)
        T.cuda.copy_128b(Y.ptr_to([i]), mine.ptr_to([0]))

    return kernel


def transpose(n, row):
    @T.prim_func
    def kernel(A: T.Buffer((n, n), "float32"), B: T.Buffer((n, n), "float32")):
        T.device_entry()
        by, bx = T.cta_id([n // 32, n // 32])
        thread = T.thread_id([1024])
        tile = T.alloc_shared((32, row), "float32")
        x: T.let = thread % 32
        y: T.let = thread // 32
        tile[y, x] = A[by * 32 + y, bx * 32 + x]
        T.cuda.cta_sync()
        B[bx * 32 + y, by * 32 + x] = tile[x, y]

    return kernel


def gather(n, stride):
    @T.prim_func
    def kernel(A: T.Buffer((n,), "float32"), B: T.Buffer((n,), "float32")):
        T.device_entry()
        cta = T.cta_id([n // 256])
        t = T.thread_id([256])
        i: T.let = cta * 256 + t
        B[i] = A[(i * stride) % n]

    return kernel


def stencil(n, threads):
    @T.prim_func
    def kernel(A: T.Buffer((n + 2,), "float32"), B: T.Buffer((n,), "float32")):
        T.device_entry()
        cta = T.cta_id([n // threads])
        t = T.thread_id([threads])
        i: T.let = cta * threads + t
        B[i] = A[i] + A[i + 1] * T.float32(2) + A[i + 2]

    return kernel


def row_sums(rows, columns, threads):
    """A CTA a row: strided sums of threads, then a tree in shared memory."""

    @T.prim_func
    def kernel(A: T.Buffer((rows, columns), "float32"), B: T.Buffer((rows,), "float32")):
        T.device_entry()
        cta = T.cta_id([rows])
        t = T.thread_id([threads])
        part = T.alloc_shared((threads,), "float32")
        total: T.float32 = 0.0
        for i in T.serial(columns // threads):
            total = total + A[cta, i * threads + t]
        part[t] = total
        T.cuda.cta_sync()
        half: T.int32 = threads // 2
        while half > 0:
            if t < half:
                part[t] = part[t] + part[t + half]
            T.cuda.cta_sync()
            half = half // 2
        if t == 0:
            B[cta] = part[0]

    return kernel


def activation(n, rounds):
    """A function of each element, `rounds` times: exponentials and divisions."""

    @T.prim_func
    def kernel(X: T.Buffer((n,), "float32"), Y: T.Buffer((n,), "float32")):
        T.device_entry()
        cta = T.cta_id([n // 256])
        t = T.thread_id([256])
        x: T.float32 = X[cta * 256 + t]
        for r in T.serial(rounds):
            x = x / (T.float32(1) + T.exp(T.float32(0) - x))
        Y[cta * 256 + t] = x

    return kernel


def polynomial(n, terms):
    @T.prim_func
    def kernel(X: T.Buffer((n,), "float32"), Y: T.Buffer((n,), "float32")):
        T.device_entry()
        cta = T.cta_id([n // 256])
        t = T.thread_id([256])
        x: T.float32 = X[cta * 256 + t]
        y: T.float32 = x
        for r in T.serial(terms):
            y = y * x + T.float32(0.5)
        Y[cta * 256 + t] = y

    return kernel


def product(n, pad):
    """A product of matrices of float32, a tile of 16 by 16 a CTA."""

    @T.prim_func
    def kernel(A: T.Buffer((n, n), "float32"), B: T.Buffer((n, n), "float32"), C: T.Buffer((n, n), "float32")):
        T.device_entry()
        by, bx = T.cta_id([n // 16, n // 16])
        thread = T.thread_id([256])
        x: T.let = thread % 16
        y: T.let = thread // 16
        a = T.alloc_shared((16, 16 + pad), "float32")
        b = T.alloc_shared((16, 16 + pad), "float32")
        total: T.float32 = 0.0
        for k in T.serial(n // 16):
            a[y, x] = A[by * 16 + y, k * 16 + x]
            b[y, x] = B[k * 16 + y, bx * 16 + x]
            T.cuda.cta_sync()
            for j in T.unroll(16):
                total = total + a[y, j] * b[j, x]
            T.cuda.cta_sync()
        C[by * 16 + y, bx * 16 + x] = total

    return kernel


def histogram(n, bins):
    @T.prim_func
    def kernel(A: T.Buffer((n,), "int32"), H: T.Buffer((bins,), "int32")):
        T.device_entry()
        cta = T.cta_id([n // 1024])
        t = T.thread_id([256])
        counts = T.alloc_shared((bins,), "int32")
        for i in T.serial((bins + 255) // 256):
            if i * 256 + t < bins:
                counts[i * 256 + t] = 0
        T.cuda.cta_sync()
        for i in T.serial(4):
            value: T.let = A[cta * 1024 + i * 256 + t]
            T.cuda.atomic_add(counts.ptr_to([(value + t) % bins]), T.int32(1))
        T.cuda.cta_sync()
        for i in T.serial((bins + 255) // 256):
            if i * 256 + t < bins:
                T.cuda.atomic_add(H.ptr_to([i * 256 + t]), counts[i * 256 + t])

    return kernel


def banks(stride, rounds):
    """Sums of shared memory whose rows lie `stride` words apart."""

    @T.prim_func
    def kernel(A: T.Buffer((264, 256), "float32"), B: T.Buffer((264, 256), "float32")):
        T.device_entry()
        cta = T.cta_id([264])
        t = T.thread_id([256])
        tile = T.alloc_shared((256 * stride,), "float32")
        tile[t * stride] = A[cta, t]
        T.cuda.cta_sync()
        total: T.float32 = 0.0
        for r in T.serial(rounds):
            total = total + tile[(t + r) % 256 * stride]
        B[cta, t] = total

    return kernel


def column_means(rows, columns):
    @T.prim_func
    def kernel(A: T.Buffer((rows, columns), "float32"), B: T.Buffer((columns,), "float32")):
        T.device_entry()
        cta = T.cta_id([columns // 128])
        t = T.thread_id([128])
        total: T.float32 = 0.0
        for r in T.serial(rows):
            total = total + A[r, cta * 128 + t]
        B[cta * 128 + t] = total / T.float32(rows)

    return kernel


# tilewright: entry axpy(65536, 256)
