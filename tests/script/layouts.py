# Layout notation (surface.md 11).
#--- constructions  [print]
from tvm.script import tirx as T
from tvm.tirx.layout import S, R, TileLayout, SwizzleLayout, ComposeLayout, Iter, Axis, laneid, warpid, wgid, tid_in_wg, wid_in_wg, tx, m, TLane, TCol

@T.prim_func
def k(A: T.Buffer((4,), "float32")):
    T.device_entry()
    a = T.alloc_local((16, 12), "float32", layout=TileLayout(S[(16, 2, 6) : (2 @ laneid, 1 @ laneid, 1)]))
    b = T.alloc_local((8,), "float32", layout=TileLayout(S[8 : 4 @ laneid] + R[4 : 1 @ laneid]))
    c = T.alloc_shared((4, 8), "float32", layout=TileLayout(S[4, 8]))
    d = T.alloc_shared((4, 8), "float32", layout=TileLayout(S[(4, 8) : (8, 1)] + 3))
    e = T.alloc_local((4, 8), "float32", layout=TileLayout(S[(4, 8) : (8, 1)] + 3 + 2 @ warpid + 1 @ warpid))
    f = T.alloc_shared((8, 64), "float16", layout=ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[(8, 64) : (64, 1)])))
    g = T.alloc_local((4,), "float32", layout=TileLayout.from_iters([Iter(4, 1, laneid)], [Iter(8, 4, laneid)], {}))
    h = T.decl_buffer((128, 4), "float32", scope="tmem", allocated_addr=0, layout=TileLayout(S[(128, 4) : (1 @ TLane, 1 @ TCol)]))
    i = T.alloc_shared((4, 8), "float32", layout=T.TileLayout(T.S[(4, 8):(8, 1)]))
    j = T.alloc_local((4, 8), "float32", layout=T.TileLayout(T.S[(4, 8):(8 @ Axis.laneid, 1 @ Axis.laneid)]))
    x = T.alloc_shared((64, 64), "float16", layout=SwizzleLayout(3, 3, 3, swizzle_inner=True))
#| @T.prim_func
#| def k(A: T.Buffer((4,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     a = T.alloc_local((16, 12), layout=T.TileLayout(T.S[(16, 2, 6):(2 @ Axis.laneid, 1 @ Axis.laneid, 1)]))
#|     b = T.alloc_local((8,), layout=T.TileLayout(T.S[8:4 @ Axis.laneid] + T.R[4:1 @ Axis.laneid]))
#|     c = T.alloc_shared((4, 8))
#|     d = T.alloc_shared((4, 8), layout=T.TileLayout(T.S[(4, 8):(8, 1)] + 3))
#|     e = T.alloc_local((4, 8), layout=T.TileLayout(T.S[(4, 8):(8, 1)] + 3 + 3 @ Axis.warpid))
#|     f = T.alloc_shared((8, 64), "float16", layout=T.ComposeLayout(T.SwizzleLayout(3, 3, 3, swizzle_inner=True), T.TileLayout(T.S[(8, 64):(64, 1)])))
#|     g = T.alloc_local((4,), layout=T.TileLayout(T.S[4:1 @ Axis.laneid] + T.R[8:4 @ Axis.laneid]))
#|     h = T.decl_buffer((128, 4), scope="tmem", layout=T.TileLayout(T.S[(128, 4):(1 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=0)
#|     i = T.alloc_shared((4, 8))
#|     j = T.alloc_local((4, 8), layout=T.TileLayout(T.S[(4, 8):(8 @ Axis.laneid, 1 @ Axis.laneid)]))
#|     x = T.alloc_shared((64, 64), "float16", layout=T.SwizzleLayout(3, 3, 3, swizzle_inner=True))

#--- layouts that are refused
from tvm.script import tirx as T
from tvm.tirx.layout import S, R, TileLayout, SwizzleLayout, ComposeLayout, Iter, laneid, warpid

@T.prim_func
def k(A: T.Buffer((4,), "float32")):
    T.device_entry()
    a = T.meta_var(TileLayout(S[(16, 2) : (2,)]))
#                             ^^^^^^^^^^^^^^^^^ error[TW2109]: 2 extents and 1 strides
    b = T.meta_var(TileLayout(S[0 : 1]))
#                             ^^^^^^^^ error[TW2109]: an extent must be positive, it is 0
    c = T.meta_var(TileLayout(S["x" : 1]))
#                             ^^^^^^^^^^ error[TW2004]: an extent must be a number or an expression, not str
    d = T.meta_var(TileLayout(3))
#                             ^ error[TW2109]: TileLayout takes S[...] with R[...] and offsets, not int
    e = T.meta_var(SwizzleLayout(3, 4, 3))
#                  ^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: swizzle (3, 4, 3): per_element >= 0, swizzle_len >= 0 and atom_len >= swizzle_len are needed
    f = T.meta_var(SwizzleLayout(-1, 3, 3))
#                                ^^ error[TW2109]: a swizzle parameter lies between 0 and 30, this is -1
    g = T.meta_var(ComposeLayout(SwizzleLayout(3, 3, 3), TileLayout(S[32 : 1 @ laneid])))
#                                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: a swizzle composes with a layout on axis m only, this one has axis laneid
    h = T.meta_var(ComposeLayout(1, 2))
#                                ^ error[TW2109]: a layout is needed here, not int
    i = T.meta_var(S[4 : 1] + "x")
#                  ^^^^^^^^^^^^^^ error[TW2109]: str is not an offset of a layout
    j = T.meta_var(S[4 : 1] @ laneid)
#                  ^^^^^^^^^^^^^^^^^ error[TW2004]: the left side of @ must be a number or an expression, not a layout specification
    l = T.meta_var(Iter(4))
#                  ^^^^^^^ error[TW2006]: Iter needs the argument 'stride'
    m = T.meta_var(TileLayout(S[4 : 1]).nothing)
#                                       ^^^^^^^ error[TW2003]: a layout has no attribute 'nothing'
    n = T.meta_var(TileLayout(S[4 : 1]).apply(1, 2, 3))
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: apply: 3 coordinates for 1 iters: layout S[4:1]
    o = T.meta_var(laneid @ 3)
#                  ^^^^^^^^^^ error[TW2109]: the right side of @ must be an axis, not int
    p = T.meta_var(TileLayout(S[4 : 1]).tile())
#                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2006]: this method needs the argument 'other'
    q = T.meta_var(TileLayout(S[-4 : 1]))
#                             ^^^^^^^^^ error[TW2109]: an extent must be positive, it is -4

#--- queries run on the host  [print]
from tvm.script import tirx as T
from tvm.tirx.layout import S, R, TileLayout, SwizzleLayout, ComposeLayout, laneid, m

L = TileLayout(S[(8, 4, 2) : (4 @ laneid, 1 @ laneid, 1)])
SIZE = L.size()
SPAN = L.span(laneid)
SAME = L.canonicalize() == L
STORAGE = L.storage().size()
SWIZZLE = SwizzleLayout(3, 3, 3).is_swizzle()

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    A[0] = SIZE
    A[1] = SPAN
    A[2] = STORAGE
    if SAME:
        A[3] = 1
    if SWIZZLE:
        A[4] = 1
    A[5] = TileLayout(S[4, 8]).apply(1, 2)["m"]
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0] = 64
#|     A[1] = 32
#|     A[2] = 2
#|     A[4] = 1
#|     A[5] = 10

