# Names that nothing binds, and names whose value is not known because what binds them cannot be followed.
#--- a module's own name
from tvm.script import tirx as T

WIDTH = 64
DEPTH = WIDHT * 2
#       ^^^^^ error[TW2002]: name 'WIDHT' is not defined
#   hint: did you mean WIDTH?
X = undefined_name + 1
#   ^^^^^^^^^^^^^^ error[TW2002]: name 'undefined_name' is not defined

@T.prim_func
def kernel(A: T.Buffer((DEPTH, X), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    A[tx % DEPTH, 0] = 1.0

#--- said once, however often it is used
from tvm.script import tirx as T

@T.prim_func
def first(A: T.Buffer((128,), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    A[tx] = helper(1)
#           ^^^^^^ error[TW2002]: name 'helper' is not defined
    A[tx] = helper(2)

@T.prim_func
def second(A: T.Buffer((128,), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    A[tx] = helper(3)

#--- the import of the dialect is missing

@T.prim_func
# @1:2-1:3 error[TW2002]: name 'T' is not defined
#   hint: add: from tvm.script import tirx as T
def kernel(A: T.Buffer((128,), "float32"), B: T.Buffer((128,), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    Tx.cta.copy(B[:], A[:])
#   ^^ error[TW2002]: name 'Tx' is not defined
#   hint: add: from tvm.script.tirx import tile as Tx

#--- other imports that are missing
from tvm.script import tirx as T

@dataclass
# @1:2-1:11 error[TW2002]: name 'dataclass' is not defined
#   hint: add: from dataclasses import dataclass
class Config:
    m: int = 4

layout = TileLayout(S[(4, 4):(4, 1)])
#        ^^^^^^^^^^ error[TW2002]: name 'TileLayout' is not defined
#   hint: add: from tvm.tirx.layout import TileLayout
#                   ^ error[TW2002]: name 'S' is not defined
#   hint: add: from tvm.tirx.layout import S

@T.prim_func
def kernel(A: T.Buffer((128,), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    bar = MBarrier(4)
#         ^^^^^^^^ error[TW2002]: name 'MBarrier' is not defined
#   hint: add: from tvm.tirx.lang.pipeline import MBarrier
    A[tx] = math.sqrt(2.0)
#           ^^^^ error[TW2002]: name 'math' is not defined
#   hint: write T.sqrt of a run-time value; of one that is known now add: import math

#--- a misspelt decorator
from tvm.script import tirx as T

@T.prim_fun
#  ^^^^^^^^ error[TW2003]: 'T' has no attribute 'prim_fun'
#   hint: did you mean T.prim_func?
def one(A: T.Buffer((128,), "float32")):
    T.device_entry()

def make(n=4):
    @T.prim_fucn
#      ^^^^^^^^^ error[TW2003]: 'T' has no attribute 'prim_fucn'
#   hint: did you mean T.prim_func?
    def two(A: T.Buffer((n,), "float32")):
        T.device_entry()
    return two

@T.jitt
#  ^^^^ error[TW2003]: 'T' has no attribute 'jitt'
#   hint: did you mean T.jit?
def three(A: T.Buffer((128,), "float32")):
    T.device_entry()

@prim_func
# @1:2-1:11 error[TW2002]: name 'prim_func' is not defined
#   hint: write T.prim_func
def four(A: T.Buffer((128,), "float32")):
    T.device_entry()

#--- attributes of the dialect and of what the script defines
from dataclasses import dataclass
from tvm.script import tirx as T
import tvm

@dataclass
class Config:
    tile_m: int = 64

    @property
    def half(self):
        return self.tile_n // 2

cfg = Config()
A_ = T.ptxx
#      ^^^^ error[TW2003]: 'T' has no attribute 'ptxx'
#   hint: did you mean T.ptx?
B_ = cfg.tile_mm
#        ^^^^^^^ error[TW2003]: 'Config' object has no attribute 'tile_mm'
#   hint: did you mean tile_m?
C_ = tvm.tirx.lang.pipline
#                  ^^^^^^^ error[TW2003]: 'tvm.tirx.lang' has no attribute 'pipline'
#   hint: did you mean pipeline?
D_ = tvm.target.Target("cuda"), tvm.relax.op.anything, T._ffi_api
#                                                        ^^^^^^^^ error[TW2003]: 'T' has no attribute '_ffi_api'

@T.prim_func
def kernel(A: T.Buffer((cfg.tile_n, cfg.half), "float32")):
#                           ^^^^^^ error[TW2003]: 'Config' object has no attribute 'tile_n'
#   hint: did you mean tile_m?
    T.device_entry()
    tx = T.thread_id([128])
    A[tx, 0] = T.ptx.barr.sync(0)
#                    ^^^^ error[TW2003]: 'T.ptx' has no attribute 'barr'
#   hint: did you mean T.ptx.bar?

#--- an error in a function is said where it stands, with the calls that led there
from tvm.script import tirx as T

def rows(n):
    return n * tile_rows
#              ^^^^^^^^^ error[TW2002]: name 'tile_rows' is not defined

def shape_of(m, n):
    return (rows(m), n)

def make(m, n):
    @T.prim_func
    def kernel(A: T.Buffer(shape_of(m, n), "float32")):
        T.device_entry()
        tx = T.thread_id([128])
        A[tx, 0] = 1.0
    return kernel

shape = shape_of(4, 4)
k = make(4, 8)

#--- what calls an argument check is told
from tvm.script import tirx as T

def checked(m):
    if m % 16:
        raise ValueError(f"m={m} is no multiple of 16")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: m=17 is no multiple of 16
    return m

def make(m):
    rows = checked(m)
    @T.prim_func
    def kernel(A: T.Buffer((rows,), "float32")):
        T.device_entry()
        A[0] = 1.0
    return kernel

k = make(17)

#--- code that no evaluation reaches
from tvm.script import tirx as T
import numpy as np

def reference(a, b):
    return np.matmul(a, c).astype(dtyp)
#                       ^ warning[TW2002]: name 'c' is not defined
#                                 ^^^^ warning[TW2002]: name 'dtyp' is not defined

def open_factory(n):
#   ^^^^^^^^^^^^ information[TW2202]: the kernel in open_factory(n) needs arguments to be compiled
#   hint: name some in a comment: # tilewright: entry open_factory(n)
    @T.prim_func
    def kernel(A: T.Buffer((n,), "float32")):
        T.device_entry()
        tx = T.thread_id([128])
        A[txx] = 1.0
#         ^^^ error[TW2002]: name 'txx' is not defined
#   hint: did you mean tx?
        if n > 4:
            A[tx] = somewhere
    return kernel

@T.macro(hygienic=False)
def step(i):
    A[i] = value_of_the_caller

if __name__ == "__main__":
    mian()
#   ^^^^ error[TW2002]: name 'mian' is not defined
#   hint: did you mean min?

#--- names that Python knows and we do not follow
from __future__ import annotations
from typing import TYPE_CHECKING
from tvm.script import tirx as T
import sys
import torch
if TYPE_CHECKING:
    from somewhere import Tensor

try:
    unicode
except NameError:
    unicode = str

try:
    import triton
    HAS_TRITON = True
except ImportError:
    HAS_TRITON = False

if torch.cuda.is_available():
    PROPERTIES = torch.cuda.get_device_properties(0)
    SMS = PROPERTIES.multi_processor_count

for name, module in list(sys.modules.items()):
# @1:1-1:46 information[TW2007]: found, last_name are not known below this loop: it runs over what comes from sys.modules
    found = module
    last_name = name

with torch.no_grad() as guard, open("a") as f:
    lines = [line for line in f]

class Tests:
    sizes = [4, 8]
    doubled = [2 * s for s in sizes]
    def method(self) -> Tensor:
        global MADE
        MADE = __class__, self.sizes, print, bytes(4), memoryview, complex(1, 2), WindowsError
        return (y := 4) + y

def later():
    return LATER, MADE, [y for x in range(4) if (y := x)], (lambda *a, **k: (a, k))(), y_of(1)

def y_of(x: "not evaluated"):
    try:
        import json as j
    except (ImportError, AttributeError) as e:
        print(e)
    else:
        del x
    return j.dumps

LATER = 4
print(__file__, __name__, __doc__, __builtins__, unicode, HAS_TRITON, SMS, found, last_name, lines, guard, Ellipsis)
match SMS:
    case [first, *rest]: print(first, rest)
    case {"a": a, **others}: print(a, others)
    case torch.Size(b) as whole: print(b, whole)

@T.prim_func
def kernel(A: T.Buffer((128,), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    A[tx] = 1.0

#--- names that are made while the module runs
from tvm.script import tirx as T

globals()["N"] = 4
exec("M = 4")
x = N + M

@T.prim_func
def kernel(A: T.Buffer((128,), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    A[tx] = 1.0

#--- used above what defines it
from tvm.script import tirx as T

N = M + 1
#   ^ error[TW2002]: name 'M' is not defined
M = 4

#--- loops over unknown values
import torch
from tvm.script import tirx as T

total = 0
sizes = []
widths = {}
for p in torch.parameters():
# @1:1-1:28 information[TW2007]: total, last are not known below this loop: it runs over what comes from the module 'torch'
    total += p.numel()
    sizes.append(4)
    widths[p] = 4
    last = p

f = torch.compile
while hasattr(f, "__wrapped__"):
# @1:1-1:32 information[TW2007]: f, depth are not known below this loop: it runs over what comes from the module 'torch'
    f = f.__wrapped__
    depth = 4

n = 1
while True:
# @1:1-1:11 information[TW2007]: n is not known below this loop: it runs over what comes from `n > torch.cuda.device_count()` at main.py:21, which comes from the module 'torch'
    n = n * 2
    if n > torch.cuda.device_count():
        break

def first_of(items):
    for i in torch.range(4):
        if i in items:
            return i

known = 4
@T.prim_func
def fine(A: T.Buffer((known,), "float32")):
    T.device_entry()
    tx = T.thread_id([4])
    A[tx] = 1.0

@T.prim_func
def needs(A: T.Buffer((total, len(sizes)), "float32")):
#                     ^^^^^^^^^^^^^^^^^^^ error[TW2007]: the shape is not known here: it depends on `torch.parameters()` at main.py:7, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    T.device_entry()
    tx = T.thread_id([4])
    A[tx, 0] = first_of([1, 2])

#--- a limit ends what met it
from tvm.script import tirx as T

def count():
    n = 0
    while True:
#   ^^^^^^^^^^ error[TW2009]: the script takes more than 20000000 steps
#   hint: nothing in this loop ends it
        n += 1
    return n

endless = count()
for i in range(1 << 60):
    numbers = i
#             ^ information[TW2009]: the script takes more than 20000000 steps
#   hint: look for a loop that does not end, or raise the limit in tilewright.toml

known = 128

@T.prim_func
def fine(A: T.Buffer((known,), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    A[tx] = 1.0

@T.prim_func
def needs(A: T.Buffer((endless,), "float32")):
#                     ^^^^^^^^^^ error[TW2007]: the shape is not known here: it comes from a statement that failed: the script takes more than 20000000 steps
#   hint: give the value in the script, or name an entry with known arguments
    T.device_entry()
    tx = T.thread_id([128])
    A[tx] = 1.0

#--- names of the dialect without the names between, or with other marks between
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((128,), "float32")):
    T.device_entry()
    tx = T.thread_id([128])
    T.cta_sync()
#     ^^^^^^^^ error[TW2003]: 'T' has no attribute 'cta_sync'
#   hint: write T.cuda.cta_sync
    T.ptx.cp_async_wait_group(0)
#         ^^^^^^^^^^^^^^^^^^^ error[TW2003]: 'T.ptx' has no attribute 'cp_async_wait_group'
#   hint: write T.ptx.cp_async.wait_group
    A[tx] = 1.0

#--- what follows a name tells which was meant
# tilewright: arch sm_90a
from tvm.script import tirx as T

@T.prim_func
def kernel(A: T.Buffer((128,), "float32")):
    T.device_entry()
    T.cta_id([1])
    tid = T.thread_id([128])
    bar = T.alloc_shared([1], "uint64")
    if tid == 0:
        T.ptc.mbarrier.init(bar.ptr_to([0]), 1)
#         ^^^ error[TW2003]: 'T' has no attribute 'ptc'
#   hint: did you mean T.ptx?
    T.uda.cta_sync()
#     ^^^ error[TW2003]: 'T' has no attribute 'uda'
#   hint: did you mean T.cuda?
    if tid == 0:
        T.ptx.barrier.init(bar.ptr_to([0]), 1)
#             ^^^^^^^ error[TW2003]: 'T.ptx.barrier' has no attribute 'init'
#   hint: did you mean T.ptx.mbarrier?
    T.ptr.fence.mbarrier_init()
#     ^^^ error[TW2003]: a function has no attribute 'fence'
#   hint: did you mean T.ptx?
    A[tid] = 1.0

#--- of several that are near, the likelier slip
from tvm.script import tirx as T

COLS = 64
width = OLS + 1
#       ^^^ error[TW2002]: name 'OLS' is not defined
#   hint: did you mean COLS?
lane, many = 1, 2
both = lnae + 1
#      ^^^^ error[TW2002]: name 'lnae' is not defined
#   hint: did you mean lane?
third = mayn
#       ^^^^ error[TW2002]: name 'mayn' is not defined
#   hint: did you mean many?

@T.prim_func
def kernel(A: T.Buffer((128,), "iunt8"), B: T.Buffer((128,), "unt8")):
#                              ^^^^^^^ error[TW2004]: unknown dtype "iunt8"
#   hint: did you mean "uint8"?
    T.device_entry()
    tid = T.thread_id([128])
    A[tid] = B[tid]
