# What is not followed to its end: whatever it may have changed is not known afterwards, by any of its names.
#--- a function that fails on its way
from tvm.script import tirx as T

count = 1
rows = [1]
class Plan:
    pass
plan = Plan()
plan.n = 1

def prepare(p):
    global count
    huge = 10 ** 60
    count = 2
    rows.append(3)
    p.n = 5
    return huge

size = prepare(plan)

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = count
#          ^^^^^ error[TW2007]: the stored value is not known here: it comes from a statement that failed: the integer grows too large
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = len(rows)
#          ^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a statement that failed: the integer grows too large
#   hint: give the value in the script, or name an entry with known arguments
    A[2] = plan.n
#          ^^^^^^ error[TW2007]: the stored value is not known here: it comes from a statement that failed: the integer grows too large
#   hint: give the value in the script, or name an entry with known arguments

#--- an operator that fails on its way
from tvm.script import tirx as T

class Meter:
    def __init__(self):
        self.n = 1
    def __add__(self, other):
        huge = 10 ** 60
        self.n = other
        return self

meter = Meter()
total = meter + 3

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = meter.n
#          ^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a statement that failed: the integer grows too large
#   hint: give the value in the script, or name an entry with known arguments

#--- a way that returns where it cannot be followed
import torch
from tvm.script import tirx as T

count = 1

def choose():
    global count
    if torch.cuda.is_available():
        huge = 10 ** 60
        return huge
    count = 5
    return 2

choose()

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = count
#          ^^^^^ error[TW2007]: the stored value is not known here: it comes from a statement that failed: the integer grows too large
#   hint: give the value in the script, or name an entry with known arguments

#--- in a try, and a return that may not be reached
from tvm.script import tirx as T

def pick():
    try:
        huge = 10 ** 60
        return 1
    except ValueError:
        pass
    return 2

chosen = pick()

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = chosen
#          ^^^^^^ error[TW2007]: the stored value is not known here: it comes from a statement that failed: the integer grows too large
#   hint: give the value in the script, or name an entry with known arguments

#--- one of two ways, left through a context manager
import torch
from tvm.script import tirx as T

class Loud:
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        return None

FLAG = torch.cuda.is_available()
chosen = 4
with Loud():
    if FLAG:
        chosen = 1
    else:
        huge = 10 ** 60
        chosen = 2

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = chosen
#          ^^^^^^ error[TW2007]: the stored value is not known here: it depends on `FLAG` at main.py:13, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments

#--- what is suppressed, if it is raised
import contextlib
from tvm.script import tirx as T

chosen = 1
with contextlib.suppress(ValueError):
    huge = 10 ** 60
    chosen = 2

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = chosen
#          ^^^^^^ error[TW2007]: the stored value is not known here: it comes from a statement that failed: the integer grows too large
#   hint: give the value in the script, or name an entry with known arguments

#--- a method of Python that is not followed is not a missing one
from tvm.script import tirx as T

text = "abc"
try:
    wide = len(text.encode().hex())
except AttributeError:
    wide = 1
plain = hasattr(text, "isprintable")
missing = hasattr(text, "shout")

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = wide
#          ^^^^ error[TW2007]: the stored value is not known here: it depends on `len(text.encode().hex())` at main.py:5, which comes from a call that may raise
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = int(plain)
    A[2] = int(missing)

#--- views of a dict that changes
from tvm.script import tirx as T

sizes = {"a": 1, "b": 2}
keys, values = sizes.keys(), sizes.values()
first = len(keys)
sizes["c"] = 3
pairs = sizes.items()
third = len(pairs)

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = first
    A[1] = third
    A[2] = len(keys)
#          ^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a view of a dict that has changed since it was made
#   hint: give the value in the script, or name an entry with known arguments
    A[3] = sum(values)
#          ^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it comes from a view of a dict that has changed since it was made
#   hint: give the value in the script, or name an entry with known arguments

#--- a dict that changes while it is gone through
from tvm.script import tirx as T

sizes = {"a": 1, "b": 2}
grown = 0
try:
    for name in sizes:
        sizes[name + "2"] = 1
except RuntimeError:
    grown = len(sizes)
kept = 0
for name in list(sizes):
    del sizes[name]
    kept += 1

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[grown] = kept

#--- a local name before its value
from tvm.script import tirx as T

rows = 4

def wider():
    n = rows * 2
#       ^^^^ error[TW2002]: 'rows' is a name of this function, which binds it, and has no value here
#   hint: a name that a function binds is its own: write global or nonlocal, or take another name
#   from: wider()
    rows = n
    return rows

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = wider()
