# Why gemm_async on Hopper does not take a product: each reason of its variant, and of the tiles that it is given.
#--- memories, types and factors  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import (
    ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, mma_shared_layout, tid_in_wg, wgid, wgmma_accumulator_layout,
    wgmma_operand_layout, wid_in_wg,
)

@T.prim_func
def k(F_ptr: T.handle):
    far = T.match_buffer(F_ptr, (64, 64), "float16")
    T.device_entry()
    T.cta_id([1])
    T.warpgroup_id([1])
    tid = T.thread_id([128])
    a = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    b = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    c = T.alloc_buffer((64, 64), "float32", scope="local", layout=wgmma_accumulator_layout(64))
    wide = T.alloc_buffer((64, 64), "float64", scope="shared")
    mine = T.alloc_buffer((64, 64), "float16", scope="local", layout=wgmma_operand_layout(64, "float16"))
    Tx.wg.gemm_async(c, far, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  rejected: wgmma takes A from shared memory or registers, it is global
    Tx.wg.gemm_async(c, a, mine, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  rejected: wgmma takes B from shared memory, it is local
    Tx.wg.gemm_async(c, wide, wide, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  rejected: wgmma multiplies float16, bfloat16, float32 (as tf32), float8_e4m3fn, float8_e5m2, int8 and uint8, not float64
    Tx.wg.gemm_async(c, a, b, SFA=a, SFB=b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  rejected: wgmma has no scale factors


#--- flags that are known only at run time  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import (
    ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, mma_shared_layout, tid_in_wg, wgid, wgmma_accumulator_layout,
    wgmma_operand_layout, wid_in_wg,
)

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.warpgroup_id([1])
    tid = T.thread_id([128])
    a = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    b = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    c = T.alloc_buffer((64, 64), "float32", scope="local", layout=wgmma_accumulator_layout(64))
    Tx.wg.gemm_async(c, a, b, transA=tid < 64, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: transA must be known before the launch, not tid < 64
    Tx.wg.gemm_async(c, a, b, transB=tid < 64, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: transB must be known before the launch, not tid < 64
    mine = T.alloc_buffer((64, 64), "float16", scope="local", layout=wgmma_operand_layout(64, "float16"))
    Tx.wg.gemm_async(c, mine, b, transA=tid < 64, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: transA must be known before the launch, not tid < 64
    # Whether it adds may be.
    Tx.wg.gemm_async(c, a, b, accum=tid < 64, dispatch="wgmma")


#--- rows, columns and K that do not agree  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import (
    ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, mma_shared_layout, tid_in_wg, wgid, wgmma_accumulator_layout,
    wgmma_operand_layout, wid_in_wg,
)

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.warpgroup_id([1])
    tid = T.thread_id([128])
    a = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    b = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    c = T.alloc_buffer((64, 64), "float32", scope="local", layout=wgmma_accumulator_layout(64))
    tall = T.alloc_buffer((128, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (128, 64)))
    bytes = T.alloc_buffer((64, 64), "int8", scope="shared", layout=mma_shared_layout("int8", 2, (64, 64)))
    whole = T.alloc_buffer((64, 64), "int32", scope="local", layout=wgmma_accumulator_layout(64))
    Tx.wg.gemm_async(c, tall, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: A has 128 rows, C has 64
    Tx.wg.gemm_async(whole, bytes, bytes, transA=True, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: wgmma reads int8 only with K contiguous, A has M contiguous
    Tx.wg.gemm_async(c[0:1, :], a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: a matrix has two extents larger than 1, c[0:1, 0:64] has 1
    Tx.wg.gemm_async(c[0:32, :], a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: c has 32 rows here, wgmma has a multiple of 64
    Tx.wg.gemm_async(c[:, 0:12], a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: c has 12 columns here, not a multiple of 8
    Tx.wg.gemm_async(c, a[0:1, :], b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: a matrix has two extents larger than 1, a[0:1, 0:64] has 1
    for s in T.serial(2):
        Tx.wg.gemm_async(c[:, 0:64 - s * 8], a, b, dispatch="wgmma")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: an extent of c[0:64, 0:64 - s * 8] is known only at run time
        Tx.wg.gemm_async(c, a, b[0:64 - s * 8, :], dispatch="wgmma")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: an extent of b is known only at run time


#--- registers that do not lie as the sums do, or as A does  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import (
    ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, mma_shared_layout, tid_in_wg, wgid, wgmma_accumulator_layout,
    wgmma_operand_layout, wid_in_wg,
)

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.warpgroup_id([1])
    tid = T.thread_id([128])
    a = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    b = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    c = T.alloc_buffer((64, 64), "float32", scope="local", layout=wgmma_accumulator_layout(64))
    c0 = T.alloc_buffer((64, 64), "float32", scope="local", layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(64, 64) : (64, 1)])))
    c1 = T.alloc_buffer((64, 64), "float32", scope="local", layout=TileLayout(S[(4, 2, 8, 8, 4, 2) : (1 @ wid_in_wg, 2, 4 @ laneid, 4, 1 @ laneid, 1)] + R[2 : 1 @ wgid]))
    c2 = T.alloc_buffer((128, 64), "float32", scope="local", layout=TileLayout(S[(2, 4, 2, 8, 8, 4, 2) : (1 @ wgid, 1 @ wid_in_wg, 2, 4 @ laneid, 4, 1 @ laneid, 1)]))
    c3 = T.alloc_buffer((192, 64), "float32", scope="local", layout=TileLayout(S[(64, 3, 64) : (1 @ tid_in_wg, 64, 1)]))
    c4 = T.alloc_buffer((64, 64), "float32", scope="local", layout=TileLayout(S[(4, 2, 8, 8, 4, 2) : (1 @ wid_in_wg, 2, 1 @ laneid, 4, 8 @ laneid, 1)]))
    c5 = T.alloc_buffer((64, 64), "float32", scope="local", layout=TileLayout(S[(4, 2, 8, 8, 2, 4) : (1 @ wid_in_wg, 2, 4 @ laneid, 8, 4, 1 @ laneid)]))
    c6 = T.alloc_buffer((64, 64), "float32", scope="local", layout=TileLayout(S[(4, 2, 8, 8, 4, 2) : (1 @ wid_in_wg, 2, 4 @ laneid, 1 @ wgid, 1 @ laneid, 1)]))
    Tx.wg.gemm_async(c0, a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the registers of c0 are swizzled
    Tx.wg.gemm_async(c1, a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: c1 is replicated over threads
    Tx.wg.gemm_async(c2[64:128, :], a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the region of c2 starts at 128 on tx
    Tx.wg.gemm_async(c2, a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the layout of c2 has not 16 rows a warp where wgmma has: see wgmma_accumulator_layout and wgmma_operand_layout
    Tx.wg.gemm_async(c3, a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the layout of c3 has not its rows and columns where wgmma has: see wgmma_accumulator_layout and wgmma_operand_layout
    Tx.wg.gemm_async(c4, a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the layout of c4 has not eight rows of a warp four lanes apart where wgmma has: see wgmma_accumulator_layout and wgmma_operand_layout
    Tx.wg.gemm_async(c5, a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the layout of c5 has not neighbouring lanes 2 columns apart where wgmma has: see wgmma_accumulator_layout and wgmma_operand_layout
    Tx.wg.gemm_async(c6, a, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the layout of c6 has not 16 rows a warp where wgmma has: see wgmma_accumulator_layout and wgmma_operand_layout
    two = T.alloc_buffer((64, 64), "float16", scope="local", layout=TileLayout(S[(4, 2, 8, 8, 4, 2) : (1 @ wid_in_wg, 2, 4 @ laneid, 4, 1 @ laneid, 16)]))
    other = T.alloc_buffer((64, 64), "float16", scope="local", layout=TileLayout(S[(4, 2, 8, 8, 2, 4) : (1 @ wid_in_wg, 2, 4 @ laneid, 8, 4, 1 @ laneid)]))
    Tx.wg.gemm_async(c, two, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: 2 neighbours of A do not share a register of 32 bits: see wgmma_operand_layout
    Tx.wg.gemm_async(c, other, b, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the layout of other has not neighbouring lanes 2 columns apart where wgmma has: see wgmma_accumulator_layout and wgmma_operand_layout


#--- shared memory that no descriptor tells of  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import (
    ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, mma_shared_layout, tid_in_wg, wgid, wgmma_accumulator_layout,
    wgmma_operand_layout, wid_in_wg,
)

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.warpgroup_id([1])
    tid = T.thread_id([128])
    a = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    c = T.alloc_buffer((64, 64), "float32", scope="local", layout=wgmma_accumulator_layout(64))
    b0 = T.alloc_buffer((64, 64), "float16", scope="shared", layout=ComposeLayout(SwizzleLayout(3, 4, 4), TileLayout(S[(64, 64) : (64, 1)])))
    b1 = T.alloc_buffer((64, 64), "float16", scope="shared", layout=ComposeLayout(SwizzleLayout(4, 3, 3), TileLayout(S[(64, 64) : (64, 1)])))
    b2 = T.alloc_buffer((64, 64), "float16", scope="shared", layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(64, 64) : (72, 1)])))
    b3 = T.alloc_buffer((64, 64), "float16", scope="shared", layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(2, 4, 8, 64) : (8192, 512, 64, 1)])))
    b4 = T.alloc_buffer((64, 64), "float16", scope="shared", layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(8, 8, 64) : (576, 64, 1)])))
    b5 = T.alloc_buffer((64, 64), "float16", scope="shared", layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(64, 64) : (128, 2)])))
    b6 = T.alloc_buffer((64, 64), "float16", scope="shared", layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(64, 64) : (64, 1)] + R[2 : 4096])))
    b7 = T.alloc_buffer((64, 64), "float16", scope="shared", layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(64, 64) : (64, 1)] + 1 @ laneid)))
    b8 = T.alloc_buffer((64, 64), "float16", scope="shared", layout=TileLayout(S[(8, 8, 64) : (512, 1 @ laneid, 1)]))
    b9 = T.alloc_buffer((64, 1048576), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 1048576)))
    Tx.wg.gemm_async(c, a, b0, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: swizzle 4 of b0 is none of 1, 2, 3
    Tx.wg.gemm_async(c, a, b1, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the swizzle of b1 is Z(4,3,3); the hardware's for float16 is Z(3,3,3)
    Tx.wg.gemm_async(c, a, b2, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: element 1 of M or N of b2 lies 72 elements from the first; eight rows of an atom are 64 apart
    Tx.wg.gemm_async(c, a, b3, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: groups of eight along M or N of b3 are not at one distance: element 32 lies 8192 elements from the first, not 2048
    Tx.wg.gemm_async(c, a, b4, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: groups of eight along M or N of b4 are 576 elements apart, not a multiple of the 512 of an atom
    Tx.wg.gemm_async(c, a, b5, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: neither dimension of b5 is contiguous: neighbours are 128 and 2 elements apart
    Tx.wg.gemm_async(c, a, b6, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: b6 has a replicated layout
    Tx.wg.gemm_async(c, a, b7, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: b7 has an offset on axis laneid
    Tx.wg.gemm_async(c, a, b8, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: b8 is distributed over axis laneid
    Tx.wg.gemm_async(c, a, b9[:, 0:64], dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: b9 has an extent that no shared memory has: 1048576


#--- parts of shared memory that an instruction would read beside  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import (
    ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, mma_shared_layout, tid_in_wg, wgid, wgmma_accumulator_layout,
    wgmma_operand_layout, wid_in_wg,
)

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.warpgroup_id([1])
    tid = T.thread_id([128])
    a = T.alloc_buffer((64, 256), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 256)))
    b = T.alloc_buffer((64, 256), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 256)))
    c = T.alloc_buffer((64, 64), "float32", scope="local", layout=wgmma_accumulator_layout(64))
    pieces = T.alloc_buffer((64, 256), "float16", scope="shared", layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(64, 2, 2, 64) : (64, 24576, 8192, 1)])))
    torn = T.alloc_buffer((64, 128), "float16", scope="shared", layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(64, 2, 64) : (64, 8256, 1)])))
    far = T.alloc_buffer((64, 128), "float16", scope="shared", layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(64, 2, 64) : (64, 131072, 1)])))
    whole = T.alloc_buffer((8192,), "float16", scope="shared")
    later = T.decl_buffer((64, 64), "float16", data=whole.data, elem_offset=256, scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    Tx.wg.gemm_async(c, a, pieces, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: K of pieces is not made of contiguous rows of 64 elements at one distance: element 128 lies 24576 elements from the first, not 16384
    Tx.wg.gemm_async(c, a[:, 0:128], torn, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: atoms along K of torn are 8256 elements apart, not a multiple of their own 512
    Tx.wg.gemm_async(c, a[:, 0:128], far, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: distances of 262144 and 1024 bytes between the atoms of far do not both fit a descriptor's 14 bits of 16 bytes
    Tx.wg.gemm_async(c, a[:, 0:64], later, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: later starts at element 256 of its storage, where no atom of 512 elements starts: allocate it with that alignment
    Tx.wg.gemm_async(c[:, 0:16], a[:, 0:64], b[4:20, 0:64], dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the region of b starts in row 4 of the eight of an atom; the swizzle's pattern starts at row 0
    Tx.wg.gemm_async(c[:, 0:24], a[:, 0:64], b[0:20, 0:64], dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: M or N of b has 20 elements, not a multiple of the 8 rows of an atom
    Tx.wg.gemm_async(c, a[:, 4:20], b[:, 4:20], dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the region of b starts at element 4 of an atom's row, not a multiple of 8 (16 bytes)
    Tx.wg.gemm_async(c, a[:, 40:72], b[:, 40:72], dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: an instruction reads 16 elements along K of a from element 56 of an atom's row of 64: it would cross the end of that row
    Tx.wg.gemm_async(c, a[:, 32:96], b[:, 0:64], transA=True, dispatch="wgmma")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: an instruction reads 64 elements along M or N of a from element 32 of an atom's row of 64: it would cross the end of that row; it must start where an atom starts
    for s in T.serial(2):
        Tx.wg.gemm_async(c[:, 0:16], a[:, 0:64], b[s * 4:s * 4 + 16, 0:64], dispatch="wgmma")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the region of b starts at s * 256 elements: not provably in the first of the eight rows of an atom with all of its 64 contiguous elements in that row
        Tx.wg.gemm_async(c, a[:, s * 4:s * 4 + 16], b[:, 0:16], dispatch="wgmma")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the region of a starts at s * 4 elements, not provably a multiple of 8 (16 bytes)
        Tx.wg.gemm_async(c, a[:, s * 32:s * 32 + 64], b[:, 0:64], dispatch="wgmma")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    wgmma  declined: the start s * 32 of dimension 1 of a is known only at run time, and from there 64 elements may run over a seam of the layout


#--- a CTA without a whole warpgroup  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import mma_shared_layout, wgmma_accumulator_layout

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.thread_id([64])
    a = T.alloc_buffer((64, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (64, 64)))
    c = T.alloc_buffer((64, 64), "float32", scope="local", layout=wgmma_accumulator_layout(64))
    Tx.wg.gemm_async(c, a, a)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    tcgen05  rejected: one thread issues tcgen05.mma, this is warpgroup scope: write Tx.gemm_async in one thread, or Tx.warp.gemm_async in one warp; tcgen05.mma needs sm_100a, sm_100f or sm_103a, the target is sm_90a
#|    wgmma    rejected: only warps 0 to 1 of 4 get here
#   hint: a CTA of 64 threads is less than a warpgroup, which has 128: launch that many

#--- flags by another name  [cuda] [arch sm_90a]
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
    Tx.wg.gemm_async(c, a, a, trans_b=True)
#                             ^^^^^^^ warning[TW3105]: gemm_async has no option `trans_b`
#   hint: did you mean transB=? it knows cta_group, descI
    Tx.wg.gemm_async(c, a, a, trans_a=True)
#                             ^^^^^^^ warning[TW3105]: gemm_async has no option `trans_a`
#   hint: did you mean transA=? it knows cta_group, descI

#--- operands that are stored the other way round  [cuda] [arch sm_90a]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import mma_shared_layout, wgmma_accumulator_layout

@T.prim_func
def k():
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    a = T.alloc_buffer((64, 32), "float16", scope="shared", layout=mma_shared_layout("float16", 2, (64, 32)))
    at = T.alloc_buffer((32, 64), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (32, 64)))
    b = T.alloc_buffer((32, 128), "float16", scope="shared", layout=mma_shared_layout("float16", 3, (32, 128)))
    c = T.alloc_buffer((64, 128), "float32", scope="local", layout=wgmma_accumulator_layout(128))
    square = T.alloc_buffer((64, 64), "float32", scope="local", layout=wgmma_accumulator_layout(64))
    Tx.wg.gemm_async(c, a, b)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    tcgen05  rejected: one thread issues tcgen05.mma, this is warpgroup scope: write Tx.gemm_async in one thread, or Tx.warp.gemm_async in one warp; tcgen05.mma needs sm_100a, sm_100f or sm_103a, the target is sm_90a
#|    wgmma    declined: B has 32 rows along N, C has 128 columns, which would fit with transB=True
    Tx.wg.gemm_async(c, at, b, transB=True)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    tcgen05  rejected: one thread issues tcgen05.mma, this is warpgroup scope: write Tx.gemm_async in one thread, or Tx.warp.gemm_async in one warp; tcgen05.mma needs sm_100a, sm_100f or sm_103a, the target is sm_90a
#|    wgmma    declined: A has 32 rows, C has 64, which would fit with transA=True
    Tx.wg.gemm_async(square, a, at)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    tcgen05  rejected: one thread issues tcgen05.mma, this is warpgroup scope: write Tx.gemm_async in one thread, or Tx.warp.gemm_async in one warp; tcgen05.mma needs sm_100a, sm_100f or sm_103a, the target is sm_90a
#|    wgmma    declined: B has 32 rows along N, C has 64 columns, which would fit with transB=True
    Tx.wg.gemm_async(square, a, a, transB=True)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    tcgen05  rejected: one thread issues tcgen05.mma, this is warpgroup scope: write Tx.gemm_async in one thread, or Tx.warp.gemm_async in one warp; tcgen05.mma needs sm_100a, sm_100f or sm_103a, the target is sm_90a
#|    wgmma    declined: B has 32 rows along N, C has 64 columns, which would fit with transB=False
    Tx.wg.gemm_async(c, a, b[:, 0:64])
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of gemm_async serves this call at warpgroup scope
#|    tcgen05  rejected: one thread issues tcgen05.mma, this is warpgroup scope: write Tx.gemm_async in one thread, or Tx.warp.gemm_async in one warp; tcgen05.mma needs sm_100a, sm_100f or sm_103a, the target is sm_90a
#|    wgmma    declined: B has 32 rows along N, C has 128 columns
