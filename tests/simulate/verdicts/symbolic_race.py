# tilewright: arch sm_90a
# A race in shared memory of a kernel with an extent that the launch gives, told while several launches run at a time.
# verdict half: TW5020 at `B[at] = part[`
# verdict run half: failed
# verdict run whole: verified
from tvm.script import tirx as T


@T.prim_func
def expected(A_ptr: T.handle, B_ptr: T.handle):
    n = T.int32()
    A = T.match_buffer(A_ptr, (n,), "int32")
    B = T.match_buffer(B_ptr, (n,), "int32")
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    for i in T.serial(n):
        other: T.let = i // 128 * 128 + 127 - i % 128
        B[i] = T.if_then_else(other < n, A[T.min(other, n - 1)], 5)


# tilewright: run half n=400
# tilewright: reference expected
@T.prim_func
def half(A_ptr: T.handle, B_ptr: T.handle):
    n = T.int32()
    A = T.match_buffer(A_ptr, (n,), "int32")
    B = T.match_buffer(B_ptr, (n,), "int32")
    T.device_entry()
    block = T.cta_id([T.ceildiv(n, 128)])
    tid = T.thread_id([128])
    part = T.alloc_shared([128], "int32")
    at: T.let = block * 128 + tid
    part[tid] = T.if_then_else(at < n, A[T.min(at, n - 1)], 5)
    T.cuda.warp_sync()
    if at < n:
        B[at] = part[127 - tid]


# tilewright: run whole n=400
# tilewright: reference expected
@T.prim_func
def whole(A_ptr: T.handle, B_ptr: T.handle):
    n = T.int32()
    A = T.match_buffer(A_ptr, (n,), "int32")
    B = T.match_buffer(B_ptr, (n,), "int32")
    T.device_entry()
    block = T.cta_id([T.ceildiv(n, 128)])
    tid = T.thread_id([128])
    part = T.alloc_shared([128], "int32")
    at: T.let = block * 128 + tid
    part[tid] = T.if_then_else(at < n, A[T.min(at, n - 1)], 5)
    T.cuda.cta_sync()
    if at < n:
        B[at] = part[127 - tid]
