# Fields of dataclasses and members of meta classes are names like others.
from dataclasses import dataclass, replace

from parts import Ring
from tvm.script import tirx as T


@dataclass
class Config:
    rows: int = 64
    #^ references:
#| 10:5 rows
#| 16:21 rows
#| 38:40 rows
#| 59:33 rows
#| 64:7 rows
    #^ rename(height):
#| 10:5 rows
#| 16:21 rows
#| 38:40 rows
#| 59:33 rows
#| 64:7 rows
    columns: int = 32

    def elements(self):
        return self.rows * self.columns
        #           ^ definition: 10:5 rows
        #                       ^ rename(rows): refused: 'rows' is taken on line 10


@T.meta_class
class Stage:
    def __init__(self, depth):
        self.depth = depth
        #    ^ references:
#| 24:14 depth
#| 50:27 depth
        self.index = T.local_scalar("int32")

    @T.inline
    def advance(self):
        self.index = self.index + 1
        #    ^ highlight:
#| 26:14 index write
#| 30:14 index write
#| 30:27 index
#| 46:15 index
#| 53:20 index
        #                 ^ rename(number):
#| 26:14 index
#| 30:14 index
#| 30:27 index
#| 46:15 index
#| 53:20 index


def make(cfg):
    @T.prim_func
    def kernel(A_ptr: T.handle):
        A = T.match_buffer(A_ptr, (cfg.rows, cfg.columns), "float16")
        #                              ^ definition: 10:5 rows
        #                          ^ typeDefinition: 9:7 Config
        T.device_entry()
        T.cta_id([1])
        T.thread_id([32])
        stage = Stage(3)
        # ^ typeDefinition: 22:7 Stage
        stage.index = 0
        #     ^ definition: 26:14 index
        stage.advance()
        #     ^ definition: 29:9 advance
        ring = Ring(stage.depth)
        # ^ typeDefinition: parts.py 5:7
        #                 ^ references:
#| 24:14 depth
#| 50:27 depth
        A[0, stage.index] = ring.size
        #                        ^ definition: parts.py 7:14

    return kernel


# tilewright: entry make(Config(rows=128))

small = replace(Config(), columns=8)
#                         ^ definition: 13:5 columns
#^ typeDefinition: 9:7 Config
small.rows
#     ^ references:
#| 10:5 rows
#| 16:21 rows
#| 38:40 rows
#| 59:33 rows
#| 64:7 rows
print(T.SMEMPool)
#       ^ typeDefinition: smem_pool.py 8:7


#--- file parts.py
from tvm.script import tirx as T


@T.meta_class
class Ring:
    def __init__(self, size):
        self.size = size
