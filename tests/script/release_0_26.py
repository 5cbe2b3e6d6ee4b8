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
    b = T.meta_var(ComposeLayout(3, 4, 3, TileLayout(S[512])))
    c = T.meta_var(ComposeLayout(ComposeLayout(3, 3, 3, TileLayout(S[512])), TileLayout(S[512])))
    d = T.meta_var(tmem_datapath_layout("H", 128, 64))
    e = T.meta_var(tmem_datapath_layout("D", 64, 64))
    f = T.meta_var(tmem_datapath_layout("G", 32, 6))
    g = T.meta_var(tmem_datapath_layout("D", 128, 64, 1))
    h = T.meta_var(tmem_mma_operand_layout("A", (64, 64), "float32", M=64, cta_group=1, ws=True))
    i = T.meta_var(tmem_mma_operand_layout("D", (128, 64), "float32", M=96, cta_group=1))
    j = T.meta_var(tmem_mma_operand_layout("D", (64, 64), "float32", M=128, cta_group=1))
    l = T.meta_var(tcgen05_atom_layout("32x32b", (64, 64), "float16"))
    m = T.meta_var(TileLayout(S[(8, 16)]).group_many([(8, 16), (4, 16)]))
    n = T.meta_var(TileLayout(S[(8, 16)]).group_many([(8, 16), (3, 43)]))
    o = T.meta_var(get_swizzle_mode_from_layout(ComposeLayout(3, 3, 3, TileLayout(S[512]), swizzle_inner=False)))
    p = T.meta_var(ComposeLayout(3, 3, 3, TileLayout(S[512])).swizzle)
    q = T.SwizzleLayout(3, 3, 3)
    r = T.alloc_buffer((4,), "float32", axis_separators=[])
    s: T.Buffer((4,), "float32", buffer_type="auto") = A

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
    b = s.sub[0, 4:20]
    c = s.sub[0, 0, 0]
    d = s.sub[1::3]
    e = s.sub[2::2]
    f = s.sub[0:4:2]
    g = s.tile(0, (3, -1))[0, :]
    h = s.tile(0, (2, -1))[:, :]
    i = s.tile(2, (2, -1))[0, :]
    j = s.tile(0, (2, -1))[0]
    l = s.rearrange("a b -> b c")
    m = s.rearrange("(a b) c -> a b c")
    n = s.rearrange("a b c -> c b a")
    o = s.chunk((3, None))[0, :]
    p = s.chunk((2, None))[0:1, :]
    q = s.chunk((2,))
    r = T.alloc_local((4, 32, 8), "float32", layout=TileLayout(S[(4, 32, 8) : (1, 1 @ laneid, 4)]))
    r1 = r.local(5)
    r2 = r.sub[:, 3]
    t = T.decl_buffer((128, 64), "float16", scope="tmem", allocated_addr=0, layout=TileLayout(S[(128, 64) : (1 @ TLane, 1 @ TCol)]))
    t1 = t.sub[:, 1:3]
    t2 = t.sub[64:128]

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
    b = pool.alloc_tcgen05_mma_AB((64,), "float16")
    tm = T.TMEMPool(pool)
    c = tm.alloc((128, 64), datapath="D")
    d = tm.alloc_tcgen05_mma_D((128, 64), M=128, cta_group=2)
    bar = MBarrier(pool, 2)
    bar.arrive(0, cta_id=1)
    v = bar.remote_view(1)
    v.init(1)
    v.wait(0, 0)
    v.arrive(0, remote=1)
    w = v.remote_view(0)
    e = T.TMEMStages(A, 0, 4)

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
    if tx > 16:
        T.ret(0)

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

@T.prim_func
def refused(A: T.Buffer((64,), "float32"), B: T.Optional(T.Buffer((64,), "float32"))):
    T.device_entry()

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
    T.device_entry()

@T.prim_func
def broken(A: T.Buffer(("n +",), "float32")):
    T.device_entry()

#--- a quoted extent without deferred annotations
# tilewright: dialect 0.26
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer(("n",), "float32")):
    T.device_entry()
