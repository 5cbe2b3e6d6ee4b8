# What names stand for.
from helpers import WIDTH, scale as by
#                                   ^ definition: helpers.py 4:5
#                                   ^ declaration: 2:37 by
import helpers
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import MBarrier
#                                  ^^^^^^^^ definition: barriers.py 13:7

ROWS = 32
# @1 references:
#| 10:1 ROWS
#| 17:23 ROWS
#| 27:27 ROWS
#| 38:12 ROWS
#| 48:28 ROWS
# @1 rename(LINES):
#| 10:1 ROWS
#| 17:23 ROWS
#| 27:27 ROWS
#| 38:12 ROWS
#| 48:28 ROWS
# @1 rename(WIDTH): refused: 'WIDTH' is taken on line 2
# @1 rename(3d): refused: '3d' is not a name


def offset(lane, step=ROWS):
    total = lane * step
    #       ^ highlight:
#| 17:12 lane write
#| 18:13 lane
    #              ^^^^ references:
#| 17:18 step
#| 18:20 step
#| 32:15 step
    #              ^^^^ rename(stride):
#| 17:18 step
#| 18:20 step
#| 32:15 step
    return total + helpers.WIDTH
    #      ^ definition: 18:5 total
    #                      ^^^^^ definition: helpers.py 1:1


x = [row for row in range(ROWS)]
#    ^^^ highlight:
#| 27:6 row
#| 27:14 row write
#               ^ definition: 27:14 row
#                   ^^^^^ definition: nothing
#                   ^^^^^ rename(other): refused: there is no name here that can be changed
y = offset(1, step=2)
#   ^^^^^^ definition: 17:5 offset
#             ^^^^ definition: 17:18 step


class Shape:
    rows = ROWS

    def pair(self):
        rows = 1
        return (self.rows, rows)
        #                  ^^^^ definition: 41:9 rows


@T.prim_func
def kernel(a: T.handle):
    A = T.match_buffer(a, (ROWS, WIDTH), "float16")
    T.device_entry()
    bar = T.MBarrier(1)
    #       ^^^^^^^^ definition: barriers.py 13:7
    i = offset(A[0, 0])
    #          ^ prepareRename: 52:16 A
    #   ^^^^^^ highlight:
#| 17:5 offset write
#| 32:5 offset
#| 52:9 offset
    #     ^ selectionRange:
#| 52:9 offset
#| 52:9 offset(A[0, 0])
#| 52:5 i = offset(A[0, 0])
#| 46:1-52:24
#| 1:1-69:1


def made(rows):
    # tilewright: run inner A=zeros
    @T.prim_func
    def inner(A: T.Buffer((rows,), "float32")):
        # @9 rename(renamed):
#| 59:23 inner
#| 61:9 inner
#| 66:12 inner
        T.device_entry()
        A[0] = 1.0

    return inner


#--- file helpers.py
WIDTH = 8


def scale(x):
    return x * WIDTH
