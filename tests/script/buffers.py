# Buffers: constructors, methods, indexing (surface.md 4).
#--- constructors  [print]
from __future__ import annotations
from tvm.script import tirx as T
from tvm.tirx.layout import S, TileLayout, tid_in_wg

@T.prim_func
def k(a: T.handle, b: T.handle, c: T.handle):
    n = T.int32()
    m = T.int64()
    A = T.match_buffer(a, (n, 4), "float16", strides=(8, 1), layout=None)
    B = T.match_buffer(b, n, offset_factor=8, align=16)
    C = T.match_buffer(c, (m,), "float32", elem_offset=0)
    T.device_entry()
    tx = T.thread_id([128])
    s = T.alloc_shared((16, 32), "float16")
    s2 = T.smem((4,), "float32")
    l = T.alloc_local((4, 4), "float32")
    l2 = T.alloc_buffer((4,), "float32", scope="local")
    d = T.alloc_buffer((64,), "uint8", scope="shared.dyn")
    v = T.decl_buffer((32,), "float16", data=d.data, scope="shared.dyn")
    v2 = T.decl_buffer((8,), "float32", data=d.data, byte_offset=32, scope="shared.dyn")
    v3 = T.decl_buffer((8,), "float32", data=d.data, elem_offset=4, scope="shared.dyn")
    r = T.wg_reg_tile(8, "float32")
    f = T.alloc_tcgen05_ldst_frag("32x32b", (128, 64), "float32")
    g = T.alloc_cast_frag(f, "float16")
    t = T.decl_buffer((128, 64), "float32", scope="tmem", allocated_addr=0, layout=TileLayout(S[(128, 64) : (1 @ T.Axis.TLane, 1 @ T.Axis.TCol)]))
    x = T.local_scalar()
    y = T.shared_scalar("int32")
    z = T.alloc_scalar("int8", "local")
    w = T.decl_scalar("uint64", d.data, "shared.dyn", elem_offset=2)
    e = T.alloc_local(4, "float32")
    x = 1.0
    w = 3
#| @T.prim_func
#| def k(a: T.handle, b: T.handle, c: T.handle):
#|     n = T.int32()
#|     m = T.int64()
#|     A = T.match_buffer(a, (n, 4), "float16", strides=(8, 1), layout=None)
#|     B = T.match_buffer(b, (n,), align=16)
#|     C = T.match_buffer(c, (m,))
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([128])
#|     s = T.alloc_shared((16, 32), "float16")
#|     s2 = T.alloc_shared((4,))
#|     l = T.alloc_local((4, 4))
#|     l2 = T.alloc_local((4,))
#|     d = T.alloc_buffer((64,), "uint8", scope="shared.dyn")
#|     v = T.decl_buffer((32,), "float16", data=d.data, scope="shared.dyn")
#|     v2 = T.decl_buffer((8,), data=d.data, elem_offset=8, scope="shared.dyn")
#|     v3 = T.decl_buffer((8,), data=d.data, elem_offset=4, scope="shared.dyn")
#|     r = T.alloc_local((128, 8), layout=T.TileLayout(T.S[(128, 8):(1 @ Axis.tid_in_wg, 1)]))
#|     f = T.alloc_local((128, 64), layout=T.TileLayout(T.S[(128, 64):(1 @ Axis.tid_in_wg, 1)]))
#|     g = T.alloc_local((128, 64), "float16", layout=T.TileLayout(T.S[(128, 64):(1 @ Axis.tid_in_wg, 1)]))
#|     t = T.decl_buffer((128, 64), scope="tmem", layout=T.TileLayout(T.S[(128, 64):(1 @ Axis.TLane, 1 @ Axis.TCol)]), allocated_addr=0)
#|     x: T.float32
#|     y = T.alloc_scalar("int32", "shared")
#|     z: T.int8
#|     w = T.decl_scalar("uint64", data=d.data, scope="shared.dyn", elem_offset=2)
#|     e = T.alloc_local((4,))
#|     x = T.float32(1.0)
#|     w = T.uint64(3)

#--- constructors that are refused
from tvm.script import tirx as T

@T.prim_func
def k(a: T.handle, A: T.Buffer((4,), "float32"), n: T.int32):
    M = T.match_buffer(a, dtype="float32")
#                      ^ error[TW2106]: a buffer needs a shape
    M2 = T.match_buffer(A, (4,))
#                       ^ error[TW2105]: T.match_buffer of a region belongs to the block dialect
#   hint: use a slice of the buffer, or T.decl_buffer
    M3 = T.match_buffer(n + 1, (4,))
#                       ^^^^^ error[TW2105]: Can not bind non-input param: the first argument must be a parameter of the kernel
    M4 = T.match_buffer(a, (4,), name="x")
#                                     ^^^ error[TW2106]: a buffer takes the name it is assigned to
#   hint: drop name=
    T.device_entry()
    b1 = T.alloc_local((n,), "float32")
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: a local buffer needs constant extents
#   hint: only matched and declared buffers may have symbolic ones
    b2 = T.alloc_shared((0,), "float32")
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: a buffer extent must be positive, it is 0
    b3 = T.alloc_shared((-4,), "float32")
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: a buffer extent must be positive, it is -4
    b4 = T.alloc_local((4,), "float32", name="b4")
#                                            ^^^^ error[TW2106]: a buffer takes the name it is assigned to
#   hint: drop name=
    b5 = T.decl_buffer((4,), data=A.data, elem_offset=1, byte_offset=4)
#                                                                    ^ error[TW2106]: elem_offset and byte_offset exclude each other
    b6 = T.alloc_buffer((4,), "float32", scope="local", allocated_addr=4)
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: allocated_addr belongs to tmem buffers only
    b7 = T.tmem((128, 4), "float32")
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: a tmem buffer needs allocated_addr
#   hint: declare it with T.TMEMPool or T.decl_buffer(..., allocated_addr=column)
    b8 = T.alloc_local((4,), "float99")
#                            ^^^^^^^^^ error[TW2004]: unknown dtype "float99"
#   hint: did you mean "float16"?
    b9 = T.alloc_local((1.5,), "float32")
#                      ^^^^^^ error[TW2004]: the shape must be integers, not float32
    b10 = T.alloc_local()
#         ^^^^^^^^^^^^^^^ error[TW2006]: the allocation needs the argument 'shape'
    b11 = T.alloc_local((4,), "float32", shape=(4,))
#                                              ^^^^ error[TW2006]: the allocation is given 'shape' twice
    b12 = T.alloc_local((4,), "float32", colour="red")
#                                        ^^^^^^ error[TW2006]: the allocation has no argument 'colour'
    b13 = T.alloc_shared((4,), "float32", align=3)
#                                               ^ error[TW2106]: align must be a power of two up to 65536, it is 3
    b14 = T.alloc_local((4,), "float32", layout="strange")
#                                               ^^^^^^^^^ error[TW2109]: layout strings other than "default" belong to other targets
    b15 = T.decl_buffer((4,), data=3)
#                                  ^ error[TW2106]: data= must be a pointer variable
#   hint: pass buffer.data, or a T.let pointer
    b16 = T.alloc_local((4, 4), "float32", layout=T.TileLayout(T.S[(4,) : (1,)]))
#         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2106]: the buffer has 16 elements, its layout 4
#   hint: layout: S[4:1]
    b17 = T.alloc_buffer((4,), "uint8", scope="shared.dyn")
    b18 = T.alloc_buffer((4,), "uint8", scope="shared.dyn")

#--- tensor map fragments that are refused
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((4,), "float32"), n: T.int32):
    T.device_entry()
    f1 = T.alloc_tcgen05_ldst_frag("33x33b", (128, 64), "float32")
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: no tcgen05 shape "33x33b": 32x32b, 16x64b, 16x128b or 16x256b
    f2 = T.alloc_tcgen05_ldst_frag("32x32b", (128, 64, 2), "float32")
#                                            ^^^^^^^^^^^^ error[TW2109]: the tensor shape must be two constants (rows, columns)
    f3 = T.alloc_tcgen05_ldst_frag("32x32b", (64, 64), "float32")
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: tcgen05 32x32b fragment of (64, 64) float32: 128 rows are needed
    f4 = T.alloc_tcgen05_ldst_frag("16x64b", (128, 63), "float32")
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: tcgen05 16x64b fragment of (128, 63) float32: the columns are not a multiple of 2
    f5 = T.alloc_tcgen05_ldst_frag("32x32b", (128, 64), "float64")
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: tcgen05 32x32b fragment of (128, 64) float64: 16 or 32 bits an element are needed
    f6 = T.alloc_tcgen05_ldst_frag("32x32b", (128, 48), "float32")
#        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: tcgen05 32x32b fragment of (128, 48) float32: 48 repeats; powers of two up to 128 exist
    f7 = T.alloc_cast_frag(3, "float16")
#                          ^ error[TW2106]: T.alloc_cast_frag takes a register buffer

#--- methods and attributes  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((4, 8), "float16"), B: T.Buffer((64,), "int32")):
    T.device_entry()
    s = T.alloc_shared((4, 8), "float16")
    B[0] = A.shape[0] * A.shape[1]
    B[1] = len(A.strides)
    if A.dtype == "float16":
        B[2] = 1
    if s.scope() == "shared":
        B[3] = 1
    if A.scope() == "global" and not A.is_scalar():
        B[4] = 1
    B[5] = A.elem_offset_of([1, 2])
    B[6] = A.byte_offset_of([1, 2])
    B[7] = A.offset_of([1, 2])[0]
    p: T.let[T.handle("float16")] = A.ptr_to([1, 2])
    q: T.let[T.handle("float16")] = A.access_ptr("r", offset=4)
    v: T.let = A.vload([0, 0], dtype="float16x4")
    s.vstore([0, 0], v)
    B[8] = A.elem_offset
    B[9] = A.ndim
    n: T.let = B[0].astype("float32")
    B[10] = T.cast(n, "int32")
#| @T.prim_func
#| def k(A: T.Buffer((4, 8), "float16"), B: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     s = T.alloc_shared((4, 8), "float16")
#|     B[0] = 32
#|     B[1] = 0
#|     B[2] = 1
#|     B[3] = 1
#|     B[4] = 1
#|     B[5] = 10
#|     B[6] = 20
#|     B[7] = 10
#|     p: T.let[T.handle("float16", "global")] = T.address_of(A[1, 2])
#|     A_flat = T.decl_buffer((32,), "float16", data=A.data, layout=None)
#|     q: T.let[T.handle("float16", "global")] = T.address_of(A_flat[4])
#|     v: T.let[T.float16x4] = A[0, T.Ramp(0, 1, 4)]
#|     s[0, T.Ramp(0, 1, 4)] = v
#|     B[8] = 0
#|     B[9] = 2
#|     n: T.let[T.float32] = T.Cast("float32", B[0])
#|     B[10] = T.Cast("int32", n)

#--- methods that are refused
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((4, 8), "float16"), i: T.int32):
    T.device_entry()
    p: T.let = A.ptr_to([1])
#                       ^^^ error[TW2107]: A has 2 dimensions, 1 indices are given
    p2: T.let = A.ptr_to(1, 2)
#                           ^ error[TW2006]: ptr_to takes at most 1 positional arguments, 2 are given
    v: T.let = A.vload([0, 0], dtype="float32x4")
#                                    ^^^^^^^^^^^ error[TW2004]: cannot load float32x4 from A of float16
    v2: T.let = A.vload([0])
#                       ^^^ error[TW2107]: A has 2 dimensions, 1 indices are given
    A.vstore([0], 1.0)
#            ^^^ error[TW2107]: A has 2 dimensions, 1 indices are given
    A.nothing
#     ^^^^^^^ error[TW2003]: a buffer has no attribute 'nothing'
    A.nothing()
#     ^^^^^^^ error[TW2003]: a buffer has no attribute 'nothing'
    x = A.permute(0, 0)
#       ^^^^^^^^^^^^^^^ error[TW2106]: permute takes each dimension of A once
    y = A.permute(0)
#       ^^^^^^^^^^^^ error[TW2106]: permute takes each dimension of A once
    z = A.view(3, 3)
#       ^^^^^^^^^^^^ error[TW2106]: a view of 9 elements onto 32
    z2 = A.view(-1, -1)
#        ^^^^^^^^^^^^^^ error[TW2106]: only one extent of a view can be inferred
    z3 = A.view(-1, 5)
#        ^^^^^^^^^^^^^ error[TW2106]: the -1 of this view cannot be inferred from 32 elements
    z4 = A.view(32, T.TileLayout(T.S[32]))
#                   ^^^^^^^^^^^^^^^^^^^^^ error[TW2006]: a layout is given by keyword
#   hint: write layout=...
    z5 = A.view(32, shape=4)
#                   ^^^^^ error[TW2006]: view has no argument 'shape'
    z6 = A.view("float33")
#               ^^^^^^^^^ error[TW2004]: unknown dtype "float33"
#   hint: did you mean "float32"?
    l = A.local(shape=4)
#               ^^^^^ error[TW2006]: local has no argument 'shape'
    l2 = A.local(64)
#        ^^^^^^^^^^^ error[TW2106]: one thread holds 32 elements, the view has 64

#--- views  [print]
from tvm.script import tirx as T
from tvm.tirx.layout import S, TileLayout, tid_in_wg

@T.prim_func
def k(A: T.Buffer((4, 8), "float32")):
    T.device_entry()
    s = T.alloc_shared((4, 8), "float16")
    a = s.view(32)
    b = s.view(-1, 4)
    c = s.view("float32")
    d = s.view("uint8")
    e = s.permute(1, 0)
    f = s.view(2, 16, layout=TileLayout(S[(2, 16) : (16, 1)]))
    g = s.view((8, 4))
    r = T.alloc_local((128, 4), "float32", layout=TileLayout(S[(128, 4) : (1 @ tid_in_wg, 1)]))
    h = r.local()
    i = r.local(2, 2)
    j = r.local(-1, 2)
    a[0] = 1.0
    b[0, 0] = 1.0
    c[0, 0] = 1.0
    d[0, 0] = 1
    e[7, 3] = 1.0
    f[1, 15] = 1.0
    g[7, 3] = 1.0
    h[3] = 1.0
    i[1, 1] = 1.0
    j[1, 1] = 1.0
#| @T.prim_func
#| def k(A: T.Buffer((4, 8), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     s = T.alloc_shared((4, 8), "float16")
#|     a = T.decl_buffer((32,), "float16", data=s.data, scope="shared", layout=T.TileLayout(T.S[(4, 8):(8, 1)]))
#|     b = T.decl_buffer((8, 4), "float16", data=s.data, scope="shared", layout=T.TileLayout(T.S[(4, 8):(8, 1)]))
#|     c = T.decl_buffer((4, 4), data=s.data, scope="shared")
#|     d = T.decl_buffer((4, 16), "uint8", data=s.data, scope="shared", layout=T.TileLayout(T.S[(4, 8, 2):(16, 2, 1)]))
#|     e = T.decl_buffer((8, 4), "float16", data=s.data, scope="shared", layout=T.TileLayout(T.S[(8, 4):(1, 8)]))
#|     f = T.decl_buffer((2, 16), "float16", data=s.data, scope="shared")
#|     g = T.decl_buffer((8, 4), "float16", data=s.data, scope="shared", layout=T.TileLayout(T.S[(4, 8):(8, 1)]))
#|     r = T.alloc_local((128, 4), layout=T.TileLayout(T.S[(128, 4):(1 @ Axis.tid_in_wg, 1)]))
#|     h = T.decl_buffer((4,), data=r.data, scope="local")
#|     i = T.decl_buffer((2, 2), data=r.data, scope="local", layout=T.TileLayout(T.S[4:1]))
#|     j = T.decl_buffer((2, 2), data=r.data, scope="local", layout=T.TileLayout(T.S[4:1]))
#|     a[0] = T.float16(1.0)
#|     b[0, 0] = T.float16(1.0)
#|     c[0, 0] = T.float32(1.0)
#|     d[0, 0] = T.uint8(1)
#|     e[7, 3] = T.float16(1.0)
#|     f[1, 15] = T.float16(1.0)
#|     g[7, 3] = T.float16(1.0)
#|     h[3] = T.float32(1.0)
#|     i[1, 1] = T.float32(1.0)
#|     j[1, 1] = T.float32(1.0)

#--- indexing  [print]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def k(A: T.Buffer((4, 8), "float32"), B: T.Buffer((64,), "float32"), i: T.int32):
    T.device_entry()
    idx = T.meta_var([1, 2])
    B[0] = A[i, 0]
    B[1] = A[*idx]
    B[2] = A[(1, 2)]
    B[T.ramp(0, 1, 4)] = A[i, T.ramp(0, 2, 4)]
    B[0:4] = A[0, 0:8:2]
    s = T.alloc_shared((4, 8), "float32")
    Tx.copy(s, A)
    Tx.copy(s[:, :], A[:, :])
    Tx.copy(s[0:2, 1:3], A[2:4, i : i + 2])
    Tx.copy(s[1], A[1])
    Tx.copy(s[1, 0:8], A[i])
    Tx.copy_async(s[0:2, 0:4], A[-1:1, 6:10])
    Tx.copy_async(s[0:1, :], A[-1, :])
    z = T.alloc_local((), "float32")
    z[()] = 1.0
#| @T.prim_func
#| def k(A: T.Buffer((4, 8), "float32"), B: T.Buffer((64,), "float32"), i: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     B[0] = A[i, 0]
#|     B[1] = A[1, 2]
#|     B[2] = A[1, 2]
#|     B[T.Ramp(0, 1, 4)] = A[i, T.Ramp(0, 2, 4)]
#|     B[T.Ramp(0, 1, 4)] = A[0, T.Ramp(0, 2, 4)]
#|     s = T.alloc_shared((4, 8))
#|     T.tile.copy(s[0:4, 0:8], A[0:4, 0:8])
#|     T.tile.copy(s[0:4, 0:8], A[0:4, 0:8])
#|     T.tile.copy(s[0:2, 1:3], A[2:4, i:i + 2])
#|     T.tile.copy(s[1:2, 0:8], A[1:2, 0:8])
#|     T.tile.copy(s[1:2, 0:8], A[i:i + 1, 0:8])
#|     T.tile.copy_async(s[0:2, 0:4], A[-1:1, 6:10])
#|     T.tile.copy_async(s[0:1, 0:8], A[-1:0, 0:8])
#|     z = T.alloc_local(())
#|     z[()] = T.float32(1.0)

#--- indices that are refused
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((4, 8), "float32"), i: T.int32, f: T.float32):
    T.device_entry()
    A[0, 0] = A[0, 1, 2]
#             ^^^^^^^^^^ error[TW2107]: A has 2 dimensions, 3 indices are given
    A[0, 0] = A[4, 0]
#               ^ error[TW2107]: index 4 is outside of dimension 0 of A, which has 4 elements
    A[0, 0] = A[0, -1]
#                  ^^ error[TW2107]: index -1 is outside of dimension 1 of A, which has 8 elements
    A[0, 0] = A[f, 0]
#               ^ error[TW2107]: an index must be an integer, not float32
    A[0, 0] = A[0.5, 0]
#               ^^^ error[TW2107]: an index must be an integer, not float32
    A[0, 0] = A["x", 0]
#               ^^^ error[TW2004]: an index must be a number or an expression, not str
    A[0, 0] = A[T.ramp(0, 1, 4), 0]
#               ^^^^^^^^^^^^^^^ error[TW2107]: only the last index may be a vector
    A[0, 0] = A[0:2, 0]
#             ^^^^^^^^^ error[TW2108]: only a slice of constant length along the last dimension can be assigned as a vector; this is a region of A
#   hint: write Tx.cta.copy(target, source)
    A[0, 0] = A[0]
#             ^^^^ error[TW2004]: cannot store float32x8 into 1 element of A
    A[0, 0] = A[0][1]
#             ^^^^^^^ error[TW2004]: cannot store float32x8 into 1 element of A
    A[0, 0] = A[0, 0][1]
#             ^^^^^^^^^^ error[TW2107]: an element cannot be indexed
#   hint: give all indices at once: A[i, j]
    A[0, 0] = A[0:2][0, 0]
    A[0, 0] = A[...]
#               ^^^ error[TW2107]: '...' is not an index of a buffer
    A[0, 0:8:0] = 1.0
#        ^^^^^ error[TW2107]: a slice step must be positive
    A[0, 0:i:2] = 1.0
#        ^^^^^ error[TW2107]: a strided slice needs a constant length
    A[0, 0:16] = 1.0
#        ^^^^ error[TW2107]: dimension 1 of A ends at 8, the slice at 16
    A[0, 6:2] = 1.0
#        ^^^ error[TW2107]: the slice of dimension 1 is empty: -4 elements
    A[0, -4:4] = 1.0
#        ^^^^ error[TW2107]: dimension 1 of A begins at 0, the slice at -4
#   hint: bounds are coordinates and do not count from the end
    A[0, 0:4] = A[0, -4:0]
#               ^^^^^^^^^^ error[TW2107]: dimension 1 of A begins at 0, the slice at -4
    A[0] = 1.0
#   ^^^^ error[TW2108]: only elements can be assigned; this is a region of A
#   hint: write Tx.cta.fill(target, value), or Tx.cta.copy(target, source)
    A[0, 0] = A[0:4, 0] + 1.0
#             ^^^^^^^^^^^^^^^ error[TW2108]: the left operand must be a scalar; this is a region of A
#   hint: give one index a dimension, or use T.ramp or .vload for a vector
    A[0, 0] = A[None, 0]
#               ^^^^ error[TW2004]: an index must be a number or an expression, not None

#--- pools' buffers of extent nought  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    buf = T.alloc_buffer((0,), "uint8", scope="shared.dyn")
    v = T.decl_buffer((16,), "float32", data=buf.data, scope="shared.dyn")
    T.attr(buf.data, "tirx.pool_max_bytes", 64)
    v[0] = A[0]
    A[1] = T.cast(buf[3], "float32")
    q: T.let[T.handle("uint8")] = buf.ptr_to([8])
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     buf = T.alloc_buffer((0,), "uint8", scope="shared.dyn")
#|     v = T.decl_buffer((16,), data=buf.data, scope="shared.dyn")
#|     T.attr(buf.data, "tirx.pool_max_bytes", 64)
#|     v[0] = A[0]
#|     A[1] = T.Cast("float32", buf[3])
#|     q: T.let[T.handle("uint8", "global")] = T.address_of(buf[8])

#--- symbolic extents  [print] [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(a: T.handle, b: T.handle):
    n = T.int32()
    m = T.int32()
    A = T.match_buffer(a, (n, m), "float32")
    B = T.match_buffer(b, (m, n), "float32")
    T.device_entry()
    bx = T.cta_id([T.ceildiv(n, 32)])
    tx = T.thread_id([32])
    i: T.let = bx * 32 + tx
    if i < n:
        for j in range(m):
            B[j, i] = A[i, j]
#| @T.prim_func
#| def k(a: T.handle, b: T.handle):
#|     n = T.int32()
#|     m = T.int32()
#|     A = T.match_buffer(a, (n, m))
#|     B = T.match_buffer(b, (m, n))
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     bx = T.cta_id([(n + 31) // 32])
#|     tx = T.thread_id([32])
#|     i: T.let[T.int32] = bx * 32 + tx
#|     if i < n:
#|         for j in range(m):
#|             B[j, i] = A[i, j]

#--- what a thread holds of a layout that does not say  [print]
from tvm.script import tirx as T

@T.prim_func
def k():
    T.device_entry()
    A = T.alloc_buffer((4,), "float32", scope="local", layout=None)
    B = A.local(4, layout=T.TileLayout(T.S[4]))
    B[0] = 1
#| @T.prim_func
#| def k():
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A = T.alloc_local((4,), layout=None)
#|     B = T.decl_buffer((4,), data=A.data, scope="local")
#|     B[0] = T.float32(1.0)

#--- what a thread holds of a layout that does not say is refused
from tvm.script import tirx as T

@T.prim_func
def k():
    T.device_entry()
    A = T.alloc_buffer((4,), "float32", scope="local", layout=None)
    a = A.local()
#       ^^^^^^^^^ error[TW2109]: A has no layout, so nothing says what a thread holds
#   hint: give the shape and layout=
    b = A.local(layout=T.TileLayout(T.S[4]))
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2109]: A has no layout, so nothing says what a thread holds
#   hint: give the shape, too
    c = A.permute(0)
#       ^^^^^^^^^^^^ error[TW2109]: only a tile layout has dimensions to permute; A has none
    C = T.alloc_buffer((8, 8), "float32", scope="local",
                       layout=T.ComposeLayout(T.SwizzleLayout(0, 3, 3), T.TileLayout(T.S[(8, 8) : (8, 1)])))
    d = C.local()
#       ^^^^^^^^^ error[TW2109]: C has a swizzled layout, so nothing says what a thread holds
#   hint: give the shape and layout=
    e = C.permute(1, 0)
#       ^^^^^^^^^^^^^^^ error[TW2109]: only a tile layout has dimensions to permute; C has a swizzled one
    W = T.alloc_buffer((64,), "float32", scope="local", layout=T.SwizzleLayout(3, 3, 3))
    f = W.local()
#       ^^^^^^^^^ error[TW2109]: W has a swizzled layout, so nothing says what a thread holds
#   hint: give the shape and layout=
    g = W.permute(0)
#       ^^^^^^^^^^^^ error[TW2109]: only a tile layout has dimensions to permute; W has a swizzled one
