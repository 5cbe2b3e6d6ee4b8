# Frames of the kernel, entered by `with` in a kernel and in the Python functions that it calls.
#--- branches and loops of a helper [print]
from tvm.script import tirx as T

def helper(A, i, n):
    for j in range(n):
        T.evaluate(T.cuda.cta_sync())
    with T.If(i < 5):
        with T.Then():
            T.buffer_store(A, T.float32(1), [i])
        with T.Else():
            with T.If(i < 7), T.Then():
                T.buffer_store(A, T.float32(2), [i])
    with T.serial(n) as j:
        T.buffer_store(A, T.float32(3), [j])
        with T.If(j > 2), T.Then():
            T.Break()
    with T.While(i < 3):
        T.buffer_store(A, T.float32(4), [i])
        T.Continue()
    with T.grid(2, 3) as (a, b):
        T.buffer_store(A, T.float32(5), [a + b])
    with T.attr({"pragma.x": 1}):
        T.buffer_store(A, T.float32(6), [i])
    return i + 1

def early(A, i):
    with T.If(i < 2):
        with T.Then():
            T.buffer_store(A, T.float32(7), [i])
            return

class Section:
    def __init__(self, A):
        self.A = A
    def __enter__(self):
        T.buffer_store(self.A, T.float32(8), [0])
    def __exit__(self, *failed):
        T.buffer_store(self.A, T.float32(9), [0])

@T.prim_func
def k(A: T.Buffer((1024,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    j = helper(A, t, 2)
    early(A, t)
    with T.If(t < 4), T.Then():
        A[t] = T.float32(10)
    with T.unroll(2) as u:
        A[u] = T.float32(11)
    A[j] = T.float32(12)
#| @T.prim_func
#| def k(A: T.Buffer((1024,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     t = T.thread_id([32])
#|     T.cuda.cta_sync()
#|     T.cuda.cta_sync()
#|     if t < 5:
#|         A[t] = T.float32(1.0)
#|     elif t < 7:
#|         A[t] = T.float32(2.0)
#|     for j in range(2):
#|         A[j] = T.float32(3.0)
#|         if j > 2:
#|             break
#|     while t < 3:
#|         A[t] = T.float32(4.0)
#|         continue
#|     for a in range(2):
#|         for b in range(3):
#|             A[a + b] = T.float32(5.0)
#|     with T.attr({"pragma.x": 1}):
#|         A[t] = T.float32(6.0)
#|     j: T.int32 = t + 1
#|     if t < 2:
#|         A[t] = T.float32(7.0)
#|     if t < 4:
#|         A[t] = T.float32(10.0)
#|     for u in T.unroll(2):
#|         A[u] = T.float32(11.0)
#|     A[j] = T.float32(12.0)

#--- a context manager of the script around a frame [print]
import contextlib
from tvm.script import tirx as T

@contextlib.contextmanager
def fenced(A, n):
    T.buffer_store(A, T.float32(n), [0])
    yield n + 1
    T.buffer_store(A, T.float32(n), [1])

def body(A, i):
    with fenced(A, 3) as n, T.serial(n) as j, T.If(j < 2), T.Then():
        T.buffer_store(A, T.float32(1), [j])

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    body(A, t)
    with fenced(A, 5):
        A[2] = T.float32(2)
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     t = T.thread_id([32])
#|     A[0] = T.float32(3.0)
#|     for j in range(4):
#|         if j < 2:
#|             A[j] = T.float32(1.0)
#|     A[1] = T.float32(3.0)
#|     A[0] = T.float32(5.0)
#|     A[2] = T.float32(2.0)
#|     A[1] = T.float32(5.0)

#--- what the arms of a branch may hold
from tvm.script import tirx as T

def store(A, i):
    T.buffer_store(A, T.float32(1), [i])

def alone(A, i):
    with T.Then():
#        ^^^^^^^^ error[TW2103]: T.Then stands in no `with T.If(...):`
#   from: alone(A, t)
        store(A, i)

def only_else(A, i):
    with T.If(i < 2):
        with T.Else():
#            ^^^^^^^^ error[TW2103]: T.Else follows the T.Then of its T.If
#   hint: write `with T.Then():` above it
#   from: only_else(A, t)
            store(A, i)

def empty(A, i):
    with T.If(i < 2):
#        ^^^^^^^^^^^ error[TW2103]: this T.If has no `with T.Then():`
#   hint: write `with T.Then():` in it
#   from: empty(A, t)
        pass

def twice(A, i):
    with T.If(i < 2):
        with T.Then():
            store(A, i)
        with T.Then():
#            ^^^^^^^^ error[TW2103]: this T.If has a T.Then already
#   from: twice(A, t)
            store(A, i)

def outside(A, i):
    with T.If(i < 2):
#        ^^^^^^^^^^^ error[TW2103]: statements of a T.If stand in one of its arms
#   hint: put them below `with T.Then():` or `with T.Else():`
#   from: outside(A, t)
        store(A, i)
        with T.Then():
            store(A, i)

def no_loop(A, i):
    T.Break()
#   ^^^^^^^^^ error[TW2104]: this stands outside of every loop
#   from: no_loop(A, t)

def no_condition(A, i):
    with T.If(A):
#             ^ error[TW2004]: the condition must be a scalar; this is the whole buffer A
#   hint: index it: A[...]
#   from: no_condition(A, t)
        pass

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([32])
    alone(A, t)
    only_else(A, t)
    empty(A, t)
    twice(A, t)
    outside(A, t)
    no_loop(A, t)
    no_condition(A, t)
