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

#--- loads below 256 bits have no priority in the L2 cache: a width declines, vec_auto leaves the copy to the scalar loop  [cuda]
# tilewright: dialect 0.27
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def priorities(A: T.Buffer((8,), "int32"), B: T.Buffer((8,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([1])
    R = T.alloc_local((8,), "int32")
    Tx.copy(R[0:8], A[0:8], dispatch="vec_256b", cache="nc", l2_evict="L2::evict_first")
    Tx.copy(R[0:4], A[0:4], dispatch="vec_128b", cache="nc", l2_evict="L2::evict_first")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy serves this call at thread scope
#|    vec_128b  declined: l2_evict= belongs to loads of 256 bits
#   hint: without dispatch="vec_128b" it is served by fallback
    Tx.copy(R[0:4], A[0:4], dispatch="vec_auto", l2_evict="L2::evict_first")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of copy serves this call at thread scope
#|    vec_auto  declined: l2_evict= belongs to loads of 256 bits, vec_auto loads 128 at most
#   hint: without dispatch="vec_auto" it is served by fallback
    Tx.copy(R[0:4], A[0:4], cache="nc", l2_evict="L2::evict_first")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3106]: copy/fallback: global -> local at thread scope goes element by element through one thread
#   hint: ldstmatrix: works at warp, warpgroup and cta scope, not at thread scope; vec_auto: l2_evict= belongs to loads of 256 bits, vec_auto loads 128 at most
#                                 ^^^^ warning[TW3109]: `cache` has no effect: fallback was chosen (priority 0) and does not read it
#   hint: write dispatch="vec_auto" for the variant that does
#                                                ^^^^^^^^^^^^^^^^^ warning[TW3109]: `l2_evict` has no effect: fallback was chosen (priority 0) and does not read it
#   hint: write dispatch="vec_auto" for the variant that does
    Tx.copy(B[0:8], R[0:8])

#--- a swizzle over a trivial tile repeats over a buffer of any size  [cuda]
# tilewright: dialect 0.27
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, S, TileLayout

@T.prim_func
def repeated(A: T.Buffer((64, 16), "float16"), O: T.Buffer((4, 8), "float16")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([32])
    X = T.alloc_buffer((64, 16), "float16", scope="shared", layout=ComposeLayout(3, 1, 3, TileLayout(S[(128,)])))
    Y = T.alloc_buffer((4, 8), "float16", scope="shared", layout=ComposeLayout(3, 1, 3, TileLayout(S[(128,)])))
    Z = T.alloc_buffer((64, 16), "float16", scope="shared", layout=ComposeLayout(3, 1, 3, TileLayout(S[(8, 16) : (1, 8)])))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: the buffer has 1024 elements, its layout 128
#   hint: layout: Z(3,1,3) o S[(8,16):(1,8)]
    Tx.cta.copy(X, A)
    O[0, 0] = X[17, 9] + Y[3, 4]
