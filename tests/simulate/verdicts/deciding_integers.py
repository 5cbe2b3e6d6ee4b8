# tilewright: arch sm_90a
# Integers that are indices, sizes or conditions are tried as zeros and as numbers that differ, as large as every access
# stays inside.
# verdict scatter(64): clean
# verdict histogram(16): warning TW5020 at `B[I[tid]] = B[I[tid]] + 1`
# verdict histogram(64): clean
# verdict histogram_of_part(64): TW5001 at `counts[tid] = 0`
# verdict gather(64, True): clean
# verdict gather(64, False): TW5020 at `B[tid] = s[63 - tid]`
# verdict gather(4, True): clean
# verdict gather(4, False): warning TW5020 at `B[tid] = s[63 - tid]`
# verdict rounds(True): clean
# verdict rounds(False): warning TW5020
# verdict parts(True): clean
# verdict parts(False): warning TW5005 at `T.cuda.cta_sync()`
from tvm.script import tirx as T


def scatter(n):
    @T.prim_func
    def k(A: T.Buffer((n,), "float32"), I: T.Buffer((n,), "int32"), B: T.Buffer((n,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([n])
        B[I[tid]] = A[tid]

    return k


def histogram(bins):
    @T.prim_func
    def k(I: T.Buffer((64,), "int32"), B: T.Buffer((bins,), "int32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        B[I[tid]] = B[I[tid]] + 1

    return k


def histogram_of_part(bins):
    """More threads than bins: what leaves `counts` does not come from the data."""

    @T.prim_func
    def k(I: T.Buffer((128,), "int32"), B: T.Buffer((bins,), "int32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([128])
        counts = T.alloc_shared((bins,), "int32")
        counts[tid] = 0
        T.cuda.cta_sync()
        T.cuda.atomic_add(counts.ptr_to([I[tid]]), 1)
        T.cuda.cta_sync()
        if tid < bins:
            B[tid] = counts[tid]

    return k


def gather(rows, synced):
    @T.prim_func
    def k(A: T.Buffer((rows,), "float32"), I: T.Buffer((64,), "int32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32")
        s[tid] = A[I[tid]]
        if synced:
            T.cuda.cta_sync()
        B[tid] = s[63 - tid]

    return k


def rounds(synced):
    @T.prim_func
    def k(A: T.Buffer((16, 64), "float32"), L: T.Buffer((1,), "int32"), B: T.Buffer((16, 64), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        s = T.alloc_shared((64,), "float32")
        for i in T.serial(L[0]):
            s[tid] = A[i, tid]
            T.cuda.cta_sync()
            B[i, tid] = s[63 - tid]
            if synced:
                T.cuda.cta_sync()

    return k


def parts(whole):
    @T.prim_func
    def k(A: T.Buffer((64,), "float32"), M: T.Buffer((64,), "int32"), B: T.Buffer((64,), "float32")):
        T.device_entry()
        T.cta_id([1])
        tid = T.thread_id([64])
        if M[0 if whole else tid] % 2 == 1:
            T.cuda.cta_sync()
            B[tid] = A[tid]

    return k
