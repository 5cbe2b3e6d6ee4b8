"""A package that is not evaluated decides nothing in silence: what its code may have changed is unknown to a kernel that needs it. Each
attack hides a change of N, the threads of a kernel, in such code; its twin does not, and has the plan that Python would make."""
import json

from attack import attack, main

KERNEL = """
@T.prim_func
def k(A: T.Buffer((64,), 'int32')):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([{}])
    A[0] = 1
"""
HEADER = """import os
import torch
import hidden
from tvm.script import tirx as T
class Config:
    def __init__(self, n):
        self.n = n
    def grow(self):
        self.n += 32
"""


def compiled(t, before, threads):
    done = t.run("compile", "--json", t.write("script.py", HEADER + before + KERNEL.format(threads)))
    (kernel,) = json.loads(done.stdout)["kernels"]
    return kernel["failed"], kernel["launch"] and kernel["launch"]["block"][0], done.stdout.decode()


def hides(name, before, threads):
    """The number of threads may have been changed: an error, not a plan."""
    @attack(f"no plan: {name}")
    def _(t):
        failed, given, said = compiled(t, before, threads)
        t.holds(failed and "not known here" in said, f"a plan with {given} threads: {said[:600]}")


def shows(name, before, threads, expected):
    @attack(f"the plan of Python: {name}")
    def _(t):
        failed, given, said = compiled(t, before, threads)
        t.holds(not failed and given == expected, f"{given} threads, not {expected}: {said[:600]}")


hides("a list that is given away", "L = [32]\nhidden.f(L)\n", "L[0]")
hides("a dict that is given away by keyword", "D = {'n': 32}\nhidden.f(x=D)\n", "D['n']")
hides("an instance that is given away", "c = Config(32)\nhidden.f(c)\n", "c.n")
hides("an instance in a list in a tuple", "c = Config(32)\nhidden.f(([c], 1))\n", "c.n")
hides("another name of what is given away", "L = [32]\nM = L\nhidden.f(L)\n", "M[0]")
hides("a method that is given away", "c = Config(32)\nhidden.call(c.grow)\n", "c.n")
hides("arguments after a star", "c = Config(32)\nL = [c]\nhidden.f(*L)\n", "c.n")
hides("a known function with arguments that are not known", "c = Config(32)\ndef f(c, n): c.n = n\nf(c, *hidden.args)\n", "c.n")
hides("an object that an unknown one keeps", "c = Config(32)\nhidden.registry.config = c\nhidden.registry.update()\n", "c.n")
hides("one of two lists", "L, M = [1], [1]\n(L if torch.cuda.is_available() else M).append(1)\n", "32 * len(M)")
hides("an element at an unknown index", "a, b = Config(32), Config(32)\n[a, b][torch.cuda.device_count()].grow()\n", "a.n")
hides("the best by an unknown measure", "a, b = Config(32), Config(64)\nmax([a, b], key=hidden.time).n = 96\n", "a.n")
hides("each of several by one name",
      "a, b = Config(32), Config(32)\nfor c in hidden.choose([a, b]):\n    c.n = 64\n", "b.n")
hides("what is added in place to one of two",
      "L, M = [1], [1]\nP = L if os.environ.get('X') else M\nP += [2]\n", "32 * len(L)")
hides("a name of setattr", "c = Config(32)\nsetattr(c, hidden.name, 64)\n", "c.n")
hides("the names of an object from a command line",
      "import argparse\nc = Config(32)\nc.__dict__.update(vars(argparse.ArgumentParser().parse_args()))\n", "c.n")
hides("a random order", "import random\nL = [32, 64]\nrandom.shuffle(L)\n", "L[0]")
hides("half of a body that may end early",
      "c = Config(32)\ntry:\n    hidden.f()\n    c.n = 64\nexcept ValueError:\n    pass\n", "c.n")
hides("a variable of the environment that is not set",
      "c = Config(32)\ntry:\n    os.environ['X']\n    c.n = 64\nexcept KeyError:\n    pass\n", "c.n")
hides("attributes that a method gives", "class C:\n    n = 32\n    def __getattribute__(self, name): return 64\n", "C().n")
hides("names that exec binds", "D = {'n': 32}\nexec('n = 64', D)\n", "D['n']")
hides("a block that may end an exception", "class W:\n    def __enter__(self): return self\n    def __exit__(self, kind, *a):\n"
      "        c.n = 32 if kind is None else 64\n        return torch.cuda.is_available()\nc = Config(32)\n"
      "with W():\n    hidden.f()\n", "c.n")
hides("a metaclass", "class M(type):\n    made = [32]\n    def __init__(cls, *a):\n        M.made[0] = 64\n"
      "class C(metaclass=M):\n    pass\n", "M.made[0]")

shows("numbers, text and tuples that are given away", "n, t = 32, (64, 'x')\nhidden.f(n, t)\n", "n + t[0]", 96)
shows("a function of several types", "import functools\n@functools.singledispatch\ndef f(v): return 32\n@f.register(int)\n"
      "def _(v): return 64\n", "f(1)", 64)
shows("what packages only read", "L, c = [32], Config(64)\ntorch.zeros(L)\nprint(L, c)\n", "L[0] + c.n", 96)
shows("what is logged", "c = Config(32)\nhidden.logger(__name__).info('%s', c)\n", "c.n", 32)
shows("a property without a setter", "class C:\n    n = property(lambda self: 32)\nc = C()\ntry:\n    c.n = 64\n    N = 64\n"
      "except AttributeError:\n    N = 96\n", "N", 96)
shows("the cause of an exception", "try:\n    raise KeyError(1) from ValueError('a' * 32)\nexcept KeyError as e:\n"
      "    N = len(str(e.__cause__))\n", "N", 32)
shows("a copy is given away", "L = [32]\nhidden.f(list(L))\n", "L[0]", 32)
shows("what is read through an unknown value", "a, b = Config(32), Config(64)\nc = a if torch.cuda.is_available() else b\nx = c.n\n",
      "a.n", 32)
shows("a descriptor", "class D:\n    def __set__(self, o, v): o.__dict__['_n'] = 2 * v\n"
      "    def __get__(self, o, t=None): return o._n\nclass C:\n    n = D()\nc = C()\nc.n = 16\n", "c.n", 32)
shows("an object made by __new__", "class One:\n    it = None\n    def __new__(cls):\n        if cls.it is None:\n"
      "            cls.it = object.__new__(cls)\n            cls.it.n = 32\n        return cls.it\nOne().n = 96\n", "One().n", 96)
shows("subclasses that their base counts", "class B:\n    n = 0\n    def __init_subclass__(cls, add, **k):\n        B.n += add\n"
      "class C(B, add=32):\n    pass\nclass D(B, add=64):\n    pass\n", "B.n", 96)
shows("a block that is left early", "class W:\n    def __enter__(self): return self\n    def __exit__(self, *a): c.n = 96\n"
      "c = Config(32)\ndef f():\n    with W():\n        return 1\nf()\n", "c.n", 96)
shows("an exception that a block ends", "class W:\n    def __enter__(self): return self\n    def __exit__(self, kind, *a):\n"
      "        return kind is KeyError\nc = Config(32)\nwith W():\n    {}['x']\n    c.n = 64\n", "c.n", 32)
shows("names in the dict of an object", "c = Config(32)\nc.__dict__.update(n=64)\nvars(c)['m'] = 32\n", "c.n + c.m", 96)
shows("a generator", "c = Config(32)\ndef g():\n    c.n = 64\n    yield 1\nfor x in g():\n    pass\n", "c.n", 64)
shows("a generator's name of the module", "n = 32\ndef g():\n    global n\n    n = 64\n    yield 1\nlist(g())\n", "n", 64)
shows("a generator that is not run", "c = Config(32)\ndef g():\n    c.n = 64\n    yield 1\ng()\n", "c.n", 32)
hides("a generator that unknown code may run", "c = Config(32)\ndef g():\n    c.n = 64\n    yield 1\nhidden.f(g())\n", "c.n")
shows("a generator that a block runs",
      "import contextlib\nD = {'n': 32}\n@contextlib.contextmanager\ndef having(**more):\n    D.update(more)\n    yield\n"
      "with having(n=64):\n    N = D['n']\n", "N", 64)
shows("methods of a class derived from dict", "class D(dict):\n    def __setitem__(self, k, v):\n"
      "        super().__setitem__(k, 2 * v)\nd = D()\nd['n'] = 32\n", "d['n']", 64)

if __name__ == "__main__":
    main()
