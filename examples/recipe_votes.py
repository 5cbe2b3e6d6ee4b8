# tilewright: arch sm_80 sm_90a sm_100a
"""Recipe: atomics and votes: a histogram, and the elements of a list that are positive, counted a warp at a time.

An atomic each thread would have all of them wait for one address. A vote tells every lane of a warp which lanes agree,
so that one lane adds for all of them.
"""
from tvm.script import tirx as T

N, BINS = 1024, 16


# tilewright: run histogram A=random(low=0, high=16) H=zeros reference=plain_histogram
@T.prim_func
def histogram(A: T.Buffer((N,), "int32"), H: T.Buffer((BINS,), "int32")):
    T.device_entry()
    cta = T.cta_id([N // 256])
    thread = T.thread_id([256])
    counts = T.alloc_shared((BINS,), "int32")
    if thread < BINS:
        counts[thread] = 0
    T.cuda.cta_sync()
    T.cuda.atomic_add(counts.ptr_to([A[cta * 256 + thread]]), T.int32(1))
    T.cuda.cta_sync()
    # One atomic a bin and CTA in global memory, where they are slow.
    if thread < BINS:
        T.cuda.atomic_add(H.ptr_to([thread]), counts[thread])


@T.prim_func
def plain_histogram(A: T.Buffer((N,), "int32"), H: T.Buffer((BINS,), "int32")):
    T.device_entry()
    T.cta_id([1])
    b = T.thread_id([BINS])
    count: T.int32 = 0
    for i in T.serial(N):
        if A[i] == b:
            count += 1
    H[b] = H[b] + count


# tilewright: reference plain_count
@T.prim_func
def count_positive(A: T.Buffer((N,), "float32"), C: T.Buffer((N // 32,), "int32")):
    T.device_entry()
    cta = T.cta_id([N // 256])
    warp = T.warp_id([8])
    lane = T.lane_id([32])
    thread = T.thread_id([256])
    votes: T.uint32 = T.cuda.ballot_sync(T.uint32(0xFFFFFFFF), T.cast(A[cta * 256 + thread] > T.float32(0), "int32"))
    if lane == 0:
        C[cta * 8 + warp] = T.cast(T.popcount(votes), "int32")


@T.prim_func
def plain_count(A: T.Buffer((N,), "float32"), C: T.Buffer((N // 32,), "int32")):
    T.device_entry()
    T.cta_id([1])
    w = T.thread_id([N // 32])
    count: T.int32 = 0
    for i in T.serial(32):
        if A[w * 32 + i] > T.float32(0):
            count += 1
    C[w] = count


def reference(A):
    if A.dtype.kind == "i":  # histogram, of bins that begin at 0
        return {"H": [int((A == b).sum()) for b in range(BINS)]}
    return {"C": (A > 0).reshape(-1, 32).sum(axis=1)}
