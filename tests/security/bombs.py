#!/usr/bin/env python3
"""Scripts, helpers and settings that take more than they should, made by families: `bombs()`, and `deep()`, values nested
300,000 deep times what is done with them.

    bombs.py TILEWRIGHT [--check] [--lsp] [--deep] [--shallow] [--every=N] [--part=K/N] [--verbose] [WORDS]

runs them: each ends within 10 s and 512 MB, without a crash, with a finding where there must be one; in the language server a fixed text
is answered within a second afterwards.
"""
import itertools
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from support import release  # noqa: E402,F401

DEPTH = 300_000
T = "from tvm.script import tirx as T\n"
MANY = 100_000


class Bomb:
    """A script, and files beside it; either may be a function that makes it. `times`: how much more memory its settings allow it."""
    times = 1

    def __init__(self, name, script, finding="", files=None):
        self.name, self._script, self.finding, self._files = name, script, finding, files or {}

    @property
    def script(self):
        return self._script() if callable(self._script) else self._script

    @property
    def files(self):
        return self._files() if callable(self._files) else self._files


def kernel(*body, before="", parameters="A: T.Buffer((64,), 'int32'), n: T.int32"):
    lines = "".join(f"    {line}\n" for line in body)
    return f"{T}{before}@T.prim_func\ndef k({parameters}):\n    T.device_entry()\n    tx = T.thread_id([32])\n{lines}"


HONEST = kernel("A[0] = n")

# ---- what calls itself ------------------------------------------------------------------------------------------------
# (method, parameters, what it does again, what begins it)
HOOKS = [
    ("__call__", "self", "self()", "C()()"), ("__getattr__", "self, name", "self.other", "C().x"),
    ("__getattribute__", "self, name", "self.other", "C().x"), ("__setattr__", "self, name, v", "setattr(self, name, v)", "setattr(C(), 'x', 1)"),
    ("__delattr__", "self, name", "delattr(self, name)", "delattr(C(), 'x')"),
    ("__eq__", "self, o", "self == o", "C() == C()"), ("__ne__", "self, o", "self != o", "C() != C()"),
    ("__lt__", "self, o", "self < o", "C() < C()"), ("__ge__", "self, o", "self >= o", "C() >= C()"),
    ("__hash__", "self", "hash(self)", "hash(C())"), ("__repr__", "self", "repr(self)", "repr(C())"),
    ("__str__", "self", "str(self)", "str(C())"), ("__format__", "self, spec", "format(self, spec)", "f'{C():x}'"),
    ("__bool__", "self", "bool(self)", "not C()"), ("__len__", "self", "len(self)", "len(C())"),
    ("__iter__", "self", "iter(self)", "list(C())"), ("__next__", "self", "next(self)", "next(C())"),
    ("__contains__", "self, i", "i in self", "1 in C()"), ("__getitem__", "self, i", "self[i]", "C()[0]"),
    ("__setitem__", "self, i, v", "self.__setitem__(i, v)", "C().__setitem__(0, 1)"), ("__missing__", "self, k", "self[k]", "C()[0]"),
    ("__enter__", "self", "self.__enter__()", "C().__enter__()"), ("__init__", "self", "C()", "C()"),
    ("__new__", "cls", "cls()", "C()"), ("__init_subclass__", "cls, **k", "type('D', (cls,), {})", "type('D', (C,), {})"),
    ("__class_getitem__", "cls, i", "cls[i]", "C[0]"), ("__index__", "self", "range(self)", "range(C())"),
    ("__int__", "self", "int(self)", "int(C())"), ("__float__", "self", "float(self)", "float(C())"),
    ("__abs__", "self", "abs(self)", "abs(C())"), ("__neg__", "self", "-self", "-C()"), ("__add__", "self, o", "self + o", "C() + 1"),
    ("__radd__", "self, o", "o + self", "1 + C()"), ("__iadd__", "self, o", "self.__iadd__(o)", "C().__iadd__(1)"),
    ("__mul__", "self, o", "self * o", "C() * 2"), ("__matmul__", "self, o", "self @ o", "C() @ 2"),
    ("__pow__", "self, o", "self ** o", "C() ** 2"), ("__reversed__", "self", "reversed(self)", "reversed(C())"),
    ("__round__", "self, *n", "round(self)", "round(C())"), ("__copy__", "self", "copy.copy(self)", "copy.copy(C())"),
    ("__deepcopy__", "self, memo", "copy.deepcopy(self)", "copy.deepcopy(C())"), ("__dir__", "self", "dir(self)", "dir(C())"),
    ("__get__", "self, *a", "D().x", "D().x"), ("method", "self", "self.method()", "C().method()"),
]
# The same of functions: what defines f, and what begins it.
FUNCTIONS = {
    "function": ("def f(x):\n    return f(x)\n", "f(0)"),
    "lambda": ("f = lambda x: f(x)\n", "f(0)"),
    "two functions": ("def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\n", "f(0)"),
    "partial of itself": ("import functools\ndef f(*a):\n    return functools.partial(f, *a)()\n", "f(0)"),
    "growing partial": ("import functools\ndef f(*a):\n    return functools.partial(f, 1, *a)()\n", "f(0)"),
    "property": ("class C:\n    @property\n    def x(self):\n        return self.x\n", "C().x"),
    "property that is set": ("class C:\n    @property\n    def x(self):\n        return 1\n    @x.setter\n    def x(self, v):\n"
                             "        self.x = v\ndef f():\n    C().x = 1\n", "f()"),
    "cached property": ("import functools\nclass C:\n    @functools.cached_property\n    def x(self):\n        return self.x\n", "C().x"),
    "classmethod": ("class C:\n    @classmethod\n    def f(cls):\n        return cls.f()\n", "C.f()"),
    "staticmethod": ("class C:\n    @staticmethod\n    def f():\n        return C.f()\n", "C.f()"),
    "super": ("class B:\n    def f(self):\n        return self.f()\nclass C(B):\n    def f(self):\n        return super().f()\n", "C().f()"),
    "sort key": ("def f(x):\n    return sorted([x, x], key=f)\n", "f(1)"),
    "key of min": ("def f(x):\n    return min([x, x], key=f)\n", "f(1)"),
    "map": ("def f(x):\n    return list(map(f, [x, x]))\n", "f(1)"),
    "filter": ("def f(x):\n    return list(filter(f, [x, x]))\n", "f(1)"),
    "reduce": ("import functools\ndef f(a, b):\n    return functools.reduce(f, [1, 2, 3])\n", "f(1, 2)"),
    "comprehension": ("def f(x):\n    return [f(y) for y in [x, x]]\n", "f(1)"),
    "dict comprehension": ("def f(x):\n    return {y: f(y) for y in [x, x]}\n", "f(1)"),
    "generator expression": ("def f(x):\n    return sum(f(y) for y in [x, x])\n", "f(1)"),
    "default": ("def f(x):\n    def g(y=f(x)):\n        pass\n    return g\n", "f(1)"),
    "decorator": ("def d(f):\n    @d\n    def g():\n        pass\n    return g\n", "d(1)"),
    "class body": ("def f():\n    class C:\n        x = f()\n    return C\n", "f()"),
    "metaclass": ("class M(type):\n    def __call__(cls):\n        return cls()\nclass C(metaclass=M):\n    pass\n", "C()"),
    "metaclass's attributes": ("class M(type):\n    def __getattr__(cls, n):\n        return cls.x\nclass C(metaclass=M):\n    pass\n", "C.x"),
    "metaclass's __new__": ("class M(type):\n    def __new__(m, n, b, d):\n        class D(metaclass=M):\n            pass\n        return D\n"
                            "class C(metaclass=M):\n    pass\n", "C()"),
    "post init": ("from dataclasses import dataclass\n@dataclass\nclass C:\n    x: int = 1\n    def __post_init__(self):\n        C()\n", "C()"),
    "default factory": ("from dataclasses import dataclass, field\n@dataclass\nclass C:\n    x: object = field(default_factory=lambda: C())\n", "C()"),
    "defaultdict": ("import collections\nd = collections.defaultdict(lambda: d[len(d)])\n", "d[0]"),
    "lru_cache": ("import functools\n@functools.lru_cache(None)\ndef f(x):\n    return f(x + 1)\n", "f(0)"),
    "getattr": ("class C:\n    pass\ndef f(o):\n    return getattr(o, 'x', f(o))\n", "f(C())"),
    "with": ("class C:\n    def __enter__(self):\n        with self:\n            pass\n    def __exit__(self, *a):\n        pass\n", "C().__enter__()"),
    "exit": ("class C:\n    def __enter__(self):\n        pass\n    def __exit__(self, *a):\n        with C():\n            pass\n"
             "def f():\n    with C():\n        pass\n", "f()"),
    "finally": ("def f(x):\n    try:\n        f(x)\n    finally:\n        f(x)\n", "f(0)"),
    "f-string": ("def f(x):\n    return f'{f(x)}'\n", "f(0)"),
    "match": ("def f(x):\n    match f(x):\n        case _:\n            pass\n", "f(0)"),
    "chained comparison": ("def f(x):\n    return f(x) < f(x) < f(x)\n", "f(0)"),
    "raise": ("def f(x):\n    raise ValueError(f(x))\n", "f(0)"),
}


def calls_itself():
    for method, parameters, again, begin in HOOKS:
        descriptor = "class D:\n    x = C()\n" if method == "__get__" else ""
        base = "(dict)" if method == "__missing__" else ""
        for way, body in {
            "itself": f"        return {again}\n",
            "itself twice": f"        {again}\n        return {again}\n",
            "itself, caught": f"        try:\n            {again}\n        except RecursionError:\n            {again}\n"
                              f"        except Exception:\n            return {again}\n",
        }.items():
            yield Bomb(f"{method} calls {way}",
                       f"import copy\nclass C{base}:\n    def {method}({parameters}):\n{body}{descriptor}x = {begin}\n")
    for name, (define, begin) in FUNCTIONS.items():
        yield Bomb(f"a {name} calls itself", f"{define}x = {begin}\n")
        yield Bomb(f"a {name} calls itself, twice and caught",
                   f"{define}def twice(d):\n    try:\n        {begin}\n    except RecursionError:\n        pass\n    twice(d + 1)\n    twice(d + 1)\n"
                   f"x = twice(0)\n")


# ---- what grows -------------------------------------------------------------------------------------------------------
# (what is there, what grows it): without end
GROWING = [
    ("x = [1]", "x += x"), ("x = [1]", "x = x + x"), ("x = [1]", "x = x * 2"), ("x = [1]", "x = [*x, *x]"), ("x = [1]", "x.extend(x)"),
    ("x = [1]", "x.append(list(x))"), ("x = [1]", "x.insert(0, 1)"), ("x = [1]", "x[0:0] = x"), ("x = [1]", "x = x[:] + x[:]"),
    ("x = [1]", "x = [y for y in x for z in (1, 2)]"), ("x = [1]", "x = list(zip(x, x)) + x"), ("x = [1]", "x = sorted(x + x)"),
    ("x = [1]", "x = x.copy() + x"), ("x = [1]", "x = list(reversed(x)) + x"), ("x = [1]", "x = list(map(str, x)) * 2"),
    ("x = (1,)", "x += x"), ("x = (1,)", "x = (*x, *x)"), ("x = (1,)", "x = tuple(x) + tuple(x)"), ("x = 'a'", "x += x"),
    ("x = 'a'", "x = x * 2"), ("x = 'a'", "x = f'{x}{x}'"), ("x = 'a'", "x = '%s%s' % (x, x)"), ("x = 'a'", "x = '{0}{0}'.format(x)"),
    ("x = 'a'", "x = x.join([x, x, x])"), ("x = 'a'", "x = x.replace('a', 'aa')"), ("x = 'a'", "x = repr(x) + repr(x)"),
    ("x = 'a'", "x = x.ljust(2 * len(x))"), ("x = 'a'", "x = x.zfill(2 * len(x))"), ("x = '\\t'", "x = x.expandtabs(2) + '\\t' * len(x)"),
    ("x = 'a'", "x = ''.join(c * 2 for c in x)"), ("x = 'a'", "x = x.upper() + x.title()"), ("x = ['a']", "x = [str(x)] * 2"),
    ("x = {}", "x[len(x)] = x"), ("x = {}", "x[str(len(x))] = 'a' * len(x)"), ("x = {0: 0}", "x = {**x, len(x): 0}"),
    ("x = {0: 0}", "x.update({len(x): 1})"), ("x = {}", "x.setdefault(len(x), [])"), ("x = {0: 0}", "x = x | {len(x): 1}"),
    ("x = {0: 0}", "x = dict(list(x.items()) + [(len(x), 1)])"), ("x = {0: 0}", "x = dict.fromkeys(range(2 * len(x)), x)"),
    ("x = set()", "x.add(len(x))"), ("x = {1}", "x = x | {len(x) + 1}"), ("x = {1}", "x.update(range(2 * len(x)))"),
    ("x = frozenset({1})", "x = frozenset(range(2 * len(x)))"), ("import collections\nx = collections.deque([1])", "x.extend(x)"),
    ("import collections\nx = collections.deque([1])", "x.appendleft(1)"), ("import collections\nx = collections.defaultdict(list)", "x[len(x)].append(x)"),
    ("class C: pass\nx = C()\ni = 0", "i += 1; setattr(x, 'a%d' % i, i)"),
    ("class C: pass\ni = 0", "i += 1; setattr(C, 'a%d' % i, i)"), ("x = 1", "x = (x << 1) + 1"),
    ("def x(): pass\ni = 0", "i += 1; setattr(x, 'a%d' % i, i)"), ("x = []", "x.append(lambda y=x: y)"), ("x = []", "x.append(type('C', (), {'x': 1}))"),
    ("import itertools\nx = [1]", "x = list(itertools.chain(x, x))"), ("import itertools\nx = [1, 2]", "x = [a for r in itertools.product(x, x) for a in r]"),
    ("import functools\nx = [1]", "x.append(functools.partial(print, *x[:99]))"), ("import copy\nx = [1]", "x.append(copy.deepcopy(x))"),
    ("import copy\nx = [1]", "x = x + copy.copy(x)"), ("x = []", "x.append(iter(x + [1]))"), ("x = []", "x.append(slice(x, x, x))"),
    ("from dataclasses import dataclass, replace, asdict\n@dataclass\nclass C:\n    v: object\nx = C([1])", "x = replace(x, v=[asdict(x), asdict(x)])"),
]


def grows():
    for setup, step in GROWING:
        yield Bomb(f"without end: {step}", f"{setup}\nwhile True:\n    {step}\n", "TW2009")


# ---- what is long ------------------------------------------------------------------------------------------------------
# One expression or statement that asks for much at once, or for many steps.
LARGE = [
    "list(range(10**18))", "sum(range(10**18))", "[i for i in range(10**18)]", "{i for i in range(10**18)}", "{i: i for i in range(10**18)}",
    "tuple(i for i in range(10**18))", "any(i < 0 for i in range(10**18))", "max(range(10**18))", "sorted(range(10**9))", "len(list(range(10**10)))",
    "10**18 in [i for i in range(10**9)]", "-1 in range(10**18)", "list(zip(range(10**12), range(10**12)))", "list(enumerate(range(10**12)))",
    "list(map(abs, range(10**12)))", "list(filter(None, range(10**12)))", "list(reversed(range(10**12)))", "[0] * 10**18", "(0,) * 10**18", "'a' * 10**18",
    "'ab' * (2**62)", "b'a' * 10**12", "[[0] * 10**4] * 10**9", "[[0] * 10**4 for _ in range(10**9)]", "9**9**9", "7 ** (10 ** 30)", "1 << 10**18", "1 << 10**40",
    "pow(3, 10**18)", "pow(3, 10**18, 10**17)", "2.0 ** 10**9", "10**400 * 1.0", "int('9' * 10**6)", "int('1' * 10**6, 2)", "float('9' * 10**6)", "str(10**38) * 10**9",
    "round(1.5, -10**18)", "divmod(10**38, -1)", "hex(1 << 126) * 10**10", "sum([10**38] * 10**6)", "chr(10**18)", "'%1000000000d' % 1", "'%.1000000000f' % 1.0",
    "'%*d' % (10**9, 1)", "'%s' % ('a' * 10**7,) * 10**7", "f'{1:1000000000}'", "f'{1:{10**9}}'", "f'{1.5:.1000000000f}'", "'{:>{}}'.format(1, 10**9)",
    "'{0:{0}{0}{0}}'.format(999999)", "format('a', '>99999999999')", "'a'.ljust(10**15)", "'a'.center(10**15)", "'a'.zfill(10**15)", "'\\t'.expandtabs(10**15)",
    "'a'.join(['b' * 10**6] * 10**6)", "('a' * 10**6).replace('a', 'b' * 10**6)", "('a' * 10**7).split('a')", "list('a' * 10**8)", "[*range(10**10)]", "{*range(10**10)}",
    "dict.fromkeys(range(10**10))", "dict(zip(range(10**10), range(10**10)))", "max(*range(10**10))", "print(*range(10**10))", "range(10**18)[10**17]", "range(10**18)[::2]",
    "list(range(10**9))[::-1]", "sorted(range(10**6), key=lambda i: sorted(range(i)))", "[(a, b, c) for a in range(10**5) for b in range(10**5) for c in range(10**5)]",
    "[[[0 for a in range(10**5)] for b in range(10**5)] for c in range(10**5)]", "math.factorial(10**18)", "math.comb(10**18, 10**17)", "math.perm(10**18, 10**17)",
    "math.prod(range(1, 10**12))", "math.gcd(*range(1, 10**9))", "math.lcm(*range(1, 10**9))", "math.isqrt(10**38)", "math.fsum(range(10**12))", "math.ldexp(1.0, 10**18)",
    "list(itertools.product(range(10**3), repeat=10**3))", "list(itertools.permutations(range(50)))", "list(itertools.combinations(range(100), 50))",
    "list(itertools.combinations_with_replacement(range(100), 50))", "list(itertools.repeat(0, 10**15))", "list(itertools.repeat(0))", "list(itertools.count())",
    "list(itertools.accumulate(range(10**12)))", "list(itertools.zip_longest(range(10**12), []))", "list(itertools.islice(range(10**15), 10**14))",
    "list(itertools.starmap(pow, [(2, 10**9)] * 10**6))", "list(itertools.takewhile(lambda x: True, range(10**12)))", "list(itertools.pairwise(range(10**12)))",
    "functools.reduce(lambda a, b: a + [b], range(10**9), [])", "functools.reduce(lambda a, b: (a, b), range(10**6))", "type('C', (), {'a%d' % i: i for i in range(10**6)})",
    "collections.Counter(range(10**12))", "collections.namedtuple('N', ' '.join('a%d' % i for i in range(10**5)))", "collections.deque(range(10**12))",
    "enum.Enum('E', ' '.join('a%d' % i for i in range(10**5)))", "dataclasses.make_dataclass('D', ['a%d' % i for i in range(10**5)])", "textwrap.dedent(' ' * 10**8)",
    "copy.deepcopy([[[0] * 1000] * 1000] * 1000)", "str([[[0] * 1000] * 1000] * 1000)", "hash(tuple([tuple([tuple(range(1000))] * 1000)] * 1000))",
    "[[[0] * 1000] * 1000] * 1000 == [[[0] * 1000] * 1000] * 1000", "set(str(i) for i in range(10**8))", "getattr(0, 'a' * 10**8, 1)", "os.path.join(*['a' * 10**4] * 10**5)",
]
# Statements, each in a loop of its own: quadratic where they cost what the container is long.
REPEATED = [
    ("x = list(range(200000))", "x.pop(0)"), ("x = list(range(200000))", "x.insert(0, 1)"), ("x = list(range(200000))", "del x[0]"),
    ("x = list(range(200000))", "x[0:1] = []"), ("x = list(range(200000))", "x.remove(x[-1])"), ("x = list(range(200000))", "x.index(-1 if i < 0 else x[-1])"),
    ("x = list(range(200000))", "x.count(1)"), ("x = list(range(200000))", "x.reverse()"), ("x = list(range(200000))", "x.copy()"), ("x = list(range(200000))", "min(x)"),
    ("x = list(range(200000))", "x == list(x)"), ("x = list(range(200000))", "-1 in x"), ("x = list(range(200000))", "tuple(x)"), ("x = list(range(200000))", "x = x[1:]"),
    ("x = list(range(200000))", "a, *x = x"), ("x = list(range(200000))", "str(x)"), ("x = list(range(200000))", "f'{x}'"), ("x = list(range(200000))", "x.sort()"),
    ("x = dict.fromkeys(range(200000))", "x.pop(next(iter(x)))"), ("x = dict.fromkeys(range(200000))", "x.popitem()"), ("x = dict.fromkeys(range(200000))", "del x[next(iter(x))]"),
    ("x = dict.fromkeys(range(200000))", "x.copy()"), ("x = dict.fromkeys(range(200000))", "x.update(x)"), ("x = dict.fromkeys(range(200000))", "list(x.items())"),
    ("x = dict.fromkeys(range(200000))", "x == dict(x)"), ("x = dict.fromkeys(range(200000))", "hash(tuple(x))"), ("x = set(range(200000))", "x.pop()"),
    ("x = set(range(200000))", "x | {1}"), ("x = set(range(200000))", "x.discard(next(iter(x)))"), ("x = set(range(200000))", "x.issubset(x)"), ("x = set(range(200000))", "x.update(x)"),
    ("x = 'a' * 2000000", "x[0]"), ("x = 'a' * 2000000", "x[1:]"), ("x = 'a' * 2000000", "x.find('b')"), ("x = 'a' * 2000000", "x.split('b')"), ("x = 'a' * 2000000", "len(x)"),
    ("x = 'a' * 2000000", "hash(x)"), ("x = 'a' * 2000000", "x == 'a' * 1999999 + 'b'"), ("x = 'a' * 2000000", "x.encode()"), ("x = 'a' * 2000000", "int(x, 36) if i < 0 else x.isdigit()"),
    ("x = 'a' * 2000000", "x.startswith('b')"), ("x = 'a' * 2000000", "x.strip('b')"), ("x = '\\u00e9' * 1000000", "x[i % 1000000]"), ("x = '\\u00e9' * 1000000", "x.index('b') if i < 0 else len(x)"),
    ("import collections\nx = collections.deque(range(200000))", "x.popleft()"), ("import collections\nx = collections.deque(range(200000))", "x.rotate(1)"),
    ("x = iter(list(range(200000)))", "next(x)"), ("class C: pass\nx = C()\nfor i in range(20000): setattr(x, 'a%d' % i, i)", "x.a19999"),
    ("class C: pass\nx = C()\nfor i in range(20000): setattr(x, 'a%d' % i, i)", "vars(x)"), ("class C: pass\nx = C()\nfor i in range(20000): setattr(x, 'a%d' % i, i)", "dir(x)"),
    ("class C: pass\nfor i in range(20000): setattr(C, 'a%d' % i, i)", "delattr(C, 'a%d' % i) if i < 20000 else None"), ("import copy\nx = [[i] for i in range(20000)]", "copy.deepcopy(x)"),
    ("from dataclasses import dataclass\n@dataclass(frozen=True)\nclass C:\n    a: int\nx = {}", "x[C(i)] = i"), ("x = {}", "x[(i, (i,))] = i"), ("x = {}", "x[float(i)] = i"),
    ("class C:\n    def __init__(self, a):\n        self.a = a\n    def __eq__(self, o):\n        return self.a == o.a\n    def __hash__(self):\n        return 1\nx = {}", "x[C(i)] = i"),
]


def takes_much():
    imports = "import collections, copy, dataclasses, enum, functools, itertools, math, os, textwrap\n"
    for expression in LARGE:
        yield Bomb(f"large: {expression}", f"{imports}x = {expression}\n")
    for setup, step in REPEATED:
        yield Bomb(f"again and again: {setup[-40:]!r}: {step}", f"{setup}\nfor i in range(1000000):\n    {step}\n")


# ---- chains -----------------------------------------------------------------------------------------------------------
# (setup, first, next of `x`, what is done with the last); long chains are built by the script itself.
CHAINS = {
    "partials": ("import functools\n", "print", "functools.partial(x)", "x()"),
    "partials with arguments": ("import functools\n", "print", "functools.partial(x, 1)", "x()"),
    "partials with keywords": ("import functools\n", "print", "functools.partial(x, end='')", "x()"),
    "lambdas": ("def wrap(f):\n    return lambda: f()\n", "print", "wrap(x)", "x()"),
    "closures": ("def wrap(f):\n    def g():\n        return f()\n    return g\n", "print", "wrap(x)", "x()"),
    "wraps": ("import functools\ndef wrap(f):\n    @functools.wraps(f)\n    def g():\n        return f()\n    return g\ndef h():\n    pass\n", "h", "wrap(x)", "x()"),
    "callables": ("class C:\n    def __init__(self, f):\n        self.f = f\n    def __call__(self):\n        return self.f()\n", "print", "C(x)", "x()"),
    "callable classes": ("class C:\n    def __init__(self, f):\n        self.__call__ = f\n", "print", "C(x)", "x()"),
    "proxies": ("class C:\n    def __init__(self, f):\n        self.f = f\n    def __getattr__(self, n):\n        return getattr(self.f, n)\n", "1", "C(x)", "x.zzz"),
    "types": ("", "object", "type('C', (x,), {})", "x().a"),
    "types with attributes": ("", "object", "type('C', (x,), {'a': x})", "x().a.a"),
    "properties": ("", "None", "type('C', (), {'a': property(lambda self, y=x: y)})()", "x.a"),
    "maps": ("", "[1]", "map(abs, x)", "list(x)"),
    "iterators": ("", "[1]", "iter(x)", "list(x)"),
    "bound methods": ("class C:\n    def f(self):\n        return 1\n", "C().f", "x.__call__", "x()"),
    "static methods": ("", "print", "staticmethod(x)", "x()"),
    "caches": ("import functools\n", "print", "functools.lru_cache(x)", "x()"),
    "exceptions": ("", "None", "ValueError(x)", "str(x)"),
    "iterables": ("class C:\n    def __init__(self, x):\n        self.x = x\n    def __iter__(self):\n        return iter(self.x)\n", "[1]", "C(x)", "list(x)"),
    "lengths": ("class C:\n    def __init__(self, x):\n        self.x = x\n    def __len__(self):\n        return len(self.x)\n", "[1]", "C(x)", "len(x)"),
    "truths": ("class C:\n    def __init__(self, x):\n        self.x = x\n    def __bool__(self):\n        return bool(self.x)\n", "[1]", "C(x)", "not x"),
    "texts": ("class C:\n    def __init__(self, x):\n        self.x = x\n    def __str__(self):\n        return str(self.x)\n", "'a'", "C(x)", "str(x)"),
    "keys": ("class C:\n    def __init__(self, x):\n        self.x = x\n    def __hash__(self):\n        return hash(self.x)\n    def __eq__(self, o):\n        return self.x == o.x\n",
             "1", "C(x)", "{x: 1}[x]"),
    "sums": ("class C:\n    def __init__(self, x):\n        self.x = x\n    def __add__(self, o):\n        return self.x + o\n", "1", "C(x)", "x + 1"),
}


def chains():
    for name, (setup, first, following, used) in CHAINS.items():
        for length in (900, 5000, DEPTH):
            yield Bomb(f"a chain of {length} {name}", f"{setup}x = {first}\nfor i in range({length}):\n    x = {following}\ny = {used}\n")


# ---- text -------------------------------------------------------------------------------------------------------------
def nested(opening, middle, closing, n, indent=" "):
    """Blocks in blocks."""
    return "".join(indent * i + opening + "\n" for i in range(n)) + indent * n + middle + "\n"


TEXTS = {
    "statements of one line": lambda n: "a=1;" * n, "calls of one line": lambda n: "f();" * n, "parentheses": lambda n: "x = " + "(" * n + "1" + ")" * n,
    "open parentheses": lambda n: "x = " + "(" * n, "closed parentheses": lambda n: "x = " + ")" * n, "brackets": lambda n: "x = " + "[" * n + "]" * n,
    "open brackets": lambda n: "x = " + "[" * n, "braces": lambda n: "x = " + "{" * n + "}" * n, "open braces": lambda n: "x = " + "{" * n,
    "dicts in dicts": lambda n: "x = " + "{0:" * n + "0" + "}" * n, "subscripts in subscripts": lambda n: "x = " + "a[" * n + "0" + "]" * n,
    "calls in calls": lambda n: "x = " + "f(" * n + ")" * n, "open calls": lambda n: "x = " + "f(" * n, "subscripts": lambda n: "x = a" + "[0]" * n,
    "calls": lambda n: "x = a" + "()" * n, "attributes": lambda n: "x = a" + ".b" * n, "sum": lambda n: "x = 1" + "+1" * n, "sum of names": lambda n: "b = 1\nx = b" + "+b" * n,
    "product": lambda n: "x = 1" + "*1" * n, "powers": lambda n: "x = 1" + "**1" * n, "signs": lambda n: "x = " + "-" * n + "1", "inversions": lambda n: "x = " + "~" * n + "1",
    "nots": lambda n: "x = " + "not " * n + "1", "comparisons": lambda n: "x = 1" + "<2" * n, "ands": lambda n: "x = 1" + " and 1" * n, "ors and ands": lambda n: "x = 1" + " and 0 or 1" * n,
    "conditions": lambda n: "x = " + "1 if 1 else " * n + "0", "lambdas": lambda n: "x = " + "lambda: " * n + "0", "stars": lambda n: "f(" + "*" * n + "a)",
    "starred": lambda n: "x = [" + "*a, " * n + "]", "walruses": lambda n: "x = " + "(a := " * n + "0" + ")" * n, "awaits": lambda n: "async def f():\n    x = " + "await " * n + "1",
    "f-strings": lambda n: "x = " + "f'{1}'" * n, "f-strings in f-strings": lambda n: "x = " + "f\"{f'{" * (n // 2) + "1" + "}'}\"" * (n // 2),
    "fields of an f-string": lambda n: "x = f'" + "{1}" * n + "'", "specifiers of an f-string": lambda n: "x = f'" + "{1:" * n + "}" * n + "'",
    "strings beside each other": lambda n: "x = " + "'a' " * n, "open strings": lambda n: "x = '\n" * n, "open triple quotes": lambda n: "x = '''" + "a" * n,
    "long string": lambda n: "x = '" + "a" * 50 * n + "'", "long comment": lambda n: "#" * 50 * n, "long name": lambda n: "a" * 50 * n + " = 1", "long number": lambda n: "x = " + "9" * 50 * n,
    "long float": lambda n: "x = 1." + "9" * 50 * n, "long hexadecimal": lambda n: "x = 0x" + "f" * 50 * n, "escapes": lambda n: "x = '" + "\\x41\\u0041\\N{DASH}" * n + "'",
    "bad escapes": lambda n: "x = '" + "\\x4\\q" * n + "'", "blank lines": lambda n: "\n" * 50 * n, "blanks": lambda n: " " * 50 * n, "tabs": lambda n: "\t" * 50 * n,
    "continued lines": lambda n: "x = 1 + \\\n" * n + "1", "carriage returns": lambda n: "x = 1\r" * n, "zeros": lambda n: "\0" * 50 * n, "unreadable": lambda n: "$?!" * 10 * n,
    "bytes that are no text": lambda n: ("x = '" + "\ufffd" * n + "'"), "marks of direction": lambda n: "x = '" + "\u202e\u2066" * n + "'", "names of one statement": lambda n: "global " + ", ".join(f"a{i}" for i in range(n)),
    "targets": lambda n: "a = " * n + "1", "targets in a tuple": lambda n: ", ".join(f"a{i}" for i in range(n)) + " = range(10**9)", "targets in tuples": lambda n: "(a, " * n + "b" + ")" * n + " = 1",
    "one list": lambda n: "x = [" + "1," * 5 * n + "]", "one dict": lambda n: "x = {" + ",".join(f"{i}: {i}" for i in range(n)) + "}", "one set": lambda n: "x = {" + ",".join(map(str, range(n))) + "}",
    "one tuple": lambda n: "x = (" + "1," * 5 * n + ")", "rows": lambda n: "x = [" + "[1, 2]," * n + "]", "arguments": lambda n: "print(" + "1," * n + ")", "keywords": lambda n: "dict(" + ",".join(f"a{i}=1" for i in range(n)) + ")",
    "parameters": lambda n: "def f(" + ",".join(f"a{i}" for i in range(n)) + "): pass\nf(*range(%d))" % n, "defaults": lambda n: "def f(" + ",".join(f"a{i}={i}" for i in range(n)) + "): pass\nf()",
    "decorators": lambda n: "d = lambda f: f\n" + "@d\n" * n + "def f(): pass", "decorators in decorators": lambda n: "@" + "d(" * n + ")" * n + "\ndef f(): pass",
    "bases": lambda n: "class C(" + ",".join("object" for i in range(n)) + "): pass", "classes of bases": lambda n: "".join(f"class B{i}: pass\n" for i in range(n // 5)) + "class C(" + ",".join(f"B{i}" for i in range(n // 5)) + "): pass\nC().x",
    "attributes of a class": lambda n: "class C:\n" + "".join(f"    a{i} = {i}\n" for i in range(n)) + "C().b", "methods of a class": lambda n: "class C:\n" + "".join(f"    def a{i}(self): pass\n" for i in range(n // 3)) + "C().b",
    "annotations": lambda n: "".join(f"a{i}: int = {i}\n" for i in range(n)), "one annotation": lambda n: "x: " + "list[" * n + "int" + "]" * n, "unions": lambda n: "x: int" + " | int" * n,
    "names": lambda n: "".join(f"a{i} = {i}\n" for i in range(n)), "names of names": lambda n: "a0 = 1\n" + "".join(f"a{i + 1} = a{i}\n" for i in range(n)), "unbound names": lambda n: "".join(f"a{i} = b{i}\n" for i in range(n // 5)),
    "functions": lambda n: "".join(f"def a{i}(): pass\n" for i in range(n // 3)), "functions that call": lambda n: "def a0(): pass\n" + "".join(f"def a{i + 1}(): a{i}()\n" for i in range(n // 10)) + f"a{n // 10}()",
    "classes": lambda n: "".join(f"class a{i}: pass\n" for i in range(n // 3)), "imports": lambda n: "".join(f"import a{i}\n" for i in range(n // 10)), "imports from": lambda n: "from a import " + ",".join(f"a{i}" for i in range(n)),
    "dots of an import": lambda n: "import a" + ".a" * n, "levels of an import": lambda n: "from " + "." * n + " import a", "imports of the dialect": lambda n: T * (n // 10), "stars of imports": lambda n: "from tvm.tirx.layout import *\n" * (n // 20),
    "ifs in ifs": lambda n: nested("if 1:", "pass", "", min(n, 2000)), "ifs with elifs": lambda n: "if 0:\n    pass\n" + "elif 0:\n    pass\n" * n, "ifs": lambda n: "if 1: pass\n" * n, "loops in loops": lambda n: nested("for i in range(2):", "pass", "", min(n, 1000)),
    "withs in withs": lambda n: nested("with a:", "pass", "", min(n, 1000)), "tries in tries": lambda n: nested("try:", "pass", "", min(n, 1000)), "functions in functions": lambda n: nested("def f():", "pass", "", min(n, 1000)),
    "classes in classes": lambda n: nested("class C:", "pass", "", min(n, 1000)), "items of a with": lambda n: "with " + ",".join("a as b" for i in range(n)) + ": pass", "handlers": lambda n: "try: pass\n" + "except ValueError: pass\n" * n,
    "cases": lambda n: "match 1:\n" + "".join(f"    case {i + 2}: pass\n" for i in range(n)), "patterns in patterns": lambda n: "match []:\n    case " + "[" * n + "]" * n + ": pass", "alternatives": lambda n: "match 1:\n    case " + "|".join(map(str, range(n))) + ": pass",
    "clauses": lambda n: "x = [0 " + "for i in range(2) " * n + "]", "conditions of a comprehension": lambda n: "x = [0 for i in range(9) " + "if i " * n + "]", "comprehensions in comprehensions": lambda n: "x = " + "[" * n + "0" + " for i in range(2)]" * n,
    "slices": lambda n: "x = a[" + "::," * n + "]", "deletions": lambda n: "del " + ",".join(f"a{i}" for i in range(n)), "assertions": lambda n: "assert 1\n" * n, "raises": lambda n: "try:\n" + "    raise ValueError\n" * n + "except ValueError: pass", "prints": lambda n: "print(1)\n" * n,
    "docstrings": lambda n: "'''a'''\n" * n, "run comments": lambda n: "# tilewright: run A=zeros\n" * (n // 2), "run comments with settings": lambda n: "# tilewright: run k " + " ".join(f"a{i}=zeros" for i in range(n)) + "\n" + HONEST,
    "run comments of many kernels": lambda n: "".join(f"# tilewright: run A=zeros\n@T.prim_func\ndef k{i}(A: T.Buffer((64,), 'int32')):\n    T.device_entry()\n    A[0] = 1\n" for i in range(n // 300)).join([T, ""]),
    "entry comments": lambda n: HONEST + "".join(f"# tilewright: entry f({i})\n" for i in range(n // 10)), "dialect comments": lambda n: "# tilewright: dialect 0.25\n" * (n // 2), "ignores": lambda n: "x = y  # tilewright: ignore[TW2001]\n" * (n // 10),
    "brackets in a run comment": lambda n: "# tilewright: run k(" + "(" * n + ") a=" + "[" * n + "\n" + HONEST, "words of a run comment": lambda n: "# tilewright: run k " + "word " * n + "\n" + HONEST, "kernels of a run comment": lambda n: "# tilewright: run k" + " then k" * n + "\n" + HONEST,
}


def texts():
    for name, make in TEXTS.items():
        yield Bomb(f"text: {name}", lambda make=make: make(MANY) + "\n")
    yield Bomb("text: 5 MB", lambda: HONEST + "#" * (5 << 20) + "\n", "5120 KB and is not read")
    yield Bomb("text: 150000 statements", lambda: "a = 1\n" * 150_000 + HONEST, "statements and is not read")
    yield Bomb("text: 3000 comments to Tilewright", lambda: HONEST + "# tilewright: run k A=zeros\n" * 3000, "is not read")
    yield Bomb("text: 5000 errors", lambda: "x = )\n" * 5000 + HONEST, "more errors follow")


# ---- kernels ----------------------------------------------------------------------------------------------------------
def kernels():
    emit = "def emit(A, n):\n"
    inline = "@T.inline\ndef f(A, d):\n"
    deep = "".join(" " * i + f"if n > {i}:\n    " for i in range(60))
    yield Bomb("kernel: statements without end", kernel("emit(A, n)", before=emit + "    while True:\n        A[0] = 1\n"), "TW2009")
    yield Bomb("kernel: unrolled a billion times", kernel("for i in T.unroll(1000000000):", "    A[i % 64] = i"))
    yield Bomb("kernel: unrolls in unrolls", kernel(*[" " * i + f"for i{i} in T.unroll(1000):" for i in range(6)], " " * 6 + "A[(i0 + i5) % 64] = 1"))
    yield Bomb("kernel: unrolls of many statements", kernel("for i in T.unroll(100000):", *["    A[i % 64] = i"] * 100))
    yield Bomb("kernel: vectors of a billion", kernel("for i in T.vectorized(1000000000):", "    A[i] = i"))
    yield Bomb("kernel: serial loops of 2**62", kernel("for i in T.serial(2**62):", "    for j in T.serial(2**62):", "        A[(i * j) % 64] = 1"))
    yield Bomb("kernel: a grid of many loops", kernel("for i in T.grid(*([2] * 100000)):", "    A[0] = n"))
    yield Bomb("kernel: a grid of 300 loops", kernel("for i in T.grid(*([2] * 300)):", "    A[0] = n"))
    yield Bomb("kernel: a Python loop of a billion", kernel("emit(A, n)", before=emit + "    for i in range(10**9):\n        A[i % 64] = i\n"), "TW2009")
    for way, body in {"itself": "    f(A, d)\n", "itself twice": "    f(A, d)\n    f(A, d)\n", "itself in a loop": "    for i in range(4):\n        f(A, d)\n",
                      "itself in a branch": "    if A[0] > 1:\n        f(A, d)\n    else:\n        f(A, d)\n", "itself in a while": "    while A[0] > 1:\n        f(A, d)\n",
                      "itself in an unroll": "    for i in T.unroll(4):\n        f(A, d)\n"}.items():
        yield Bomb(f"kernel: an inline calls {way}", kernel("f(A, 1)", before=inline + body), "TW2009")
    yield Bomb("kernel: an inline doubles", kernel("f(A, 40)", before=inline + "    if d > 0:\n        f(A, d - 1)\n        f(A, d - 1)\n    else:\n        A[0] = 1\n"), "TW2009")
    yield Bomb("kernel: inlines that double, by name", kernel("f30(A)", before="@T.inline\ndef f0(A):\n    A[0] = 1\n" + "".join(
        f"@T.inline\ndef f{i + 1}(A):\n    f{i}(A)\n    f{i}(A)\n" for i in range(30))), "TW2009")
    yield Bomb("kernel: macros that double", kernel("f25(A)", before="@T.macro\ndef f0(A):\n    A[0] = 1\n" + "".join(
        f"@T.macro\ndef f{i + 1}(A):\n    f{i}(A)\n    f{i}(A)\n" for i in range(25))))
    for name, step in {"a sum": "x = x + x", "a product and a sum": "x = x * x + x", "Select": "x = T.Select(x > 3, x, x + 1)", "max": "x = T.max(x, x + 1)", "loads": "x = A[x % 64] + A[(x + 1) % 64]",
                       "shifts": "x = (x << 1) ^ (x >> 1)", "comparisons": "x = T.cast(x > x + 1, 'int32') + x", "floor division": "x = x // 3 + x % 3", "a conditional expression": "x = T.if_then_else(x > 0, x, x - 1)"}.items():
        for rounds in (60, 100000):
            yield Bomb(f"kernel: {rounds} times {name}", kernel("A[0] = g(A, n)", before=f"def g(A, x):\n    for i in range({rounds}):\n        {step}\n    return x\n"))
    yield Bomb("kernel: lets that double", kernel("x0: T.let = n", *[f"x{i}: T.let = x{i - 1} * x{i - 1} + x{i - 1}" for i in range(1, 200)], "A[x199 % 64] = 1"))
    for n in (3000, 20000):
        yield Bomb(f"kernel: {n} buffers", kernel(*[f"b{i} = T.alloc_local((4,), 'int32')" for i in range(n)]))
        yield Bomb(f"kernel: {n} buffers, each used", kernel(*[line for i in range(n) for line in (f"b{i} = T.alloc_local((4,), 'int32')", f"b{i}[0] = n")]))
        yield Bomb(f"kernel: {n} buffers of shared memory", kernel(*[f"b{i} = T.alloc_shared((4,), 'int32')" for i in range(n)]))
        yield Bomb(f"kernel: {n} buffers of one name", kernel(*["b = T.alloc_local((4,), 'int32')"] * n))
        yield Bomb(f"kernel: {n} scalars", kernel(*[f"b{i}: T.int32 = n" for i in range(n)]))
        yield Bomb(f"kernel: {n} scalars that use each other", kernel("b0: T.int32 = n", *[f"b{i}: T.int32 = b{i - 1} + 1" for i in range(1, n)]))
        yield Bomb(f"kernel: {n} lets", kernel("b0: T.let = n", *[f"b{i}: T.let = b{i - 1} + 1" for i in range(1, n)], f"A[0] = b{n - 1}"))
        yield Bomb(f"kernel: {n} parameters", kernel("b0[0] = 1", parameters=", ".join(f"b{i}: T.Buffer((64,), 'int32')" for i in range(n))))
        yield Bomb(f"kernel: {n} scalar parameters", kernel("A[0] = b0", parameters="A: T.Buffer((64,), 'int32'), " + ", ".join(f"b{i}: T.int32" for i in range(n))))
        yield Bomb(f"kernel: {n} views", kernel(*[f"b{i} = A.view(8, 8)" for i in range(n)]))
        yield Bomb(f"kernel: {n} statements", kernel(*["A[0] = n"] * n))
        yield Bomb(f"kernel: {n} errors", kernel(*["A[0] = nothing"] * n))
        yield Bomb(f"kernel: {n} branches", kernel(*["if n > 1:", "    A[0] = n"] * n))
        yield Bomb(f"kernel: {n} loops", kernel(*["for i in T.serial(4):", "    A[i] = n"] * n))
        yield Bomb(f"kernel: {n} elifs", kernel("if n == 0:", "    A[0] = 1", *["elif n == 1:", "    A[0] = 2"] * n))
        yield Bomb(f"kernel: {n} prints", kernel(*["T.print_buffer(A)"] * n))
        yield Bomb(f"kernel: {n} barriers", kernel(*["T.cuda.cta_sync()"] * n))
    for n in (60, 400):
        blocks = [" " * i + f"if n > {i}:" for i in range(n)]
        yield Bomb(f"kernel: {n} branches in each other", kernel(*blocks, " " * n + "A[0] = 1"))
        yield Bomb(f"kernel: {n} loops in each other", kernel(*[" " * i + f"for i{i} in T.serial(2):" for i in range(n)], " " * n + "A[0] = 1"))
        yield Bomb(f"kernel: {n} whiles in each other", kernel(*[" " * i + "while A[0] > 1:" for i in range(n)], " " * n + "A[0] = 1"))
        yield Bomb(f"kernel: {n} attributes in each other", kernel(*[" " * i + "with T.attr(0, 'x', 1):" for i in range(n)], " " * n + "A[0] = 1"))
    yield Bomb("kernel: a sum of 100000", kernel("A[0] = n" + " + n" * MANY))
    yield Bomb("kernel: a sum of 100000 loads", kernel("A[0] = A[1]" + " + A[1]" * MANY))
    yield Bomb("kernel: parentheses", kernel("A[0] = " + "(" * MANY + "n" + ")" * MANY))
    yield Bomb("kernel: loads in loads", kernel("A[0] = " + "A[" * 20000 + "n" + "]" * 20000))
    yield Bomb("kernel: a name of a million letters", kernel("x" * 1000000 + " = n"))
    yield Bomb("kernel: a printed text of a million letters", kernel("T.cuda.printf('" + "a" * 1000000 + "')"))
    yield Bomb("kernel: many dimensions", kernel("B = T.alloc_local((2,) * 1000, 'int32')", "C = B.permute(*range(1000))", "D = B.view(2**10, -1)", parameters="A: T.Buffer((1,) * 100000, 'int32')"))
    yield Bomb("kernel: huge extents", kernel("B = T.alloc_local((2**31 - 1, 2**31 - 1), 'float32')", "C = T.alloc_shared((2**62,), 'float64')", "A[0, 0, 0] = 1", "D = A.view(-1)",
                                              parameters="A: T.Buffer((2**31 - 1, 2**31 - 1, 2**31 - 1), 'int32')"))
    yield Bomb("kernel: vectors", kernel("x = T.broadcast(n, 10**9)", "y = T.ramp(n, 1, 2**40)", "A[0:10**12:2] = 1"))
    yield Bomb("kernel: many scope ids", kernel(*[f"a{i} = T.cta_id([1])" for i in range(3000)]))
    yield Bomb("kernel: a meta class without end", kernel("c = C()", before="@T.meta_class\nclass C:\n    def __init__(self):\n        self.c = C()\n"), "TW2009")
    yield Bomb("kernel: a meta class of many", kernel("c = C()", before="@T.meta_class\nclass C:\n    def __init__(self):\n        for i in range(3000):\n            setattr(self, f'a{i}', T.local_scalar('int32'))\n"))
    tile = "from tvm.script.tirx import tile as Tx\n"
    yield Bomb("kernel: copies without end", kernel("emit(A, n)", before=tile + emit + "    while True:\n        Tx.copy(A, A)\n"), "TW2009")
    yield Bomb("kernel: 2000 copies", kernel(*["Tx.copy(A, A)"] * 2000, before=tile))
    yield Bomb("kernel: 1000 kernels", T + "".join(f"@T.prim_func\ndef k{i}(A: T.Buffer((64,), 'int32')):\n    T.device_entry()\n    A[0] = {i}\n" for i in range(1000)))
    yield Bomb("kernel: made 100000 times", T + "def f(n):\n    @T.prim_func\n    def k(A: T.Buffer((n,), 'int32')):\n        T.device_entry()\n        A[0] = n\n    return k\nks = [f(i + 1) for i in range(100000)]\n")
    yield Bomb("kernel: specialised 100000 times", T + "@T.jit\ndef k(A: T.Buffer((64,), 'int32'), *, N: T.constexpr):\n    T.device_entry()\n    A[0] = N\nfor i in range(100000):\n    k.specialize(N=i)\n")
    yield Bomb("kernel: parametrised a billion times", "import pytest\n" + T + "".join(f"@pytest.mark.parametrize('{c}', list(range(1000)))\n" for c in "abc") +
               "def test(a, b, c):\n    @T.prim_func\n    def k(A: T.Buffer((64,), 'int32')):\n        T.device_entry()\n        A[0] = a\n")
    layouts = "from tvm.tirx.layout import S, R, TileLayout, SwizzleLayout, ComposeLayout\n"
    for name, expression in {"many iters": "TileLayout(S[(2,) * 10000])", "62 iters": "TileLayout(S[(2,) * 62])", "a size beyond 2**63": "TileLayout(S[(2**40, 2**40) : (2**40, 1)]).size()",
                             "tiled many times": "L.tile(L, (2,) * 10000, (2,) * 10000)", "canonicalised": "L.canonicalize()", "grouped": "L.group((2,) * 10000)", "replicas": "TileLayout(S[2] + R[(2,) * 10000])",
                             "sums of replicas": "TileLayout(sum([R[2 : i] for i in range(2000)], S[2]))", "swizzled": "SwizzleLayout(2**30, 2**30, 2**30)", "huge swizzle": "SwizzleLayout(10**18, 3, 10**18)",
                             "printed": "str(L)", "compared": "L == TileLayout(S[(2,) * 10000])", "hashed": "{L: 1}", "sliced": "L.slice((2,) * 10000, [(0, 1)] * 10000)"}.items():
        yield Bomb(f"layout: {name}", f"{layouts}L = TileLayout(S[(2,) * 10000])\nfor i in range(20):\n    x = {expression}\n")
    yield Bomb("layout: doubles", layouts + "L = TileLayout(S[2])\nwhile True:\n    L = L.tile(L, (2,), (2,))\n")
    yield Bomb("layout: of a buffer with many iters", kernel("B = T.alloc_local((2,) * 62, 'int32', layout=T.TileLayout(T.S[(2,) * 62]))", "B[(0,) * 62] = n"))


# ---- modules, settings ----------------------------------------------------------------------------------------------------
def modules():
    chain = {f"m{i}.py": f"from m{i + 1} import x\n" for i in range(3000)}
    chain["m3000.py"] = "x = 1\n"
    yield Bomb("imports: a chain of 3000", "from m0 import x\n" + HONEST, files=chain)
    yield Bomb("imports: a cycle of 500", "import m0\n" + HONEST, files={f"m{i}.py": f"import m{(i + 1) % 500}\nx = m{(i + 1) % 500}.x\n" for i in range(500)})
    yield Bomb("imports: a cycle by stars", "from a import *\n" + HONEST, files={"a.py": "from b import *\nfrom b import *\n", "b.py": "from a import *\nfrom a import *\n"})
    yield Bomb("imports: all of all", "from m0 import *\n" + HONEST, files={f"m{i}.py": "".join(f"from m{j} import *\n" for j in range(60)) for i in range(60)})
    yield Bomb("imports: names by stars", "from m0 import *\n" + HONEST,
               files={f"m{i}.py": f"from m{i + 1} import *\n" + "".join(f"a{i}_{j} = {j}\n" for j in range(500)) for i in range(300)} | {"m300.py": "x = 1\n"})
    yield Bomb("imports: of itself", "import script\nfrom script import *\nfrom . import script\n" + HONEST)
    yield Bomb("imports: in a function that calls itself", "def f():\n    import a\n    a.f()\nf()\n", files={"a.py": "def f():\n    import script\n    script.f()\n"})
    yield Bomb("imports: in a loop", "while True:\n    import a\n    from a import x\n", "TW2009", files={"a.py": "x = 1\n"})
    yield Bomb("imports: an endless helper", "import a\n" + HONEST, files={"a.py": "while True:\n    pass\n"})
    yield Bomb("imports: 300 endless helpers", "".join(f"import m{i}\n" for i in range(300)) + HONEST, files={f"m{i}.py": "while True:\n    pass\n" for i in range(300)})
    yield Bomb("imports: a chain of endless helpers", "import m0\n" + HONEST, files={f"m{i}.py": f"try:\n    import m{i + 1}\nexcept Exception:\n    pass\nwhile True:\n    pass\n" for i in range(100)})
    yield Bomb("imports: packages in packages", "import " + ".".join(["a"] * 200) + "\n" + HONEST, files={"/".join(["a"] * i) + "/__init__.py": "x = 1\n" for i in range(1, 200)})
    yield Bomb("imports: a helper of 20 MB", "import a\n" + HONEST, files=lambda: {"a.py": "x = 1\n" * 3_300_000})
    yield Bomb("imports: 200 helpers of parentheses", "".join(f"import m{i}\n" for i in range(200)) + HONEST, files=lambda: {f"m{i}.py": "x = " + "(" * MANY + "\n" for i in range(200)})
    yield Bomb("imports: a helper that grows", "import a\n" + HONEST, files={"a.py": "x = [1]\nwhile True:\n    x += x\n"})
    yield Bomb("imports: 100 helpers that grow", "".join(f"import m{i}\n" for i in range(100)) + HONEST, files={f"m{i}.py": "x = 'a' * (100 << 20)\n" for i in range(100)})


SETTINGS = {
    "arrays in arrays": lambda n: "arch = " + "[" * n + "]" * n, "open arrays": lambda n: "arch = " + "[" * n, "tables in tables": lambda n: "arch = " + "{a=" * n + "1" + "}" * n,
    "open tables": lambda n: "arch = " + "{a=" * n, "dotted keys": lambda n: "a" + ".a" * n + " = 1", "dotted tables": lambda n: "[" + "a." * n + "a]", "keys": lambda n: "".join(f"a{i} = 1\n" for i in range(n)),
    "severities": lambda n: "[severity]\n" + "".join(f"TW{i} = \"off\"\n" for i in range(n)), "one severity": lambda n: "[severity]\n" + "TW3106 = \"off\"\n" * n, "tables": lambda n: "".join(f"[a{i}]\n" for i in range(n)),
    "arrays of tables": lambda n: "[[a]]\n" * n, "remotes": lambda n: "".join(f"[remotes.a{i}]\nat = \"ssh://a{i}\"\n" for i in range(n // 3)), "one remote": lambda n: "[remotes.a]\n" * n,
    "pools": lambda n: "[pools]\n" + "".join(f"a{i} = [\"ssh://a{i}\"]\n" for i in range(n)), "members of a pool": lambda n: "[pools]\na = [" + ",".join(f"\"ssh://a{i}\"" for i in range(n)) + "]",
    "pools of pools": lambda n: "[pools]\n" + "".join(f"a{i} = [\"a{i + 1}\"]\n" for i in range(n // 10)), "architectures": lambda n: "arch = [" + "\"sm_90a\"," * n + "]", "bad architectures": lambda n: "arch = [" + "\"sm_1\"," * n + "]",
    "a long key": lambda n: "a" * 100 * n + " = 1", "a long text": lambda n: "arch = \"" + "a" * 100 * n + "\"", "a long number": lambda n: "[limits]\nsteps = " + "9" * 10 * n, "escapes": lambda n: "arch = \"" + "\\u0041" * n + "\"",
    "open text": lambda n: "arch = \"\"\"" + "a" * 100 * n, "comments": lambda n: "#a\n" * 10 * n, "quoted keys": lambda n: "\"a\"." * n + "a = 1", "signs": lambda n: "a = " + "-" * n + "1", "zeros": lambda n: "\0" * n,
    "huge steps": lambda n: "[limits]\nsteps = 9223372036854775807\nmemory_mb = 9223372036854775807\ndepth = 2147483647", "huge depth": lambda n: "[limits]\ndepth = 4294967295", "negative": lambda n: "[limits]\nsteps = -1\nmemory_mb = -1\ndepth = -1",
}


def settings():
    script = "def f(n):\n    return f(n + 1)\nf(0)\nx = [1]\nwhile True:\n    x += x\n" + HONEST
    for name, make in SETTINGS.items():
        bomb = Bomb(f"settings: {name}", script if name.startswith("huge") else HONEST, files=lambda make=make: {"tilewright.toml": make(MANY) + "\n"})
        bomb.times = 4 if name == "huge steps" else 1  # a repository may raise limits to four times the defaults
        yield bomb


def harmless():
    """What takes little, often: no limit meets it."""
    yield Bomb("900000 calls of a function", "def f(i):\n    j = i + 1\n    return j\nfor i in range(900000):\n    f(i)\n" + HONEST, "no TW2009")
    yield Bomb("300000 calls of a lambda", "f = lambda i: i + 1\nfor i in range(300000):\n    f(i)\n" + HONEST, "no TW2009")
    yield Bomb("300000 comprehensions", "for i in range(300000):\n    [j for j in (1, 2)]\n" + HONEST, "no TW2009")


def instructions():
    """The instruction table of 0.27: long texts, many operands, many calls, forms without end."""
    table = "# tilewright: dialect 0.27\n"
    yield Bomb("instruction: a text of a million words", table + kernel("T.ptx['ld' + '.global' * 1000000](A, n)"), "letters")
    yield Bomb("instruction: a word of a million letters", lambda: table + kernel(f"T.ptx.ld.{'g' * 1_000_000}(A, n)"))
    yield Bomb("instruction: many operands", table + kernel("T.ptx.mov.b32(*([n] * 1000000))"))
    yield Bomb("instruction: many calls with many operands", table + kernel("m()", before="def m():\n    while True:\n        T.ptx.mma.sync(*([1] * 1000))\n"))
    yield Bomb("instruction: a printed form of a million words", table + kernel("T.ptx.ld(n, *([''] * 1000000))"))
    yield Bomb("instruction: chains in a loop", table + "from tvm.script import tirx as T\nx = []\nwhile True:\n    x.append(T.ptx.cp.async_.bulk.tensor)\n")
    yield Bomb("instruction: an offset in an offset", table + kernel("p(A)", before="def p(A):\n    x = A.ptr_to([0])\n    while True:\n        x = T.ptx.addr(x, 4)\n"))


def bombs():
    return list(itertools.chain(instructions(), calls_itself(), grows(), takes_much(), chains(), texts(), kernels(), modules(), settings(), harmless()))


# ---- deep values ------------------------------------------------------------------------------------------------------
C = "class C:\n    def __init__(self, x):\n        self.x = x\n"
DATA = "from dataclasses import dataclass\n"
# (what is defined, the first, the next of `x`)
KINDS = {
    "list": ("", "[]", "[x]"), "list of two": ("", "[]", "[x, x]"), "list with others": ("", "[]", "[1, 'a', x, None]"), "tuple": ("", "()", "(x,)"), "pair": ("", "1", "(1, x)"), "tuple of two": ("", "()", "(x, x)"),
    "dict": ("", "{}", "{0: x}"), "dict of two": ("", "{}", "{'a': x, 'b': x}"), "key": ("", "1", "{(1, x) if i % 2 else 'a': x}"), "frozenset": ("", "frozenset()", "frozenset((x,))"), "set in a tuple": ("", "1", "({1}, x)"),
    "dataclass": (DATA + "@dataclass\nclass C:\n    x: object\n", "C(1)", "C(x)"), "frozen dataclass": (DATA + "@dataclass(frozen=True)\nclass C:\n    x: object\n", "C(1)", "C(x)"),
    "ordered dataclass": (DATA + "@dataclass(order=True)\nclass C:\n    x: object\n", "C(1)", "C(x)"), "dataclass of two": (DATA + "@dataclass\nclass C:\n    x: object\n    y: object\n", "1", "C(x, x)"),
    "namedtuple": ("import collections\nC = collections.namedtuple('C', 'x')\n", "1", "C(x)"), "NamedTuple": ("import typing\nclass C(typing.NamedTuple):\n    x: object\n", "1", "C(x)"), "instance": (C, "C(1)", "C(x)"),
    "instance with __eq__": (C + "    def __eq__(self, o):\n        return self.x == o.x\n", "C(1)", "C(x)"), "instance with __hash__": (C + "    def __hash__(self):\n        return hash(self.x)\n", "C(1)", "C(x)"),
    "instance with __repr__": (C + "    def __repr__(self):\n        return f'C({self.x!r})'\n", "C(1)", "C(x)"), "instance with __str__": (C + "    def __str__(self):\n        return 'C' + str(self.x)\n", "C(1)", "C(x)"),
    "instance with __format__": (C + "    def __format__(self, s):\n        return format(self.x, s)\n", "C(1)", "C(x)"), "instance with __lt__": (C + "    def __lt__(self, o):\n        return self.x < o.x\n", "C(1)", "C(x)"),
    "instance with __iter__": (C + "    def __iter__(self):\n        return iter(self.x)\n", "[1]", "C(x)"), "instance with __len__": (C + "    def __len__(self):\n        return len(self.x)\n", "[1]", "C(x)"),
    "instance with __contains__": (C + "    def __contains__(self, y):\n        return y in self.x\n", "[1]", "C(x)"), "instance with __getitem__": (C + "    def __getitem__(self, i):\n        return self.x[i]\n", "[1]", "C(x)"),
    "instance with __getattr__": (C + "    def __getattr__(self, n):\n        return getattr(self.x, n)\n", "1", "C(x)"), "instance with __call__": (C + "    def __call__(self):\n        return self.x()\n", "print", "C(x)"),
    "instance with __bool__": (C + "    def __bool__(self):\n        return bool(self.x)\n", "1", "C(x)"), "instance with __deepcopy__": (C + "    def __deepcopy__(self, m):\n        return C(copy.deepcopy(self.x, m))\n", "1", "C(x)"),
    "instance with a property": (C + "    @property\n    def y(self):\n        return self.x.y\n", "1", "C(x)"), "slots": ("class C:\n    __slots__ = ('x',)\n    def __init__(self, x):\n        self.x = x\n", "1", "C(x)"),
    "SimpleNamespace": ("import types\n", "1", "types.SimpleNamespace(x=x)"), "partial": ("import functools\n", "print", "functools.partial(x)"), "bound method": (C + "    def f(self):\n        return self.x\n", "1", "C(x).f"),
    "lambda": ("", "1", "(lambda y: lambda: y)(x)"), "default of a lambda": ("", "1", "lambda y=x: y"), "closure": ("def make(y):\n    def f():\n        return y\n    return f\n", "1", "make(x)"),
    "default": ("def make(y):\n    def f(z=y):\n        return z\n    return f\n", "1", "make(x)"), "attribute of a function": ("def make(y):\n    def f():\n        pass\n    f.x = y\n    return f\n", "1", "make(x)"),
    "class with an attribute": ("", "1", "type('C', (), {'x': x})"), "iterator": ("", "iter([1])", "iter([x])"), "zip": ("", "[1]", "zip([x])"), "enumerate": ("", "[1]", "enumerate([x])"), "generator": ("", "[1]", "(y for y in [x])"),
    "map": ("", "[1]", "map(id, [x])"), "slice": ("", "1", "slice(x)"), "exception": ("", "1", "ValueError(x)"), "defaultdict": ("import collections\n", "1", "collections.defaultdict(list, {0: x})"), "deque": ("import collections\n", "1", "collections.deque([x])"),
    "OrderedDict": ("import collections\n", "1", "collections.OrderedDict([(0, x)])"), "staticmethod": ("", "print", "staticmethod(x)"), "property": ("", "1", "property(x)"), "list class": ("class L(list):\n    pass\n", "[]", "L([x])"), "dict class": ("class D(dict):\n    pass\n", "{}", "D(a=x)"),
    "annotation": (T, "T.int32", "T.let[x]"), "meta variable": (T, "1", "T.meta_var(x)"), "meta class": (T + "@T.meta_class\nclass C:\n    def __init__(self, x):\n        self.x = x\n", "1", "C(x)"), "proxy": ("import types\n", "{}", "types.MappingProxyType({0: x})"),
    "items of a dict": ("", "1", "{0: x}.items()"), "product": ("import itertools\n", "1", "itertools.product([x], [1])"), "chain": ("import itertools\n", "[1]", "itertools.chain([x])"),
}
OPERATIONS = {
    "==": "z = x == y\nz = x != y\n", "hash": "z = hash(x)\nd = {x: 1}\nz = d[y]\n", "repr": "z = repr(x)\n", "str": "z = str(x)\nprint(x)\n", "in": "z = x in [y]\nz = y in (1, x)\n", "order": "z = sorted([x, y])\nz = min(x, y)\nz = x < y\n",
    "deepcopy": "import copy\nz = copy.deepcopy(x)\nz = copy.copy(x)\n", "iteration": "z = len(x)\nz = list(x)\nfor z in x:\n    pass\n", "kernel": kernel("f(A, x)", "A[0] = len(x)", before="@T.inline\ndef f(A, y):\n    A[1] = 2\n"),
    "kernel prints": kernel("print(x)", "m = T.meta_var(x)", "A[0] = n", "T.cuda.printf(f'{x}')"), "f-string": "z = f'{x}'\nz = f'{x!r:>10}'\nz = '%s' % (x,)\nz = '{}'.format(x)\n", "index": "z = x[0]\nz = x.x\nz = x()\n",
    "descent": "z = x\nfor i in range(400000):\n    z = z[0]\n", "attribute and drop": "class E: pass\ne = E()\ne.x = x\nE.x = x\nE.y = y\ndel e.x\nx = None\ny = None\ndel x\n", "truth and call": "z = not x\nz = bool(x)\nz = x()\n",
}


def deep(depth=DEPTH):
    for kind, (define, first, following) in KINDS.items():
        build = f"import copy\n{define}def build():\n    x = {first}\n    for i in range({depth}):\n        x = {following}\n    return x\nx = build()\ny = build()\n"
        for operation, text in OPERATIONS.items():
            yield Bomb(f"deep {kind}: {operation}", build + text)


# ---- running them -------------------------------------------------------------------------------------------------------
SECONDS, MEGABYTES, ADDRESSES = 10.0, 512, 1500 << 20
RESTING = 32  # megabytes of a server that has done nothing yet
PATIENCE = int(os.environ.get("TILEWRIGHT_BOMB_PATIENCE", "60"))  # seconds of a clock that others slow down; processor time is what counts


def write(folder, bomb):
    for name, text in {**bomb.files, "script.py": bomb.script}.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as f:
            f.write(text)
    return os.path.join(folder, "script.py")


def check(binary, path, env=None, arguments=("check", "--json"), most=MEGABYTES):
    """Runs the binary once. Returns (what is wrong, seconds, megabytes, output)."""
    import resource
    import subprocess
    import tempfile
    import threading

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen([binary, *arguments, path], stdout=out, stderr=subprocess.STDOUT, env=env, preexec_fn=limit)
        timer = threading.Timer(PATIENCE, process.kill)
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read().decode(errors="replace")
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    wrong = []
    if process.returncode < 0:
        wrong.append(f"ended by signal {-process.returncode}")
    elif process.returncode not in (0, 1, 2) or "internal failure" in said:
        wrong.append(f"status {process.returncode}: {said[-200:]!r}")
    if seconds > SECONDS:
        wrong.append(f"{seconds:.1f} s")
    if megabytes > most:
        wrong.append(f"{megabytes:.0f} MB")
    return wrong, seconds, megabytes, said


class Server:
    """A language server that gets a bomb after the other, and an honest text after each."""
    FEATURES = ("documentSymbol", "semanticTokens/full", "foldingRange", "codeLens", "documentLink")

    def __init__(self, binary, env=None):
        import resource
        self.binary, self.env = binary, env
        self.client = None
        self.version = 0
        # Addresses are no memory: each thread, of which there are as many as processors, has 64 MB of them for its stack.
        most = 2 * ADDRESSES + (os.cpu_count() or 1) * (128 << 20)
        self.limit = lambda pid: resource.prlimit(pid, resource.RLIMIT_AS, (most, most))

    def start(self):
        from support.language_server import Client
        self.client = Client(self.binary, environment=self.env)
        self.limit(self.client.process.pid)
        self.client.initialize({"textDocument": {"publishDiagnostics": {"versionSupport": True}}})

    def used(self):
        pid = self.client.process.pid
        with open(f"/proc/{pid}/stat") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        with open(f"/proc/{pid}/status") as f:
            peak = next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1024
        return seconds, peak

    def rest(self):
        """Waits until what the last one left is given back, for at most 3 s. Returns the seconds used until then."""
        import time
        used = self.used()[0]
        for _ in range(15):
            time.sleep(0.2)
            before, used = used, self.used()[0]
            if used - before < 0.02:
                break
        return used

    def diagnosed(self, uri, version):
        self.client.wait_for(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri and
                             m["params"].get("version") == version, PATIENCE)

    def change(self, uri, version, text):
        self.client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]})

    def look(self, path, bomb):
        """Opens the bomb, asks of it, and changes it to the honest text. Returns (what is wrong, seconds, megabytes)."""
        import time
        from support.jsonrpc import Closed
        wrong, uri, script = [], "file://" + path, bomb.script
        if not self.client:
            self.start()
        before = self.rest()
        with open(f"/proc/{self.client.process.pid}/clear_refs", "w") as f:
            f.write("5")
        left = max(0, self.used()[1] - RESTING)  # by those before
        if left > MEGABYTES / 2:
            wrong.append(f"{left:.0f} MB are left by those before")
        try:
            c = self.client
            c.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "python", "version": 1, "text": script}})
            ids = [c.ask(f"textDocument/{feature}", {"textDocument": {"uri": uri}}) for feature in self.FEATURES]
            line = script.count("\n", 0, 200_000) // 2
            at = {"textDocument": {"uri": uri}, "position": {"line": line, "character": 5}}
            ids += [c.ask(f"textDocument/{feature}", at) for feature in ("hover", "completion", "definition", "documentHighlight")]
            ids.append(c.ask("textDocument/selectionRange", {"textDocument": {"uri": uri}, "positions": [at["position"]]}))
            ids.append(c.ask("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 10**6, "character": 0}}}))
            self.diagnosed(uri, 1)
            for i in ids:
                c.answer(i, PATIENCE)
            after, peak = self.used()
            peak -= left
            # Once when all is done with the bomb, once in the midst of it.
            for version, pause in ((2, 0), (4, 0.3)):
                if pause:
                    self.change(uri, version - 1, script)
                    time.sleep(pause)
                began, used = time.monotonic(), self.used()[0]
                self.change(uri, version, HONEST)
                self.diagnosed(uri, version)
                wall, cpu = time.monotonic() - began, self.used()[0] - used
                if wall > 10 or (wall > 1 and cpu > 1):
                    wrong.append(f"the fixed text took {wall:.1f} s ({cpu:.1f} s of a processor){' beside it' if pause else ''}")
            peak_then = self.used()[1] - left
            c.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
            seconds, megabytes = after - before, peak
            if peak_then > 1.5 * bomb.times * MEGABYTES:  # two versions of the document may be held for a moment
                wrong.append(f"{peak_then:.0f} MB beside it")
            if seconds > SECONDS:
                wrong.append(f"{seconds:.1f} s")
            if megabytes > bomb.times * MEGABYTES:
                wrong.append(f"{megabytes:.0f} MB")
            if wrong:
                self.stop()
            return wrong, seconds, megabytes
        except (TimeoutError, Closed, OSError) as error:
            code = self.client.process.poll()
            self.stop()
            return [f"{type(error).__name__}, the server {'ended with ' + str(code) if code is not None else 'is alive'}"], 0.0, 0.0

    def stop(self):
        if self.client:
            self.client.process.kill()
            self.client.process.wait()
            self.client = None


def attempt(binary, bomb, server, ways, env=None):
    """What is wrong with how the binary takes it: a list of words; seconds and megabytes."""
    import tempfile
    wrong, most, peak = [], 0.0, 0.0
    with tempfile.TemporaryDirectory(prefix="tilewright-bomb-") as folder:
        path = write(folder, bomb)
        if "check" in ways:
            bad, most, peak, said = check(binary, path, env, most=bomb.times * MEGABYTES)
            wanted, code = not bomb.finding.startswith("no "), bomb.finding.removeprefix("no ")
            if not bad and code and (code in said) != wanted:
                bad.append(f"{'no ' if wanted else ''}{code}")
            wrong += [f"check: {word}" for word in bad]
        if "lsp" in ways:
            bad, seconds, megabytes = server.look(path, bomb)
            most, peak = max(most, seconds), max(peak, megabytes)
            wrong += [f"lsp: {word}" for word in bad]
    return wrong, most, peak


def main():
    tests = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    sys.path.insert(0, tests)
    flags = [a for a in sys.argv[2:] if a.startswith("--")]
    words = [a for a in sys.argv[2:] if not a.startswith("--")]
    every = next((int(f.split("=")[1]) for f in flags if f.startswith("--every=")), 1)
    first, parts = next((map(int, f.split("=")[1].split("/")) for f in flags if f.startswith("--part=")), (0, 1))
    ways = [w for w in ("check", "lsp") if "--" + w in flags] or ["check", "lsp"]
    chosen = [] if "--deep" in flags else bombs()
    chosen += [] if "--shallow" in flags else list(deep())
    chosen = [b for b in chosen if all(w in b.name for w in words)][::every][first::parts]
    server, bad = Server(sys.argv[1]), 0
    for bomb in chosen:
        wrong, seconds, megabytes = attempt(sys.argv[1], bomb, server, ways)
        bad += bool(wrong)
        if wrong or "--verbose" in flags:
            print(f"{bomb.name}: {seconds:.1f} s, {megabytes:.0f} MB{'; WRONG: ' if wrong else ''}{'; '.join(wrong)}", flush=True)
    server.stop()
    print(f"{len(chosen)} bombs by {' and '.join(ways)}, {bad} got through")
    sys.exit(1 if bad or not chosen else 0)


if __name__ == "__main__":
    main()
