#!/usr/bin/env python3
"""Small programs, a feature of Python each, beside Python itself: what they compute is the same, or it is not known. No value differs in
silence, and what is followed stays followed.

  python_test.py TILEWRIGHT [--show]
"""
import contextlib
import io
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import unknown_test  # noqa: E402

KERNEL = """
from tvm.script import tirx as T
@T.prim_func
def k_0(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = x
"""
FOLLOWED = 288  # of the programs, at least
PROGRAMS = r'''
class A:
    def __len__(self): return 3
x = 5 if A() else 6
---
class A:
    def __bool__(self): return False
x = 5 if A() else 6
---
class A:
    def __contains__(self, v): return v == 3
x = int(3 in A()) + 2 * int(4 in A())
---
class A:
    def __init__(self, n): self.n = n
    def __lt__(self, o): return self.n > o.n
x = sorted([A(1), A(3), A(2)])[0].n
---
import functools
@functools.total_ordering
class A:
    def __init__(self, n): self.n = n
    def __lt__(self, o): return self.n < o.n
    def __eq__(self, o): return self.n == o.n
x = int(A(1) >= A(2)) + 2 * int(max(A(1), A(2)).n)
---
class A:
    def __getattribute__(self, k): return 7
    n = 3
x = A().n
---
class A:
    def __delattr__(self, k): object.__setattr__(self, k, 9)
a = A(); a.n = 1
del a.n
x = a.n
---
class A:
    def __getitem__(self, i):
        if i > 2: raise IndexError
        return i * 2
x = sum(A())
---
class A:
    def __iter__(self):
        self.i = 0
        return self
    def __next__(self):
        self.i += 1
        if self.i > 3: raise StopIteration
        return self.i
x = sum(A()) + len(list(A()))
---
class A:
    def __enter__(self): return self
    def __exit__(self, *a): self.done = 1
with A() as a:
    pass
x = a.done
---
class A:
    def __index__(self): return 2
x = [5, 6, 7][A()] + list(range(A()))[-1]
---
class A:
    def __int__(self): return 4
    def __float__(self): return 2.5
x = int(A()) + int(float(A()) * 2)
---
class A:
    def __radd__(self, o): return o + 3
    def __iadd__(self, o):
        self.n = o
        return self
a = A()
a += 4
x = 1 + a + a.n
---
class P:
    def __init__(self): self.v = 1
    @property
    def w(self): return self.v * 2
    @w.setter
    def w(self, n): self.v = n
p = P(); p.w = 5
x = p.w
---
class P:
    @property
    def w(self): return 3
p = P()
try:
    p.w = 4
    x = 1
except AttributeError:
    x = 2
---
class A:
    def __missing__(self, k): return 5
class D(dict):
    def __missing__(self, k): return 5
x = D()["q"]
---
class L(list):
    def append(self, v): super().append(v * 2)
l = L(); l.append(3)
x = l[0]
---
class N(int):
    def __add__(self, o): return 99
x = int(N(3) + 4)
---
from collections import UserDict
class D(UserDict):
    def __getitem__(self, k): return 8
x = D(a=1)["a"]
---
from collections import ChainMap
x = ChainMap({"a": 1}, {"a": 2, "b": 3})["b"]
---
from enum import IntFlag, Enum
class F(IntFlag):
    A = 1
    B = 2
x = int(F.A | F.B)
---
from enum import Enum
class E(Enum):
    A = 1
    @classmethod
    def _missing_(cls, v): return cls.A
x = E(7).value
---
import copy
class A:
    def __init__(self): self.l = [1]
    def __copy__(self): return 5
    def __deepcopy__(self, memo): return 6
x = copy.copy(A()) + copy.deepcopy(A())
---
import copy
a = [[1]]
b = copy.copy(a); b[0].append(2); b.append(3)
x = len(a[0]) * 10 + len(a)
---
def f(a, b=[], /, *c, d=3, **e):
    b.append(a)
    return len(b) + len(c) + d + len(e)
x = f(1) + f(1) + f(1, [], 2, 3, d=1, z=1)
---
def deco(n):
    def w(f):
        return lambda *a: f(*a) * n
    return w
@deco(2)
@deco(3)
def f(v): return v
x = f(1)
---
fs = [lambda: i for i in range(3)]
x = fs[0]() + 10 * fs[2]()
---
x = 0
for i in range(3):
    for j in range(3):
        if j == 1: continue
        if i == 2: break
        x += 1
    else:
        x += 10
---
def f():
    try:
        return 1
    finally:
        return 2
x = f()
---
def f():
    for i in range(3):
        try:
            continue
        finally:
            g.append(i)
g = []
f()
x = len(g)
---
try:
    try:
        raise ValueError("a")
    except ValueError as e:
        raise KeyError("b") from e
except KeyError as k:
    x = len(str(k.__cause__))
---
class E(Exception):
    def __init__(self, n):
        super().__init__(n)
        self.n = n
try:
    raise E(4)
except (KeyError, E) as e:
    x = e.n + e.args[0]
---
def f(n):
    if n == 0: return 1
    return n * f(n - 1)
x = f(4)
---
a, *b, c = range(5)
(d, e), f = (1, 2), 3
x = a + len(b) + c + d + e + f
---
s = "b=2;a=1"
d = dict(p.split("=") for p in s.split(";"))
x = int(d["a"]) + 10 * int(d["b"])
---
x = int("%d" % 5) + int(f"{7:02d}"[1]) + len("{:>5}".format(1)) + int("0x10", 16)
---
import re
m = re.match(r"sm_(\d+)", "sm_90a")
x = int(m.group(1))
---
import math
x = math.gcd(12, 18) + math.isqrt(17) + math.prod([2, 3]) + int(math.log2(8)) + math.comb(4, 2)
---
import itertools
x = len(list(itertools.combinations(range(4), 2))) + sum(itertools.accumulate([1, 2])) + next(itertools.count(5))
---
import bisect, heapq
l = [1, 3, 5]
bisect.insort(l, 2)
h = [3, 1, 2]; heapq.heapify(h)
x = l[1] * 10 + heapq.heappop(h)
---
import operator
x = operator.itemgetter(1)([4, 5]) + operator.attrgetter("real")(3) + operator.mul(2, 3)
---
from types import SimpleNamespace
a = SimpleNamespace(n=1)
a.__dict__["m"] = 2
x = a.m + a.n
---
from functools import cached_property, singledispatch, reduce, partialmethod
class A:
    k = 0
    @cached_property
    def p(self):
        A.k += 1
        return 5
a = A(); a.p; a.p
x = A.k + a.p
---
from functools import singledispatch
@singledispatch
def f(v): return 1
@f.register
def _(v: int): return 2
@f.register(str)
def _(v): return 3
x = f(3) * 10 + f("a") + f(2.0)
---
from typing import NamedTuple
class P(NamedTuple):
    a: int = 3
    def __add__(self, o): return 50
x = P() + P()
---
from dataclasses import dataclass, field, asdict, astuple
@dataclass(order=True)
class C:
    n: int
    l: list = field(default_factory=list, compare=False)
    def __post_init__(self): self.n += 1
x = int(C(3) > C(2)) + len(asdict(C(1))) + astuple(C(5))[0]
---
class A:
    a = 3
    b = [a for _ in range(2)] if False else [a]
    def f(self): return __class__.a
x = A().f() + len(A.b)
---
ns = {}
exec("y = 5", ns)
x = ns["y"]
---
x = eval("3 + 4")
---
l = [1, 2, 3, 4]
l[1:3] = [9]
del l[0]
l[::2] = [7] * len(l[::2])
x = sum(l)
---
d = {"a": 1}
d |= {"b": 2}
x = (d | {"c": 3})["c"] + len(d) + list(d)[0].count("a")
---
s = {1, 2} & {2, 3} | {5}
s -= {5}
x = len(s ^ {9}) + sum(s)
---
x = round(2.5) + round(3.5) + divmod(7, -2)[0] + (-7 // 2) + (-7 % 3) + pow(2, 5, 7)
---
x = int(1e3) >> 2 & 0xff ^ 3 | 1
---
x = sum(map(lambda a, b: a * b, [1, 2], (3, 4))) + len(list(filter(None, [0, 1, 2]))) + len(list(zip([1], [2, 3])))
---
x = (lambda *a, **k: len(a) + len(k))(*[1, 2], *(3,), **{"z": 1})
---
it = iter([1, 2, 3])
next(it)
x = sum(it) + next(it, 4)
---
def g():
    yield from (1, 2)
    return 3
x = sum(g())
---
class M(type):
    def __call__(cls, *a): return 5
class A(metaclass=M): pass
x = A()
---
class A:
    def __init_subclass__(cls): cls.n = 4
class B(A): pass
x = B.n
---
class A:
    pass
def m(self): return 6
A.m = m
a = A()
a.k = m.__get__(a)
x = a.m() + a.k()
---
class A:
    x = 1
class B(A):
    x = 2
class C(A):
    x = 3
class D(B, C):
    pass
x = D.x + super(B, D).x
---
import weakref, threading
class A: n = 5
a = A()
r = weakref.ref(a)
x = r().n
---
import threading
l = []
t = threading.Thread(target=l.append, args=(3,))
t.start(); t.join()
x = len(l)
---
import contextlib
with contextlib.ExitStack() as s:
    l = []
    s.callback(l.append, 1)
x = len(l)
---
import json
x = json.loads('{"a": 4}')["a"] + len(json.dumps([1]))
---
class C:
    __slots__ = ("a", "b")
    def __init__(self): self.a = 1
try:
    C().c = 2
    x = 1
except AttributeError:
    x = 2
---
class C:
    __slots__ = ["a"]
class D(C):
    pass
d = D()
d.a, d.c = 1, 2
x = d.a + d.c
---
from dataclasses import dataclass
@dataclass(slots=True)
class C:
    a: int = 3
try:
    C().b = 2
    x = 1
except AttributeError:
    x = C().a
---
import abc
class B(abc.ABC):
    @abc.abstractmethod
    def f(self): ...
    @property
    @abc.abstractmethod
    def g(self): ...
class D(B):
    def f(self): return 4
class E(D):
    g = 5
x = E().f() + E().g
for c in (B, D):
    try:
        c()
        x = 100
    except TypeError:
        x += 1
---
from abc import ABCMeta, abstractmethod
class B(metaclass=ABCMeta):
    @classmethod
    @abstractmethod
    def f(cls): ...
try:
    B()
    x = 1
except TypeError:
    x = 2
---
from abc import abstractmethod
class B:
    @abstractmethod
    def f(self): return 4
x = B().f()
---
N = 1
def f():
    globals()["N"] = 5
f()
x = N + globals()["N"] + globals().get("M", 3) + int("N" in globals())
---
names = globals()
names.update(a=3, b=4)
for n in ("c", "d"):
    names[f"v_{n}"] = len(n)
del globals()["a"]
x = b + v_c + v_d + int("a" in names)
---
exec("x = 5")
---
class A:
    def __eq__(self, o): return o == 3
a, l = A(), [3, 4, 3]
x = l.count(a) + 10 * l.index(a) + 100 * int(a in l) + 1000 * int(3 in [a]) + 10000 * int(3 == a)
x += 100000 * int(4 != a) + int([1, 3] == [1, a])
---
class A:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return NotImplemented if not isinstance(o, A) else self.n == o.n
x = int(A(1) == A(1)) + 2 * int(A(1) == 1) + 4 * int(A(1) != 1) + 8 * int(A(2) in [1, A(2)])
---
class A:
    def __lt__(self, o): return True
class B:
    pass
x = int(A() < B()) + 2 * int(B() > A())
---
class A:
    def __add__(self, o): return NotImplemented
class B:
    def __radd__(self, o): return 6
    def __rpow__(self, o): return 7
x = (A() + B()) + 2 ** B()
---
class A:
    def __class_getitem__(cls, n): return n + 1
class B:
    @classmethod
    def __class_getitem__(cls, n): return (cls, n)
x = A[4] + int(B[2][0] is B) + B[2][1]
---
import functools
def traced(f):
    @functools.wraps(f)
    def inner(*a, **k):
        return f(*a, **k) + 1
    return inner
@traced
def f(v): return v
x = f(3)
---
def g(n):
    for i in range(n):
        if i == 2: continue
        yield i
    else:
        yield 100
x = sum(g(5)) + len(list(g(3)))
---
def g():
    total = 0
    while True:
        v = yield total
        if v is None: return total
        total += v
c = g()
next(c)
c.send(3)
x = c.send(4)
try:
    next(c)
except StopIteration:
    x += 10
---
def inner():
    a = yield 1
    b = yield a
    return b + 1
def outer():
    r = yield from inner()
    yield r * 10
g = outer()
l = [next(g), g.send(5), g.send(7)]
x = l[0] + l[1] + l[2]
---
log = []
def g():
    log.append(1)
    yield 1
    log.append(2)
    yield 2
    log.append(3)
for v in g():
    log.append(v * 10)
x = sum((i + 1) * v for i, v in enumerate(log))
---
log = []
def g():
    try:
        yield 1
        yield 2
    finally:
        log.append(5)
for v in g():
    break
x = len(log) + v
---
def g():
    try:
        yield 1
    except ValueError as e:
        yield e.args[0]
    else:
        yield 50
i = g(); next(i)
j = g(); next(j)
x = i.throw(ValueError(7)) + next(j)
---
def g():
    i = 0
    while True:
        yield i
        i += 1
import itertools
x = sum(itertools.islice(g(), 2, 8, 2)) + sum(itertools.takewhile(lambda v: v < 4, g()))
for a, b in zip(g(), "abc"):
    x += a
for i, v in enumerate(g(), 5):
    if i > 7: break
    x += v
---
import itertools
c = itertools.count(5, 2)
x = next(c) + next(c) * 10
cy = itertools.cycle([1, 2])
x += sum(next(cy) for _ in range(5))
x += sum(a for a, _ in zip(itertools.repeat(3), range(2)))
x += sum(itertools.chain(itertools.islice(itertools.count(), 3), [4]))
---
calls = []
def f(v):
    calls.append(v)
    return v > 1
x = int(any(f(v) for v in [1, 2, 3, 4])) * 10 + len(calls)
---
n = 1
g = (v * n for v in [1, 2, 3])
n = 5
x = sum(g)
---
calls = []
def f(v):
    calls.append(v)
    return v
m = map(f, [1, 2, 3])
x = len(calls) * 100
next(m)
x += len(calls)
---
x = next((v for v in [3, 4, 5] if v > 3), 0) + next((v for v in [1] if v > 3), 7)
---
def walk(tree):
    for node in tree:
        if isinstance(node, list):
            yield from walk(node)
        else:
            yield node
x = sum(walk([1, [2, [3, 4]], 5]))
---
import contextlib
log = []
@contextlib.contextmanager
def scope(n):
    log.append(n)
    try:
        yield n + 1
    finally:
        log.append(n * 10)
with scope(2) as v, scope(3):
    log.append(v)
try:
    with scope(5):
        raise KeyError(1)
except KeyError:
    log.append(7)
x = sum((i + 1) * v for i, v in enumerate(log))
---
from contextlib import contextmanager
@contextmanager
def quiet():
    try:
        yield
    except ValueError:
        pass
x = 1
with quiet():
    x = 2
    raise ValueError
with quiet():
    x += 10
---
from contextlib import contextmanager
class A:
    def __init__(self): self.depth = 0
    @contextmanager
    def nested(self):
        self.depth += 1
        yield self.depth
        self.depth -= 1
a = A()
with a.nested() as one:
    with a.nested() as two:
        x = one + two * 10 + a.depth * 100
x += a.depth
---
import heapq
h = [5, 3, 8, 1, 9, 2]
heapq.heapify(h)
x = h[0] + h[1] * 10 + h[2] * 100
heapq.heappush(h, 0)
x += heapq.heappop(h) + heapq.heappop(h) * 1000 + heapq.heappushpop(h, 4) * 10000
x += heapq.heapreplace(h, 7) * 100000 + sum(heapq.nlargest(2, h)) + heapq.nsmallest(1, h, key=lambda v: -v)[0]
---
import heapq
h = []
for i, w in enumerate([3, 1, 2]):
    heapq.heappush(h, (w, i, f"n{i}"))
x = heapq.heappop(h)[1] * 10 + heapq.heappop(h)[1]
---
import heapq
h = [(7, "g")]
for i in range(200):
    heapq.heappush(h, ((i * 37) % 101, str(i)))
x = 0
while len(h) > 3:
    w, name = heapq.heappop(h)
    x = (x * 31 + w * 7 + int(name)) % 1000003 if name != "g" else x + 1
---
import random
r = random.Random(5)
x = int(r.uniform(0.7, 1.3) * 1000000) + int(r.random() * 1000000) + r.randint(1, 1000) * 7 + r.randrange(10, 90, 5)
---
import random
r = random.Random(-(2 ** 40) - 3)
l = list(range(20))
r.shuffle(l)
x = sum(v * 31 ** i % 10007 for i, v in enumerate(l)) + r.getrandbits(20) + r.choice([3, 5, 9]) + r.getrandbits(50) % 1000
---
names = {"_f": lambda a: a + 1}
exec("def g(a, b):\n    return _f(a) * b\n", names)
x = names["g"](4, 5)
---
names = {}
exec("def g(n):\n    return f(n) if n else 2\n", names)
names["f"] = lambda n: n * 7
x = names["g"](0) + names["g"](3)
---
names = {}
exec("y = 3\nfor i in range(4):\n    y = y * 2 + i\n", names)
x = names["y"] + len([n for n in names if n != "__builtins__"])
---
import bisect
l = [1, 3, 3, 5]
bisect.insort(l, 4)
x = bisect.bisect_left(l, 3) * 100 + bisect.bisect_right(l, 3) * 10 + l[3]
---
import itertools
x = sum(a * b for a, b in itertools.product([1, 2], repeat=2)) + len(list(itertools.combinations("abcd", 2)))
---
import functools
calls = []
@functools.cache
def f(n):
    calls.append(n)
    return n if n < 2 else f(n - 1) + f(n - 2)
x = f(10) * 10 + len(calls)
---
from functools import lru_cache
class A:
    n = 0
    @lru_cache(maxsize=None)
    def make(self, k, *, d=1):
        self.n += 1
        return [k, d]
a = A()
x = int(a.make(1) is a.make(1)) + a.n * 10 + int(a.make(1, d=2) is a.make(1)) * 100
---
from enum import Enum
class E(str, Enum):
    A = "a"
    B = "bb"
x = int(E.A == "a") + len(E.B) * 10 + int({"a": 3}[E.A]) * 100 + len(E("bb").value) + int(E.A in ("a",))
---
from enum import Enum
class E(int, Enum):
    A = 3
    B = 4
x = E.A + E.B * 10 + [0, 1, 2, 5][E.A]
---
class D(dict):
    def __init__(self, *a, **k):
        super().__init__(*a, **k)
        self.reads = 0
    def __getitem__(self, k):
        self.reads += 1
        return super().__getitem__(k)
    def double(self, k): return self[k] * 2
d = D(a=3, b=4)
d["c"] = 5
x = d.double("a") + d.reads * 10 + len(d) * 100 + sum(d.values()) * 1000 + int("b" in d)
---
class D(dict):
    def __missing__(self, k):
        self[k] = len(k)
        return self[k]
    def __getattr__(self, k): return self[k]
d = D(a=1)
x = d["abc"] + d.a * 10 + len(d) * 100 + d.get("zz", 7) * 1000
del d["a"]
for k, v in d.items():
    x += v
x += len(dict(d)) + len({**d, "q": 1}) + int(isinstance(d, dict)) + int(d == {"abc": 3})
---
a = b = [1, 2, 3]
del a[0], b[-1]
x = len(a) + a[0] * 10
del a
try:
    a
except NameError:
    x += 100
---
class A:
    def __init__(self, n): self.n = n
    def __iter__(self):
        for i in range(self.n):
            yield i * 2
x = sum(A(4)) + len([v for v in A(3)]) + int(4 in A(4))
a, *b = A(3)
x += len(b)
---
class A:
    def __init__(self): self.i = 0
    def __iter__(self): return self
    def __next__(self):
        self.i += 1
        if self.i > 3: raise StopIteration
        return self.i
x = sum(v * 10 for v in A()) + max(A())
for v in A():
    x += v
---
a = b = {1}
a |= {2}
c = d = {"k": 1}
c |= {"l": 2}
e = f = [3]
e *= 2
x = len(b) + 10 * len(d) + 100 * len(f)
---
x = hash(-1) + hash((1, 2.5, -3)) % 1000 + hash(True)
---
import os
os.environ["FOO"] = "7"
x = int(os.environ["FOO"]) + int(os.environ.get("BAR_X", "1") == "1")
'''


# What engineers write around kernels, a program each.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "host_programs.txt")) as programs_:
    PROGRAMS += "---\n" + programs_.read()


class Module:
    number, in_function = 0, False


def main():
    binary, show = sys.argv[1], "--show" in sys.argv
    programs = [p.strip("\n") for p in PROGRAMS.split("\n---\n")]
    followed = wrong = 0
    with tempfile.TemporaryDirectory(prefix="tilewright-python-") as folder:
        open(os.path.join(folder, "tilewright.toml"), "w").close()
        path = os.path.join(folder, "program.py")
        for text in programs:
            with open(path, "w") as out:
                out.write(text + "\n" + KERNEL)
            with contextlib.redirect_stderr(io.StringIO()):  # what argparse says
                expected = unknown_test.python_gives(Module, text + "\n" + KERNEL, True)
            assert expected is not None, text
            given, diagnostics = unknown_test.tilewright_gives(binary, path)
            got = given.get("k_0")
            if got is None:
                if show:
                    print([d["message"] for d in diagnostics][:1], text, sep="\n", end="\n\n")
                continue
            followed += 1
            if got != expected:
                wrong += 1
                print(f"{got} instead of {expected}:\n{text}\n")
    print(f"{len(programs)} programs, {followed} followed, {wrong} wrong")
    return 1 if wrong or followed < FOLLOWED else 0


if __name__ == "__main__":
    sys.exit(main())
