# What an import brings has the colour of what it is: classes, functions, values, modules.
import math
from dataclasses import dataclass
from enum import Enum

import parts
from parts import SIZE, Ring, scale
from tvm.script import tirx as T
from tvm.tirx.lang.pipeline import Pipeline
from tvm.tirx.layout import S, TileLayout, laneid
# semanticTokens:
#| 2:8 math namespace.declaration
#| 3:25 dataclass function.declaration
#| 4:18 Enum class.declaration
#| 6:8 parts namespace.declaration
#| 7:19 SIZE variable.declaration
#| 7:25 Ring class.declaration
#| 7:31 scale function.declaration
#| 8:32 T namespace.declaration.defaultLibrary
#| 9:36 Pipeline class.declaration.defaultLibrary
#| 10:29 S variable.declaration.defaultLibrary
#| 10:32 TileLayout class.declaration.defaultLibrary
#| 10:44 laneid variable.declaration.defaultLibrary


#--- file parts.py
SIZE = 4


class Ring:
    pass


def scale(x):
    return x
