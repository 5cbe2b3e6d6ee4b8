# gemm_async on Hopper: what wgmma takes, and in words why it does not take the rest.
#--- a tile in the registers of a warpgroup, both operands in shared memory  [calls] [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import mma_shared_layout, wgmma_accumulator_layout

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    a = T.alloc_buffer((128, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (128, 64)))
    b = T.alloc_buffer((4, 64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (4, 64, 64)))
    c = T.alloc_buffer((128, 64), "float32", scope="local", layout=wgmma_accumulator_layout(64, rows=128))
    Tx.wg.gemm_async(c, a, b[1])
    Tx.wg.gemm_async(c[64:128, 16:64], a[64:128, 16:48], b[0, 16:48, 0:48], transB=True, accum=True)
#| 13 gemm_async -> wgmma: instruction m64n64k16, issues 8, registers 64, reference refuses the call
#|   tcgen05 rejected: one thread issues tcgen05.mma, this is warpgroup scope: write Tx.gemm_async in one thread, or Tx.warp.gemm_async in one warp; tcgen05.mma needs sm_100a, sm_100f or sm_103a, the target is sm_90a
#| 14 gemm_async -> wgmma: instruction m64n48k16, issues 2, registers 24, reference refuses the call
#|   tcgen05 rejected: one thread issues tcgen05.mma, this is warpgroup scope: write Tx.gemm_async in one thread, or Tx.warp.gemm_async in one warp; tcgen05.mma needs sm_100a, sm_100f or sm_103a, the target is sm_90a

#--- more columns than one instruction has, and whole rows of the swizzle each  [calls] [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import mma_shared_layout, wgmma_accumulator_layout

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    a = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    b = T.alloc_buffer((64, 320), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 320)))
    c = T.alloc_buffer((64, 320), "float32", scope="local", layout=wgmma_accumulator_layout(320))
    Tx.wg.gemm_async(c, a, b, transB=True)
#| 13 gemm_async -> wgmma: instruction m64n64k16, issues 20, registers 160, reference refuses the call
#|   tcgen05 rejected: one thread issues tcgen05.mma, this is warpgroup scope: write Tx.gemm_async in one thread, or Tx.warp.gemm_async in one warp; tcgen05.mma needs sm_100a, sm_100f or sm_103a, the target is sm_90a

#--- A in registers  [calls] [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import mma_shared_layout, wgmma_accumulator_layout, wgmma_operand_layout

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    a = T.alloc_buffer((64, 32), "bfloat16", scope="local", layout=wgmma_operand_layout(32, "bfloat16"))
    b = T.alloc_buffer((24, 32), "bfloat16", scope="shared", layout=mma_shared_layout("bfloat16", 2, (24, 32)))
    c = T.alloc_buffer((64, 24), "float32", scope="local", layout=wgmma_accumulator_layout(24))
    Tx.wg.gemm_async(c, a, b)
    # A tile of sums is the next product's A, once it is rounded: the layouts are the same.
    d = T.alloc_buffer((64, 32), "float32", scope="local", layout=wgmma_accumulator_layout(32))
    Tx.wg.cast(a, d)
#| 13 gemm_async -> wgmma: instruction m64n24k16, issues 2, registers 12, reference refuses the call
#|   tcgen05 rejected: one thread issues tcgen05.mma, this is warpgroup scope: write Tx.gemm_async in one thread, or Tx.warp.gemm_async in one warp; tcgen05.mma needs sm_100a, sm_100f or sm_103a, the target is sm_90a
#| 16 cast -> reg: vec_elems 2, per_thread 16, outer 8, packed float32x2 to bfloat16x2
#|   smem not_tried: a[0:64, 0:32] is local, smem works on tiles in shared memory

#--- scopes, types and shapes that it does not take  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import S, TileLayout, mma_shared_layout, tid_in_wg, wgmma_accumulator_layout

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    warp = T.warp_id([4])
    T.thread_id([128])
    a = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    b = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    plain = T.alloc_buffer((64, 64), "float16", scope="shared")
    bytes = T.alloc_buffer((64, 128), "int8", scope="shared", layout=mma_shared_layout("int8", 3, (64, 128)))
    c = T.alloc_buffer((64, 64), "float32", scope="local", layout=wgmma_accumulator_layout(64))
    half = T.alloc_buffer((64, 64), "float16", scope="local", layout=wgmma_accumulator_layout(64))
    whole = T.alloc_buffer((64, 64), "int32", scope="local", layout=wgmma_accumulator_layout(64))
    rows = T.alloc_buffer((128, 64), "float32", scope="local", layout=TileLayout(S[(128, 64) : (1 @ tid_in_wg, 1)]))
    Tx.warp.gemm_async(c, a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warp scope
#|    wgmma  rejected: wgmma is issued by a warpgroup, this is warp scope
#   hint: the whole warpgroup gets here: use Tx.warpgroup.gemm_async
    if warp < 2:
        Tx.wg.gemm_async(c, a, b, dispatch="wgmma")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  rejected: only warps 0 to 1 of 4 get here
#   hint: only warps 0 to 1 get here: let the whole warpgroup reach the call
    Tx.wg.gemm_async(a, a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  rejected: wgmma adds up in registers, C is shared
    Tx.wg.gemm_async(half, a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  rejected: products of float16 are added up in float32, C is float16
    Tx.wg.gemm_async(c, bytes, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  rejected: A is int8 and B float16, they must be the same
    Tx.wg.gemm_async(c, a, plain, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: atoms along K of plain are 8 elements apart, not a multiple of their own 64; without a swizzle an atom is eight rows of 16 bytes, one after the other: alloc_mma and mma_shared_layout make tiles with one
    Tx.wg.gemm_async(rows[0:64, :], a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the layout of rows has not 16 rows a warp where wgmma has: see wgmma_accumulator_layout and wgmma_operand_layout
    Tx.wg.gemm_async(c, a[:, 0:32], b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: K is 32 in A and 64 in B
    Tx.wg.gemm_async(c[:, 0:32], a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: B has 64 rows along N, C has 32 columns
    Tx.wg.gemm_async(c, a[:, 8:24], b[:, 8:24], dispatch="wgmma")
    Tx.wg.gemm_async(c, a[:, 8:16], b[:, 8:16], dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: K is 8, not a multiple of the 16 that one wgmma of float16 takes
    Tx.wg.gemm_async(whole, bytes[:, 0:64], bytes[:, 0:64], transB=True, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: wgmma reads int8 only with K contiguous, B has N contiguous
    Tx.wg.gemm_async(c, half, b, transA=True, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: A in registers cannot be transposed

#--- another architecture has no wgmma  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import mma_shared_layout, wgmma_accumulator_layout

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    a = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    c = T.alloc_buffer((64, 64), "float32", scope="local", layout=wgmma_accumulator_layout(64))
    Tx.wg.gemm_async(c, a, a, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  rejected: wgmma needs sm_90a, the target is sm_100a

#--- its layouts have names, and say what they need
from tvm.script import tirx as T
from tvm.tirx.layout import wgmma_accumulator_layout, wgmma_operand_layout

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    T.alloc_buffer((64, 12), "float32", scope="local", layout=wgmma_accumulator_layout(12))
#                                                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: the accumulators of wgmma have a multiple of 64 rows and of 8 columns, not 64 and 12
    T.alloc_buffer((64, 24), "float16", scope="local", layout=wgmma_operand_layout(24, "float16"))
#                                                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: the registers of A of wgmma have a multiple of 64 rows and of 16 columns, not 64 and 24
    T.alloc_buffer((64, 32), "float64", scope="local", layout=wgmma_operand_layout(32, "float64"))
#                                                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: wgmma multiplies elements of 8, 16 or 32 bits, float64 has 64
