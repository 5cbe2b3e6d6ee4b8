# semanticTokens:
#| 2:32 T namespace.declaration.defaultLibrary
#| 4:1 ROWS variable.declaration.readonly
#| 7:7 Box class.declaration
#| 11:5 helper function.declaration
#| 11:12 n parameter.declaration
#| 12:12 n parameter
#| 12:16 ROWS variable.readonly
#| 15:2 T namespace.defaultLibrary
#| 15:4 prim_func property.defaultLibrary
#| 16:5 kernel function.declaration.kernel
#| 16:12 a parameter.declaration
#| 16:15 T namespace.defaultLibrary
#| 16:17 handle property.defaultLibrary
#| 17:5 A variable.declaration
#| 17:9 T namespace.defaultLibrary
#| 17:11 match_buffer method.defaultLibrary
#| 17:24 a parameter
#| 17:28 ROWS variable.readonly
#| 17:34 helper function
#| 18:5 A variable
#| 18:15 T namespace.defaultLibrary
#| 18:17 float16 method.defaultLibrary
#| 18:25 Box class
#| 18:29 size property
#| 21:21 make function
#| 21:26 rows parameter
#| 21:31 ROWS variable.readonly
#| 22:5 make function.declaration
#| 22:10 rows parameter.declaration
#| 23:12 kernel function.kernel
from tvm.script import tirx as T

ROWS = 32


class Box:
    pass


def helper(n):
    return n + ROWS


@T.prim_func
def kernel(a: T.handle):
    A = T.match_buffer(a, (ROWS, helper(1)), "float16")
    A[0, 0] = T.float16(Box.size)


# tilewright: entry make(rows=ROWS)
def make(rows):
    return kernel
