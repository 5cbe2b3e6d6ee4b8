# Functions and decorators (surface.md 2).
#--- every kind of parameter  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((4, 8), "float16"), h: T.handle, p: T.handle("float32", "global"), m: T.TensorMap(),
      m2: T.handle("tensormap"), n: T.int32, f: T.float32, u: T.uint8, b: T.bool, o: T.Buffer((4,)) | None):
    T.device_entry()
    P = T.decl_buffer((4,), "float32", data=p)
    P[0] = f
    A[0, n] = A[0, 1]
#| @T.prim_func
#| def k(A: T.Buffer((4, 8), "float16"), h: T.handle, p: T.handle("float32"), m: T.handle("tensormap"), m2: T.handle("tensormap"), n: T.int32, f: T.float32, u: T.uint8, b: T.bool, o: T.Buffer((4,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     P = T.decl_buffer((4,), data=p)
#|     P[0] = f
#|     A[0, n] = A[0, 1]

#--- parameters that are refused
from tvm.script import tirx as T

@T.prim_func
def missing(A):
#           ^ error[TW2105]: parameter 'A' needs a type annotation
#   hint: for example A: T.handle
    T.evaluate(0)

@T.prim_func
def varargs(*args):
#            ^^^^ error[TW2105]: a kernel cannot have *args or **kwargs
    T.evaluate(0)

@T.prim_func
def keywords(**kwargs):
#              ^^^^^^ error[TW2105]: a kernel cannot have *args or **kwargs
    T.evaluate(0)

@T.prim_func
def compile_time(n: T.constexpr):
#                ^ error[TW2105]: 'n' is a compile-time parameter: that needs @T.jit
#   hint: decorate the kernel with @T.jit and call .specialize(n=...)
    T.evaluate(0)

@T.prim_func
def default(n: T.int32 = 3):
#           ^ error[TW2105]: a run-time parameter cannot have a default
    T.evaluate(0)

@T.prim_func
def no_type(n: 3):
#              ^ error[TW2105]: int is not the type of a kernel parameter
#   hint: use T.handle, T.Buffer(shape, dtype), T.TensorMap() or a dtype such as T.int32
    T.evaluate(0)

@T.prim_func
def unknown_type(n: undefined):
#                   ^^^^^^^^^ error[TW2002]: name 'undefined' is not defined
    T.evaluate(0)

#--- options of decorators  [print]
from tvm.script import tirx as T

@T.prim_func(private=True)
def one(A: T.Buffer((4,), "float32")):
    T.device_entry()
    A[0] = 1.0

@T.prim_func(persistent=True, check_well_formed=False)
def two(A: T.Buffer((4,), "float32")):
    T.device_entry()
    A[0] = 1.0
#| @T.prim_func(private=True)
#| def one(A: T.Buffer((4,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0] = T.float32(1.0)
#| @T.prim_func
#| def two(A: T.Buffer((4,), "float32")):
#|     T.func_attr({"global_symbol": "two", "tirx.persistent_kernel": T.bool(True)})
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0] = T.float32(1.0)

#--- decorators that are refused
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
# @1:2-1:25 error[TW2001]: the block dialect (s_tir=True) is not a tile script
def block_dialect(A: T.Buffer((4,), "float32")):
    T.evaluate(0)

@T.prim_func(private=1)
#                    ^ error[TW2006]: 'private' must be True or False, written out
def not_literal(A: T.Buffer((4,), "float32")):
    T.evaluate(0)

@T.prim_func
# @1:2-1:13 error[TW2004]: @T.prim_func decorates a function
class NotAFunction:
    pass

#--- specialisation  [print] [entries]
from __future__ import annotations
from tvm.script import tirx as T
FACTOR = 2

@T.jit
def k(A: T.Buffer((N,), "float32"), N: T.constexpr, FLAG: T.constexpr = True, *, W: T.constexpr = 4):
    T.device_entry()
    tx = T.thread_id([N])
    for i in range(W):
        if FLAG:
            A[tx] = A[tx] * FACTOR
        else:
            A[tx] = 1.0

one = k.specialize(N=64)
same = k.specialize(N=64, FLAG=True)
two = k.specialize(N=32, FLAG=False, W=2)
assert one is same
assert one is not two
#| entry module: one -> k
#| entry module: two -> k
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([64])
#|     for i in range(4):
#|         A[tx] = A[tx] * T.float32(2.0)
#| @T.prim_func
#| def k(A: T.Buffer((32,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([32])
#|     for i in range(2):
#|         A[tx] = T.float32(1.0)

#--- a jit function sees its surroundings as they were at decoration  [print]
from tvm.script import tirx as T
n = 1

@T.jit
def f(A: T.Buffer((n,), "int32"), M: T.constexpr):
    T.device_entry()
    A[0] = n + M

n = 2

def make(extent):
    def inner(width):
        @T.jit
        def g(A: T.Buffer((extent, width), "int32")):
            T.device_entry()
            A[0, 0] = extent

        return g

    pending = inner(3)
    extent = 99
    return pending.specialize()

one = f.specialize(M=4)
two = make(8)
#| @T.prim_func
#| def f(A: T.Buffer((1,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0] = 5
#| @T.prim_func
#| def g(A: T.Buffer((8, 3), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0, 0] = 8

#--- specialisation that fails
from __future__ import annotations
from tvm.script import tirx as T

@T.jit
def k(A: T.Buffer((N,), "float32"), N: T.constexpr):
    T.device_entry()
    A[0] = 1.0

a = k.specialize()
#   ^^^^^^^^^^^^^^ error[TW2114]: specialize() needs a value for 'N'
b = k.specialize(N=4, M=5)
#                       ^ error[TW2114]: k has no compile-time parameter 'M'
c = k.specialize(N=[1, 2])
#                  ^^^^^^ error[TW2114]: the value of 'N' must be hashable, not list
#   hint: write a tuple
d = k(4)
#   ^ error[TW2114]: a @T.jit function is not called: it is specialised
#   hint: write f.specialize(NAME=value, ...)
e = k.specialize(4)
#                ^ error[TW2114]: specialize() takes its values by keyword
#   hint: write NAME=value

#--- a jit kernel without values needs an entry  [entries]
from __future__ import annotations
from tvm.script import tirx as T

@T.jit
def open_(A: T.Buffer((N,), "float32"), N: T.constexpr):
#   ^^^^^ information[TW2202]: the kernel in open_.specialize(N=...) needs arguments to be compiled
#   hint: name some in a comment: # tilewright: entry open_.specialize(N=...)
    T.device_entry()
    A[0] = 1.0

@T.jit
def closed(A: T.Buffer((N,), "float32"), N: T.constexpr = 8):
    T.device_entry()
    A[0] = 1.0
#| entry defaults: closed.specialize() -> closed
#| needs arguments: open_.specialize(N=...)

#--- inline: arguments by reference, defaults, keywords, write-through  [print]
from tvm.script import tirx as T
SCALE = 3

@T.inline
def bump(buf, i, by=1):
    buf[i] = buf[i] + by * SCALE

@T.inline
def set_(x, value):
    x = value

@T.inline
def outer(buf, f):
    f(buf, 0)
    f(buf, 1, by=2)

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.int32):
    T.device_entry()
    x = 1
    set_(x, n)
    bump(A, x)
    bump(A, 3, by=n)
    bump(buf=A, i=4)
    outer(A, bump)
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32"), n: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     x: T.int32 = 1
#|     x = n
#|     A[x] = A[x] + 3
#|     A[3] = A[3] + n * 3
#|     A[4] = A[4] + 3
#|     A[0] = A[0] + 3
#|     A[1] = A[1] + 6

#--- inline: recursion and late binding  [print]
from tvm.script import tirx as T

@T.inline
def count(buf, n):
    if n > 0:
        buf[n] = n
        count(buf, n - 1)

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.int32):
    T.device_entry()
    count(A, 3)
    x: T.int32 = 0

    @T.inline
    def add(v):
        x = x + v
        local = v * 2
        A[local] = x

    add(1)
    add(n)

    @T.inline
    def twice(v):
        @T.inline
        def inner(w):
            A[v] = w
        inner(v)
        inner(v + 1)

    twice(5)
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32"), n: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[3] = 3
#|     A[2] = 2
#|     A[1] = 1
#|     x: T.int32 = 0
#|     x = x + 1
#|     local: T.int32 = 2
#|     A[local] = x
#|     x = x + n
#|     local_1: T.int32 = n * 2
#|     A[local_1] = x
#|     A[5] = 5
#|     A[5] = 6

#--- inline outside of kernels sees its surroundings as they were  [print]
from tvm.script import tirx as T

def make(value):
    @T.inline
    def put(buf):
        buf[0] = value
    value = 99
    return put

put = make(7)

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    put(A)
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0] = 7

#--- inline: what it cannot see and do
from tvm.script import tirx as T

@T.inline
def peek(A):
    A[0] = hidden
#          ^^^^^^ error[TW2002]: name 'hidden' is not defined
#   from: peek(A)

@T.inline
def endless(A):
    endless(A)
#   ^^^^^^^^^^ error[TW2009]: evaluation is nested more than 1000 deep
#   hint: look for a recursion without an end
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)
#   from: endless(A)

@T.inline
def needs(a, b):
    T.evaluate(0)

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    hidden = 3
    peek(A)
    needs(1)
#   ^^^^^^^^ error[TW2006]: needs needs the argument 'b'
    needs(1, 2, 3)
#               ^ error[TW2006]: needs takes 2 positional arguments, 3 are given
    needs(1, 2, c=3)
#               ^ error[TW2006]: needs has no argument 'c'

    @T.inline
    def twice(v):
        A[0] = v

    @T.inline
    def twice(v):
#       ^^^^^ error[TW2102]: 'twice' is already defined in this scope
        A[1] = v

    @T.inline
    def local(v):
        inside = v

    local(3)
    A[1] = inside
#          ^^^^^^ error[TW2002]: name 'inside' is not defined

@T.prim_func
def deep(A: T.Buffer((64,), "int32")):
    T.device_entry()
    endless(A)

peek(3)
# @1:1-1:8 error[TW2112]: peek is inlined into a kernel: it belongs into the body of a kernel
#   hint: decorate the function with @T.prim_func

#--- errors inside of inlined functions name the calls that led there
from tvm.script import tirx as T

@T.inline
def inner(A, i):
    A[i] = nothing
#          ^^^^^^^ error[TW2002]: name 'nothing' is not defined
#   from: middle(A)
#   from: inner(A, 1)

@T.inline
def middle(A):
    inner(A, 1)

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    middle(A)

#--- meta classes name what they own  [print]
from tvm.script import tirx as T

@T.meta_class
class Base:
    def __init__(self, n):
        self.v = T.local_scalar("int32")
        self.many = [T.alloc_local((n,), "float32") for _ in range(2)]
        self.table = {"a": T.alloc_local((1,), "int32"), "b": T.local_scalar("float32")}

    @T.inline
    def reset(self, value):
        self.v = value
        self.table["a"] = value

class Derived(Base):
    def __init__(self, n):
        Base.__init__(self, n)
        self.inner = Leaf()

    def total(self):
        return self.many[0][0] + self.many[1][0]

@T.meta_class
class Leaf:
    def __init__(self):
        self.x = T.local_scalar("float32")

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    d = Derived(4)
    d.reset(3)
    d.inner.x = d.total()
    A[d.v] = d.inner.x
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     d_v: T.int32
#|     d_many_0 = T.alloc_local((4,))
#|     d_many_1 = T.alloc_local((4,))
#|     d_table_a = T.alloc_local((1,), "int32")
#|     d_table_b: T.float32
#|     d_inner_x: T.float32
#|     d_v = 3
#|     d_inner_x = d_many_0[0] + d_many_1[0]
#|     A[d_v] = d_inner_x

#--- a meta class must own what it allocates
from tvm.script import tirx as T

@T.meta_class
class Loses:
    def __init__(self):
        one = T.alloc_local((4,), "float32")
        two = T.alloc_shared((4,), "float32")
        self.three = T.local_scalar("int32")

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    c = Loses()
#       ^^^^^^^ error[TW2113]: Loses allocates 2 buffers that its attributes do not reach
#   hint: keep every allocated buffer in an attribute of self

#--- super without arguments in a parsed method
from tvm.script import tirx as T

@T.meta_class
class A_:
    def __init__(self):
        self.v = T.local_scalar("int32")

    @T.inline
    def go(self):
        self.v = 1

@T.meta_class
class B_(A_):
    def __init__(self):
        super().__init__()

    @T.inline
    def go(self):
        super().go()
#       ^^^^^^^ error[TW2001]: super() without arguments is not available in a parsed method
#   hint: call Base.method(self, ...)
#   from: b.go()

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    b = B_()
    b.go()

#--- host part and device part
from tvm.script import tirx as T

@T.prim_func
def twice(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.device_entry()
#   ^^^^^^^^^^^^^^^^ error[TW2115]: T.device_entry() stands twice in this kernel
    A[0] = 1.0

T.device_entry()
# @1:1-1:17 error[TW2112]: T.device_entry() belongs into the body of a kernel
#   hint: decorate the function with @T.prim_func

def helper():
    return T.alloc_local((4,), "float32")
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2112]: a buffer allocation belongs into the body of a kernel
#   hint: decorate the function with @T.prim_func

x = helper()

#--- macros  [print]
from tvm.script import tirx as T

@T.macro
def one(A):
    A[0] = 1.0

@T.macro(hygienic=False)
def two(A):
    A[0] = x

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    x = 3.0
    one(A)
    two(A)
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     x: T.float32 = T.float32(3.0)
#|     A[0] = T.float32(1.0)
#|     A[0] = x


#--- what an inlined function of the module sees: the names as they were where it is defined  [print]
from tvm.script import tirx as T

g = 10

@T.inline
def store(A):
    A[1] = g

@T.meta_class
class Keeper:
    def __init__(self):
        self.x = g

    @T.inline
    def store(self, A):
        A[2] = g + self.x

@T.inline
def countdown(A, i):
    A[i] = i
    if i > 3:
        countdown(A, i - 1)

g = 20

@T.prim_func
def k(A: T.Buffer((8,), "int32")):
    T.device_entry()
    tx = T.thread_id([32])
    store(A)
    Keeper().store(A)
    countdown(A, 4)
#| @T.prim_func
#| def k(A: T.Buffer((8,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     tx = T.thread_id([32])
#|     A[1] = 10
#|     A[2] = 30
#|     A[4] = 4
#|     A[3] = 3

#--- what an inlined function of the module does not see
from tvm.script import tirx as T

@T.inline
def early(A):
    A[0] = later
#          ^^^^^ error[TW2002]: name 'later' is not defined
#   hint: outside a kernel @T.inline sees its surroundings as they are where it is defined: define this above it
#   from: early(A)

later = 1

@T.prim_func
def k(A: T.Buffer((8,), "int32")):
    T.device_entry()
    tx = T.thread_id([32])
    early(A)
