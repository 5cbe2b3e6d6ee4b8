# gemm in registers: what mistakes that are easily made are told.
#--- tiles in shared memory, an operand stored the other way round, accumulators of another type  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, laneid, mma_shared_layout

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    swizzled = T.alloc_buffer((16, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (16, 64)))
    plain = T.alloc_buffer((16, 16), "float16", scope="shared")
    a = T.alloc_buffer((16, 16), "float16", scope="local", layout=TileLayout(S[(2, 8, 2, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)]))
    b = T.alloc_buffer((8, 16), "float16", scope="local", layout=TileLayout(S[(8, 2, 4, 2) : (4 @ laneid, 2, 1 @ laneid, 1)]))
    d = T.alloc_buffer((16, 8), "float32", scope="local", layout=TileLayout(S[(2, 8, 4, 2) : (2, 4 @ laneid, 1 @ laneid, 1)]))
    half = T.alloc_buffer((16, 8), "float16", scope="local", layout=TileLayout(S[(2, 8, 4, 2) : (2, 4 @ laneid, 1 @ laneid, 1)]))
    own = T.alloc_local((16, 8), "float32")
    Tx.warp.gemm(d, swizzled, b, d)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm serves this call at warp scope: A must be in registers (local), swizzled is in shared
    Tx.warp.gemm(d, plain, b, d, transpose_B=True)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm serves this call at warp scope: A must be in registers (local), plain is in shared
    Tx.warp.gemm(d, a, b, d)
#   ^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm serves this call at warp scope: K is 16 in A and 8 in B, which would fit with transpose_B=True
    Tx.warp.gemm(half, a, b, half, transpose_B=True)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm serves this call at warp scope: no mma instruction fits M=16, N=8, K=16: none multiplies float16 by float16 with C float16 into D float16; they take float16 or bfloat16, both alike, and sum up in float32
    Tx.warp.gemm(own, a, b, own, transpose_B=True)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm serves this call at warp scope: no mma instruction fits M=16, N=8, K=16: M of D is held by 1 thread in 16 registers; the fragment has multiples of 8 and 2
    Tx.gemm(d, a, b, d, transpose_B=True)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm serves this call at thread scope: works at warp, warpgroup and cta scope, not at thread scope
#   hint: the whole cta gets here: use Tx.cta.gemm
    Tx.warp.gemm(d, a, b, d, transposeB=True)
#                            ^^^^^^^^^^ error[TW3105]: gemm has no option `transposeB`
#   hint: did you mean transpose_B=?
