# What a function that is not known may have changed, and what is changed through values that are not known.
#--- arguments of a function that is not known
from dataclasses import dataclass
from mylib import tune
from tvm.script import tirx as T

sizes = [64]
table = {"rows": 64}
alias = sizes

class Config:
    def __init__(self):
        self.threads = 32

@dataclass(frozen=True)
class Fixed:
    threads: int = 32

config, fixed, number, pair = Config(), Fixed(), 3, (1, 2)
tune(sizes, config, fixed, number, pair, table=table)

@T.prim_func
def k(A: T.Buffer((alias[0],), "float32")):
#                 ^^^^^^^^^^^ error[TW2007]: the shape is not known here: it depends on `tune(sizes, config, fixed, number, pair, table=table)` at main.py:18, which comes from the module 'mylib'
#   hint: give the value in the script, or name an entry with known arguments
    T.device_entry()
    T.cta_id([table["rows"]])
#            ^^^^^^^^^^^^^^^ error[TW2007]: the extents of T.cta_id are not known here: it depends on `tune(sizes, config, fixed, number, pair, table=table)` at main.py:18, which comes from the module 'mylib'
#   hint: give the value in the script, or name an entry with known arguments
    T.thread_id([config.threads])
#               ^^^^^^^^^^^^^^^^ error[TW2007]: the extents of T.thread_id are not known here: it depends on `tune(sizes, config, fixed, number, pair, table=table)` at main.py:18, which comes from the module 'mylib'
#   hint: give the value in the script, or name an entry with known arguments
    A[0] = fixed.threads + number + pair[0]

#--- functions that only read
import json
import logging
import os

import numpy as np
import torch
from tvm.script import tirx as T

class Config:
    def __init__(self):
        self.threads = 32

config, sizes = Config(), [64, 32]
torch.zeros(sizes)
np.asarray(sizes)
json.dumps({"sizes": sizes})
logging.getLogger(__name__).info("%s %s", config, sizes)
os.path.join(*["a", "b"])
print(config, sizes)

@T.prim_func
def k(A: T.Buffer((sizes[0],), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([config.threads])
    A[0] = 1.0

#--- functions of those packages that change what they are given
import heapq
import random

import numpy as np
from tvm.script import tirx as T

order = [1, 2, 3]
random.shuffle(order)
other = [1, 2, 3]
np.random.default_rng().shuffle(other)

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = order[0]
#          ^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `random.shuffle(order)` at main.py:8, which comes from the module 'random'
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = other[0]
#          ^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `np.random.default_rng().shuffle(other)` at main.py:10, which comes from the module 'numpy'
#   hint: give the value in the script, or name an entry with known arguments

#--- one of two objects
import torch
from tvm.script import tirx as T

class Config:
    def __init__(self, threads):
        self.threads = threads

small, large, third = Config(32), Config(128), Config(64)
chosen = large if torch.cuda.is_available() else small
chosen.threads = 256
lists = [[1], [2]]
lists[torch.cuda.device_count() % 2].append(3)
first, second = lists

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([small.threads])
#               ^^^^^^^^^^^^^^^ error[TW2007]: the extents of T.thread_id are not known here: it depends on `torch.cuda.is_available()` at main.py:9, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[0] = large.threads
#          ^^^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `torch.cuda.is_available()` at main.py:9, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[1] = third.threads
    A[2] = len(first)
#          ^^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `lists[torch.cuda.device_count() % 2]` at main.py:12, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments
    A[3] = len(second)
#          ^^^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `lists[torch.cuda.device_count() % 2]` at main.py:12, which comes from the module 'torch'
#   hint: give the value in the script, or name an entry with known arguments

#--- what is only read through a value that is not known
import torch
from tvm.script import tirx as T

class Config:
    def __init__(self, threads):
        self.threads = threads

small, large = Config(32), Config(128)
chosen = large if torch.cuda.is_available() else small
threads = chosen.threads

@T.prim_func
def k(A: T.Buffer((64,), "float32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([small.threads])
    A[0] = large.threads

#--- a block that is left early
import torch
from tvm.script import tirx as T

FLAG = torch.cuda.is_available()

class Counting:
    def __init__(self):
        self.left = 0
    def __enter__(self):
        return self
    def __exit__(self, kind, value, trace):
        self.left += 1 if kind is None else 10
        return kind is ValueError

def leaves(counting):
    with counting:
        return 1

def raises(counting):
    with counting:
        raise ValueError("handled")
    return 2

def perhaps(counting):
    with counting:
        if FLAG:
            return 3
    return 3

a, b, c = Counting(), Counting(), Counting()
one, two, three = leaves(a), raises(b), perhaps(c)
for i in range(3):
    with a:
        if i == 1:
            break

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([32])
    A[0] = a.left + 100 * b.left + 10000 * c.left
    A[1] = one + 10 * two + 100 * three

#--- exceptions that a call may raise
import torch
from mylib import probe
from tvm.script import tirx as T

class Config:
    threads = 32

config, calls = Config(), []
config.early = 1
try:
    config.early = 2
    probe()
    config.late = 3
    calls.append(1)
except RuntimeError:
    config.late = 3

@T.prim_func
def k(A: T.Buffer((64,), "int32")):
    T.device_entry()
    T.cta_id([1])
    T.thread_id([config.threads])
    A[0] = config.early + config.late
    A[1] = len(calls)
#          ^^^^^^^^^^ error[TW2007]: the stored value is not known here: it depends on `probe()` at main.py:12, which comes from a call that may raise
#   hint: give the value in the script, or name an entry with known arguments
