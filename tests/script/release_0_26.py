# What release 0.26 changed in the names, layouts, views and statements of scripts. docs/language/dialects.md
#--- layouts of one class  [print]
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.tirx.layout import S, R, TileLayout, ComposeLayout, TLane, TCol, laneid, tmem_datapath_layout, tmem_mma_operand_layout, tcgen05_atom_layout
from tvm.backend.cuda.tile_primitive.tma_utils import SwizzleMode, mma_shared_layout, mma_atom_layout

@T.prim_func
def k(A: T.Buffer((64, 64), "float16")):
    T.device_entry()
    bx = T.cta_id([1])
    tx = T.thread_id([128])
    a = T.alloc_shared((64, 64), "float16", layout=ComposeLayout(3, 3, 3, TileLayout(S[(64, 64) : (64, 1)])))
    b = T.alloc_shared((64, 64), "float16", layout=mma_shared_layout("float16", 3, (64, 64)))
    c = T.alloc_shared((64, 128), "float16", layout=mma_shared_layout("float16", SwizzleMode.SWIZZLE_128B_ATOM, (64, 128)))
    d = T.alloc_shared((64, 64), "float16", layout=mma_shared_layout("float16", 0, (64, 64)))
    e = T.alloc_shared((8, 12), "float16", layout=mma_shared_layout("float16", 0, (8, 12)))
    f = T.alloc_shared((8, 64), "float16", layout=mma_atom_layout("float16", 3))
    g = T.alloc_shared((64, 64), "float16", layout=ComposeLayout(3, 3, 3, TileLayout(S[4096]), swizzle_inner=False))
    h = T.alloc_shared((64, 64), "float16", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[4096:1])))
    i = T.decl_buffer((64, 64), scope="tmem", allocated_addr=0, layout=tmem_datapath_layout("B", 64, 64))
    j = T.decl_buffer((32, 64), scope="tmem", allocated_addr=0, layout=tmem_datapath_layout("G", 32, 64))
    l = T.decl_buffer((64, 64), scope="tmem", allocated_addr=0, layout=tmem_datapath_layout("F", 64, 64, sub_slab=1))
    m = T.decl_buffer((64, 64), scope="tmem", allocated_addr=0, layout=tmem_mma_operand_layout("A", (64, 64), "float32", M=128, cta_group=2))
    n = T.decl_buffer((64, 64), scope="tmem", allocated_addr=0, layout=tmem_mma_operand_layout("D", (64, 64), "float32", M=128, cta_group=2, group=(4, 2, 8)))
    o = T.decl_buffer((2, 64, 32), scope="tmem", allocated_addr=0, layout=tmem_mma_operand_layout("D", (2, 64, 32), "float32", M=64, cta_group=1, ws=True))
    p = T.alloc_local((64, 64), "float32", layout=tcgen05_atom_layout("32x32b", (64, 64), "float32"))
    q = T.alloc_tcgen05_ldst_frag("32x32b", (64, 64), "float32")
    s = T.alloc_shared((64, 64), "float16").view(32, 64, layout=TileLayout(S[(32, 64) : (64, 1)] + tx * 8))
#| @T.prim_func
#| def k(A: T.Buffer((64, 64), "float16")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([1])
#|     tx = T.thread_id([128])
#|     a = T.alloc_shared((64, 64), "float16", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(64, 64):(64, 1)])))
#|     b = T.alloc_shared((64, 64), "float16", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[4096:1])))
#|     c = T.alloc_shared((64, 128), "float16", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(64, 2, 64):(64, 4096, 1)])))
#|     d = T.alloc_shared((64, 64), "float16", layout=T.TileLayout(T.S[(64, 8, 8):(8, 512, 1)]))
#|     e = T.alloc_shared((8, 12), "float16", layout=T.TileLayout(T.S[96:1]))
#|     f = T.alloc_shared((8, 64), "float16", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[512:1])))
#|     g = T.alloc_shared((64, 64), "float16", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[4096:1]), swizzle_inner=False))
#|     h = T.alloc_shared((64, 64), "float16", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[4096:1])))
#|     i = T.decl_buffer((64, 64), scope="tmem", layout=T.TileLayout(T.S[(64, 2, 32):(1 @ Axis.TLane, 64 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=0)
#|     j = T.decl_buffer((32, 64), scope="tmem", layout=T.TileLayout(T.S[(32, 4, 16):(1 @ Axis.TLane, 32 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=0)
#|     l = T.decl_buffer((64, 64), scope="tmem", layout=T.TileLayout(T.S[(4, 16, 64):(32 @ Axis.TLane, 1 @ Axis.TLane, 1 @ Axis.TCol)] + 16 @ Axis.TLane), allocated_addr=0)
#|     m = T.decl_buffer((64, 64), scope="tmem", layout=T.TileLayout(T.S[(64, 64):(1 @ Axis.TLane, 1 @ Axis.TCol)] + T.R[2:64 @ Axis.TLane]), allocated_addr=0)
#|     n = T.decl_buffer((64, 64), scope="tmem", layout=T.TileLayout(T.S[(64, 4, 2, 8):(1 @ Axis.TLane, 8 @ Axis.TCol, 64 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=0)
#|     o = T.decl_buffer((2, 64, 32), scope="tmem", layout=T.TileLayout(T.S[(128, 32):(1 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=0)
#|     p = T.alloc_local((64, 64), layout=T.TileLayout(T.S[(64, 2, 32):(1 @ Axis.tid_in_wg, 64 @ Axis.tid_in_wg, 1)]))
#|     q = T.alloc_local((64, 64), layout=T.TileLayout(T.S[(64, 2, 32):(1 @ Axis.tid_in_wg, 64 @ Axis.tid_in_wg, 1)]))
#|     v = T.alloc_shared((64, 64), "float16")
#|     s = T.decl_buffer((32, 64), "float16", data=v.data, scope="shared", layout=T.TileLayout(T.S[(32, 64):(64, 1)] + (tx * 8) @ Axis.m))

#--- layouts answer
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.tirx.layout import S, R, TileLayout, ComposeLayout, laneid
from tvm.backend.cuda.tile_primitive.tma_utils import mma_atom_layout, get_swizzle_mode_from_layout

z = ComposeLayout(3, 3, 3, TileLayout(S[512]))
assert z.is_swizzle() and (z.per_element, z.swizzle_len, z.atom_len, z.swizzle_inner) == (3, 3, 3, True)
assert str(z) == "T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[512:1]))"
assert str(z.pack(2)) == "T.ComposeLayout(2, 3, 3, T.TileLayout(T.S[256:1]))"
assert str(z.canonicalize()) == str(z) and str(mma_atom_layout("float16", 3)) == str(z)
assert not ComposeLayout(3, 3, 3, TileLayout(S[(8, 64) : (1, 8)])).is_swizzle()
assert str(z.tile_layout) == "T.TileLayout(T.S[512:1])" and isinstance(z, ComposeLayout)
refined, separators = TileLayout(S[(8, 16)]).group_many([(8, 16), (4, 32), (128,)])
assert str(refined) == "T.TileLayout(T.S[(4, 2, 16):(32, 16, 1)])"
assert [list(s) for s in separators] == [[0, 2, 3], [0, 1, 3], [0, 3]]

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()

#--- layouts that are refused
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.tirx.layout import S, R, TileLayout, ComposeLayout, laneid, tmem_datapath_layout, tmem_mma_operand_layout, tcgen05_atom_layout
from tvm.backend.cuda.tile_primitive.tma_utils import get_swizzle_mode_from_layout

@T.prim_func
def k(A: T.Buffer((4,), "float32")):
    T.device_entry()
    a = T.meta_var(ComposeLayout(3, 3, 3))
#                  ^^^^^^^^^^^^^^^^^^^^^^ error[TW2006]: ComposeLayout needs the argument 'tile_layout'
    b = T.meta_var(ComposeLayout(3, 4, 3, TileLayout(S[512])))
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: swizzle (3, 4, 3): per_element >= 0, swizzle_len >= 0 and atom_len >= swizzle_len are needed
    c = T.meta_var(ComposeLayout(ComposeLayout(3, 3, 3, TileLayout(S[512])), TileLayout(S[512])))
#                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2006]: ComposeLayout takes the three numbers of the swizzle before the tile, not another layout
#   hint: write ComposeLayout(per_element, swizzle_len, atom_len, tile_layout)
    d = T.meta_var(tmem_datapath_layout("H", 128, 64))
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: no tensor-memory datapath "H": the letters are A to G
    e = T.meta_var(tmem_datapath_layout("D", 64, 64))
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: datapath D has 128 rows, not 64
    f = T.meta_var(tmem_datapath_layout("G", 32, 6))
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: datapath G cuts the columns into 4 parts: 6 is no multiple of 4
    g = T.meta_var(tmem_datapath_layout("D", 128, 64, 1))
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: datapath D takes all 32 lanes of each warp: sub_slab must be 0
    h = T.meta_var(tmem_mma_operand_layout("A", (64, 64), "float32", M=64, cta_group=1, ws=True))
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: operand A on data path E has the shape (2, rows, columns), not (64, 64)
    i = T.meta_var(tmem_mma_operand_layout("D", (128, 64), "float32", M=96, cta_group=1))
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: no data path has M=96 with cta_group=1: M is 64 or 128 with cta_group=1, 128 or 256 with cta_group=2
    j = T.meta_var(tmem_mma_operand_layout("D", (64, 64), "float32", M=128, cta_group=1))
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: operand D has 128 rows a CTA, the shape (64, 64) has 64
    l = T.meta_var(tcgen05_atom_layout("32x32b", (64, 64), "float16"))
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: tcgen05 32x32b fragment of (64, 64) float16: with 64 rows 32 bits an element are needed
    m = T.meta_var(TileLayout(S[(8, 16)]).group_many([(8, 16), (4, 16)]))
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: group_many: 64 elements are not the same as 128
    n = T.meta_var(TileLayout(S[(8, 16)]).group_many([(8, 16), (3, 43)]))
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: group_many: 129 elements are not the same as 128
    o = T.meta_var(get_swizzle_mode_from_layout(ComposeLayout(3, 3, 3, TileLayout(S[512]), swizzle_inner=False)))
#                                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: a swizzle with swizzle_inner=False is none of the hardware: its rows are changed by the units of 16 bytes, not the units by the rows
#   hint: leave swizzle_inner out
    p = T.meta_var(ComposeLayout(3, 3, 3, TileLayout(S[512])).swizzle)
#                                                             ^^^^^^^ error[TW2003]: a layout has no attribute 'swizzle'
    q = T.SwizzleLayout(3, 3, 3)
#         ^^^^^^^^^^^^^ error[TW2003]: 'T' has no attribute 'SwizzleLayout'
#   hint: T.SwizzleLayout is 0.25; 0.26 writes T.ComposeLayout
    r = T.alloc_buffer((4,), "float32", axis_separators=[])
#                                       ^^^^^^^^^^^^^^^ error[TW2006]: axis_separators= is 0.25; buffers of 0.26 have nothing like it
#   hint: drop axis_separators=
    s: T.Buffer((4,), "float32", buffer_type="auto") = A
#                                ^^^^^^^^^^^ error[TW2006]: buffer_type= is 0.25; buffers of 0.26 have nothing like it
#   hint: drop buffer_type=

#--- windows  [print]
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.tirx.layout import S, TileLayout, ComposeLayout, laneid, TLane, TCol

@T.prim_func
def k(A: T.Buffer((64, 64), "float32")):
    T.device_entry()
    bx = T.cta_id([1])
    tx = T.thread_id([64])
    s = T.alloc_shared((4, 64, 64), "float16", layout=ComposeLayout(3, 3, 3, TileLayout(S[(4, 64, 64) : (4096, 64, 1)])))
    a = s.sub[2]
    b = s.sub[1:3, 8]
    c = s.sub[0, 0:32, 1::2]
    d = s.tile(1, (4, -1))[1, :]
    e = s.tile((1, (4, -1)), (2, (2, 4, 8)))[:, tx // 32, :, 1, :]
    f = s.rearrange("s (a b) c -> (s a) (b c)", a=8)
    g = s.permute(2, 0, 1)
    h = T.alloc_shared((8, 16), "float32")
    h2 = h.sub[3, 4:8]
    h3 = h.sub[tx % 8]
    h4 = h.sub[tx // 32 * 4 : tx // 32 * 4 + 4]
    t = T.decl_buffer((128, 64), scope="tmem", allocated_addr=0, layout=TileLayout(S[(128, 64) : (1 @ TLane, 1 @ TCol)]))
    t2 = t.sub[:, 32:64]
    t3 = t.sub[:, 16 * bx : 16 * bx + 16]
    r = T.alloc_local((4, 32, 8), "float32", layout=TileLayout(S[(4, 32, 8) : (1, 1 @ laneid, 4)]))
    r1 = r.local()
    r2 = r.local(4, 8)
    r3 = r.local(layout=TileLayout(S[(4, 8) : (1, 4)]))
    r4 = r.sub[:, :, 2]
#| @T.prim_func
#| def k(A: T.Buffer((64, 64), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([1])
#|     tx = T.thread_id([64])
#|     s = T.alloc_shared((4, 64, 64), "float16", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(4, 64, 64):(4096, 64, 1)])))
#|     a = T.decl_buffer((64, 64), "float16", data=s.data, elem_offset=8192, scope="shared", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(64, 64):(64, 1)])))
#|     b = T.decl_buffer((2, 64), "float16", data=s.data, elem_offset=4608, scope="shared", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(2, 64):(4096, 1)])))
#|     c = T.decl_buffer((32, 32), "float16", data=s.data, scope="shared", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(32, 32):(64, 2)] + 1)))
#|     d = T.decl_buffer((4, 16, 64), "float16", data=s.data, elem_offset=1024, scope="shared", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(4, 16, 64):(4096, 64, 1)])))
#|     e = T.decl_buffer((4, 4, 16), "float16", data=s.data, scope="shared", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(4, 4, 2, 8):(4096, 1024, 32, 1)] + (tx // 32 * 64 + 8) @ Axis.m)))
#|     f = T.decl_buffer((32, 512), "float16", data=s.data, scope="shared", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(4, 8, 8, 64):(4096, 512, 64, 1)])))
#|     g = T.decl_buffer((64, 4, 64), "float16", data=s.data, scope="shared", layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[(64, 4, 64):(1, 4096, 64)])))
#|     h = T.alloc_shared((8, 16))
#|     h2 = T.decl_buffer((4,), data=h.data, elem_offset=52, scope="shared")
#|     h3 = T.decl_buffer((16,), data=h.data, elem_offset=tx % 8 * 16, scope="shared")
#|     h4 = T.decl_buffer((4, 16), data=h.data, elem_offset=tx // 32 * 64, scope="shared")
#|     t = T.decl_buffer((128, 64), scope="tmem", layout=T.TileLayout(T.S[(128, 64):(1 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=0)
#|     t2 = T.decl_buffer((128, 32), scope="tmem", layout=T.TileLayout(T.S[(128, 32):(1 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=32)
#|     t3 = T.decl_buffer((128, 16), scope="tmem", layout=T.TileLayout(T.S[(128, 16):(1 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=bx * 16)
#|     r = T.alloc_local((4, 32, 8), layout=T.TileLayout(T.S[(4, 32, 8):(1, 1 @ Axis.laneid, 4)]))
#|     r1 = T.decl_buffer((32,), data=r.data, scope="local")
#|     r2 = T.decl_buffer((4, 8), data=r.data, scope="local")
#|     r3 = T.decl_buffer((32,), data=r.data, scope="local", layout=T.TileLayout(T.S[(4, 8):(1, 4)]))
#|     r4 = T.decl_buffer((4, 32), data=r.data, elem_offset=8, scope="local", layout=T.TileLayout(T.S[(4, 32):(1, 1 @ Axis.laneid)]))

#--- windows that are refused
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.tirx.layout import S, TileLayout, ComposeLayout, laneid, TLane, TCol

@T.prim_func
def k(A: T.Buffer((64, 64), "float32")):
    T.device_entry()
    bx = T.cta_id([1])
    tx = T.thread_id([64])
    s = T.alloc_shared((8, 16), "float32")
    a = s.sub[8]
#       ^^^^^^^^ error[TW2106]: sub: index 8 is outside dimension 0 of extent 8
    b = s.sub[0, 4:20]
#       ^^^^^^^^^^^^^^ error[TW2106]: sub: [4, 20) goes beyond dimension 0 of extent 16
    c = s.sub[0, 0, 0]
#       ^^^^^^^^^^^^^^ error[TW2106]: sub: 3 indices for a buffer of 2 dimensions
    d = s.sub[1::3]
#       ^^^^^^^^^^^ error[TW2106]: sub: a step of 3 does not divide dimension 0 of extent 8
    e = s.sub[2::2]
#       ^^^^^^^^^^^ error[TW2106]: sub: a slice with the step 2 starts at 0 to 1, not at 2
    f = s.sub[0:4:2]
#       ^^^^^^^^^^^^ error[TW2106]: sub: a slice with a step has no end
#   hint: write start::step
    g = s.tile(0, (3, -1))[0, :]
#       ^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: tile: dimension 0 has the extent 8, the factors multiply to 3
    h = s.tile(0, (2, -1))[:, :]
#       ^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: tile: no factor of dimension 0 is picked
#   hint: pick one, or reshape with .view(...)
    i = s.tile(2, (2, -1))[0, :]
#       ^^^^^^^^^^^^^^^^^^ error[TW2106]: tile: there is no dimension 2 of 2
#   hint: write tile(dim, (outer, -1))
    j = s.tile(0, (2, -1))[0]
#       ^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: tile: 2 factors and 1 picks
#   hint: give one index or ':' a factor
    l = s.rearrange("a b -> b c")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: rearrange: both sides have the same axes, each once
    m = s.rearrange("(a b) c -> a b c")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: rearrange: give the sizes of all axes of dimension 0 but one: a=..., b=...
    n = s.rearrange("a b c -> c b a")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: rearrange: the left side has 3 groups, the buffer 2 dimensions
    o = s.chunk((3, None))[0, :]
#       ^^^^^^^^^^^^^^^^^^ error[TW2106]: chunk: dimension 0 of extent 8 is not cut into equal chunks by 3
    p = s.chunk((2, None))[0:1, :]
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: chunk: dimension 0 is cut into chunks: it takes the index of one, no slice
    q = s.chunk((2,))
#       ^^^^^^^^^^^^^ error[TW2106]: chunk: 1 entry for a buffer of 2 dimensions
    r = T.alloc_local((4, 32, 8), "float32", layout=TileLayout(S[(4, 32, 8) : (1, 1 @ laneid, 4)]))
    r1 = r.local(5)
#        ^^^^^^^^^^ error[TW2106]: one thread holds 32 elements, the view has 5
#   hint: layout= gives a view of another size
    r2 = r.sub[:, 3]
#        ^^^^^^^^^^^ error[TW2106]: sub: the dimension lies on axis laneid, where a window has no other beginning than the buffer
    t = T.decl_buffer((128, 64), "float16", scope="tmem", allocated_addr=0, layout=TileLayout(S[(128, 64) : (1 @ TLane, 1 @ TCol)]))
    t1 = t.sub[:, 1:3]
#        ^^^^^^^^^^^^^ error[TW2106]: sub: a window in tensor memory begins with a column of 32 bits; this one begins 1 element of float16 further
    t2 = t.sub[64:128]
#        ^^^^^^^^^^^^^ error[TW2106]: sub: the dimension lies on axis TLane, where a window has no other beginning than the buffer

#--- pools and barriers by use  [print]
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import MBarrier, TMABar, TCGen05Bar

@T.prim_func
def k(A: T.Buffer((64, 64), "float16")):
    T.device_entry()
    cx = T.cta_id_in_cluster([2])
    tx = T.thread_id([128])
    pool = T.SMEMPool()
    a = pool.alloc_tcgen05_mma_AB((64, 64), "float16")
    b = pool.alloc_tcgen05_mma_AB((64, 64), "float16", swizzle_mode="none")
    bar = MBarrier(pool, 2)
    tma = TMABar(pool, 2)
    tc = TCGen05Bar(pool, 1)
    tm = T.TMEMPool(pool, total_cols=512, cta_group=1)
    d = tm.alloc_tcgen05_mma_D((128, 128), "float32", M=128, cta_group=1)
    e = tm.alloc_tcgen05_mma_A((128, 64), "bfloat16", M=128, cta_group=1)
    f = tm.alloc_tcgen05_mma_C((64, 128), "float32", M=64, cta_group=1, ws=True)
    pool.commit()
    tm.commit()
    bar.init(1)
    tma.init(1)
    bar.arrive(0)
    bar.arrive(1, remote=0)
    bar.arrive(1, remote=0, pred=tx == 0, count=2)
    tma.arrive(0, 128)
    tma.arrive(0, 128, remote=1)
    tma.arrive(0, remote=1)
    v = bar.remote_view(1)
    v.arrive(0)
    w = tma.remote_view(1)
    w.arrive(0, 64)
    tc.arrive(0)
    tc.arrive(0, cta_group=2, cta_mask=3)
    bar.wait(0, 0)
    tm.dealloc()
#| @T.prim_func
#| def k(A: T.Buffer((64, 64), "float16")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     cx = T.cta_id_in_cluster([2])
#|     tx = T.thread_id([128])
#|     pool_buf = T.alloc_buffer((0,), "uint8", scope="shared.dyn")
#|     a = T.decl_buffer((64, 64), "float16", data=pool_buf.data, scope="shared.dyn", align=1024, layout=T.ComposeLayout(3, 3, 3, T.TileLayout(T.S[4096:1])))
#|     b = T.decl_buffer((64, 64), "float16", data=pool_buf.data, elem_offset=4096, scope="shared.dyn", align=1024, layout=T.TileLayout(T.S[(64, 8, 8):(8, 512, 1)]))
#|     bar_buf = T.decl_buffer((2,), "uint64", data=pool_buf.data, elem_offset=2048, scope="shared.dyn", align=8)
#|     tma_buf = T.decl_buffer((2,), "uint64", data=pool_buf.data, elem_offset=2050, scope="shared.dyn", align=8)
#|     tc_buf = T.decl_buffer((1,), "uint64", data=pool_buf.data, elem_offset=2052, scope="shared.dyn", align=8)
#|     tm_addr_buf = T.decl_buffer((1,), "uint32", data=pool_buf.data, elem_offset=4106, scope="shared.dyn", align=4)
#|     d = T.decl_buffer((128, 128), scope="tmem", layout=T.TileLayout(T.S[(128, 128):(1 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=0)
#|     e = T.decl_buffer((128, 64), "bfloat16", scope="tmem", layout=T.TileLayout(T.S[(128, 64):(1 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=128)
#|     f = T.decl_buffer((64, 128), scope="tmem", layout=T.TileLayout(T.S[(64, 2, 64):(1 @ Axis.TLane, 64 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=160)
#|     T.attr(pool_buf.data, "tirx.pool_max_bytes", 16428)
#|     warp = T.warp_id()
#|     if warp == 0:
#|         T.ptx.tcgen05.alloc(T.address_of(tm_addr_buf[0]), T.uint32(512))
#|         T.cuda.warp_sync()
#|     if T.cuda.thread_rank() == 0:
#|         for i in T.unroll(2):
#|             T.ptx.mbarrier.init(T.address_of(bar_buf[i]), T.uint32(1))
#|     if T.cuda.thread_rank() == 0:
#|         for i in T.unroll(2):
#|             T.ptx.mbarrier.init(T.address_of(tma_buf[i]), T.uint32(1))
#|     T.ptx.mbarrier.arrive(T.address_of(bar_buf[0]))
#|     T.ptx.mbarrier.arrive(T.address_of(bar_buf[1]), 0, 1)
#|     T.ptx.mbarrier.arrive(T.address_of(bar_buf[1]), 0, T.Cast("int32", tx == 0), T.uint32(2))
#|     T.ptx.mbarrier.arrive.expect_tx(T.address_of(tma_buf[0]), T.uint32(128))
#|     T.ptx.mbarrier.arrive.expect_tx(T.address_of(tma_buf[0]), T.uint32(128), 1)
#|     T.ptx.mbarrier.arrive(T.address_of(tma_buf[0]), 1, 1)
#|     v_buf_ptr: T.let[T.handle("uint64", "shared")] = T.reinterpret("handle", T.ptx.map_shared_rank(T.address_of(bar_buf[0]), T.uint32(1)))
#|     v_buf = T.decl_buffer((2,), "uint64", data=v_buf_ptr, scope="shared")
#|     T.ptx.mbarrier.arrive(T.address_of(bar_buf[0]), 1, 1)
#|     w_buf_ptr: T.let[T.handle("uint64", "shared")] = T.reinterpret("handle", T.ptx.map_shared_rank(T.address_of(tma_buf[0]), T.uint32(1)))
#|     w_buf = T.decl_buffer((2,), "uint64", data=w_buf_ptr, scope="shared")
#|     T.ptx.mbarrier.arrive.expect_tx(T.address_of(tma_buf[0]), T.uint32(64), 1)
#|     T.ptx.tcgen05.commit(T.address_of(tc_buf[0]))
#|     T.ptx.tcgen05.commit(T.address_of(tc_buf[0]), 2, T.uint16(3))
#|     T.ptx.mbarrier.try_wait(T.address_of(bar_buf[0]), T.uint32(0))
#|     warp_1 = T.warp_id()
#|     if warp_1 == 0:
#|         T.ptx.tcgen05.relinquish_alloc_permit()
#|         T.ptx.tcgen05.dealloc(tm_addr_buf[0], T.uint32(512))

#--- pools and barriers that are refused
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import MBarrier, TMABar, TCGen05Bar

@T.prim_func
def k(A: T.Buffer((64, 64), "float16")):
    T.device_entry()
    cx = T.cta_id_in_cluster([2])
    tx = T.thread_id([128])
    pool = T.SMEMPool()
    a = pool.alloc_mma((64, 64), "float16")
#            ^^^^^^^^^ error[TW2003]: 'SMEMPool' object has no attribute 'alloc_mma'
#   hint: T.SMEMPool.alloc_mma is 0.25; 0.26 writes T.SMEMPool.alloc_tcgen05_mma_AB
    b = pool.alloc_tcgen05_mma_AB((64,), "float16")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: alloc_tcgen05_mma_AB: a swizzled layout needs rows and columns, shape (64,) has 1 dimension; use swizzle_mode='none'
    tm = T.TMEMPool(pool)
    c = tm.alloc((128, 64), datapath="D")
#                           ^^^^^^^^ error[TW2006]: alloc has no argument 'datapath'
    d = tm.alloc_tcgen05_mma_D((128, 64), M=128, cta_group=2)
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: operand D has 64 rows a CTA, the shape (128, 64) has 128
    bar = MBarrier(pool, 2)
    bar.arrive(0, cta_id=1)
#                 ^^^^^^ error[TW2006]: arrive has no argument 'cta_id'
    v = bar.remote_view(1)
    v.init(1)
#   ^^^^^^^^^ error[TW2008]: ValueError: MBarrier.init: a view of another CTA's barriers can only arrive
    v.wait(0, 0)
#   ^^^^^^^^^^^^ error[TW2008]: ValueError: MBarrier.wait: a view of another CTA's barriers can only arrive
    v.arrive(0, remote=1)
#   ^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: MBarrier.arrive: this view belongs to one CTA already; drop remote=
    w = v.remote_view(0)
#       ^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: MBarrier.remote_view: a view of another CTA's barriers can only arrive
    e = T.TMEMStages(A, 0, 4)
#         ^^^^^^^^^^ error[TW2003]: 'T' has no attribute 'TMEMStages'
#   hint: T.TMEMStages is 0.25; 0.26 has nothing like it

#--- the taken branch of a Python condition binds names  [print]
# tilewright: dialect 0.26
from tvm.script import tirx as T
flag = True

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([64])
    if flag:
        x = T.float32(2.0)
        y: T.let = T.float32(3.0)
    A[tx] = x + y
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     x: T.float32 = T.float32(2.0)
#|     y: T.let[T.float32] = T.float32(3.0)
#|     A[tx] = x + y

#--- pointers are bound once  [print]
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([64])
    p = A.ptr_to([0])
    B = T.decl_buffer((64,), "float32", data=p)
    B[tx] = 1.0

@T.prim_func
def again(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([64])
    p = A.ptr_to([0])
    p = A.ptr_to([1])
#   ^ error[TW2102]: 'p' is already defined in this scope
#   hint: choose another name; only scalars can be assigned again
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     p: T.let[T.handle("float32", "global")] = T.address_of(A[0])
#|     B = T.decl_buffer((64,), data=p)
#|     B[tx] = T.float32(1.0)
#| @T.prim_func
#| def again(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     p: T.let[T.handle("float32", "global")] = T.address_of(A[0])

#--- lanes  [print]
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([64])
    A[tx] = T.Shuffle([A.vload([4], "float32x4")], [2])
    v: T.let = T.Shuffle([A[8], A[9]], [0, 1])
    A[0:2] = v
    A[4:6] = T.Shuffle([A[8], A[9]], [1, 0])
    A[16:20] = T.Shuffle([A.vload([32], "float32x4")], [3, 2, 1, 0])
    A[20:24] = T.Shuffle([A.vload([32], "float32x4")], [0, 1, 3, 2])
#              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2001]: a vector of elements that are not at equal distances in memory is not supported
#   hint: store them into a local array and load that as a vector
    A[6] = T.Shuffle([A[8], A[9]], [2])
#                                  ^^^ error[TW2005]: there is no lane 2: the vectors have 2
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     A[tx] = A[6]
#|     v: T.let[T.float32x2] = A[T.Ramp(8, 1, 2)]
#|     A[T.Ramp(0, 1, 2)] = v
#|     A[T.Ramp(4, 1, 2)] = T.reinterpret("float32x2", T.bitwise_or(T.Cast("uint64", T.reinterpret("uint32", A[9])), T.shift_left(T.Cast("uint64", T.reinterpret("uint32", A[8])), T.uint64(32))))
#|     A[T.Ramp(16, 1, 4)] = A[T.Ramp(35, -1, 4)]

#--- marks of a timeline leave nothing behind  [print]
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm.tirx.cuda.iket import IketProfiler
marks = IketProfiler()

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([64])
    marks.mark("begin")
    token: T.let = marks.range_start("store")
    A[tx] = 1.0
    marks.range_end(token)
    marks.range_push("next", 3)
    marks.range_pop()
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     token: T.let[T.uint32] = T.uint32(0)
#|     A[tx] = T.float32(1.0)

#--- leaving early  [print]
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([64])
    if tx > 32:
        T.Return(0)
    if tx > 16:
        return 0
    A[tx] = 1.0

@T.prim_func
def refused(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([64])
    if tx > 32:
        T.Return(1)
#                ^ error[TW2001]: a kernel can only return 0
    if tx > 16:
        T.ret(0)
#         ^^^ error[TW2003]: 'T' has no attribute 'ret'
#   hint: T.ret is 0.25; 0.26 writes T.Return
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     if tx > 32:
#|         return 0
#|     if tx > 16:
#|         return 0
#|     A[tx] = T.float32(1.0)
#| @T.prim_func
#| def refused(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     if tx > 32:
#|         pass
#|     if tx > 16:
#|         pass

#--- parameters that may be left out  [print]
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.jit
def k(A: T.Buffer((64,), "float32"), B: T.Optional(T.Buffer((64,), "float32")), c: T.Optional(T.int32)):
    T.device_entry()
    tx = T.thread_id([64])
    if B is not None:
        A[tx] = B[tx]
    else:
        A[tx] = 0.0

both = k.specialize()
one = k.specialize(B=None)
none = k.specialize(B=None, c=None)
wrong = k.specialize(B=1)
#                      ^ error[TW2114]: 'B' is None or left out here: its value is given at the launch
#   hint: write B=None, or drop it

@T.prim_func
def refused(A: T.Buffer((64,), "float32"), B: T.Optional(T.Buffer((64,), "float32"))):
#                                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2105]: T.Optional is for parameters of @T.jit alone
#   hint: decorate the kernel with @T.jit, or write the type without T.Optional
    T.device_entry()
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), c: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     A[tx] = B[tx]
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32"), c: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     A[tx] = T.float32(0.0)
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     A[tx] = T.float32(0.0)
#| @T.prim_func
#| def k():
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#| @T.prim_func
#| def refused():
#|     T.attr({"tirx.device_entry": T.bool(True)})

#--- extents that the signature names  [print]
# tilewright: dialect 0.26
from __future__ import annotations
from tvm.script import tirx as T
M = 16

@T.prim_func
def k(A: T.Buffer(("n", "n * 2", "M"), "float32"), B: T.Buffer((n,), "float32"), m: T.int32, C: T.Buffer(("m",), "float32")):
    n = T.int32()
    T.device_entry()
    bx = T.cta_id([n])
    tx = T.thread_id([64])
    B[bx] = A[bx, tx, 0] + C[m - 1]

@T.prim_func
def late(A: T.Buffer(("n",), "float32"), n: T.int64):
    T.device_entry()
    tx = T.thread_id([64])
    A[tx] = T.cast(n, "float32")

@T.prim_func
def other(A: T.Buffer(("n",), "float32")):
    n = T.int64()
#   ^ error[TW2102]: 'n' is an extent of the signature, of type int32, not int64
#   hint: write n = T.int32()
    T.device_entry()

@T.prim_func
def broken(A: T.Buffer(("n +",), "float32")):
#                       ^^^^^ error[TW1001]: "n +" is not an expression
    T.device_entry()
#| @T.prim_func
#| def k(A_handle: T.handle, B_handle: T.handle, m: T.int32, C_handle: T.handle):
#|     n = T.int32()
#|     A = T.match_buffer(A_handle, (n, n * 2, 16))
#|     B = T.match_buffer(B_handle, (n,))
#|     C = T.match_buffer(C_handle, (m,))
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([n])
#|     tx = T.thread_id([64])
#|     B[bx] = A[bx, tx, 0] + C[m - 1]
#| @T.prim_func
#| def late(A_handle: T.handle, n: T.int64):
#|     A = T.match_buffer(A_handle, (n,))
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     A[tx] = T.Cast("float32", n)
#| @T.prim_func
#| def other(A_handle: T.handle):
#|     n = T.int32()
#|     A = T.match_buffer(A_handle, (n,))
#|     T.attr({"tirx.device_entry": T.bool(True)})
#| @T.prim_func
#| def broken():
#|     T.attr({"tirx.device_entry": T.bool(True)})

#--- a quoted extent without deferred annotations
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer(("n",), "float32")):
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2105]: an extent that the signature names needs annotations that are not evaluated when the kernel is defined
#   hint: write `from __future__ import annotations` at the top of the script
    T.device_entry()

#--- modules that come with 0.27
# tilewright: dialect 0.26
from tvm.script import tirx as T
from tvm import arith
from tvm import sym
#               ^^^ error[TW2203]: there is no module 'tvm.sym' in 0.26
#   hint: 0.26 writes tvm.arith
import tvm.sym
#      ^^^^^^^ error[TW2203]: there is no module 'tvm.sym' in 0.26
#   hint: 0.26 writes tvm.arith
from tvm.backend.cuda.cpp import descriptors
#    ^^^^^^^^^^^^^^^^^^^^ error[TW2203]: there is no module 'tvm.backend.cuda.cpp' in 0.26
#   hint: 0.26 has nothing like it

#--- meta_var of tvm.script.ir is that of T
# tilewright: dialect 0.26
from tvm.script import ir as I
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    tx = T.thread_id([32])
    v = I.meta_var(tx + 1)
    A[v] = 1.0
