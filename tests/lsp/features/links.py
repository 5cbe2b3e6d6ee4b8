# Links, and names that change together.
from helpers import WIDTH
from kit import shapes, units as u, ONE
import kit.shapes
import helpers as h, numpy
from . import helpers
from tvm.script import tirx as T


# tilewright: arch sm_90a
# tilewright: entry make(rows=32)
# tilewright: entry make(rows=64)
#                          ^ linkedEditingRange:
#| 11:26 rows
#| 12:26 rows
#| 16:10 rows
#| 20:32 rows
#                   ^ linkedEditingRange:
#| 11:21 make
#| 12:21 make
#| 15:21 make
#| 16:5 make
#| 33:12 make
# tilewright: entry make(nothing)
def make(rows):
    @T.prim_func
    def kernel(a: T.handle):
        # @9 linkedEditingRange: nothing
        A = T.match_buffer(a, (rows, WIDTH), "float16")
        T.device_entry()
        T.cta_id([1])
        lane = T.lane_id([32])
        A[lane, 0] = A[lane, 1]
    return kernel
# @14 linkedEditingRange: nothing


# tilewright: entry shared(1)
def shared(n):
    # @5 linkedEditingRange: nothing
    # @12 linkedEditingRange: nothing
    return make(n)


# tilewright: entry specialised.specialize(N=32)
# tilewright: entry plain
@T.jit
def specialised(a: T.handle, *, N: T.constexpr):
    # @5 linkedEditingRange:
#| 36:21 specialised
#| 39:5 specialised
    # @33 linkedEditingRange:
#| 36:44 N
#| 39:33 N
#| 43:28 N
    # @33 rename(COUNT):
#| 36:44 N
#| 39:33 N
#| 43:28 N
    A = T.match_buffer(a, (N,), "float16")
    T.device_entry()
    A[0] = A[1]


@T.prim_func
def plain(a: T.handle):
    # @5 linkedEditingRange:
#| 37:21 plain
#| 49:5 plain
    A = T.match_buffer(a, (4,), "float16")
    T.device_entry()
    A[0] = A[1]


# documentLink:
#| 2:6 helpers -> helpers.py (helpers.py)
#| 3:6 kit -> __init__.py (kit/__init__.py)
#| 3:17 shapes -> shapes.py (kit/shapes.py)
#| 3:25 units -> units.py (kit/units.py)
#| 4:8 kit.shapes -> shapes.py (kit/shapes.py)
#| 5:8 helpers -> helpers.py (helpers.py)
#| 6:15 helpers -> helpers.py (helpers.py)
#| 11:21 make(rows=32) -> tilewright://cuda/sm_90a/kernel.cu (CUDA of kernel for sm_90a)
#| 12:21 make(rows=64) -> tilewright://cuda/sm_90a/kernel.cu (CUDA of kernel for sm_90a)
#| 29:21 shared(1) -> tilewright://cuda/sm_90a/kernel.cu (CUDA of kernel for sm_90a)
#| 36:21 specialised.specialize(N=32) -> tilewright://cuda/sm_90a/specialised.cu (CUDA of specialised for sm_90a)
#| 37:21 plain -> tilewright://cuda/sm_90a/plain.cu (CUDA of plain for sm_90a)
# workspaceSymbol(mk):
#| make kind 12 16:5 make
#| make_kernel kind 12 helpers.py 7:5
#--- file helpers.py
from tvm.script import tirx as T
from links import shared

WIDTH = 64


def make_kernel():
    return shared(1)
#--- file plain.py
def make_cake():
    return "no tile script"
#--- file kit/__init__.py
ONE = 1
#--- file kit/shapes.py
#--- file kit/units.py
