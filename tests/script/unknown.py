# Conditions that are not known: neither true nor false. What either way would change is unknown, and the error of a
# kernel that needs it names the condition.
#--- a number that depends on one
import torch
from tvm.script import tirx as T

threads = 128 if torch.cuda.is_available() else 32
if torch.cuda.device_count() > 1:
    rows = 64
else:
    rows = 128
if torch.cuda.is_available():
    same = 7
else:
    same = 7

@T.prim_func
def k(A: T.Buffer((rows,), "float32")):
#                 ^^^^^^^ error[TW2007]: the shape is not known here: it depends on `torch.cuda.device_count() > 1` at main.py:5, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    T.device_entry()
    T.cta_id([1])
    T.thread_id([threads])
#               ^^^^^^^^^ error[TW2007]: the extents of T.thread_id are not known here: it depends on `torch.cuda.is_available()` at main.py:4, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[same] = 1.0

#--- statements of the kernel
import torch
from tvm.script import tirx as T

FLAG = torch.cuda.is_available()

def body(A):
    if FLAG:
#      ^^^^ error[TW2007]: this condition is not known here, and statements of the kernel depend on it: it depends on `FLAG` at main.py:7, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
#   from: body(A)
        A[0] = 1.0

def early(A):
    if FLAG:
#      ^^^^ error[TW2007]: this condition is not known here, and statements of the kernel depend on it: it depends on `FLAG` at main.py:11, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
#   from: early(A)
        return
    A[1] = 1.0

def harmless(A):
    n = 3
    if FLAG:
        n = 4
    if FLAG:
        raise ValueError("no kernel then")
    A[2] = 1.0

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    body(A)
    early(A)
    harmless(A)
    if FLAG:
#      ^^^^ error[TW2007]: this condition is not known here: it comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
        A[3] = 1.0

#--- what is changed through other names
import os
from tvm.script import tirx as T

FAST = os.environ.get("FAST", "0") == "1"
sizes = [1, 2]
alias = sizes
table = {"a": 1}

class Config:
    n = 1

config = Config()
count = 0

def change():
    global count
    count += 1
    alias.append(3)
    config.n = 2

if FAST:
    change()
table["b" if FAST else "c"] = 1

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = len(sizes)
#          ^^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `FAST` at main.py:21, which comes from os.environ["FAST"]
#   hint: scripts are evaluated without an environment: write the value in the script, or make it a parameter and give it in an entry: # tilewright: entry f(value)
    A[1] = config.n
#          ^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `FAST` at main.py:21, which comes from os.environ["FAST"]
#   hint: scripts are evaluated without an environment: write the value in the script, or make it a parameter and give it in an entry: # tilewright: entry f(value)
    A[2] = count
#          ^^^^^ error[TW2007]: the stored value is not known here: it depends on `FAST` at main.py:21, which comes from os.environ["FAST"]
#   hint: scripts are evaluated without an environment: write the value in the script, or make it a parameter and give it in an entry: # tilewright: entry f(value)
    A[3] = table["a"]
#          ^^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `FAST` at main.py:23, which comes from os.environ["FAST"]
#   hint: scripts are evaluated without an environment: write the value in the script, or make it a parameter and give it in an entry: # tilewright: entry f(value)

#--- loops, exceptions, comprehensions, match, comparison with None
import torch
from tvm.script import tirx as T

U = torch.cuda.is_available()
stream = torch.cuda.current_stream()

def first():
    for i in range(4):
        if U:
            break
    return i

def caught():
    try:
        if U:
            raise ValueError
        return 1
    except ValueError:
        return 2

def matched(v):
    match v:
        case 1:
            return 1
        case _:
            return 2

kept = [v for v in range(4) if U]
given = 1 if stream is None else 2
ordered = sorted([3, 1], key=lambda v: v if U else -v)
i = 0
while i < 3 and U:
# @1:1-1:18 information[TW2007]: i is not known below this loop: it runs over what comes from the module 'torch'
    i += 1

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = first()
#          ^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `U` at main.py:9, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = caught()
#          ^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `U` at main.py:15, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[2] = matched(torch.cuda.device_count())
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `v` at main.py:22, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[3] = len(kept)
#          ^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `U` at main.py:28, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[4] = given
#          ^^^^^ error[TW2007]: the stored value is not known here: it depends on `stream is None` at main.py:29, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[5] = ordered[0]
#          ^^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `U` at main.py:30, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[6] = i
#          ^ error[TW2007]: the stored value is not known here: it depends on `i < 3 and U` at main.py:32, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments

#--- numbers of numpy are known
import numpy as np
import torch
from tvm.script import tirx as T

threads = 128 if np.prod((64, 64)) > 1024 else 32
shape = np.array([8, 8])
assert np.dtype("float16").itemsize == 2 and np.iinfo(np.int32).max == 2**31 - 1
DTYPES = {torch.float16: "float16", torch.float32: "float32"}

@T.prim_func
def k(A: T.Buffer((shape.prod(),), np.float16), B: T.Buffer((4,), torch.float32), C: T.Buffer((4,), DTYPES[torch.float16])):
    T.device_entry()
    T.cta_id([int(np.ceil(10 / 4))])
    T.thread_id([threads])
    A[np.int32(3)] = np.inf
    B[0] = np.finfo(np.float16).max
    B[int(np.log2(4))] = np.sqrt(4) + np.pi
    A[np.clip(9, 0, 7)] = 1.0

#--- scalars of numpy wrap, round and have types of their own
import numpy as np
from tvm.script import tirx as T

assert int(np.uint8(255) + np.uint8(1)) == 0 and int(-np.uint8(1)) == 255
assert int(np.int32(2**31 - 1) + np.int32(1)) == -(2**31)
assert float(np.float16(2048) + np.float16(1)) == 2048 and np.float32(16777216) + np.float32(1) == 16777216
assert not isinstance(np.prod((2, 3)), int) and isinstance(np.prod((2, 3)), np.integer)
assert isinstance(np.float64(1), float) and isinstance(np.sqrt(4), np.floating)
assert (np.prod((2, 3)) > 5) is not True
assert np.ceil(np.log2(100)).astype(int).item() == 7 and np.int16(3).dtype == np.int16
assert np.lcm(4, 6) == 12 and np.gcd(12, 18) == 6 and np.dot([1, 2], [3, 4]) == 11
assert np.argmax([1, 5, 2]) == 1 and np.diff([1, 4, 9])[1] == 5 and np.unique([1, 1, 2]).size == 2
assert list(np.ndindex(2, 2))[3] == (1, 1) and np.shape([[1, 2]]) == (1, 2) and np.zeros(3, dtype=int).sum() == 0
assert np.issubdtype(np.float16, np.floating) and not np.issubdtype("int8", np.floating)
wide = 1 if np.uint8(200) + 100 > 255 else 2

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = np.prod((2, 3))
    A[1] = wide
#          ^^^^ error[TW2007]: the stored value is not known here: it depends on `np.uint8(200) + 100 > 255` at main.py:15, which comes from the module 'numpy'
#   hint: give the value in the script, or name an entry with known arguments

#--- a module that sets its own names
import sys
from tvm.script import tirx as T

rows = 64
setattr(sys.modules[__name__], "rows", 32)

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = rows
#          ^^^^ error[TW2007]: the stored value is not known here: it comes from sys.modules
#   hint: give the value in the script, or name an entry with known arguments

#--- attributes of a function that one way sets
import torch
from tvm.script import tirx as T

def tuned(): pass
if torch.cuda.is_available():
    tuned.rows = 64
tuned.stages = 3

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = tuned.rows
#          ^^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `torch.cuda.is_available()` at main.py:5, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments

#--- a name that is deleted is not bound
from tvm.script import tirx as T
threads = 128
del threads

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([threads])
#                ^^^^^^^ error[TW2002]: name 'threads' is not defined

#--- kernels that are not looked at
import torch
import other_kernels.lite as txl
from tvm.script import tirx as T

@txl.kernel(warps=4)
# @1:2-1:21 information[TW2119]: traced is not checked: txl.kernel is not known here, it comes from the module 'other_kernels'
def traced(a, b):
    txl.copy(a, b)

if torch.cuda.is_available():
    @T.prim_func
#    ^^^^^^^^^^^ information[TW2119]: perhaps is not checked: whether it is made depends on `torch.cuda.is_available()` at main.py:9, which comes from the module 'torch'
    def perhaps(A: T.Buffer((64,), "float32")):
        T.device_entry()
        A[0] = 1.0

@T.prim_func
def first(A: T.Buffer((64,), "float32")):
#   ^^^^^ information[TW2119]: first and 1 more are not checked: they are kernels for Trainium, and only those for CUDA are checked
    T.device_entry()
    s = T.alloc_buffer((64,), "float32", scope="trn.sbuf")
    s[0] = A[0]

@T.prim_func
def second(A: T.Buffer((64,), "float32")):
    T.device_entry()
    s = T.alloc_buffer((64,), "float32", scope="trn.psum")
    s[0] = A[0]

#--- half meant
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def fractions(A: T.Buffer((128, 64), "float32"), out: T.Buffer((128,), "float32"), idx: T.Buffer((128,), "int32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    acc = 0
    for i in range(64):
        acc += A[tid, i]
#              ^^^^^^^^^ warning[TW2116]: acc is int32, and this stores float32: the fraction is dropped
#   hint: begin with acc: T.float32 = 0, or write T.int32(...) where it is meant
    out[tid] = acc
    idx[tid] = A[tid, 0]
#              ^^^^^^^^^ warning[TW2116]: idx is int32, and this stores float32: the fraction is dropped
#   hint: write T.int32(...) where it is meant
    idx[tid] = T.int32(A[tid, 0])

@T.prim_func
def strided(a_h: T.handle, b_h: T.handle):
    A = T.match_buffer(a_h, (32, 32), "float16", strides=[64, 1])
#                                                ^^^^^^^^^^^^^^^ error[TW2106]: strides= are not what the layout says: tile primitives would take the tensor as dense, element accesses as strided
#   hint: write layout=T.TileLayout(T.S[(32, 32) : (64, 1)])
    B = T.match_buffer(b_h, (32, 32), "float16", strides=[32, 1])
    T.device_entry()

@T.prim_func
def slices(A: T.Buffer((64, 64), "float16")):
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    S = T.alloc_shared((64, 64), "float16")
    S[:, :] = 0
#   ^^^^^^^ error[TW2108]: a slice that is assigned is a vector along the last dimension; this one goes along dimension 0 of S
#   hint: write Tx.cta.fill(S[:, :], value), or Tx.cta.copy of a tile
    A[:, :] = 0
#   ^^^^^^^ error[TW2108]: a slice that is assigned is a vector along the last dimension; this one goes along dimension 0 of A
#   hint: store its elements in a loop that the threads share, or fill a tile in shared memory and copy that with Tx.cta.copy
    A[t, 0:4] = 0
#               ^ error[TW2004]: a store into a slice takes a vector: this is 1 value, the target has 4 elements of A
#   hint: write T.broadcast(0, 4)
    print(t)
#   ^^^^^^^^ warning[TW2118]: print() runs while the kernel is built, and prints no value of the running one
#   hint: write T.cuda.printf("t = %d\n", t)
    print("built")
    for i in T.parallel(64):
#            ^^^^^^^^^^^^^^ warning[TW2117]: each thread that gets here runs all rounds of this loop, one after the other
#   hint: write T.serial, or share the rounds out: for i in T.serial(first, stop, step=threads)
        A[0, i] = T.float16(1.0)

#--- beyond its own dimension  [cuda]
from tvm.script import tirx as T

@T.prim_func
def swap(src: T.Buffer((128, 256), "float32"), dst: T.Buffer((256, 128), "float32")):
    T.device_entry()
    r: T.let = T.cta_id([128])
    c: T.let = T.thread_id([256])
    dst[r, c] = src[r, c]
#   ^^^^^^^^^ warning[TW3121]: dimension 1 of dst has 128 elements, and this index reaches 255 where c is 255
#   hint: such an index names an element of another row: exchange the indices, or guard the access
    dst[0, c] = src[r, c]

#--- an extent of the launch from a T.let  [cuda]
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64, 64), "float32"), n: T.int32):
    T.device_entry()
    blocks: T.let = T.min(148, 64)
    cta = T.cta_id([blocks])
    t = T.thread_id([64])
    T.buffer_store(A, T.float32(0), [cta, t])

@T.prim_func
def one(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    T.buffer_store(A, T.float32(1), 0)

#--- options of other libraries' reductions  [cuda]
from tvm.script import tirx as T
from tvm.script.tirx import tile as Tx

@T.prim_func
def reduced(A: T.Buffer((64, 64), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([128])
    s = T.alloc_shared((64, 64), "float32")
    r = T.alloc_shared((64,), "float32")
    Tx.cta.sum(r[:], s[:, :], dim=0)
#                             ^^^ error[TW3105]: sum has no option `dim`: without axes= it takes the last axis
#   hint: write axes=
    Tx.cta.sum(r[:], s[:, :], keepdims=True)
#                             ^^^^^^^^ error[TW3105]: sum has no option `keepdims`: the shape of its destination tells what is kept
#   hint: leave it out

#--- decorators and callbacks of packages that are not known
import functools
import sys
import mystery
import pytest
from tvm.script import tirx as T

@mystery.cached
def tile(n):
    return 2 * n

@pytest.mark.gpu
@functools.lru_cache(maxsize=None)
def rows(n):
    return n + 1

calls = 0
seen = [1]
table = {"a": 1}
kept = [1]

def count():
    global calls
    calls += 1
    note(len(kept))

def note(n):
    seen.append(n)

mystery.run(count)
mystery.run(key=lambda v: table.get("a"))
threads = 64 if len(sys.argv) > 1 else 32

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([threads])
#               ^^^^^^^^^ error[TW2007]: the extents of T.thread_id are not known here: it depends on `len(sys.argv) > 1` at main.py:31, which comes from sys.argv
#   hint: give the value in the script, or name an entry with known arguments
    A[0] = tile(2)
#          ^^^^^^^ error[TW2007]: this call is not known here: it depends on `mystery.cached` at main.py:7, which comes from the module 'mystery'
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = rows(2)
    A[2] = calls
#          ^^^^^ error[TW2007]: the stored value is not known here: it depends on `mystery.run(count)` at main.py:29, which comes from the module 'mystery'
#   hint: give the value in the script, or name an entry with known arguments
    A[3] = len(seen)
#          ^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `mystery.run(count)` at main.py:29, which comes from the module 'mystery'
#   hint: give the value in the script, or name an entry with known arguments
    A[4] = table["a"]
    A[5] = len(kept)

#--- a kernel in which they may add statements
import mystery
from tvm.script import tirx as T

@mystery.traced
def body(A):
    A[0] = 1

def store(A):
    A[1] = 2

def helper(A):
    mystery.run(lambda: store(A))
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2007]: this call is not known here, and it may call what adds to the kernel: it comes from the module 'mystery'
#   hint: give the value in the script, or name an entry with known arguments
#   from: helper(A)
    given = body(A)

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    body(A)
#   ^^^^^^^ error[TW2007]: this call is not known here: it depends on `mystery.traced` at main.py:4, which comes from the module 'mystery'
#   hint: give the value in the script, or name an entry with known arguments
    helper(A)

#--- generators that depend on what is not known
import contextlib
import torch
from tvm.script import tirx as T

FLAG = torch.cuda.is_available()
log = []
kept = []

def counted(n):
    for i in range(n):
        if FLAG:
            log.append(i)
        yield i

def branched(n):
    if FLAG:
        yield n
    kept.append(n)
    yield 2

@contextlib.contextmanager
def fenced(A):
    A[1] = 1
    if FLAG:
        yield 1
    else:
        yield 2
    A[2] = 2

def body(A):
    with fenced(A):
#        ^^^^^^^^^ error[TW2007]: what this generator does next is not known here: it depends on `FLAG` at main.py:24, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
#   from: body(A)
        A[3] = 3

same = sum(counted(4))
other = list(branched(3))

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = same
    A[4] = len(log)
#          ^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `FLAG` at main.py:11, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[5] = len(other)
#          ^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a statement that failed: this cannot be iterated here: it depends on `FLAG` at main.py:16, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[6] = len(kept)
#          ^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `FLAG` at main.py:16, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    body(A)

#--- an enumeration whose members its module has, too
import enum
from tvm.script import tirx as T

@enum.global_enum
class Stage(enum.IntEnum):
    LOAD = 1

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = LOAD
#          ^^^^ error[TW2007]: the stored value is not known here: it comes from names that are made while the module runs
#   hint: give the value in the script, or name an entry with known arguments

#--- a part that decides, in each kind of condition  [print]
import torch
from tvm.script import tirx as T

on = torch.cuda.is_available()
items = [v for v in range(4) if v < 2 or (v > 5 and on)]
size = 3 if on and False else 32
count = 0
while count < 2 and (on or True):
    count += 1
odd = list(v for v in range(6) if (on or True) and v % 2)
match count:
    case 2 if on and 1 > 2:
        size = 64
    case 2 if on or 2 > 1:
        size += 1
    case _:
        size = 96

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = len(items)
    A[1] = size
    A[2] = count
    A[3] = sum(odd)
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([32])
#|     A[0] = 2
#|     A[1] = 33
#|     A[2] = 2
#|     A[3] = 9
