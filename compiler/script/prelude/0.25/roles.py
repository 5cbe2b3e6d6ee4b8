# Roles of warps and warpgroups: WarpRole, WarpgroupRole (surface.md 9).
#
# `with role:` runs its body under a branch. The evaluator opens that branch: for an instance with a method
# `__branch__` it takes the condition from there, calls `__prologue__` first inside the branch, then the body.
from tvm.script import tirx as T
from tvm.tirx.lang.integers import Integral


class _Role:
    def __init__(self, regs, increase):
        if regs is not None and isinstance(regs, Integral) and (regs < 24 or regs > 256 or regs % 8 != 0):
            raise ValueError(f"{type(self).__name__}: regs must be a multiple of 8 from 24 to 256, not {regs}")
        self.regs = regs
        self.increase = bool(increase)

    def __prologue__(self):
        if self.regs is not None:
            _set_registers(self.increase, self.regs)


@T.inline
def _set_registers(increase, regs):
    T.ptx.setmaxnreg(increase, regs)


class WarpRole(_Role):
    """The body of `with` belongs to the warp whose id is `val`."""

    def __init__(self, warp_id_var, val, regs=None, increase=False):
        super().__init__(regs, increase)
        self.warp_id = warp_id_var
        self.val = val

    def __branch__(self):
        return self.warp_id == self.val


class WarpgroupRole(_Role):
    """The body of `with` belongs to warpgroup `val`, or to those from val[0] to val[1] - 1."""

    def __init__(self, wg_id_var, val, regs=None, increase=False):
        super().__init__(regs, increase)
        if isinstance(val, (list, tuple)) and len(val) != 2:
            raise ValueError(f"WarpgroupRole: a range of warpgroups is (start, stop), not {val}")
        self.wg_id = wg_id_var
        self.val = val

    def __branch__(self):
        if isinstance(self.val, (list, tuple)):
            start, stop = self.val
            return (self.wg_id >= start) & (self.wg_id < stop)
        return self.wg_id == self.val
