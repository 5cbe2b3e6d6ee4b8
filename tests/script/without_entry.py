# Kernels that no entry leads to: told once each, and counted as not checked.
#--- in a method that is not called
from tvm.script import tirx as T

class Plan:
    def __init__(self, n):
        self.n = n
    def build(self, scale=1):
#       ^^^^^ information[TW2119]: the kernel k in Plan.build(scale) is not checked: no entry leads to it
#   hint: name one in a comment: # tilewright: entry Plan(...).build(...)
        n = self.n
        @T.prim_func
        def k(B: T.Buffer((n,), "float32")):
            T.device_entry()
            t = T.thread_id([n])
            B[t] = 1.0
        return k
    def size(self):
        return self.n

#--- below a decorator that is not known
import mystery
from tvm.script import tirx as T

@mystery.tuned(configs=[1, 2])
def build(n=32):
#   ^^^^^ information[TW2119]: the kernel k in build(n) is not checked: build depends on `mystery.tuned(configs=[1, 2])` at main.py:4, which comes from the module 'mystery'
    @T.prim_func
    def k(B: T.Buffer((n,), "float32")):
        T.device_entry()
        t = T.thread_id([n])
        B[t] = 1.0
    return k

made = build()

#--- in a function that a function gives back
from tvm.script import tirx as T

def factory():
#   ^^^^^^^ information[TW2119]: the kernel k in factory() is not checked: no entry leads to it
#   hint: name one in a comment: # tilewright: entry factory()(...)
    def build(n):
        @T.prim_func
        def k(B: T.Buffer((n,), "float32")):
            T.device_entry()
            t = T.thread_id([n])
            B[t] = 1.0
        return k
    return build

#--- a method that is called has an entry
from tvm.script import tirx as T

class Plan:
    def build(self, n):
        @T.prim_func
        def k(B: T.Buffer((n,), "float32")):
            T.device_entry()
            t = T.thread_id([n])
            B[t] = 1.0
        return k

kernel = Plan().build(32)

#--- and so has one that a comment names
from tvm.script import tirx as T

class Plan:
    # tilewright: entry Plan().build(32)
    def build(self, n):
        @T.prim_func
        def k(B: T.Buffer((n,), "float32")):
            T.device_entry()
            t = T.thread_id([n])
            B[t] = 1.0
        return k

#--- kernels of other packages are none of ours
import jax
import triton
from tvm.script import tirx as T

class Other:
    def build(self):
        @triton.jit
        def add(x):
            return x
        @jax.jit
        def f(x):
            return x
        return add, f

#--- what needs arguments is told as before
from tvm.script import tirx as T

def build(n):
#   ^^^^^ information[TW2202]: the kernel in build(n) needs arguments to be compiled
#   hint: name some in a comment: # tilewright: entry build(n)
    @T.prim_func
    def k(B: T.Buffer((n,), "float32")):
        T.device_entry()
        t = T.thread_id([n])
        B[t] = 1.0
    return k

#--- tests that are methods  [entries]
import pytest
from tvm.script import tirx as T

class TestRows:
    scale = 2.0

    def kernel(self, n):
        scale = self.scale
        @T.prim_func
        def k(B: T.Buffer((n,), "float32")):
            T.device_entry()
            t = T.thread_id([n])
            B[t] = scale
        return k

    @pytest.mark.parametrize("n", [32, 64])
    def test_rows(self, n):
        assert self.kernel(n)

    def test_own(self):
        @T.prim_func
        def own(B: T.Buffer((32,), "float32")):
            T.device_entry()
            t = T.thread_id([32])
            B[t] = 1.0
        assert own

    def test_sum(self):
        assert 1 + 1 == 2
#| entry parametrize: TestRows().test_rows(n=32) -> k
#| entry parametrize: TestRows().test_rows(n=64) -> k
#| entry defaults: TestRows().test_own() -> own

#--- tests of kernels that another class makes  [entries]
import pytest
from tvm.script import tirx as T

class Base:
    def __init__(self, n):
        if n % 32:
            raise ValueError("n")
        self.n = n

    def build(self):
        n = self.n
        @T.prim_func
        def k(B: T.Buffer((n,), "float32")):
            T.device_entry()
            t = T.thread_id([n])
            B[t] = 1.0
        return k

class Wide(Base):
    pass

class TestWide:
    @pytest.mark.parametrize("n", [32, 64])
    def test_rows(self, n):
        assert Wide(n).build()

    def test_refuses(self):
        with pytest.raises(ValueError):
            Wide(33)

def test_one():
    assert Base(96).build()
#| entry parametrize: TestWide().test_rows(n=32) -> k
#| entry parametrize: TestWide().test_rows(n=64) -> k
#| entry defaults: test_one() -> k

#--- in a generator, and in an asynchronous function
from tvm.script import tirx as T

def kernels():
#   ^^^^^^^ information[TW2119]: the kernel k in kernels() is not checked: no entry leads to it
#   hint: name one in a comment: # tilewright: entry next(kernels())
    for n in (32, 64):
        @T.prim_func
        def k(B: T.Buffer((n,), "float32")):
            T.device_entry()
            t = T.thread_id([n])
            B[t] = 1.0
        yield k

async def later():
#         ^^^^^ information[TW2119]: the kernel k in later() is not checked: no entry leads to it
    @T.prim_func
    def k(B: T.Buffer((32,), "float32")):
        T.device_entry()
        t = T.thread_id([32])
        B[t] = 1.0
    return k

#--- a generator that the script goes through
from tvm.script import tirx as T

def kernels():
    for n in (32, 64):
        @T.prim_func
        def k(B: T.Buffer((n,), "float32")):
            T.device_entry()
            t = T.thread_id([n])
            B[t] = 1.0
        yield k

all_kernels = list(kernels())

#--- only where the file is run as a program
from tvm.script import tirx as T

if __name__ == "__main__":
    @T.prim_func
    def k(B: T.Buffer((32,), "float32")):
#       ^ information[TW2119]: k is not checked: it is made only where the file is run as a program
#   hint: put it above the test of __name__
        T.device_entry()
        t = T.thread_id([32])
        B[t] = 1.0

#--- the same, the other way round
from tvm.script import tirx as T

if "__main__" == __name__:
    @T.prim_func
    def k(B: T.Buffer((32,), "float32")):
#       ^ information[TW2119]: k is not checked: it is made only where the file is run as a program
#   hint: put it above the test of __name__
        T.device_entry()
        t = T.thread_id([32])
        B[t] = 1.0

#--- only where it is not
from tvm.script import tirx as T

if __name__ != "__main__":
    @T.prim_func
    def k(B: T.Buffer((32,), "float32")):
        T.device_entry()
        t = T.thread_id([32])
        B[t] = 1.0

#--- above a decorator that is not known
from mystery import tuned
from tvm.script import tirx as T

@T.prim_func
@tuned
# @1:2-1:7 information[TW2119]: k is not checked: tuned is not known here, it comes from the module 'mystery'
def k(B: T.Buffer((32,), "float32")):
    T.device_entry()
    t = T.thread_id([32])
    B[t] = 1.0
