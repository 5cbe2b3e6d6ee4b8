# A tile into another layout by one warp: who takes which element, and why not.
#--- which bits of the lane turn the order (compute.md 11.2, rows 20 to 22)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def ex20():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((4, 32), "uint32", scope="shared", layout=TileLayout(S[(4, 32) : (32, 1)]))
    d = T.alloc_buffer((4, 32), "uint32", scope="shared", layout=TileLayout(S[(4, 32) : (1, 4)]))
    Tx.warp.permute_layout(d, a)

@T.prim_func
def ex21a():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8, 32), "uint32", scope="shared", layout=TileLayout(S[(8, 32) : (32, 1)]))
    d = T.alloc_buffer((8, 32), "uint32", scope="shared", layout=TileLayout(S[(8, 32) : (1, 8)]))
    Tx.warp.permute_layout(d, a)

@T.prim_func
def ex21b():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((16, 32), "uint32", scope="shared", layout=TileLayout(S[(16, 32) : (32, 1)]))
    d = T.alloc_buffer((16, 32), "uint32", scope="shared", layout=TileLayout(S[(16, 32) : (1, 16)]))
    Tx.warp.permute_layout(d, a)

@T.prim_func
def ex21c():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((32, 32), "uint32", scope="shared", layout=TileLayout(S[(32, 32) : (32, 1)]))
    d = T.alloc_buffer((32, 32), "uint32", scope="shared", layout=TileLayout(S[(32, 32) : (1, 32)]))
    Tx.warp.permute_layout(d, a)

@T.prim_func
def ex22():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((4, 32), "uint32", scope="shared", layout=TileLayout(S[(4, 32) : (33, 1)]))
    d = T.alloc_buffer((4, 32), "uint32", scope="shared", layout=TileLayout(S[(4, 32) : (1, 5)]))
    Tx.warp.permute_layout(d, a)
#| 25 permute_layout -> warp_xor_swizzle: per_thread 4, xor_bits 2, bank_ways 1
#| 36 permute_layout -> warp_xor_swizzle: per_thread 8, xor_bits 3, bank_ways 1
#| 47 permute_layout -> warp_xor_swizzle: per_thread 16, xor_bits 4, bank_ways 1
#| 58 permute_layout -> warp_xor_swizzle: per_thread 32, xor_bits 5, bank_ways 1
#| 69 permute_layout -> warp_xor_swizzle: per_thread 4, xor_bits 0, bank_ways 1

#--- what nothing serves (11.2, 23)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def ex23a():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((64, 32), "uint32", scope="shared", layout=TileLayout(S[(64, 32) : (32, 1)]))
    d = T.alloc_buffer((64, 32), "uint32", scope="shared", layout=TileLayout(S[(64, 32) : (1, 64)]))
    Tx.warp.permute_layout(d, a)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of permute_layout serves this call at warp scope: per-thread count 64 must be power of 2 in [1, 32]

@T.prim_func
def ex23b():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((3, 32), "uint32", scope="shared", layout=TileLayout(S[(3, 32) : (32, 1)]))
    d = T.alloc_buffer((3, 32), "uint32", scope="shared", layout=TileLayout(S[(3, 32) : (1, 3)]))
    Tx.warp.permute_layout(d, a)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of permute_layout serves this call at warp scope: per-thread count 3 must be power of 2 in [1, 32]

@T.prim_func
def ex23c():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((3, 16), "uint32", scope="shared", layout=TileLayout(S[(3, 16) : (16, 1)]))
    d = T.alloc_buffer((3, 16), "uint32", scope="shared", layout=TileLayout(S[(3, 16) : (1, 3)]))
    Tx.warp.permute_layout(d, a)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of permute_layout serves this call at warp scope: volume 48 not divisible by warp size 32

@T.prim_func
def scope():
    T.device_entry()
    T.cta_id([1])
    wg = T.warpgroup_id([1])
    w = T.warp_id([4])
    T.lane_id([32])
    tid = T.thread_id([128])
    a = T.alloc_buffer((4, 32), "float32", scope="shared")
    Tx.cta.permute_layout(a, a)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of permute_layout serves this call at cta scope: scope 'cta' is not 'warp'

@T.prim_func
def types():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((4, 32), "float32", scope="shared")
    d = T.alloc_buffer((4, 32), "float16", scope="shared")
    Tx.warp.permute_layout(d, a)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of permute_layout serves this call at warp scope: dtype mismatch: dst=float16 vs src=float32

@T.prim_func
def shapes():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((4, 32), "float32", scope="shared")
    d = T.alloc_buffer((32, 4), "float32", scope="shared")
    Tx.warp.permute_layout(d, a)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of permute_layout serves this call at warp scope: slice shape mismatch: src=[4, 32] vs dst=[32, 4]

@T.prim_func
def swizzled():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8, 64), "float16", scope="shared", layout=SwizzleLayout(3, 3, 3))
    d = T.alloc_buffer((8, 64), "float16", scope="shared")
    Tx.warp.permute_layout(d, a)
#                             ^ error[TW3104]: no variant of permute_layout serves this call at warp scope: src buffer's layout is not a plain TileLayout

@T.prim_func
def folded():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((4, 32), "uint32", scope="shared", layout=TileLayout(S[(4, 32) : (0, 1)]))
    d = T.alloc_buffer((4, 32), "uint32", scope="shared")
    Tx.warp.permute_layout(d, a)
#                             ^ error[TW3104]: no variant of permute_layout serves this call at warp scope: src layout (regrouped) is not a bijection on the slice
#| 25 permute_layout -> nothing
#|   warp_xor_swizzle declined: per-thread count 64 must be power of 2 in [1, 32]
#| 36 permute_layout -> nothing
#|   warp_xor_swizzle declined: per-thread count 3 must be power of 2 in [1, 32]
#| 47 permute_layout -> nothing
#|   warp_xor_swizzle declined: volume 48 not divisible by warp size 32
#| 58 permute_layout -> nothing
#|   warp_xor_swizzle declined: scope 'cta' is not 'warp'
#| 69 permute_layout -> nothing
#|   warp_xor_swizzle declined: dtype mismatch: dst=float16 vs src=float32
#| 80 permute_layout -> nothing
#|   warp_xor_swizzle declined: slice shape mismatch: src=[4, 32] vs dst=[32, 4]
#| 91 permute_layout -> nothing
#|   warp_xor_swizzle declined: src buffer's layout is not a plain TileLayout
#| 102 permute_layout -> nothing
#|   warp_xor_swizzle declined: src layout (regrouped) is not a bijection on the slice

#--- any width of element, any memory that lanes share, all lanes (Q18, Q30, Q31; 11.2, 24)  [calls] [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import ComposeLayout, R, S, SwizzleLayout, TileLayout, laneid, tid_in_wg, tx, warpid, wid_in_wg

F = TileLayout(S[(2, 8, 16, 4, 2) : (2, 4 @ laneid, 4, 1 @ laneid, 1)])


def W(n):
    return TileLayout(S[(128, n) : (1 @ tid_in_wg, 1)])


def L(n):
    return TileLayout(S[(32, n) : (1 @ laneid, 1)])


@T.prim_func
def halves():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((4, 32), "float16", scope="shared", layout=TileLayout(S[(4, 32) : (32, 1)]))
    d = T.alloc_buffer((4, 32), "float16", scope="shared", layout=TileLayout(S[(4, 32) : (32, 1)]))
    Tx.warp.permute_layout(d, a)

@T.prim_func
def doubles():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((4, 32), "float64", scope="shared", layout=TileLayout(S[(4, 32) : (32, 1)]))
    d = T.alloc_buffer((4, 32), "float64", scope="shared", layout=TileLayout(S[(4, 32) : (1, 4)]))
    Tx.warp.permute_layout(d, a)

@T.prim_func
def bytes():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((8, 64), "uint8", scope="shared", layout=TileLayout(S[(8, 64) : (64, 1)]))
    d = T.alloc_buffer((8, 64), "uint8", scope="shared", layout=TileLayout(S[(8, 64) : (1, 8)]))
    Tx.warp.permute_layout(d, a)

@T.prim_func
def registers():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((4, 32), "float32", scope="local")
    d = T.alloc_buffer((4, 32), "float32", scope="local", layout=TileLayout(S[(4, 32) : (1, 4)]))
    Tx.warp.permute_layout(d, a)
#                             ^ error[TW3104]: no variant of permute_layout serves this call at warp scope: a is local: a warp exchanges through shared or global memory

@T.prim_func
def some():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([1])
    T.lane_id([32])
    tid = T.thread_id([32])
    a = T.alloc_buffer((4, 32), "float32", scope="shared")
    if tid < 16:
        Tx.warp.permute_layout(a, a)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW3104]: no variant of permute_layout serves this call at warp scope: only lanes 0 to 15 of 32 get here
#   hint: only lanes 0 to 15 get here: let the whole warp reach the call

@T.prim_func
def twice():
    T.device_entry()
    T.cta_id([1])
    w = T.warp_id([2])
    T.lane_id([32])
    tid = T.thread_id([64])
    a = T.alloc_buffer((4, 32), "float32", scope="shared")
    v = a.view(4, 32, layout=TileLayout(S[(4, 32) : (1, 4)]))
    Tx.warp.permute_layout(v, a)
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TW3111]: each of 2 warps does all of this permute_layout, which works in place and so is applied 2 times
#   hint: let one of them do it, or give each a tile of its own
#| 25 permute_layout -> warp_xor_swizzle: per_thread 4, xor_bits 0, bank_ways 1
#| 36 permute_layout -> warp_xor_swizzle: per_thread 4, xor_bits 2, bank_ways 2
#| 47 permute_layout -> warp_xor_swizzle: per_thread 16, xor_bits 4, bank_ways 1
#| 58 permute_layout -> nothing
#|   warp_xor_swizzle declined: a is local: a warp exchanges through shared or global memory
#| 69 permute_layout -> nothing
#|   warp_xor_swizzle declined: only lanes 0 to 15 of 32 get here
#| 80 permute_layout -> warp_xor_swizzle: per_thread 4, xor_bits 2, bank_ways 1

