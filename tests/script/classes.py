# The reference's own classes and packages: isinstance(), type(), nodes by hand, `tvm` by its full name.
#--- what values are instances of  [print]
import tvm
import tvm.tirx as tirx
from numbers import Integral
from tvm.script import tirx as T
from tvm.tirx import Buffer, BufferRegion, IntImm, PrimFunc, Var
from tvm.tirx.layout import ComposeLayout, Iter, Layout, S, SwizzleLayout, TileLayout
from tvm.backend.cuda.operator.tile_primitive.tma_utils import SwizzleMode

L = TileLayout(S[2, 3])
W = SwizzleLayout(3, 3, 3)
def check():
    assert isinstance(L, TileLayout) and isinstance(L, T.TileLayout) and isinstance(L, tvm.tirx.layout.TileLayout)
    assert isinstance(L, Layout) and isinstance(L, (SwizzleLayout, TileLayout)) and not isinstance(L, SwizzleLayout)
    assert isinstance(W, SwizzleLayout) and isinstance(W, Layout) and not isinstance(W, TileLayout)
    assert isinstance(ComposeLayout(W, TileLayout(S[64, 64])), ComposeLayout)
    assert type(L) is TileLayout and type(L) == T.TileLayout and TileLayout is tirx.TileLayout
    assert isinstance(L.shard[0], Iter) and not isinstance(L, Iter)
    assert isinstance(L.shard[0].extent, IntImm) and not isinstance(L.shard[0].extent, int)
    assert isinstance(L.size(), T.IntImm) and isinstance(L.size() * 2 - 1, IntImm) and isinstance(-L.size(), IntImm)
    assert isinstance(int(L.size()), int) and L.size() == 6 and list(range(L.size()))[-1] == 5
    assert L.size().value == 6 and type(L.size().value) is int and f"{L.size()}" == "6"
    assert isinstance(T.int32(4), (int, IntImm)) and not isinstance(4, IntImm) and not isinstance(True, IntImm)
    assert issubclass(IntImm, tirx.PrimExpr) and issubclass(tirx.SizeVar, Var) and not issubclass(Var, IntImm)
    assert not isinstance(L, Buffer2) and not isinstance(TileLayoutLike(), TileLayout)
    return True


class Buffer2:
    pass

class TileLayoutLike(Buffer2):
    pass


def shown(A, n, tx, s):
    return [
        isinstance(A, Buffer), isinstance(A, tvm.tirx.Buffer), isinstance(A, T.Buffer), type(A) is Buffer, A.dtype.bits == 32,
        isinstance(n, Var), isinstance(tx, tirx.Var), isinstance(n, tvm.ir.PrimExpr), isinstance(n + 1, tirx.Add),
        isinstance(s, tirx.BufferLoad), isinstance(A[0], tirx.BufferLoad), isinstance(A[0:2], BufferRegion),
        isinstance(A.shape[0], int | IntImm), isinstance(A.layout, TileLayout), isinstance(A.shape[0], (int, IntImm)),
        isinstance(tirx.exp(n), tirx.Call), isinstance(n < 3, tirx.LT), isinstance(n < 3, tirx.PrimExpr),
    ]

def refuted(A, n, tx, s):
    return [
        isinstance(A, BufferRegion), isinstance(A.shape[0], int), isinstance(A.shape[0], bool), isinstance(n, int),
        isinstance(n + 1, Var), isinstance(A[0:2], tirx.PrimExpr), isinstance(A, PrimFunc), isinstance(A, Layout),
        isinstance(A.layout, SwizzleLayout), isinstance(None, Buffer), isinstance("Buffer", Buffer),
    ]

@T.prim_func
def k(A: T.Buffer((8,), "float32"), n: T.int32):
    T.device_entry()
    T.static_assert(check())
    tx = T.thread_id([32])
    s: T.int32 = 3
    T.static_assert(all(shown(A, n, tx, s)))
    T.static_assert(not any(refuted(A, n, tx, s)))
    if isinstance(L, TileLayout):
        A[0] = 1
    else:
        A[0] = 2
    A[1] = 1 if isinstance(A, Buffer) else 2
    A[A.shape[0] - 1] = A.shape[0] * 2
#| @T.prim_func
#| def k(A: T.Buffer((8,), "float32"), n: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([32])
#|     s: T.int32 = 3
#|     A[0] = T.float32(1.0)
#|     A[1] = T.float32(1.0)
#|     A[7] = T.float32(16.0)

#--- the swizzle modes are members of an enum  [print]
from tvm.script import tirx as T
from tvm.tirx.layout import S, TileLayout
from tvm.backend.cuda.operator.tile_primitive.tma_utils import (
    SwizzleMode,
    get_swizzle_mode_from_layout,
    mma_shared_layout,
)

B128 = SwizzleMode.SWIZZLE_128B_ATOM
def check():
    assert isinstance(B128, SwizzleMode) and B128.value == 3 and B128.name == "SWIZZLE_128B_ATOM"
    assert B128 != 3 and not B128 == 3 and B128 is SwizzleMode(3) and len(SwizzleMode) == 4
    assert SwizzleMode["SWIZZLE_NONE"].value == 0 and [m.value for m in SwizzleMode] == [0, 1, 2, 3]
    assert get_swizzle_mode_from_layout(mma_shared_layout("float16", B128, (8, 64))) is B128
    assert str(mma_shared_layout("float16", 3, (8, 64))) == str(mma_shared_layout("float16", B128, (8, 64)))
    return True


@T.prim_func
def k(A: T.Buffer((8, 64), "float16")):
    T.device_entry()
    T.static_assert(check())
    tx = T.thread_id([32])
    pool = T.SMEMPool()
    s = pool.alloc_mma((8, 64), "float16", B128)
    u = pool.alloc((8, 64), "float16", layout=mma_shared_layout("float16", B128, (8, 64)))
    pool.commit()
    s[0, 0] = A[0, 0]
#| @T.prim_func
#| def k(A: T.Buffer((8, 64), "float16")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([32])
#|     pool_buf = T.alloc_buffer((0,), "uint8", scope="shared.dyn")
#|     s = T.decl_buffer((8, 64), "float16", data=pool_buf.data, scope="shared.dyn", align=1024, layout=T.SwizzleLayout(3, 3, 3, swizzle_inner=True))
#|     u = T.decl_buffer((8, 64), "float16", data=pool_buf.data, elem_offset=512, scope="shared.dyn", layout=T.SwizzleLayout(3, 3, 3, swizzle_inner=True))
#|     T.attr(pool_buf.data, "tirx.pool_max_bytes", 2048)
#|     s[0, 0] = A[0, 0]
#--- nodes by hand  [print] [cuda]
from tvm.script import tirx as T
from tvm import tirx

@T.prim_func
def k(I: T.Buffer((16,), "int32"), F: T.Buffer((4,), "float32")):
    T.device_entry()
    tx = T.thread_id([32])
    x = T.IntImm("int32", 4)
    I[0] = x
    I[1] = T.Add(tx, 3)
    I[2] = T.Mod(tx, 3)
    I[3] = T.FloorMod(tx, 3)
    I[4] = T.Sub(tx, T.Mul(tx, 3))
    I[5] = T.Max(T.Min(tx, 3), T.FloorDiv(tx, 3))
    if T.LT(tx, 3):
        I[6] = T.BufferLoad(I, [tx])
    if T.tvm_thread_invariant(T.EQ(tx, 3)):
        I[7] = tirx.Select(tx > 2, tx, 0)
    F[0] = T.FloatImm("float32", 2.5)
    v = T.Var("v", "int32")
#| @T.prim_func
#| def k(I_1: T.Buffer((16,), "int32"), F: T.Buffer((4,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([32])
#|     x: T.int32 = 4
#|     I_1[0] = x
#|     I_1[1] = tx + 3
#|     I_1[2] = T.truncmod(tx, 3)
#|     I_1[3] = tx % 3
#|     I_1[4] = tx - tx * 3
#|     I_1[5] = T.max(T.min(tx, 3), tx // 3)
#|     if tx < 3:
#|         I_1[6] = I_1[tx]
#|     if tx == 3:
#|         I_1[7] = T.Select(tx > 2, tx, 0)
#|     F[0] = T.float32(2.5)
#--- names of tvm by their full path  [print] [cuda]
import tvm
import tvm.tirx as tirx
from tvm.script import tirx as T
from tvm import arith, DataType
from tvm.tirx.layout import TileLayout

H = tvm.DataType("float16")
def check():
    assert H.bits == 16 and H.lanes == 1 and H.itemsize == 2 and H == "float16" and str(H) == "float16"
    assert DataType("float16x4").lanes == 4 and tvm.runtime.DataType("float16x4").itemsize == 8
    assert TileLayout.from_iters([tvm.tirx.layout.Iter(8, 2, "m")], [], {}).span() == 15
    assert tvm.tirx.ceildiv(7, 2) == 4 and tvm.tirx.Buffer.WRITE == 2
    assert simplified.value == 7 and int(arith.Analyzer().simplify(5)) == 5
    return True

simplified = tvm.arith.Analyzer().simplify(T.int32(3) + 4)

@T.prim_func
def k(A: T.Buffer((10,), "int32"), B: T.Buffer((10,), H), n: T.int32):
    T.device_entry()
    T.static_assert(check())
    tx = T.thread_id([32])
    flags = T.alloc_local([10], "bool")
    for i in range(10):
        flags[i] = A[i] > 2
    regs = T.meta_var([flags[i] for i in range(10)])
    if tvm.tirx.all(*regs[:2]):
        A[0] = tirx.max(A[1], A[2])
    if tirx.any(regs[0], regs[1]):
        A[1] = tvm.tirx.min(A[1], A[2])
    A[2] = tvm.tirx.floordiv(A[1], A[2])
    A[3] = tirx.if_then_else(A[1] > 2, tirx.floormod(A[1], 3), A[2])
    A[4] = tvm.tirx.const(3, "int32")
    A[5] = tirx.add(tvm.tirx.IntImm("int32", 4), tx)
    B[1] = tirx.exp(B[0])
    if arith.Analyzer().can_prove(T.int32(4) > 3):
        A[6] = arith.Analyzer().simplify(n + 1 - n)
#| @T.prim_func
#| def k(A: T.Buffer((10,), "int32"), B: T.Buffer((10,), "float16"), n: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([32])
#|     flags = T.alloc_local((10,), "bool")
#|     for i in range(10):
#|         flags[i] = A[i] > 2
#|     if flags[0] and flags[1]:
#|         A[0] = T.max(A[1], A[2])
#|     if flags[0] or flags[1]:
#|         A[1] = T.min(A[1], A[2])
#|     A[2] = A[1] // A[2]
#|     A[3] = T.if_then_else(A[1] > 2, A[1] % 3, A[2])
#|     A[4] = 3
#|     A[5] = tx + 4
#|     B[1] = T.exp(B[0])
#|     A[6] = 1
#--- what tvm holds besides stays unknown, and hurts only where a kernel needs it; what it does not hold is refused
import tvm
import tvm.testing
from tvm import tirx
from tvm.script import tirx as T

target = tvm.target.Target("cuda")
mod = tvm.IRModule({"main": None})
x = tirx.stmt_functor.post_order_visit(mod, print)
if tvm.cuda(0).exist:
    x = 1

@T.prim_func
def k(A: T.Buffer((4,), "int32")):
    T.device_entry()
    A[0] = tirx.no_such_thing(3)
#               ^^^^^^^^^^^^^ error[TW2003]: 'tvm.tirx' has no attribute 'no_such_thing'
    A[1] = tvm.DataType("float17").bits
#                       ^^^^^^^^^ error[TW2005]: unknown dtype "float17"
    A[2] = tirx.PrimExpr()
#          ^^^^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a class of tvm
#   hint: give the value in the script, or name an entry with known arguments
#--- names of T that have no meaning in a kernel say so
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((4,), "int32")):
    T.device_entry()
    tx = T.thread_id([32])
    T.static_assert(not hasattr(T, "no_such_thing") and hasattr(T, "cta_id"))
    T.Assert(tx == 0, "no")
#     ^^^^^^ error[TW2003]: T.Assert is not available: it builds a statement by hand
#   hint: write the statement itself: if, while, assert, break, continue, or a binding with T.let
    a = T.axis.spatial(4, tx)
#         ^^^^ error[TW2003]: T.axis is not available: it belongs to the block dialect, which is no tile script
#   hint: write loops and indices
    A[0] = T.vscale()
#            ^^^^^^ error[TW2003]: T.vscale is not available: it is for other targets than CUDA
    A[1] = T.lookup_param("a")
#            ^^^^^^^^^^^^ error[TW2003]: T.lookup_param is not available: it belongs to the host's runtime, not into a kernel
    A[2] = T.selector(tx, tx == 0)
#            ^^^^^^^^ error[TW2003]: T.selector is not available: it is a part of the reference's own compiler
    A[3] = T.dp4a(T.int8x4(0), T.int8x4(0))
#            ^^^^ error[TW2003]: T.dp4a is not available: it has no code on CUDA in this release
#   hint: call the instruction with T.cuda.func_call
    A[0] = T.IntImm("float32", 3)
#                   ^^^^^^^^^ error[TW2004]: float32 is no type of integers
    A[0] = T.FloatImm("int32", 3)
#                     ^^^^^^^ error[TW2004]: int32 is not floating
    A[0] = T.BufferLoad(tx, [0])
#                       ^^ error[TW2004]: T.BufferLoad takes a buffer, not a run-time expression
    A[0] = T.no_such_thing
#            ^^^^^^^^^^^^^ error[TW2003]: 'T' has no attribute 'no_such_thing'
#--- what Python does when an object or a class is made  [print]
from tvm.script import tirx as T

class Settings:
    one = None
    def __new__(cls, *args, **kwargs):
        if cls.one is None:
            cls.one = super().__new__(cls)
            cls.one.values = {}
        return cls.one
    def set(self, **values):
        self.values.update(values)
        return self

class Small:
    def __new__(cls, n):
        return 7 if n < 0 else object.__new__(cls)
    def __init__(self, n):
        self.n = n

class Plugin:
    found = {}
    def __init_subclass__(cls, key=None, **kwargs):
        super().__init_subclass__(**kwargs)
        Plugin.found[key] = cls

class First(Plugin, key="first"):
    threads = 64

class Second(Plugin, key="second"):
    threads = 128

class Multiple:
    def __init__(self, of):
        self.of = of
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, instance, owner=None):
        return self.of if instance is None else getattr(instance, self.name)
    def __set__(self, instance, value):
        if value % self.of:
            raise ValueError(value)
        setattr(instance, self.name, value)

class Config:
    rows = Multiple(16)
    def __init__(self, rows, **more):
        self.rows = rows
        self.threads = 32
        self.__dict__.update(more)
        vars(self)["columns"] = 8

class Doubled:
    def __setattr__(self, name, value):
        super().__setattr__(name, 2 * value)

config = Config(64, threads=128)
try:
    config.rows = 65
    failed = 0
except ValueError:
    failed = 1
del config.__dict__["columns"]
doubled = Doubled()
doubled.n = 4
Settings().set(rows=3)

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([config.threads])
    if len(Plugin.found) == 2 and Plugin.found["second"].threads == 128:
        A[0] = Settings().set(columns=4).values["rows"]
    if Small(-1) == 7 and Small(2).n == 2:
        A[1] = config.rows + failed
    if not hasattr(config, "columns") and Config.rows == 16:
        A[2] = doubled.n
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([128])
#|     A[0] = 3
#|     A[1] = 65
#|     A[2] = 8

#--- a metaclass of the script's own
from tvm.script import tirx as T

class Meta(type):
    made = []
    def __new__(meta, name, bases, names):
        cls = super().__new__(meta, name, bases, names)
        meta.made.append(cls)
        return cls

class Base(metaclass=Meta):
    threads = 64

class Big(Base):
    threads = 128

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([len(Meta.made)])
#            ^^^^^^^^^^^^^^^^ error[TW2007]: the extents of T.cta_id are not known here: it comes from a class with a metaclass of its own
#   hint: give the value in the script, or name an entry with known arguments
    T.thread_id([Meta.made[-1].threads])
#               ^^^^^^^^^^^^^^^^^^^^^^^ error[TW2007]: the extents of T.thread_id are not known here: it comes from a class with a metaclass of its own
#   hint: give the value in the script, or name an entry with known arguments
    A[0] = Base.threads
#          ^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a class with a metaclass of its own
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = Big.threads
    A[2] = len(type(Big).__name__)
#          ^^^^^^^^^^^^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a class with an unknown base
#   hint: give the value in the script, or name an entry with known arguments


#--- names in kernels and in what they take in line are not private to the class around them  [tirx]
from tvm.script import tirx as T

class Sums:
    def __init__(self, n):
        self.n = n
        self.__twice = 2 * n
    @staticmethod
    @T.inline
    def of_warp(v):
        for s in T.unroll(5):
            v = v + T.cuda.__shfl_xor_sync(T.uint32(0xFFFFFFFF), v, 1 << s, 32)
    def twice(self):
        return self.__twice
    def build(self):
        @T.prim_func
        def k(A: T.Buffer((32,), "float32")):
            T.device_entry()
            T.cta_id([1])
            t = T.thread_id([32])
            v: T.float32 = A[t]
            self.of_warp(v)
            A[t] = v + T.cuda.__shfl_xor_sync(T.uint32(0xFFFFFFFF), v, self.twice() // self.n, 32)
        return k

k = Sums(32).build()
