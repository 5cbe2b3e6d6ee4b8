# A ring in tensor memory: T.TMEMStages (surface.md 8).
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral


@T.meta_class
class TMEMStages:
    """Equal windows of columns in one buffer: st[s] is window s, st[s, a:b] columns a to b of it."""

    def __init__(self, buf, col_start, width, stages=1, stride=None):
        self.buf = buf
        self.col_start = col_start
        self.width = width
        self.stages = stages
        self.stride = width if stride is None else stride

    def __getitem__(self, index):
        columns = slice(None)
        if isinstance(index, tuple):
            if len(index) != 2 or not isinstance(index[1], slice):
                raise ValueError("TMEMStages: write st[stage] or st[stage, first:last]")
            index, columns = index
        if isinstance(index, Integral) and not 0 <= index < self.stages:
            raise ValueError(f"TMEMStages: stage {index} does not exist, there are {self.stages}")
        first = 0 if columns.start is None else columns.start
        last = self.width if columns.stop is None else columns.stop
        base = self.col_start + index * self.stride
        whole = (slice(None),) * (len(self.buf.shape) - 1)
        return self.buf[whole + (slice(base + first, base + last),)]
