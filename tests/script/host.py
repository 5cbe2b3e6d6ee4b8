# Host Python around kernels (script.md tiers 1 and 2), and how entries are found.
#--- factories and defaults  [entries]
from tvm.script import tirx as T

def make(m=16, n=32, dtype="float16"):
    assert m % 16 == 0, f"m={m} is no multiple of 16"
    tiles = m * n // 128
    shape = (m, n)

    @T.prim_func
    def kernel(A: T.Buffer(shape, dtype), B: T.Buffer(shape, dtype)):
        T.device_entry()
        tx = T.thread_id([128])
        for i in T.unroll(tiles):
            index: T.let = i * 128 + tx
            B[index // n, index % n] = A[index // n, index % n]

    return kernel

small = make(16, 16)

def needs(m, n):
#   ^^^^^ information[TW2202]: the kernel in needs(m, n) needs arguments to be compiled
#   hint: name some in a comment: # tilewright: entry needs(m, n)
    @T.prim_func
    def open_(A: T.Buffer((m, n), "float32")):
        T.device_entry()
        A[0, 0] = 1.0
    return open_
#| entry module: small -> kernel
#| needs arguments: needs(m, n)

#--- a factory that is called wrongly
from tvm.script import tirx as T

def make(m):
    if m % 16:
        raise ValueError(f"m={m} is no multiple of 16")
#       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2008]: ValueError: m=17 is no multiple of 16

    @T.prim_func
    def kernel(A: T.Buffer((m,), "float32")):
        T.device_entry()
        A[0] = 1.0

    return kernel

bad = make(17)
worse = make()
#       ^^^^^^ error[TW2006]: make needs the argument 'm'

#--- entries in comments  [entries]
from tvm.script import tirx as T
# tilewright: entry make(4)
# tilewright: entry make("x")
# tilewright: entry nothing(4)
# @1:1-1:31 error[TW2201]: entry 'nothing(4)': name 'nothing' is not defined
#   hint: an entry is an expression that yields a kernel, such as make(128, 64)
# tilewright: entry 3 +
# @1:1-1:24 error[TW2201]: entry '3 +': expected an expression
#   hint: an entry is an expression that yields a kernel, such as make(128, 64)
# tilewright: entry 42
# @1:1-1:23 error[TW2201]: entry '42': yields int, not a kernel
#   hint: an entry is an expression that yields a kernel, such as make(128, 64)

def make(m):
    @T.prim_func
    def kernel(A: T.Buffer((m,), "float32")):
#                          ^^^^ error[TW2004]: the shape must be a number or an expression, not str
        T.device_entry()
        A[0] = 1.0
    return kernel
#| entry comment: make(4) -> kernel
#| entry comment: make("x") -> kernel

#--- what an entry raises stands beside it  [entries]
from tvm.script import tirx as T
# tilewright: entry make(3)
# @1:1-1:28 error[TW2201]: entry 'make(3)': key 3 is not in the dict
# tilewright: entry unpack()
# @1:1-1:29 error[TW2201]: entry 'unpack()': cannot unpack 2 values into 1 name

TABLE = {1: 2}

def pick(n):
    return TABLE[n]

def make(n):
    m = pick(n)

    @T.prim_func
    def kernel(A: T.Buffer((m,), "float32")):
        T.device_entry()
        A[0] = 1.0
    return kernel

def unpack():
    m, = 8, 32
#| needs arguments: make(n)

#--- configurations and parametrised tests  [entries]
import pytest
import tvm
from tvm.script import tirx as T

CONFIGS = [dict(m=4, dtype="float16"), {"m": 8, "dtype": "float32"}]

def get_kernel(m, dtype):
    @T.prim_func
    def configured(A: T.Buffer((m,), dtype)):
        T.device_entry()
        A[0] = 1.0
    return configured

@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize("n,flag", [(3, True), (4, False)])
def test_kernel(m, n, flag):
    @T.prim_func
    def tested(A: T.Buffer((m, n), "float32")):
        T.device_entry()
        if flag:
            A[0, 0] = 1.0
        else:
            A[0, 0] = 2.0
    import numpy as np
    data = np.zeros((m, n))
    mod = tvm.compile(tested)
    mod(data)
    np.testing.assert_allclose(data, data + 1)
#| entry configs: get_kernel(**CONFIGS[0]) -> configured
#| entry configs: get_kernel(**CONFIGS[1]) -> configured
#| entry parametrize: test_kernel(n=3, flag=True, m=1) -> tested
#| entry parametrize: test_kernel(n=3, flag=True, m=2) -> tested
#| entry parametrize: test_kernel(n=4, flag=False, m=1) -> tested
#| entry parametrize: test_kernel(n=4, flag=False, m=2) -> tested

#--- modules that are not evaluated do no harm  [entries]
try:
    import torch
    import numpy as np
except ImportError:
    torch = None
try:
    import triton
    HAS = True
except (ImportError, ModuleNotFoundError) as e:
    HAS = False
import os
import sys
import tvm
import tvm.testing
from tvm.ir import PointerType, PrimType
from tvm.script import tirx as T
from some.other import thing as other

DEVICE = torch.device("cuda") if torch.cuda.is_available() else None
TUNE = int(os.environ.get("TUNE", "4"))
VERSION = os.getenv("VERSION", "x")

if __name__ == "__main__":
    main()

@other.decorate(3)
def reference(a, b):
    return torch.matmul(a, b)

def main():
    a = torch.randn(4, device=DEVICE)
    with torch.no_grad():
        print(f"{a.sum():.3f}")
    for x in a:
        print(x)

@T.prim_func
def k(A: T.Buffer((TUNE,), "float32")):
#                 ^^^^^^^ error[TW2007]: the shape is not known here: it comes from os.environ["TUNE"]
#   hint: scripts are evaluated without an environment: write the value in the script, or make it a parameter and give it in an entry: # tilewright: entry f(value)
    T.device_entry()
    A[0] = 1.0
#| entry module: k -> k

#--- an opaque value is an error only where a kernel needs it
import numpy as np
from tvm.script import tirx as T
N = np.prod([1, 2, 3])

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    A[N] = 1.0
    for i in range(N):
        A[i] = 1.0
    if N > 3:
        A[0] = 1.0
    x = T.alloc_local((N,), "float32")
    A[0] = N + 1
    A[1] = np.pi

@T.prim_func
def parameter(A: T.Buffer((N,), "float32")):
    T.device_entry()
    A[0] = 1.0

#--- the Python that kernels are made with  [print]
from __future__ import annotations
import copy
import enum
import functools
import itertools
import math
import operator
from collections import namedtuple, OrderedDict, defaultdict
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from typing import Optional, List, Tuple
from tvm.script import tirx as T

class Mode(Enum):
    FAST = "fast"
    SLOW = "slow"

class Level(IntEnum):
    LOW = 1
    HIGH = 4

@dataclass(frozen=True)
class Config:
    m: int
    n: int = 8
    modes: List[Mode] = field(default_factory=lambda: [Mode.FAST])

    @property
    def tiles(self) -> int:
        return math.ceil(self.m / self.n)

    @staticmethod
    def default() -> "Config":
        return Config(32)

    @classmethod
    def small(cls):
        return cls(m=8)

    def __post_init__(self):
        assert self.m > 0

Point = namedtuple("Point", ["x", "y"])
config = Config.default()
other = replace(config, n=16)
squares = [i * i for i in range(5) if i % 2 == 0]
table = {f"k{i}": i for i in range(3)}
unique = {i % 3 for i in range(10)}
total = sum(x for x in squares)
product = functools.reduce(operator.mul, [1, 2, 3, 4], 1)
pairs = list(zip(range(3), "abc"))
nested = [(i, j) for i in range(2) for j in range(2)]
counter = 0

def bump(by=1, *args, **kwargs):
    global counter
    counter += by
    return counter

bump()
bump(by=2)
i = 0
while True:
    i += 1
    if i > 10:
        break
    elif i % 2:
        continue
else:
    i = -1
a, *b = [1, 2, 3]
first, (second, third) = 1, (2, 3)
text = "{}-{:03d}".format("x", 7) + f"{math.pi:.2f}" + "%d" % 3
swap = (lambda x, y: (y, x))(1, 2)
merged = {**table, "z": 26}
flat = [*squares, *b]
flags = any([False, True]) and all([True])
p = Point(1, y=2)
deep = copy.deepcopy([squares])
perms = list(itertools.product([1, 2], [3]))
value = 5 if flags else 6
walrus = (w := 3) + w
cached = functools.lru_cache(lambda x: x + 1)
cells = defaultdict(list)
cells["a"].append(1)
rev = sorted([3, 1, 2], key=lambda v: -v, reverse=True)
chunks = [squares[s] for s in (slice(0, 2), slice(None, None, -1))]

def gen(n):
    try:
        if n > 1:
            raise ValueError("big")
        return "ok"
    except ValueError as e:
        return str(e)
    finally:
        pass

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    A[0] = config.tiles
    A[1] = other.n
    A[2] = total + product
    A[3] = counter
    A[4] = i
    A[5] = len(text) + len(pairs) + len(nested) + len(unique)
    A[6] = swap[0] + merged["z"] + flat[-1] + p.x + p.y
    A[7] = Level.HIGH
    A[8] = Level.LOW + 1
    if Mode.FAST == Mode("fast"):
        A[9] = value
    A[10] = walrus + rev[0] + len(gen(2)) + perms[1][0] + len(cells["a"])
    A[11] = Config.small().m + deep[0][1] + chunks[1][0]
    A[12] = max(1, 2, 3) + min([4, 5]) + abs(-3) + int("12") + round(2.6) + divmod(7, 2)[1]
    A[13] = math.gcd(12, 18) + math.floor(2.5) + int(math.log2(8)) + math.prod([2, 3]) + (7).bit_length()
    if isinstance(config, Config) and hasattr(config, "m") and not isinstance(3, str):
        A[14] = getattr(config, "q", 7)
    for j in range(sum(table.values())):
        A[j] = j
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0] = 4
#|     A[1] = 16
#|     A[2] = 44
#|     A[3] = 3
#|     A[4] = 11
#|     A[5] = 20
#|     A[6] = 34
#|     A[7] = 4
#|     A[8] = 2
#|     A[9] = 5
#|     A[10] = 13
#|     A[11] = 28
#|     A[12] = 26
#|     A[13] = 20
#|     A[14] = 7
#|     for j in range(3):
#|         A[j] = j

#--- helpers emit statements  [print]
from tvm.script import tirx as T

def fill(buf, values, scale=1):
    for index, value in enumerate(values):
        buf[index] = value * scale
    tmp = T.alloc_local((4,), "float32")
    tmp[0] = 1.0
    return tmp

def loops(n):
    return T.serial(n)

class Plain:
    def __init__(self, buf):
        self.buf = buf
        self.reg = T.alloc_local((2,), "float32")

    def store(self, value):
        self.buf[0] = value
        T.evaluate(T.ptx.elect_sync())

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    fill(A, [1.0, 2.0], scale=3)
    t = fill(A, (A[i] for i in range(2)))
    for i in loops(4):
        A[i] = t[0]
    p = Plain(A)
    p.store(4.0)
    p.reg[1] = 2.0
    [fill(A, [float(x)]) for x in range(2)]
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0] = T.float32(3.0)
#|     A[1] = T.float32(6.0)
#|     tmp = T.alloc_local((4,))
#|     tmp[0] = T.float32(1.0)
#|     A[0] = A[0] * T.float32(1.0)
#|     A[1] = A[1] * T.float32(1.0)
#|     tmp_1 = T.alloc_local((4,))
#|     tmp_1[0] = T.float32(1.0)
#|     for i in range(4):
#|         A[i] = tmp_1[0]
#|     v = T.alloc_local((2,))
#|     A[0] = T.float32(4.0)
#|     T.ptx.elect_sync()
#|     v[1] = T.float32(2.0)
#|     A[0] = T.float32(0.0)
#|     tmp_2 = T.alloc_local((4,))
#|     tmp_2[0] = T.float32(1.0)
#|     A[0] = T.float32(1.0)
#|     tmp_3 = T.alloc_local((4,))
#|     tmp_3[0] = T.float32(1.0)

#--- a helper cannot branch on a run-time value
from tvm.script import tirx as T

def helper(buf, x):
    if x > 3:
#      ^^^^^ error[TW2103]: a helper function cannot branch on a run-time value
#   hint: decorate it with @T.inline, or use T.if_then_else
#   from: helper(A, n)
        buf[0] = 1.0

def loop(buf, x):
    for i in range(x):
#            ^^^^^^^^ error[TW2104]: a helper function cannot make a loop of the kernel
#   hint: decorate it with @T.inline; a Python loop needs bounds that are known now
#   from: loop(A, n)
        buf[i] = 1.0

def again(buf, x):
    while x > 3:
#         ^^^^^ error[TW2103]: a run-time expression has no truth value here
#   hint: only `if`, `while` and conditional expressions of a kernel may test it
#   from: again(A, n)
        buf[0] = 1.0

@T.prim_func
def k(A: T.Buffer((64,), "float32"), n: T.int32):
    T.device_entry()
    helper(A, n)
    loop(A, n)
    again(A, n)
    x = int(n)
#           ^ error[TW2004]: int() needs a value that is known now; this is a run-time expression
#   hint: T.cast(x, dtype) converts at run time
    y = [1, 2][n]
#       ^^^^^^^^^ error[TW2004]: an index must be an integer constant, not a run-time expression
    z = "a" if [n] else "b"
#              ^^^ error[TW2103]: the condition must be a Python bool or a run-time expression, not list
#   hint: compare it: (x != 0)

#--- imports of other scripts  [print] [entries]
from tvm.script import tirx as T
from helpers import SIZE, put
from pkg.deep import factor
from pkg import shared
import helpers as h

@T.prim_func
def k(A: T.Buffer((SIZE,), "float32")):
    T.device_entry()
    put(A, factor)
    h.put(A, shared.VALUE)
#| entry module: k -> k
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     A[0] = T.float32(15.0)
#|     A[0] = T.float32(5.0)
#--- file helpers.py
from tvm.script import tirx as T
SIZE = 64

@T.inline
def put(buf, value):
    buf[0] = value

@T.prim_func
def not_mine(A: T.Buffer((4,), "float32")):
    T.device_entry()
    A[0] = 1.0
#--- file pkg/__init__.py
VALUE = 1
#--- file pkg/deep.py
from . import shared
from .shared import VALUE
factor = VALUE * 2 + shared.VALUE
#--- file pkg/shared.py
from . import deep
VALUE = 5

#--- errors in imported scripts point there
from tvm.script import tirx as T
from helpers import put

@T.prim_func
def k(A: T.Buffer((4,), "float32")):
    T.device_entry()
    put(A)
# @helpers.py error[TW2002]: name 'nothing' is not defined
#   from: put(A)
#--- file helpers.py
from tvm.script import tirx as T

@T.inline
def put(buf):
    buf[0] = nothing

#--- broken text spoils only itself
from tvm.script import tirx as T

def broken(:
#         ^ error[TW1001]: unclosed '('
    pass

@T.prim_func
def k(A: T.Buffer((4,), "float32")):
    T.device_entry()
    A[0] = = 1.0
#          ^ error[TW1001]: syntax error
    A[1] = 2.0
    A[2] = nothing
#          ^^^^^^^ error[TW2002]: name 'nothing' is not defined

#--- requested entries  [entry make(4)] [entries]
from tvm.script import tirx as T

def make(m):
    @T.prim_func
    def kernel(A: T.Buffer((m,), "float32")):
        T.device_entry()
        A[0] = 1.0
    return kernel

k = make(8)
#| entry requested: make(4) -> kernel

#--- lists, dicts and classes of kernels  [entries]
from tvm.script import tirx as T
from tvm.script import ir as I

def make(m):
    @T.prim_func
    def kernel(A: T.Buffer((m,), "float32")):
        T.device_entry()
        A[0] = 1.0
    return kernel

kernels = [make(m) for m in (1, 2)]
table = {"a": make(3)}

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((4,), "float32")):
        T.device_entry()
        A[0] = 1.0

    @T.prim_func
    def second(A: T.Buffer((4,), "float32")):
        T.device_entry()
        A[0] = 1.0
#| entry module: kernels[0] -> kernel
#| entry module: kernels[1] -> kernel
#| entry module: table['a'] -> kernel
#| entry module: Module.main -> main
#| entry module: Module.second -> second


#--- a name that a pattern binds reaches the kernel  [entries]
from tvm.script import tirx as T
def make(dtype):
    match dtype:
        case "float16" | "bfloat16": bits = 16
        case "float32": bits = 32
        case _: raise ValueError(dtype)
    @T.prim_func
    def kernel(A: T.Buffer((bits,), dtype)):
        T.device_entry()
        A[0] = T.cast(1, dtype)
    return kernel
k = make("float16")
#| entry module: k -> kernel

#--- rows of parametrised tests, however they are written  [entries]
import pytest
import torch
from tvm.script import tirx as T

def build(m, dtype):
    @T.prim_func
    def kernel(A: T.Buffer((m,), dtype)):
        T.device_entry()
        A[0] = T.cast(1, dtype)
    return kernel

BUILDERS = {"plain": build}
ROWS = [(4, "float16"), (8, "float32")]

@pytest.mark.parametrize("m,dtype", [pytest.param(*row, id=f"{row[0]}") for row in ROWS])
@pytest.mark.gpu
def test_rows(m, dtype):
    if m == 8:
        pytest.skip("too large")
    kernel, (n,) = BUILDERS["plain"](m, dtype), (m,)
    return kernel

@pytest.mark.parametrize("device", [pytest.param(torch.cuda, marks=pytest.mark.slow)])
def test_device(device):
    return build(2, "float16")

def test_refused():
    with pytest.raises(ValueError, match="no"):
        @T.prim_func
        def refused(A: T.Buffer((4,), "float32")):
            T.device_entry()
            A[undefined] = 1.0
    with pytest.raises(ValueError):
        build("x", "float32")
#| entry parametrize: test_rows(m=4, dtype='float16') -> kernel
#| entry parametrize: test_device(device=<unknown>) -> kernel

#--- the text of a listed entry finds it again  [entries] [entry test_device(device=<unknown>)]
import pytest
import torch
from tvm.script import tirx as T

@pytest.mark.parametrize("device", [torch.cuda])
def test_device(device):
    @T.prim_func
    def kernel(A: T.Buffer((4,), "float32")):
        T.device_entry()
        A[0] = 1.0
#| entry requested: test_device(device=<unknown>) -> kernel

#--- a factory that fails with its own defaults says why  [entries]
from tvm.script import tirx as T

def make(m=12):
#   ^^^^ information[TW2202]: make() makes no kernel: ValueError: 12 is no multiple of 16
#   hint: name other arguments in a comment: # tilewright: entry make(...)
    if m % 16:
        raise ValueError(f"{m} is no multiple of 16")
    @T.prim_func
    def kernel(A: T.Buffer((m,), "float32")):
        T.device_entry()
        A[0] = 1.0
    return kernel
#--- a limit met by host code is an information, an error where a kernel needs the name
from tvm.script import tirx as T

def down(n):
    return down(n + 1)
#          ^^^^^^^^^^^ information[TW2009]: evaluation is nested more than 1000 deep
#   hint: look for a recursion without an end

[first, *rest] = down(0)

@T.prim_func
def kernel(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.thread_id([32])
    A[0] = T.float32(rest)
#          ^^^^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a statement that failed: evaluation is nested more than 1000 deep
#   hint: give the value in the script, or name an entry with known arguments

#--- CONFIGS with a kernel that is specialised  [entries]
from tvm.script import tirx as T

@T.jit
def scale(A_ptr: T.handle, B_ptr: T.handle, *, N: T.constexpr, dtype: T.constexpr):
    A = T.match_buffer(A_ptr, (N,), dtype)
    B = T.match_buffer(B_ptr, (N,), dtype)
    T.device_entry()
    bx = T.cta_id([N // 128])
    t = T.thread_id([128])
    B[bx * 128 + t] = A[bx * 128 + t]

def get_kernel(N, dtype="float16"):
    return scale.specialize(N=N, dtype=dtype)

CONFIGS = [
    {"label": "small", "N": 128},
    {"label": "big", "N": 4096, "dtype": "float32", "seed": 3},
]
#| entry configs: get_kernel(**CONFIGS[0]) -> scale
#| entry configs: get_kernel(**CONFIGS[1]) -> scale

#--- lines of CONFIGS that do not fit  [entries]
from tvm.script import tirx as T

def get_kernel(M, N, dtype="float16"):
    if M % 16:
        raise ValueError(f"M={M} is no multiple of 16")

    @T.prim_func
    def k(A: T.Buffer((M, N), dtype)):
        T.device_entry()
        t = T.thread_id([128])
        A[0, t] = A[0, t]

    return k

CONFIGS = [
    {"label": "fine", "M": 16, "N": 128, "seed": 1},
    {"label": "a key is misspelt", "M": 16, "Nn": 128},
#                                           ^^^^ error[TW2211]: get_kernel takes no 'Nn', and needs 'N'
#   hint: did you mean 'N'?
    {"label": "one is missing", "M": 16},
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2211]: get_kernel needs 'N', which this line of CONFIGS does not give
    {"label": "refused", "M": 17, "N": 128},
#   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2211]: get_kernel(**CONFIGS[3]) makes no kernel: ValueError: M=17 is no multiple of 16
    (16, 128),
#   ^^^^^^^^^ error[TW2211]: a line of CONFIGS is a dict of arguments for get_kernel, not tuple
    dict(M=16, N=128, dtyp="float32"),
#                     ^^^^ warning[TW2211]: get_kernel takes no 'dtyp'
#   hint: did you mean 'dtype'?
]
#| entry configs: get_kernel(**CONFIGS[0]) -> k
#| entry configs: get_kernel(**CONFIGS[5]) -> k

#--- CONFIGS whose lines are computed  [entries]
from tvm.script import tirx as T

def get_kernel(**config):
    n = config["n"]

    @T.prim_func
    def k(A: T.Buffer((n,), "float32")):
        T.device_entry()
        t = T.thread_id([n])
        A[t] = 1.0

    return k

CONFIGS = [{"label": f"n{n}", "n": n} for n in (32, 64)] + [{"m": 3}]
# @1:1-1:8 error[TW2211]: get_kernel(**CONFIGS[2]) makes no kernel: key 'n' is not in the dict
#| entry configs: get_kernel(**CONFIGS[0]) -> k
#| entry configs: get_kernel(**CONFIGS[1]) -> k

#--- a kernel of CONFIGS that a comment names  [entries]
# tilewright: entry get_kernel(**CONFIGS[1])
from tvm.script import tirx as T

def get_kernel(n):
    @T.prim_func
    def k(A: T.Buffer((n,), "float32")):
        T.device_entry()
        t = T.thread_id([n])
        A[t] = 1.0

    return k

CONFIGS = ({"label": "one", "n": 32}, {"label": "two", "n": 64})
#| entry comment: get_kernel(**CONFIGS[1]) -> k
#| entry configs: get_kernel(**CONFIGS[0]) -> k

#--- a function that specialises and is never called  [entries]
from tvm.script import tirx as T

@T.jit
def fill(A_ptr: T.handle, *, N: T.constexpr):
    A = T.match_buffer(A_ptr, (N,), "float32")
    T.device_entry()
    t = T.thread_id([N])
    A[t] = 1.0

def make(n=64):
    return fill.specialize(N=n)
#| entry defaults: make() -> fill

#--- CONFIGS for a caller that works out an argument first  [entries]
from tvm.script import tirx as T

def get_kernel(groups, rows):
    @T.prim_func
    def kernel(A: T.Buffer((rows * groups,), "float32")):
        T.device_entry()
        t = T.thread_id([128])
        A[t] = 1.0

    return kernel

CONFIGS = [{"groups": 4, "expected": 256, "label": "small"}, {"groups": 8, "expected": 256, "label": "large"}]
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ information[TW2211]: get_kernel needs 'rows', which no line of CONFIGS gives
#   hint: name an entry in a comment: # tilewright: entry get_kernel(...)

def run_test(groups, expected):
    return get_kernel(groups, expected * 2)
#| needs arguments: get_kernel(groups, rows)

#--- a driver whose sizes come from another package is no entry  [entries]
import deep_gemm
from tvm.script import tirx as T

@T.jit
def _kernel(A: T.Buffer((M,), "float32"), *, M: T.constexpr):
#   ^^^^^^^ information[TW2202]: the kernel in _kernel.specialize(M=...) needs arguments to be compiled
#   hint: name some in a comment: # tilewright: entry _kernel.specialize(M=...)
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([128])
    for i in T.unroll(M // 128):
        A[i * 128 + t] = T.float32(1)

def make(M):
    return _kernel.specialize(M=M)

def run_test(groups: int = 4):
    return make(sum(deep_gemm.align(256, 240) for _ in range(groups)))
#| needs arguments: _kernel.specialize(M=...)

#--- drivers beside get_kernel are no entries  [entries]
from tvm.script import tirx as T

@T.jit
def _kernel(A: T.Buffer((M,), "float32"), *, M: T.constexpr):
    T.device_entry()
    t = T.thread_id([M])
    A[t] = T.float32(1)

def get_kernel(M):
    return _kernel.specialize(M=M)

def run_bench(M=128):
    return get_kernel(M)

CONFIGS = [{"label": "one", "M": 64}]
#| entry configs: get_kernel(**CONFIGS[0]) -> _kernel

#--- a host function is given types, too  [print]
from tvm.script import tirx as T
import tvm

@T.prim_func
def k(A_ptr: T.handle):
    A = T.match_buffer(A_ptr, (64,), "float32")
    T.evaluate(T.call_packed("test.report", tvm.DataType("float16"), T.float32, A.data))
    T.device_entry()
    T.cta_id([1])
    t = T.thread_id([64])
    A[t] = 1.0
#| @T.prim_func
#| def k(A: T.Buffer((64,), "float32")):
#|     T.call_packed("test.report", "float16", "float32", A.data)
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     t = T.thread_id([64])
#|     A[t] = T.float32(1.0)

#--- dtype objects as keys and sizes [print]
import numpy as np
import torch
import ml_dtypes
from tvm.script import tirx as T

WIDTHS = {torch.float16: 16, torch.bfloat16: 17, torch.float32: 32, np.float64: 64, "int8": 8, np.dtype("int16"): 160}
NAMES = {v: k for k, v in {"half": torch.float16, "full": torch.float32}.items()}

def width(dtype):
    return dtype.itemsize

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = WIDTHS[torch.float16] + WIDTHS[torch.bfloat16]
    A[1] = WIDTHS[np.float64]
    A[2] = torch.float16.itemsize + np.dtype(np.float32).itemsize * 10
    A[3] = width(torch.bfloat16) + width(torch.float32)
    A[4] = len(NAMES[torch.float16])
    A[5] = WIDTHS.get(torch.int8, 3)
    A[6] = WIDTHS[np.dtype("int16")]
    A[7] = int(torch.float16 == torch.half) + 2 * int(torch.float16 == torch.float32) + 4 * int(torch.float16 in (torch.float16, torch.bfloat16))
    A[8] = torch.finfo(torch.float16).bits
    A[9] = int(str(torch.float16) == "torch.float16") + 2 * int(np.dtype("float32").name == "float32")
    A[10] = int(torch.float16.is_floating_point) + 2*int(torch.int8.is_floating_point)
    A[11] = int(np.float16 == np.dtype("float16")) + 2*int(np.dtype("float16") == "float16")
    A[12] = int(torch.float16 == "float16")
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([32])
#|     A[0] = 33
#|     A[1] = 64
#|     A[2] = 42
#|     A[3] = 6
#|     A[4] = 4
#|     A[5] = 3
#|     A[6] = 160
#|     A[7] = 5
#|     A[8] = 16
#|     A[9] = 3
#|     A[10] = 1
#|     A[11] = 3
#|     A[12] = 0

#--- functions of Python that look at numbers are refused at run-time values, and take constants
from tvm.script import tirx as T

@T.prim_func
def k(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
    T.device_entry()
    t = T.thread_id([64])
    B[t] = max(A[t], 1.0)
#          ^^^^^^^^^^^^^^ error[TW2004]: max() is Python's and needs numbers: this is a value of the kernel at run time
#   hint: write T.max(a, b)
    B[t] = min(A[t], A[0])
#          ^^^^^^^^^^^^^^^ error[TW2004]: min() is Python's and needs numbers: this is a value of the kernel at run time
#   hint: write T.min(a, b)
    B[t] = abs(A[t])
#          ^^^^^^^^^ error[TW2004]: abs() is Python's and needs numbers: this is a value of the kernel at run time
#   hint: write T.abs(x)
    B[t] = round(A[t])
#          ^^^^^^^^^^^ error[TW2004]: round() is Python's and needs numbers: this is a value of the kernel at run time
#   hint: write T.round(x)
    B[t] = A[divmod(t, 2)[0]]
#            ^^^^^^^^^^^^ error[TW2004]: divmod() is Python's and needs numbers: this is a value of the kernel at run time
#   hint: write a // b and a % b
    B[t] = max([A[t]]) + T.cast(max(T.int32(3), 2), "float32") + abs(T.float32(-1))
