# documentSymbol:
#| SIZE kind 14 8:1 SIZE = 4 at 8:1 SIZE
#| a kind 13 9:1 a, b = 1, 2 at 9:1 a
#| b kind 13 9:1 a, b = 1, 2 at 9:4 b
#| Shape kind 5 12:1-20:14 at 12:7 Shape
#|   rows kind 13 13:5 rows: int = 3 at 13:5 rows
#|   area kind 6 15:5-20:14 at 15:9 area
#| make kind 12 23:1-29:18 at 23:5 make
#|   kernel kind 12 @prim_func 24:5-27:26 at 25:9 kernel
#| late kind 13 33:5 late = make(2) at 33:5 late
# foldingRange:
#| 1-2 comment
#| 3-4 imports
#| 6-7 comment
#| 12-20
#| 15-20
#| 16-20
#| 23-29
#| 25-27
#| 26-27
#| 32-33
import math
from tvm.script import tirx as T

# Two lines
# of a comment.
SIZE = 4
a, b = 1, 2


class Shape:
    rows: int = 3

    def area(self):
        if self.rows:
            return (
                self.rows
                * 2
            )


def make(n):
    @T.prim_func
    def kernel(x: T.handle):
        for i in range(n):
            T.evaluate(i)

    return kernel


if SIZE:
    late = make(2)
