# Names that are not known: which attribute, which name of a module, which function a call replaces. Each that may be meant
# is unknown afterwards, what cannot be meant stays known.
#--- an attribute of a class
import os
from tvm.script import tirx as T

class Base:
    rows = 1

class Sizes(Base):
    columns = 2

    def total(self):
        return 3

class Other(Base):
    columns = 4

setattr(Sizes, os.environ["NAME"], 7)

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = Sizes.columns
#          ^^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from os.environ["NAME"]
#   hint: scripts are evaluated without an environment: write the value in the script, or make it a parameter and give it in an entry: # tilewright: entry f(value)
    A[1] = Sizes().rows
#          ^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a class with an unknown base
#   hint: give the value in the script, or name an entry with known arguments
    A[2] = Sizes().total()
#          ^^^^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a class with an unknown base
#   hint: give the value in the script, or name an entry with known arguments
    A[3] = getattr(Sizes, "depth", 9)
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a class with an unknown base
#   hint: give the value in the script, or name an entry with known arguments
    A[4] = Other.columns
    A[5] = Base.rows

#--- an attribute of a function, of an instance by object.__setattr__
import os
from tvm.script import tirx as T

def f():
    return 1

class Sizes:
    def __init__(self):
        self.rows = 1

f.rows = 1
setattr(f, os.environ["NAME"], 7)
sizes = Sizes()
object.__setattr__(sizes, os.environ["NAME"], 7)

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = f.rows
#          ^^^^^^ error[TW2007]: the stored value is not known here: it comes from os.environ["NAME"]
#   hint: scripts are evaluated without an environment: write the value in the script, or make it a parameter and give it in an entry: # tilewright: entry f(value)
    A[1] = sizes.rows
#          ^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from os.environ["NAME"]
#   hint: scripts are evaluated without an environment: write the value in the script, or make it a parameter and give it in an entry: # tilewright: entry f(value)
    A[2] = f()

#--- an attribute that is deleted from a class  [print]
from tvm.script import tirx as T

class Base:
    rows = 1
    columns = 1

class Sizes(Base):
    rows = 2
    columns = 2

del Sizes.rows
delattr(Sizes, "columns")

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = Sizes.rows
    A[1] = Sizes.columns
#| @T.prim_func
#| def k(A: T.Buffer((64,), "int32")):
#|     T.attr({"tirx.device_entry": T.bool(True)})
#|     v = T.cta_id([1])
#|     v_1 = T.thread_id([32])
#|     A[0] = 1
#|     A[1] = 1

#--- a name of the module that runs
import os, sys
from tvm.script import tirx as T

rows = 1
setattr(sys.modules[__name__], os.environ["NAME"], 7)
columns = 2

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = rows
#          ^^^^ error[TW2007]: the stored value is not known here: it comes from sys.modules
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = columns

#--- code that is not known
import os
from tvm.script import tirx as T

rows = 1
exec(os.environ["CODE"])
columns = 2

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = rows
#          ^^^^ error[TW2007]: the stored value is not known here: it comes from exec()
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = columns

#--- a dict that is not known, into the names of the module
import torch
from tvm.script import tirx as T

rows = 1
globals().update(torch.load("names.pt"))
columns = 2

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = rows
#          ^^^^ error[TW2007]: the stored value is not known here: it comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = columns

#--- a function of a module of Python, and one of Python itself
import builtins, math
from tvm.script import tirx as T

math.ceil = lambda x: 7
builtins.max = lambda *values: 7

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = math.ceil(1.5)
#          ^^^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from math.ceil, which the script sets
#   hint: write T.ceil of a run-time value; of one that is known now add: import math
    A[1] = max(1, 2)
#          ^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a name that the script sets in builtins
#   hint: give the value in the script, or name an entry with known arguments
    A[2] = math.floor(1.5)

#--- a place in a sorted list
import bisect, os
from tvm.script import tirx as T

sizes = [1, 3, 5]
bisect.insort(sizes, int(os.environ["SIZE"]))

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = sizes[0]
#          ^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from os.environ["SIZE"]
#   hint: scripts are evaluated without an environment: write the value in the script, or make it a parameter and give it in an entry: # tilewright: entry f(value)

#--- methods that a base or a function calls which is not known
import torch
from somewhere import run
from tvm.script import tirx as T

seen, other, kept = [], [], [1]

class Model(torch.nn.Module):
    def forward(self, x):
        seen.append(x)

class Job:
    def work(self):
        other.append(1)

Model()(1)
run(Job())

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = len(seen)
#          ^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a class with an unknown base
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = len(other)
#          ^^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `run(Job())` at main.py:16, which comes from the module 'somewhere'
#   hint: give the value in the script, or name an entry with known arguments
    A[2] = len(kept)

#--- an attribute or a name that may be missing
import sys, torch
from tvm.script import tirx as T

class Sizes:
    depth = 1

sizes = Sizes()
sizes.columns = 2
if torch.cuda.is_available():
    sizes.rows = 1
    extra = 1

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = 1 if hasattr(sizes, "rows") else 2
#          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `torch.cuda.is_available()` at main.py:9, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = 1 if hasattr(sizes, "columns") else 2

has = [1 if "rows" in dir(sizes) else 2, 1 if "extra" in globals() else 2, 1 if "sizes" in globals() else 2]

@T.prim_func
def l(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = has[0]
#          ^^^^^^ error[TW2007]: the stored value is not known here: it depends on `torch.cuda.is_available()` at main.py:9, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = has[1]
#          ^^^^^^ error[TW2007]: the stored value is not known here: it depends on `torch.cuda.is_available()` at main.py:9, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[2] = has[2]

#--- a number that a text may not be
import os
from tvm.script import tirx as T

size = os.environ.get("SIZE", "x")
try:
    value = int(size)
    rows = 1
except ValueError:
    rows = 2
try:
    text = str(size)
    columns = 1
except ValueError:
    columns = 2

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = rows
#          ^^^^ error[TW2007]: the stored value is not known here: it depends on `int(size)` at main.py:6, which comes from a call that may raise
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = columns

#--- the class of what is not known
import os
from tvm.script import tirx as T

size = 1 if os.environ.get("SIZE") == "1" else "a"
rows = 1 if type(size) is int else 2
columns = 1 if type(3) is int else 2

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = rows
#          ^^^^ error[TW2007]: the stored value is not known here: it depends on `os.environ.get("SIZE") == "1"` at main.py:4, which comes from os.environ["SIZE"]
#   hint: scripts are evaluated without an environment: write the value in the script, or make it a parameter and give it in an entry: # tilewright: entry f(value)
    A[1] = columns
#--- the order of a set of texts
from tvm.script import tirx as T

NAMES = {"alpha", "beta", "gamma"}
PLACES = {name: i for i, name in enumerate(NAMES)}

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = PLACES["beta"]
#          ^^^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from the order of a set of texts or objects, which differs from one Python process to the next
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = len(next(iter(NAMES)))
#          ^^^^^^^^^^^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from the order of a set of texts or objects, which differs from one Python process to the next
#   hint: give the value in the script, or name an entry with known arguments
    A[2] = len(NAMES)
    A[3] = len(sorted(NAMES)[0])
    A[4] = sum(len(name) for name in NAMES)
    A[5] = len(max(NAMES))
    A[6] = {3, 1, 2}.pop()
    A[7] = len({"only"}.pop())

LAST = {"a", "bc"}.pop()

@T.prim_func
def last(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = len(LAST)
#          ^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from the order of a set of texts or objects, which differs from one Python process to the next
#   hint: give the value in the script, or name an entry with known arguments
#--- kernels that depend on the order of a set of texts
from tvm.script import tirx as T

WIDTH = {"a": 1, "b": 2, "c": 3}
NAMES = {"a", "b", "c"}
first = list(NAMES)[0]
#            ^^^^^ error[TW2007]: what is made here depends on the order of a set of texts or objects, which differs from one Python process to the next
#   hint: walk over it in one order: sorted(...), or write a list or a tuple instead of the set
n = WIDTH[first]

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = n
#--- the one in the middle of three
from tvm.script import tirx as T

middle = [len(name) for name in {"a", "bb", "ccc"}][1]
#                               ^^^^^^^^^^^^^^^^^^ error[TW2007]: what is made here depends on the order of a set of texts or objects, which differs from one Python process to the next
#   hint: walk over it in one order: sorted(...), or write a list or a tuple instead of the set

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = middle
#--- ties, and the last one of a loop
from tvm.script import tirx as T

shortest = min({"ab", "cd"}, key=len)
#              ^^^^^^^^^^^^ error[TW2007]: what is made here depends on the order of a set of texts or objects, which differs from one Python process to the next
#   hint: walk over it in one order: sorted(...), or write a list or a tuple instead of the set
for last in {"x", "yz"}:
    pass
n = len(last) + (1 if shortest == "ab" else 2)

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = n
#--- kernels that do not depend on it
from tvm.script import tirx as T

SIZES = {"float16": 2, "float32": 4}
total = 0
for name in {"float16", "float32"}:
    total += SIZES[name]
widest = max({"float16", "float32"}, key=lambda name: SIZES[name])
made = {}

def make(name):
    @T.prim_func
    def k(A: T.Buffer((64,), name)):
        T.device_entry()
        T.cta_id([1])
        T.thread_id([32])
        A[0] = T.cast(total + len(sorted(made)), name)
    return k

both = {name: make(name) for name in {"float16", "float32"}}

@T.prim_func
def last(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = SIZES[widest]
