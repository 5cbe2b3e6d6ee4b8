# Names that other scripts say: the files at the end are not open.
from helpers import scale, WIDTH
#                   ^ references:
#| helpers.py 4:5
#| helpers.py 8:9
#| 2:21 scale
#| 4:21 scale
#| 4:30 by
#| 24:22 scale
#| 29:13 scale
#| 29:19 by
#| by_alias.py 3:7
#| relay.py 1:21
#| relay.py 1:30
#| user.py 1:21
#| user.py 1:30
#| user.py 2:19
#| user.py 4:5
#| user.py 5:5
#| last.py 3:5
from helpers import scale as by
#                            ^ rename(times):
#| 4:30 by
#| 29:19 by
#                   ^ definition: helpers.py 4:5
import helpers
import kit.shapes
from tvm.script import tirx as T


# tilewright: entry make(rows=32, width=WIDTH)
#                   ^ definition: 18:5 make
#                   ^ references:
#| 12:21 make
#| 18:5 make
#| test_make.py 1:28
#| test_make.py 3:10
#                         ^ rename(height):
#| 12:26 rows
#| 18:10 rows
#| 21:32 rows
#| test_make.py 3:15
#                         ^ references:
#| 12:26 rows
#| 18:10 rows
#| 21:32 rows
#| test_make.py 3:15
#                                  ^ highlight:
#| 12:35 width
#| 18:16 width write
#| 21:38 width
def make(rows, width):
    @T.prim_func
    def kernel(a: T.handle):
        A = T.match_buffer(a, (rows, width), "float16")
        T.device_entry()
        lane = T.lane_id([32])
        A[lane, 0] = scale(A[lane, 1])
    return kernel
# @12 rename(make): refused: 'make' is taken on line 18


x = helpers.scale(by(1), factor=2)
#             ^ references:
#| helpers.py 4:5
#| helpers.py 8:9
#| 2:21 scale
#| 4:21 scale
#| 4:30 by
#| 24:22 scale
#| 29:13 scale
#| 29:19 by
#| by_alias.py 3:7
#| relay.py 1:21
#| relay.py 1:30
#| user.py 1:21
#| user.py 1:30
#| user.py 2:19
#| user.py 4:5
#| user.py 5:5
#| last.py 3:5
#             ^ rename(times):
#| 2:21 scale
#| 4:21 scale
#| 24:22 scale
#| 29:13 scale
#| by_alias.py 3:7
#| helpers.py 4:5
#| helpers.py 8:9
#| relay.py 1:21
#| user.py 1:21
#                        ^ definition: helpers.py 4:14
#                        ^ rename(with_factor):
#| 29:26 factor
#| by_alias.py 3:16
#| helpers.py 4:14
#| helpers.py 5:16
#| user.py 4:16
#     ^ rename(others): refused: there is no name here that can be changed
y = kit.shapes.AREA + kit.shapes.side(1, wide=2)
#              ^ definition: shapes.py 3:1
#              ^ references:
#| shapes.py 3:1
#| shapes.py 10:18
#| 35:16 AREA
#                                        ^ definition: shapes.py 6:13
#                                   ^ rename(edge):
#| 35:34 side
#| __init__.py 1:21
#| shapes.py 6:5
#| shapes.py 10:5
#                                           ^ rename(broad):
#| 35:42 wide
#| shapes.py 6:13
#| shapes.py 7:16
#| shapes.py 10:13
#--- file by_alias.py
import helpers as h

d = h.scale(4, factor=h.WIDTH)
#--- file helpers.py
WIDTH = 64


def scale(v, factor=3):
    return v * factor


count = scale(1)
#--- file user.py
from helpers import scale as enlarge
from relay import grow

a = enlarge(1, factor=4)
b = grow(2)
#--- file relay.py
from helpers import scale as grow
#--- file last.py
from relay import *

c = grow(3)
#--- file other.py
# Says the same words about things of its own.
def scale(factor):
    return factor


def make(rows):
    return scale(factor=rows)
#--- file test_make.py
from across_scripts import make

kernel = make(rows=4, width=8)
#--- file kit/__init__.py
from .shapes import side
#--- file kit/shapes.py
from . import units

AREA = units.ONE


def side(n, wide):
    return n * wide


z = side(1, wide=AREA)
#--- file kit/units.py
ONE = 1
