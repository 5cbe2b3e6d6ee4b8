# Statements of kernels (surface.md 5) and what they become.
#--- loops  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.int32, m: T.int64):
    T.device_entry()
    for i in range(4):
        A[i] = i
    for i in range(2, n):
        A[i] = i
    for i in range(0, 16, 4):
        A[i] = i
    for i in T.serial(8, unroll=True):
        A[i] = i
    for i in T.serial(2, 10, step=2):
        A[i] = i
    for i in T.unroll(4):
        A[i] = i
    for i in T.vectorized(4):
        A[i] = i
    for i in T.parallel(4):
#            ^^^^^^^^^^^^^ warning[TW2117]: each thread that gets here runs all rounds of this loop, one after the other
#   hint: write T.serial, or share the rounds out: for i in T.serial(first, stop, step=threads)
        A[i] = i
    for i, j in T.grid(4, (1, 3)):
        A[i * 4 + j] = i
    for ij in T.grid(2, 2):
        A[ij[0]] = ij[1]
    for i in range(m):
        A[i] = 0
    for i in range(*[1, 4]):
        A[i] = 0
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32"), n: T.int32, m: T.int64):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     for i in range(4):
#|         A[i] = i
#|     for i in range(2, n):
#|         A[i] = i
#|     for i in range(0, 16, 4):
#|         A[i] = i
#|     for i in T.serial(8, unroll=True):
#|         A[i] = i
#|     for i in range(2, 10, 2):
#|         A[i] = i
#|     for i in T.unroll(4):
#|         A[i] = i
#|     for i in T.vectorized(4):
#|         A[i] = i
#|     for i in T.parallel(4):
#|         A[i] = i
#|     for i in range(4):
#|         for j in range(1, 4):
#|             A[i * 4 + j] = i
#|     for i in range(2):
#|         for i_1 in range(2):
#|             A[i] = i_1
#|     for i in range(m):
#|         A[i] = 0
#|     for i in range(1, 4):
#|         A[i] = 0

#--- what is no loop
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.int32):
    T.device_entry()
    for i in [1, 2, 3]:
#            ^^^^^^^^^ error[TW2104]: a kernel cannot loop over list
#   hint: use range, T.serial, T.unroll, T.vectorized, T.parallel, T.grid or T.thread_binding
        A[i] = i
    for i in A:
#            ^ error[TW2104]: a kernel cannot loop over a buffer
#   hint: use range, T.serial, T.unroll, T.vectorized, T.parallel, T.grid or T.thread_binding
        A[i] = i
    for i in T.unroll(n):
#            ^^^^^^^^^^^ error[TW2104]: cannot unroll a loop whose extent is not constant
#   hint: use T.serial or range
        A[i] = i
    for i in T.vectorized(n):
#            ^^^^^^^^^^^^^^^ error[TW2104]: a vectorised loop runs from 0 to a constant
#   hint: use T.serial or range
        A[i] = i
    for i in T.vectorized(1, 4):
#            ^^^^^^^^^^^^^^^^^^ error[TW2104]: a vectorised loop runs from 0 to a constant
#   hint: use T.serial or range
        A[i] = i
    for i, j in range(4):
#       ^^^^ error[TW2104]: this loop has 1 variable, 2 are named
        A[i] = j
    for i in range():
#            ^^^^^^^ error[TW2006]: range needs the argument 'start'
        A[i] = i
    for i in range(1, 2, 3, 4, 5, 6):
#                                 ^ error[TW2006]: range takes at most 5 positional arguments, 6 are given
        A[i] = i
    for i in range(1.5):
#            ^^^^^^^^^^ error[TW2104]: loop bounds must be integers
        A[i] = i
    for i in range(4, 0, -1):
#            ^^^^^^^^^^^^^^^ error[TW2104]: the step of a loop must be positive, it is -1
        A[i] = i
    for i.x in range(4):
#       ^^^ error[TW2104]: a loop target must be a name
        A[0] = 1
    for i in range(4):
        A[i] = 1
    else:
        A[0] = 2
#       ^^^^^^^^ warning[TW2001]: 'else' after a loop of a kernel is dropped: it never runs
#   hint: write it after the loop, under a condition if it needs one
    T.serial(4)
#   ^^^^^^^^^^^ error[TW2104]: a loop needs a body
#   hint: write: for i in ...:
    break
#   ^^^^^ error[TW2104]: this stands outside of every loop
    A[0] = i
#          ^ error[TW2002]: name 'i' is not defined

#--- while, break, continue  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    i: T.int32 = 0
    while i < 10:
        i += 1
        if i == 3:
            continue
        if A[i] > 5:
            break
    while True:
        break
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     i: T.int32 = 0
#|     while i < 10:
#|         i = i + 1
#|         if i == 3:
#|             continue
#|         if A[i] > 5:
#|             break
#|     while T.bool(True):
#|         break

#--- conditions  [print]
from tvm.script import tirx as T
FLAG = True
NAMES = None

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.int32):
    T.device_entry()
    if FLAG:
        A[0] = 1
    else:
        A[0] = undefined_in_the_other_arm
    if NAMES is None:
        A[1] = 1
    if n > 3:
        x = 1
        A[2] = x
    elif n > 2:
        A[2] = 2
    else:
        A[2] = 3
    if T.ptx.elect_sync():
        A[3] = 1
    if FLAG and n > 1:
        A[4] = 1
    if not FLAG or n == 1:
        A[5] = 1
    A[6] = 1 if FLAG else 2
    A[7] = 1 if n > 2 else 2
    A[8] = A[0] if 3 > 2 else missing
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32"), n: T.int32):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0] = 1
#|     A[1] = 1
#|     if n > 3:
#|         x: T.int32 = 1
#|         A[2] = x
#|     elif n > 2:
#|         A[2] = 2
#|     else:
#|         A[2] = 3
#|     if T.ptx.elect_sync():
#|         A[3] = 1
#|     if n > 1:
#|         A[4] = 1
#|     if n == 1:
#|         A[5] = 1
#|     A[6] = 1
#|     A[7] = T.if_then_else(n > 2, 1, 2)
#|     A[8] = A[0]

#--- conditions that are none
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), n: T.int32):
    T.device_entry()
    if 1:
#      ^ error[TW2103]: If condition must be a boolean expression, not int
#   hint: compare it, e.g. x != 0, or make it a Python bool
        A[0] = 1.0
    if None:
#      ^^^^ error[TW2103]: If condition must be a boolean expression, not None
#   hint: compare it, e.g. x != 0, or make it a Python bool
        A[0] = 1.0
    if [1]:
#      ^^^ error[TW2103]: If condition must be a boolean expression, not list
#   hint: compare it, e.g. x != 0, or make it a Python bool
        A[0] = 1.0
    if A[0]:
#      ^^^^ error[TW2103]: If condition must be a boolean expression, not float32
#   hint: compare it, e.g. x != 0, or make it a Python bool
        A[0] = 1.0
    if A:
#      ^ error[TW2103]: If condition must be a boolean expression, not a buffer
#   hint: compare it, e.g. x != 0, or make it a Python bool
        A[0] = 1.0
    A[0] = 1.0 if 1 else 2.0
#                 ^ error[TW2103]: the condition must be a Python bool or a run-time expression, not int
#   hint: compare it: (x != 0)
    A[0] = 1.0 if n else 2.0
#                 ^ error[TW2103]: the condition of a conditional expression must be bool, not int32
#   hint: compare it: (x != 0)
    while A[0]:
#         ^^^^ error[TW2103]: the condition of a loop must be a scalar boolean
        A[0] = 1.0
    while [1]:
#         ^^^ error[TW2004]: the condition must be a number or an expression, not list
        A[0] = 1.0

#--- a name bound in a branch ends with it
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.int32):
    T.device_entry()
    if n > 1:
        x = 1
    A[0] = x
#          ^ error[TW2002]: name 'x' is not defined
    for i in range(4):
        y = i
    A[1] = i
#          ^ error[TW2002]: name 'i' is not defined
    A[2] = y
#          ^ error[TW2002]: name 'y' is not defined
    if True:
        z = 3
    A[3] = z
#          ^ error[TW2002]: name 'z' is not defined
    with T.attr({"pragma_x": 1}):
        w = 1
    A[4] = w
#          ^ error[TW2002]: name 'w' is not defined

#--- what kernels do not have
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    try:
#   ^^^ error[TW2001]: 'try' is not available in the body of a kernel
#   hint: move it into a plain function or to the module
        A[0] = 1
    except Exception:
        pass
    class C:
#         ^ error[TW2001]: 'class' is not available in the body of a kernel
#   hint: move it into a plain function or to the module
        pass
    del A
#   ^^^^^ error[TW2001]: 'del' is not available in the body of a kernel
#   hint: move it into a plain function or to the module
    import math
#   ^^^^^^^^^^^ error[TW2001]: 'import' is not available in the body of a kernel
#   hint: move it into a plain function or to the module
    from math import gcd
#   ^^^^^^^^^^^^^^^^^^^^ error[TW2001]: 'import' is not available in the body of a kernel
#   hint: move it into a plain function or to the module
    global G
#   ^^^^^^^^ error[TW2001]: 'global' is not available in the body of a kernel
#   hint: move it into a plain function or to the module
    raise ValueError("no")
#   ^^^^^^^^^^^^^^^^^^^^^^ error[TW2001]: 'raise' is not available in the body of a kernel
#   hint: move it into a plain function or to the module
    def helper(x):
#       ^^^^^^ error[TW2001]: a function inside a kernel must be decorated with @T.inline
#   hint: decorate it, or move it out of the kernel
        return x
    x = lambda v: v
    nonlocal y
#   ^^^^^^^^^^ error[TW2001]: 'nonlocal' is not available in the body of a kernel
#   hint: move it into a plain function or to the module
    A[1] = 2

#--- assert, return, expression statements  [print]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.int32):
    "a docstring"
    assert n > 0, "n must be positive"
    assert n > 1, ("ValueError", ["n must be ", "more"])
    assert True
    T.device_entry()
    T.evaluate(0)
    A[0]
    n
    3
    None
    ...
    A
    T.cuda.cta_sync()
    A.vstore([0], 1)
    T.static_assert(1 < 2, "fine")
    if n > 3:
        T.thread_return()
    pass
    return 0
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32"), n: T.int32):
#|     assert n > 0, "n must be positive"
#|     assert n > 1, "ValueError: n must be more"
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     T.evaluate(0)
#|     T.cuda.cta_sync()
#|     A[0] = 1
#|     if n > 3:
#|         T.thread_return()
#|     return 0

#--- asserts and statements that fail
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32"), n: T.int32):
    assert 1 > 2, "never"
#   ^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: assertion failed: never
    T.static_assert(1 > 2, "never either")
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: static assertion failed: never either
    T.static_assert(n > 2, "run time")
#                   ^^^^^ error[TW2103]: a run-time expression has no truth value here
#   hint: only `if`, `while` and conditional expressions of a kernel may test it
    T.device_entry()
    T.TileLayout
#   ^^^^^^^^^^^^ error[TW2004]: a statement of type a class has no meaning in a kernel
    {"a": 1}
#   ^^^^^^^^ error[TW2004]: a statement of type dict has no meaning in a kernel
    T.elected()
#   ^^^^^^^^^^^ error[TW2003]: T.elected() is not part of the language
#   hint: write: if T.ptx.elect_sync():
    return A
#          ^ error[TW2004]: the returned value must be a scalar; this is the whole buffer A
#   hint: index it: A[...]
    T.no_such_thing(1)
#     ^^^^^^^^^^^^^ error[TW2003]: 'T' has no attribute 'no_such_thing'
    T.ptx.no_such_thing(1)
#         ^^^^^^^^^^^^^ error[TW2003]: 'T.ptx' has no attribute 'no_such_thing'

#--- frames and attributes  [print]
from tvm.script import tirx as T

@T.prim_func(persistent=True)
def k(A: T.Buffer((64,), "int32")):
    T.func_attr({"global_symbol": "renamed", "tirx.noalias": True, "my.attr": 3})
    T.device_entry()
    T.attr({"tirx.launch_bounds_min_blocks_per_sm": 2})
    tx = T.thread_id([64])
    with T.attr({"pragma_unroll": 1, "other": "text"}):
        A[tx] = 1
    with T.attr(A.data, "key", 4):
        A[tx] = 2
    T.attr(A.data, "key2", 5)
    with T.hint("message", level=3):
        A[tx] = 3
#| @T.prim_func
#| def renamed(A: T.Buffer((64,), "int32")):
#|     T.func_attr({"global_symbol": "renamed", "tirx.persistent_kernel": T.bool(True), "tirx.noalias": T.bool(True), "my.attr": 3})
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     T.attr({"tirx.launch_bounds_min_blocks_per_sm": 2})
#|     tx = T.thread_id([64])
#|     with T.attr({"pragma_unroll": 1}):
#|         with T.attr({"other": "text"}):
#|             A[tx] = 1
#|     with T.attr(A.data, "key", 4):
#|         A[tx] = 2
#|     T.attr(A.data, "key2", 5)
#|     with T.attr({"hint.level": 3}):
#|         A[tx] = 3

#--- with items that are none
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    with A:
#        ^ error[TW2004]: a buffer cannot be used in a with statement
#   hint: use a frame such as T.attr(...), or a context manager
        A[0] = 1
    with 3 as x:
#        ^ error[TW2004]: int cannot be used in a with statement
#   hint: use a frame such as T.attr(...), or a context manager
        A[0] = x
    with T.serial(4) as i:
        A[i] = 1

#--- context managers  [print]
from tvm.script import tirx as T

class Section:
    def __init__(self, buf, name):
        self.buf = buf
        self.name = name
    def __enter__(self):
        T.buffer_store(self.buf, 1, [0])
        return self
    def __exit__(self, kind, value, traceback):
        T.buffer_store(self.buf, 2, [0])

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    with Section(A, "one") as s, Section(A, "two"):
        A[1] = len(s.name)
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0] = 1
#|     A[0] = 1
#|     A[1] = 3
#|     A[0] = 2
#|     A[0] = 2


#--- what a loop that is written out makes known  [cuda] [arch sm_90a]
from tvm.script import tirx as T

def ceildiv(a, b):
    return (a + b - 1) // b

@T.prim_func
def k(A: T.Buffer((64,), "float32"), n: T.int32):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    width: T.let = 16
    parts: T.let = ceildiv(64, width)
    for i in T.unroll(parts):
        A[i * 16 + t % 16] = T.float32(1)
        T.ptx.cp_async.bulk.wait_group(3 - i)
    for i in T.unroll(2):
        T.ptx.cp_async.bulk.wait_group(width // 8 - i, True)
    for i in T.serial(2):
        T.ptx.cp_async.bulk.wait_group(1 - i)
#                                      ^^^^^ error[TW2111]: 'n' of T.ptx.cp_async.bulk.wait_group must be known at compile time
    for i in T.unroll(n):
#            ^^^^^^^^^^^ error[TW2104]: cannot unroll a loop whose extent is not constant
#   hint: use T.serial or range
        A[i] = T.float32(0)
