# Asynchronous copies and the edges of their buffers.
#--- bounds are coordinates, and only the tensor copy engine clips  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def edges(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (4, 64, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    S = T.alloc_shared((32, 32), "float16", align=128)
    bar = T.alloc_shared((1,), "uint64")
    if tid == 0:
        Tx.copy_async(S[:, :], A[-1, -8:24, 48:80], dispatch="tma", mbar=bar.ptr_to([0]))
        Tx.copy_async(S[:, :], A[7, 0:32, 0:32], dispatch="tma", mbar=bar.ptr_to([0]))
        Tx.copy_async(S[8:40, :], A[0, 0:32, 0:32], dispatch="tma", mbar=bar.ptr_to([0]))
#                     ^^^^^^^^^^ error[TW2107]: dimension 0 of S ends at 32, the slice at 40
    Tx.cta.copy_async(S[:, :], A[0, 48:80, 0:32], dispatch="ldgsts")
#                              ^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at cta scope
#|    ldgsts  declined: dimension 1 of A ends at 64, the slice at 80: cp.async does not clip
    Tx.cta.copy_async(S[:, :], A[0, -8:24, 0:32], dispatch="ldgsts")
#                              ^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at cta scope
#|    ldgsts  declined: dimension 1 of A begins at 0, the slice at -8: cp.async does not clip
    Tx.cta.copy_async(S[-8:24, :], A[0, 0:32, 0:32])
#                     ^^^^^^^^^^^ error[TW2107]: dimension 0 of S begins at 0, the slice at -8
    Tx.cta.copy(S[:, :], A[0, -32:, 0:32])
#                        ^^^^^^^^^^^^^^^^ error[TW2107]: dimension 1 of A begins at 0, the slice at -32
    Tx.cta.copy(S[:, :], A[-1, 0:32, 0:32])
#                        ^^^^^^^^^^^^^^^^^ error[TW2107]: dimension 0 of A begins at 0, the slice at -1

#--- a CTA that the cluster does not have  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def neighbours(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (32, 32), "float16")
    T.device_entry()
    rank = T.cta_id_in_cluster([2])
    T.cta_id([2])
    tid = T.thread_id([128])
    S = T.alloc_shared((32, 32), "float16")
    D = T.alloc_shared((32, 32), "float16")
    bar = T.alloc_shared((1,), "uint64")
    if tid == 0:
        Tx.copy_async(D[:, :], S[:, :], dispatch="dsmem", mbar=bar.ptr_to([0]), remote_cta_id=1)
        Tx.copy_async(D[:, :], S[:, :], dispatch="dsmem", mbar=bar.ptr_to([0]), remote_cta_id=2)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    dsmem  declined: remote_cta_id=2 is the rank of no CTA of the cluster
        Tx.copy_async(D[:, :], S[:, :], dispatch="dsmem", mbar=bar.ptr_to([0]), remote_cta_id=-1)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy_async serves this call at thread scope
#|    dsmem  declined: remote_cta_id=-1 is the rank of no CTA of the cluster

#--- a region of a region  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((32, 32), "float16"), B: T.Buffer((32, 32), "float16")):
    T.device_entry()
    T.cta_id([1])
    T.lane_id([32])
    T.thread_id([32])
    s = T.alloc_shared((32, 32), "float16")

    @T.inline
    def part(region):
        for c in T.unroll(2):
            Tx.warp.copy(s[:, c * 8:c * 8 + 8], region[:, c * 8:c * 8 + 8])
        Tx.warp.copy(s[8:16, 16:24], region[8:16, :8])
        Tx.cta.copy(s[1:2, 0:32], A[:, :][1])

    part(A[:, 16:32])
    Tx.warp.copy(s[:, :], A[:, :][4])
#                         ^^^^^^^^^^ error[TW3104]: no variant of copy serves this call at warp scope: shapes differ: 1 x 32 to 32 x 32
    Tx.warp.copy(s[:, :], A[0:4, :][0, 0, 0])
#                         ^^^^^^^^^^^^^^^^^^ error[TW2107]: this region of A has 2 dimensions, 3 indices are given
    Tx.warp.copy(s[:, :], A[0:4, :][::2])
#                                   ^^^ error[TW2108]: a slice of a region has no step
