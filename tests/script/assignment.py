# Every rule of assignment (surface.md 5.1).
#--- scalars are made, stored to, and read  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), n: T.int32):
    T.device_entry()
    i = 4
    f = 2.5
    b = True
    big = 1 << 40
    e = n * 2
    i = i + 1
    i += 2
    copy = n
    copy = copy + 1
    x: T.int32
    x = n
    y: T.float16 = 1.0
    y = A[0]
    one = T.alloc_local((1,), "int32")
    one = 3
    A[i] = f
    A[one] = y
    s = T.local_scalar("uint8")
    s = 7
    sh = T.shared_scalar("int32")
    sh = s
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32"), n: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     i: T.int32 = 4
#|     f: T.float32 = T.float32(2.5)
#|     b: T.bool = T.bool(True)
#|     big: T.int64 = T.int64(1099511627776)
#|     e: T.int32 = n * 2
#|     i = i + 1
#|     i = i + 2
#|     copy: T.int32 = n
#|     copy = copy + 1
#|     x: T.int32 = n
#|     y: T.float16 = T.float16(1.0)
#|     y = T.Cast("float16", A[0])
#|     one = T.alloc_local((1,), "int32")
#|     one[0] = 3
#|     A[i] = f
#|     A[one[0]] = T.Cast("float32", y)
#|     s: T.uint8 = T.uint8(7)
#|     sh = T.alloc_scalar("int32", "shared")
#|     sh = T.Cast("int32", s)

#--- immutable bindings  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), n: T.int32):
    T.device_entry()
    a: T.let = n + 1
    b: T.let[T.int64] = n
    c: T.let[T.float16] = 1.5
    p: T.let[T.handle("float32")] = A.ptr_to([3])
    q: T.let[T.handle("float32", "global")] = A.data
    P = T.decl_buffer((4,), "float32", data=p)
    P[0] = c
    A[a] = T.cast(b, "float32")
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32"), n: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     a: T.let[T.int32] = n + 1
#|     b: T.let[T.int64] = T.Cast("int64", n)
#|     c: T.let[T.float16] = T.float16(1.5)
#|     p: T.let[T.handle("float32", "global")] = T.address_of(A[3])
#|     q: T.let[T.handle("float32", "global")] = A.data
#|     P = T.decl_buffer((4,), data=p)
#|     P[0] = T.Cast("float32", c)
#|     A[a] = T.Cast("float32", b)

#--- annotated assignment that is refused
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), n: T.int32):
    T.device_entry()
    a: T.let
#   ^^^^^^^^ error[TW2101]: T.let needs a value
    b: T.float32[4, 4] = 1.0
#                        ^^^ error[TW2101]: a local array cannot be initialised in its declaration
#   hint: assign its elements, or use Tx.fill
    c: 3 = n
#      ^ error[TW2101]: int is not a type here
#   hint: write a dtype such as T.int32, or T.let
    d: T.int32 = "text"
#                ^^^^^^ error[TW2004]: a value must be a number or an expression, not str
    e: T.int8 = 1000
#               ^^^^ error[TW2004]: 1000 is out of range for int8
    A[0]: T.float32 = 1.0
#   ^^^^ error[TW2101]: only a name can be annotated
    f: T.int32 = 1
    f: T.int32 = 2
#   ^ error[TW2102]: 'f' is already defined in this scope
    g: T.nothing = 1
#        ^^^^^^^ error[TW2003]: 'T' has no attribute 'nothing'
    h: T.let = A[0:3]
#              ^^^^^^ error[TW2108]: a value must be a scalar; this is a region of A
#   hint: give one index a dimension, or use T.ramp or .vload for a vector
    i: T.uint32 = -1
#                 ^^ error[TW2004]: -1 is out of range for uint32

#--- local arrays  [print]
from tvm.script import tirx as T
M = 4

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    x: T.float32[M, 8]
    y: T.int32[16]
    x[0, 1] = A[0]
    y[3] = 1
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     x = T.alloc_local((4, 8))
#|     y = T.alloc_local((16,), "int32")
#|     x[0, 1] = A[0]
#|     y[3] = 1

#--- meta values  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), n: T.int32):
    T.device_entry()
    m = T.meta_var(4)
    xs = T.meta_var([n, n + 1])
    e = T.meta_var(n * 3)
    name = "text"
    for i in range(m):
        A[xs[0] + i] = 1.0
    A[e] = 2.0
    bufs = [T.alloc_local((4,), "float32"), T.alloc_local((4,), "float32")]
    bufs[1][2] = A[0]
    pair = (A, n)
    pair[0][0] = 1.0
    tile = A[0:16]
    layout = A.layout
    d = {"a": T.alloc_local((2,), "int32")}
    d["a"][0] = 1
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32"), n: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     for i in range(4):
#|         A[n + i] = T.float32(1.0)
#|     A[n * 3] = T.float32(2.0)
#|     bufs_0 = T.alloc_local((4,))
#|     bufs_1 = T.alloc_local((4,))
#|     bufs_1[2] = A[0]
#|     A[0] = T.float32(1.0)
#|     d_a = T.alloc_local((2,), "int32")
#|     d_a[0] = 1

#--- unpacking makes new names  [print]
from tvm.script import tirx as T

def pair(x):
    return x, x + 1

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.int32):
    T.device_entry()
    a, b = n, n + 1
    c, d = pair(n)
    (e, f), g = pair(n), 3
    first, *rest = [n, 1, 2]
    A[a] = b + c + d + e + f + g + first + rest[1]
    if n > 1:
        a, _ = n, 2
        A[0] = a
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32"), n: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     a: T.int32 = n
#|     b: T.int32 = n + 1
#|     c: T.int32 = n
#|     d: T.int32 = n + 1
#|     e: T.int32 = n
#|     f: T.int32 = n + 1
#|     g: T.int32 = 3
#|     first: T.int32 = n
#|     A[a] = b + c + d + e + f + g + first + 2
#|     if n > 1:
#|         a_1: T.int32 = n
#|         A[0] = a_1

#--- unpacking that fails
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.int32):
    T.device_entry()
    a, b = n, 1, 2
#   ^^^^ error[TW2101]: cannot unpack 3 values into 2 names
    c, c = 1, 2
#      ^ error[TW2101]: 'c' is assigned twice
    d, e = n
#   ^^^^ error[TW2004]: a run-time expression cannot be iterated
    f, *g, h = [1]
#   ^^^^^^^^ error[TW2101]: cannot unpack 1 value into 3 names
    A[0] = a + c + d + f

#--- names are bound once in a scope
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.int32):
    T.device_entry()
    B = T.alloc_local((4,), "int32")
    B = T.alloc_local((4,), "int32")
#   ^ error[TW2102]: 'B' is already defined in this scope
#   hint: choose another name; only scalars can be assigned again
    a: T.let = n
    a = 3
#   ^ error[TW2102]: 'a' is already defined in this scope
#   hint: choose another name; only scalars can be assigned again
    A = 5
#   ^ error[TW2102]: 'A' is already defined in this scope
#   hint: choose another name; only scalars can be assigned again
    x: T.int32 = 1
    x = B
#   ^ error[TW2102]: 'x' is already defined in this scope
#   hint: choose another name; only scalars can be assigned again
    i = T.thread_id([32])
    i = 4
#   ^ error[TW2102]: 'i' is already defined in this scope
#   hint: choose another name; only scalars can be assigned again
    a, z = 1, 2
#   ^ error[TW2102]: 'a' is already defined in this scope
#   hint: choose another name; only scalars can be assigned again
    same = T.meta_var(3)
    same = T.meta_var(3)
    same = T.meta_var(4)
#   ^^^^ error[TW2102]: 'same' is already defined in this scope
#   hint: choose another name; only scalars can be assigned again

#--- unpacking stores nowhere
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), B: T.Buffer((64,), "int32")):
    T.device_entry()
    tx = T.thread_id([32])
    x: T.int32 = 3
    y: T.int32 = 4
    x, y = y, x
#   ^ error[TW2102]: 'x' is already defined in this scope
#   hint: unpacking makes new names; assign to scalars one a line, through another name where they change places
    x, z = x, 1
#   ^ error[TW2102]: 'x' is already defined in this scope
#   hint: unpacking makes new names; assign to scalars one a line, through another name where they change places
    x, = (1,)
#   ^ error[TW2102]: 'x' is already defined in this scope
#   hint: unpacking makes new names; assign to scalars one a line, through another name where they change places
    c = T.alloc_local((1,), "int32")
    c, d = 1, 2
#   ^ error[TW2102]: 'c' is already defined in this scope
#   hint: unpacking makes new names; assign to scalars one a line, through another name where they change places
    A[0], A[1] = A[1], A[0]
#   ^^^^ error[TW2101]: unpacking binds names; it stores into no element and no attribute
#   hint: write one assignment a line, through another name where values change places
    e, (f, A[2]) = 1, (2, 3)
#          ^^^^ error[TW2101]: unpacking binds names; it stores into no element and no attribute
#   hint: write one assignment a line, through another name where values change places
    g, h = 1, 2
    g = 3
    g, h = h, g
#   ^ error[TW2102]: 'g' is already defined in this scope
#   hint: unpacking makes new names; assign to scalars one a line, through another name where they change places
    if tx == 0:
        x, y = y, x
        A[3] = x
    A[4] = x + y + g + h

#--- a slice is stored as a vector  [print] [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((8, 64), "float32"),
      H: T.Buffer((64,), "float16")):
    T.device_entry()
    tx = T.thread_id([8])
    B[0:4] = A[4:8]
    B[0:4:1] = A[4:8:1]
    B[tx * 4 : tx * 4 + 4] = A[tx * 4 : tx * 4 + 4]
    B[0:4] = C[2, 4:8]
    C[1, 0:4] = C[0:1, 4:8]
    B[0:4] = H[0:4]
    B[0:4:2] = A[0:2]
    B[0] = A[4:5]
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((8, 64), "float32"), H: T.Buffer((64,), "float16")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([8])
#|     B[T.Ramp(0, 1, 4)] = A[T.Ramp(4, 1, 4)]
#|     B[T.Ramp(0, 1, 4)] = A[T.Ramp(4, 1, 4)]
#|     B[T.Ramp(tx * 4, 1, 4)] = A[T.Ramp(tx * 4, 1, 4)]
#|     B[T.Ramp(0, 1, 4)] = C[2, T.Ramp(4, 1, 4)]
#|     C[1, T.Ramp(0, 1, 4)] = C[0, T.Ramp(4, 1, 4)]
#|     B[T.Ramp(0, 1, 4)] = T.Cast("float32x4", H[T.Ramp(0, 1, 4)])
#|     B[T.Ramp(0, 2, 2)] = A[T.Ramp(0, 1, 2)]
#|     B[0] = A[4]

#--- one value into a slice: no release of the reference takes it
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((4, 64), "float32")):
    T.device_entry()
    tx = T.thread_id([8])
    f: T.float32 = A[tx]
    lo = T.alloc_local((4,), "float32")
    lo[0:2] = f
#             ^ error[TW2004]: a store into a slice takes a vector: this is 1 value, the target has 2 elements of lo
#   hint: write T.broadcast(f, 2)
    lo[0:4:2] = f + T.float32(1)
#               ^^^^^^^^^^^^^^^^ error[TW2004]: a store into a slice takes a vector: this is 1 value, the target has 2 elements of lo
#   hint: write T.broadcast(f + T.float32(1), 2)
    B[1, tx * 2 : tx * 2 + 2] = 0
#                               ^ error[TW2004]: a store into a slice takes a vector: this is 1 value, the target has 2 elements of B
#   hint: write T.broadcast(0, 2)
    lo[T.ramp(0, 1, 4)] = A[0]
#                         ^^^^ error[TW2004]: a store into a slice takes a vector: this is 1 value, the target has 4 elements of lo
#   hint: write T.broadcast(A[0], 4)
    lo[2:3] = f
    lo[0:2] = T.broadcast(f, 2)
    A[0:4] = lo[0:4]

#--- a slice without both ends: the reference takes none as the target of a store
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    lo = T.alloc_local((4,), "float32")
    lo[:] = T.broadcast(A[0], 4)
#      ^ warning[TW2122]: the reference takes no slice without both ends as the target of a store
#   hint: write 0:4
    lo[2:] = T.broadcast(A[0], 2)
#      ^^ warning[TW2122]: the reference takes no slice without both ends as the target of a store
#   hint: write 2:4
    lo[:2] = A[0:2]
#      ^^ warning[TW2122]: the reference takes no slice without both ends as the target of a store
#   hint: write 0:2
    A[0:4] = lo[0:4]

#--- 0.27 stores no slice
# tilewright: dialect 0.27
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), C: T.Buffer((4, 64), "float16")):
    T.device_entry()
    tx = T.thread_id([8])
    lo = T.alloc_local((4,), "float32")
    lo[0:4] = A[tx * 4 : tx * 4 + 4]
#             ^^^^^^^^^^^^^^^^^^^^^^ warning[TW2122]: the reference 0.27 takes no slice as the value of a store
#   hint: write A.vload([tx * 4], "float32x4")
    lo[0:2] = C[1, 2:4]
#             ^^^^^^^^^ warning[TW2122]: the reference 0.27 takes no slice as the value of a store
#   hint: write C.vload([1, 2], "float16x2")
    lo[0] = A[4:5]
#           ^^^^^^ warning[TW2122]: the reference 0.27 takes no slice as the value of a store
#   hint: write A[4]
    lo[0:4] = A[:4]
#             ^^^^^ warning[TW2122]: the reference 0.27 takes no slice as the value of a store
#   hint: write A.vload([0], "float32x4")
    lo[0:4] = A.vload([0], "float32x4")
    A[0:4] = T.broadcast(lo[0], 4)

#--- slices that are no vector
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32"), C: T.Buffer((8, 64), "float32"), n: T.int32):
    T.device_entry()
    tx = T.thread_id([8])
    B[0:4] = A[4:6]
#            ^^^^^^ error[TW2004]: cannot store float32x2 into 4 elements of B
    B[0:4] = C[0:4, 1]
#            ^^^^^^^^^ error[TW2108]: only a slice of constant length along the last dimension can be assigned as a vector; this is a region of C
#   hint: write Tx.cta.copy(target, source)
    B[0:4] = C[0:2, 0:2]
#            ^^^^^^^^^^^ error[TW2108]: only a slice of constant length along the last dimension can be assigned as a vector; this is a region of C
#   hint: write Tx.cta.copy(target, source)
    B[0:4] = A[0:n]
#            ^^^^^^ error[TW2108]: only a slice of constant length along the last dimension can be assigned as a vector; this is a region of A
#   hint: write Tx.cta.copy(target, source)
    B[0] = A[4:8]
#          ^^^^^^ error[TW2004]: cannot store float32x4 into 1 element of B
    B[0:4] = C[2]
#            ^^^^ error[TW2004]: cannot store float32x64 into 4 elements of B
    B[0:4] = A[4:8] + A[0:4]
#            ^^^^^^^^^^^^^^^ error[TW2108]: the left operand must be a scalar; this is a region of A
#   hint: give one index a dimension, or use T.ramp or .vload for a vector

#--- inner scopes shadow  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.int32):
    T.device_entry()
    a: T.let = n
    x = 1
    if n > 1:
        a = 3
        A[a] = a
        x = 5
        B = T.alloc_local((4,), "int32")
        B[0] = x
    for i in range(4):
        B = T.alloc_local((8,), "int32")
        B[i] = a
    A[a] = x
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32"), n: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     a: T.let[T.int32] = n
#|     x: T.int32 = 1
#|     if n > 1:
#|         a_1: T.int32 = 3
#|         A[a_1] = a_1
#|         x = 5
#|         B = T.alloc_local((4,), "int32")
#|         B[0] = x
#|     for i in range(4):
#|         B = T.alloc_local((8,), "int32")
#|         B[i] = a
#|     A[a] = x

#--- targets that cannot be assigned
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.int32):
    T.device_entry()
    a = b = 3
#   ^^^^^^^^^ error[TW2101]: chained assignment is not available in a kernel
#   hint: write one assignment a line
    A.shape = 3
#   ^^^^^^^ error[TW2101]: cannot assign to attribute 'shape' of a buffer
#   hint: an attribute target must denote a scalar of a meta-class instance
    n.x = 3
#   ^^^ error[TW2101]: cannot assign to attribute 'x' of a run-time expression
#   hint: an attribute target must denote a scalar of a meta-class instance
    3 = n
#   ^ error[TW1001]: cannot assign to this: a name, an attribute or a subscript is needed
    A[0:4] = 1
#            ^ error[TW2004]: a store into a slice takes a vector: this is 1 value, the target has 4 elements of A
#   hint: write T.broadcast(1, 4)
    A[0, 0] = 1
#   ^^^^^^^ error[TW2107]: A has 1 dimension, 2 indices are given
    A[1.5] = 1
#     ^^^ error[TW2107]: an index must be an integer, not float32
    A[64] = 1
#     ^^ error[TW2107]: index 64 is outside of dimension 0 of A, which has 64 elements
    A[0] = A
#          ^ error[TW2004]: the stored value must be a scalar; this is the whole buffer A
#   hint: index it: A[...]
    A[0] = "text"
#          ^^^^^^ error[TW2004]: the stored value must be a number or an expression, not str
    A[0] = [1]
#          ^^^ error[TW2004]: the stored value must be a number or an expression, not list
    A[0] = None
#          ^^^^ error[TW2004]: the stored value must be a number or an expression, not None
    A[0] = undefined
#          ^^^^^^^^^ error[TW2002]: name 'undefined' is not defined
    A[0] += undefined
    A[0] **= 2
#   ^^^^^^^^^^ error[TW2004]: ** is not defined on run-time values
#   hint: use T.pow
    A[undefined] = 3
    undefined[0] = 3
    undefined += 3

#--- stores cast  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float16"), B: T.Buffer((64,), "uint8"), C: T.Buffer((64,), "bool"), D: T.Buffer((64,), "int64")):
    T.device_entry()
    A[0] = 1
    A[1] = 2.5
    A[2] = B[0]
    B[0] = A[0]
#          ^^^^ warning[TW2116]: B is uint8, and this stores float16: the fraction is dropped
#   hint: write T.uint8(...) where it is meant
    B[1] = 200
    C[0] = B[0] > 3
    C[1] = True
    D[0] = B[0]
    D[1] = 5
    A[0:4] = T.broadcast(T.float16(1.0), 4)
    A[T.ramp(0, 1, 4)] = T.broadcast(1.0, 4)
    A[0:8:2] = A[T.ramp(0, 2, 4)]
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float16"), B: T.Buffer((64,), "uint8"), C: T.Buffer((64,), "bool"), D: T.Buffer((64,), "int64")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0] = T.float16(1.0)
#|     A[1] = T.float16(2.5)
#|     A[2] = T.Cast("float16", B[0])
#|     B[0] = T.Cast("uint8", A[0])
#|     B[1] = T.uint8(200)
#|     C[0] = B[0] > T.uint8(3)
#|     C[1] = T.bool(True)
#|     D[0] = T.Cast("int64", B[0])
#|     D[1] = T.int64(5)
#|     A[T.Ramp(0, 1, 4)] = T.Broadcast(T.float16(1.0), 4)
#|     A[T.Ramp(0, 1, 4)] = T.Broadcast(T.float16(1.0), 4)
#|     A[T.Ramp(0, 2, 4)] = A[T.Ramp(0, 2, 4)]

#--- stores that do not fit
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float16"), B: T.Buffer((64,), "uint8"), p: T.handle):
    T.device_entry()
    B[0] = 300
#          ^^^ error[TW2004]: 300 is out of range for uint8
    B[0] = -1
#          ^^ error[TW2004]: -1 is out of range for uint8
    A[0] = p
#          ^ error[TW2004]: handle does not convert to float16; use T.reinterpret
    A[T.ramp(0, 1, 4)] = T.broadcast(T.float16(1.0), 8)
#                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2004]: cannot store float16x8 into 4 elements of A
    A[0] = T.broadcast(T.float16(1.0), 8)
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2004]: cannot store float16x8 into 1 element of A

#--- attribute targets  [print]
from tvm.script import tirx as T

@T.meta_class
class State:
    def __init__(self):
        self.stage = T.local_scalar("int32")
        self.box = T.alloc_local((1,), "float32")
        self.count = 0

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    s = State()
    s.stage = 3
    s.stage += 1
    s.box = 2.5
    A[s.stage] = s.box
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     s_stage: T.int32
#|     s_box = T.alloc_local((1,))
#|     s_stage = 3
#|     s_stage = s_stage + 1
#|     s_box[0] = T.float32(2.5)
#|     A[s_stage] = s_box[0]

#--- an assignment that failed hides what its name meant before  [print]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx
from tvm.tirx.layout import R

@T.prim_func
def k(A: T.Buffer((8,), "float32")):
    T.device_entry()
    R = T.alloc_local((8,), "float37")
#                           ^^^^^^^^^ error[TW2004]: unknown dtype "float37"
#   hint: did you mean "float32"?
    Tx.copy(R[:], A[:])
    R[0] = 1.0
#| @T.prim_func
#| def k(A: T.Buffer((8,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
