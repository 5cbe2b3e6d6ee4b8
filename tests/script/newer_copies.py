# Copies of 0.26 and later.
#--- a copy does not reshape, whatever serves it  [cuda]
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def unequal(A: T.Buffer((128, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    X = T.alloc_shared((128, 64), "float16")
    R = T.alloc_local((8,), "float16")
    Tx.cta.copy(X[0:64, 0:64], A[0:32, 0:64])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3123]: copy of A[0:32, 0:64] to X[0:64, 0:64]: shapes differ, 32 x 64 to 64 x 64; apart from extents of 1 they must be the same
#   hint: copy between views of one shape: index the dimensions that one side lacks
    Tx.cta.copy(X[0:64, 0:64], A[0:64, 0:64])
    Tx.copy(R[0:8], A[tid, 0:8])
    Tx.cta.copy_async(X[0:1, 0:64], A[0:2, 0:32], dispatch="ldgsts")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3123]: copy_async of A[0:2, 0:32] to X[0:1, 0:64]: shapes differ, 2 x 32 to 64; apart from extents of 1 they must be the same
#   hint: copy between views of one shape: index the dimensions that one side lacks

#--- a vector of a width moves that width  [cuda]
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def vectors(A: T.Buffer((128, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    X = T.alloc_shared((128, 64), "float16")
    R = T.alloc_local((8,), "float16")
    Tx.cta.copy(X, A)
    Tx.copy(R[0:8], X[tid, 0:8], dispatch="vec_128b", cache="nc")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy serves this call at thread scope
#|    vec_128b  rejected: cache hints are of loads from global memory, the source is shared
#   hint: without dispatch="vec_128b" it is served by vec_auto
    Tx.copy(R[0:4], A[tid, 4:8], dispatch="vec_128b")
#                   ^^^^^^^^^^^ error[TW3104]: no variant of copy serves this call at thread scope
#|    vec_128b  rejected: vec_128b moves exactly 8 elements of 16 bits, A[tid, 4:8] has 4
#   hint: without dispatch="vec_128b" it is served by vec_auto
